#include "config.h"

#include <string.h>

#include "storage/store/range.h"
#include "storage/store/store.h"

int gt_range_resolve(const char *store, const char *key, int64_t size, int64_t *offset, size_t n, struct gt_err *err)
{
    if (*offset < 0)
        *offset += size;
    if (*offset < 0 || *offset > size || n > (uint64_t)(size - *offset))
        return gt_fail(err, GT_INPUT, "'%s/%s' is truncated: %zu bytes of it are needed, but it has %lld", store, key, n, (long long)size);
    return 0;
}

/* Where a store has no way to read a part. */
static int cut_range(struct gt_store *store, const char *key, int64_t offset, size_t n, struct gt_buf *buf, struct gt_err *err)
{
    int rc = gt_store_get(store, key, buf, err);
    if (rc || (rc = gt_range_resolve(store->name, key, (int64_t)buf->len, &offset, n, err)))
        return rc;
    if (n > 0)
        memmove(buf->data, buf->data + offset, n);
    buf->len = n;
    return 0;
}

int gt_store_get_range(struct gt_store *store, const char *key, int64_t offset, size_t n, struct gt_buf *buf, struct gt_err *err)
{
    return (store->ops->get_range ? store->ops->get_range : cut_range)(store, key, offset, n, buf, err);
}

int gt_store_get_many(struct gt_store *store, struct gt_get *gets, size_t n, struct gt_err *err)
{
    if (store->ops->get_many)
        return store->ops->get_many(store, gets, n, err);
    for (size_t i = 0; i < n; i++) {
        struct gt_get *get = &gets[i];
        get->status = get->range ? gt_store_get_range(store, get->key, get->offset, get->n, get->buf, err)
                                 : gt_store_get(store, get->key, get->buf, err);
        if (get->status > 0)
            return get->status;
    }
    return 0;
}

int gt_store_verify(struct gt_store *store, int64_t *values, int64_t *bytes, struct gt_err *err)
{
    *values = *bytes = 0;
    if (store->ops->verify)
        return store->ops->verify(store, values, bytes, err);
    return gt_fail(err, GT_USAGE, "data written to a %s was not read back", store->ops->kind);
}
