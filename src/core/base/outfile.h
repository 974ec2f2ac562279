/* A result file that appears complete or not at all.
 *
 * A regular file is written as TARGET.gt-tmp and renamed by commit.  The temporary file is locked: a second process that writes
 * the same target fails, and the next run removes the file of a killed one.  "-" is standard output; a FIFO or device is
 * written in place.  What is written to a URL is kept in an unnamed temporary file and sent by commit. */
#ifndef GT_BASE_OUTFILE_H
#define GT_BASE_OUTFILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

struct gt_outfile;

/* A filter between gt_outfile_write and the file: compression (storage/text/text_file.h). */
struct gt_outfile_filter {
    int (*write)(struct gt_outfile *out, const void *data, size_t n, struct gt_err *err);
    int (*finish)(struct gt_outfile *out, struct gt_err *err); /* writes the remaining bytes, at commit */
    void (*free)(struct gt_outfile *out);
};

struct gt_outfile {
    int fd;
    bool in_place; /* no rename: stdout, FIFO, device */
    bool remote;   /* no rename: a URL */
    bool replaced; /* set after open, for files that are written again every few seconds: commit does not wait until what it replaces may
                    * go; if the machine stops just then, the file may be empty */
    char *path;    /* the target, as the user wrote it */
    char *temp;    /* path of the temporary file, symbolic links resolved; NULL when in place */
    size_t target_len;
    int lock;                               /* second descriptor of temp, which holds the lock; -1 */
    int64_t pos;                            /* bytes written sequentially, without gt_outfile_pwrite */
    const struct gt_outfile_filter *filter; /* NULL: none */
    void *filter_data;
};

/* Is it standard output ("-", "/dev/stdout")? */
bool gt_is_stdout(const char *path);
/* Is it standard output, a FIFO or a device, which has no sidecar files?  Also what a descriptor in /dev/fd is open on. */
bool gt_is_stream(const char *path);

/* Where outputs go that are not files: storage/http/url_writer.h sets this.  NULL: nowhere. */
struct gt_outfile_remote {
    bool (*is_remote)(const char *path);
    int (*send)(const char *path, int fd, int64_t size, struct gt_err *err); /* the first `size` bytes of fd, in one piece */
    void (*remove)(const char *path);                                        /* what was sent */
};
/* tmpdir: of the temporary files; borrowed. */
void gt_outfile_set_remote(const struct gt_outfile_remote *remote, const char *tmpdir);

/* Resolves symbolic links, so that they are kept; the target need not exist. */
int gt_outfile_target(const char *path, char target[PATH_MAX], struct gt_err *err);

/* Opens for writing.  GT_FAIL: also when another process is writing or has just written it (core/base/expect.h).  GT_USAGE: binary
 * data to a terminal, or the target is an input (base/alias_check.h). */
int gt_outfile_open(struct gt_outfile *out, const char *path, bool binary, struct gt_err *err);
/* Appends all n bytes; EPIPE becomes GT_PIPE. */
int gt_outfile_write(struct gt_outfile *out, const void *data, size_t n, struct gt_err *err);
/* The same, bypassing the filter. */
int gt_outfile_put(struct gt_outfile *out, const void *data, size_t n, struct gt_err *err);
/* Writes at an offset; only when !in_place. */
int gt_outfile_pwrite(struct gt_outfile *out, const void *data, size_t n, int64_t offset, struct gt_err *err);
/* A path under which a library can write the file itself, instead of gt_outfile_write; not in place. */
void gt_outfile_temp_name(const struct gt_outfile *out, char name[PATH_MAX]);
/* Closes and renames.  *out is released by commit and by abort. */
int gt_outfile_commit(struct gt_outfile *out, struct gt_err *err);
/* Commits up to 8 files that belong together, in this order.  If one rename fails, all targets are restored (on file systems with
 * hard links; else removed).  Releases all of them; NULL and released entries are ignored. */
int gt_outfile_commit_all(struct gt_outfile *const out[], int n, struct gt_err *err);
void gt_outfile_abort(struct gt_outfile *out); /* safe on a zeroed struct and after commit */

/* All of n bytes to fd, retrying short writes and EINTR. */
int gt_write_all(int fd, const void *data, size_t n, const char *name, struct gt_err *err);

#endif
