/* Files that are read by URL: what htslib's hFILE knows (http, https, ftp, s3, gs).
 * One thread at a time. */
#ifndef GT_STORE_REMOTE_H
#define GT_STORE_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/err.h"

struct hFILE;

/* Is it the URL of such a file, and no path? */
bool gt_remote_named(const char *path);
/* *size: -1 when the server does not tell; such a file can be read once, in order.
 * GT_FAIL: "cannot open 'URL': No such file or directory". */
int gt_remote_open(struct hFILE **out, int64_t *size, const char *url, struct gt_err *err);
/* As read and pread: fewer than n at the end only; -1 and errno. */
ssize_t gt_remote_read(struct hFILE *file, void *data, size_t n);
ssize_t gt_remote_pread(struct hFILE *file, void *data, size_t n, int64_t offset);
void gt_remote_close(struct hFILE *file);

#endif
