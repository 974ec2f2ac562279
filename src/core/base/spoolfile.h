/* A temporary file without a name, for data that memory has no room for.  It is
 * gone when it is released or the process ends, however that ends. */
#ifndef GT_BASE_SPOOLFILE_H
#define GT_BASE_SPOOLFILE_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

struct gt_spoolfile {
    int fd;             /* -1 until it is opened: start with that */
    const char *tmpdir; /* the directory it is made in; borrowed */
    _Atomic int64_t end; /* behind the last byte written */
};

/* Makes the file; nothing to do when it is there. */
int gt_spoolfile_open(struct gt_spoolfile *spool, struct gt_err *err);
/* All n bytes at an offset.  Different threads may write, and read, side by side. */
int gt_spoolfile_write(struct gt_spoolfile *spool, const void *data, size_t n, int64_t offset, struct gt_err *err);
int gt_spoolfile_read(const struct gt_spoolfile *spool, void *data, size_t n, int64_t offset, struct gt_err *err);
void gt_spoolfile_release(struct gt_spoolfile *spool);

#endif
