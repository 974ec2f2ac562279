/* A result file that appears whole or not at all.
 *
 * A regular target is written beside it, as TARGET.gt-tmp, and renamed by
 * commit.  That file is locked: a second process that writes the same target fails, and what a killed run left is
 * removed by the next one; "-" is standard output; a FIFO or device is written in place. */
#ifndef GT_BASE_OUTFILE_H
#define GT_BASE_OUTFILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

struct gt_outfile;

/* What may stand between gt_outfile_write and the file: compression (out/text.h). */
struct gt_outfile_filter {
    int (*write)(struct gt_outfile *out, const void *data, size_t n, struct gt_err *err);
    int (*finish)(struct gt_outfile *out, struct gt_err *err); /* the last bytes, at commit */
    void (*free)(struct gt_outfile *out);
};

struct gt_outfile {
    int fd;
    bool in_place; /* no rename: stdout, FIFO, device */
    char *path;    /* the target, as the user wrote it */
    char *temp;    /* what is being written: the target, links followed, and a tail; NULL when in place */
    size_t target_len;
    int lock;                               /* another descriptor of temp, which keeps it locked; -1 */
    int64_t pos;                            /* bytes that went to the file, but for gt_outfile_pwrite */
    const struct gt_outfile_filter *filter; /* NULL: none */
    void *filter_data;
};

/* Does this name standard output ("-", "/dev/stdout")? */
bool gt_is_stdout(const char *path);
/* That, or another device, which is written in place and has no files beside it? */
bool gt_is_stream(const char *path);

/* Through links to the file that they mean, so that the links stay, be it there or not. */
int gt_outfile_target(const char *path, char target[PATH_MAX], struct gt_err *err);

/* Opens for writing.  GT_FAIL: also when another process is writing it, or has written it (core/base/expect.h).  GT_USAGE: binary data to a
 * terminal, or to an input (base/alias_check.h). */
int gt_outfile_open(struct gt_outfile *out, const char *path, bool binary, struct gt_err *err);
/* Appends all n bytes; EPIPE becomes GT_PIPE. */
int gt_outfile_write(struct gt_outfile *out, const void *data, size_t n, struct gt_err *err);
/* The same past the filter: bytes as they are to stand in the file. */
int gt_outfile_put(struct gt_outfile *out, const void *data, size_t n, struct gt_err *err);
/* Writes at an offset; only when !in_place. */
int gt_outfile_pwrite(struct gt_outfile *out, const void *data, size_t n, int64_t offset, struct gt_err *err);
/* close + rename; after it, or after abort, *out is released. */
int gt_outfile_commit(struct gt_outfile *out, struct gt_err *err);
/* Several files (at most 8) that belong together, renamed in this order: when one cannot
 * be, all targets are as they were (on a file system with hard links; else gone).  All are
 * released.  NULLs and released ones are passed over. */
int gt_outfile_commit_all(struct gt_outfile *const out[], int n, struct gt_err *err);
void gt_outfile_abort(struct gt_outfile *out); /* safe on a zeroed struct and after commit */

/* All of n bytes to fd, retrying short writes and EINTR. */
int gt_write_all(int fd, const void *data, size_t n, const char *name, struct gt_err *err);

#endif
