/* Reads below a directory, for directory stores opened for reading or writing, and the operations that a read-only store
 * lacks.  Private to src/storage. */
#ifndef GT_STORE_DIR_H
#define GT_STORE_DIR_H

#include "storage/store/store.h"

/* root: descriptor of the directory; store: its name for messages. */
int gt_dir_get(int root, const char *store, const char *key, struct gt_buf *buf, struct gt_err *err);
int gt_dir_get_range(int root, const char *store, const char *key, int64_t offset, size_t n, struct gt_buf *buf, struct gt_err *err);
int gt_dir_has(int root, const char *store, const char *key, struct gt_err *err);
/* unlisted: as in struct gt_store. */
int gt_dir_list(int root, const char *store, struct gt_strs *unlisted, const char *prefix,
                int (*fn)(void *ctx, const char *key, int64_t size), void *ctx, struct gt_err *err);

int gt_store_no_put(struct gt_store *store, const char *key, const void *data, size_t n, struct gt_err *err);
int gt_store_no_finish(struct gt_store *store, struct gt_err *err);

#endif
