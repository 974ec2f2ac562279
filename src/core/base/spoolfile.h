/* An anonymous temporary file for data that does not fit in memory.  The operating system
 * removes it when it is released or the process ends. */
#ifndef GT_BASE_SPOOLFILE_H
#define GT_BASE_SPOOLFILE_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

struct gt_spoolfile {
    int fd;              /* -1 until it is opened; initialise to -1 */
    const char *tmpdir;  /* directory of the file; borrowed */
    _Atomic int64_t end; /* end of the last byte written */
};

/* Creates the file unless it is open. */
int gt_spoolfile_open(struct gt_spoolfile *spool, struct gt_err *err);
/* Writes n bytes at an offset.  Reads and writes may be concurrent. */
int gt_spoolfile_write(struct gt_spoolfile *spool, const void *data, size_t n, int64_t offset, struct gt_err *err);
int gt_spoolfile_read(const struct gt_spoolfile *spool, void *data, size_t n, int64_t offset, struct gt_err *err);
void gt_spoolfile_release(struct gt_spoolfile *spool);

#endif
