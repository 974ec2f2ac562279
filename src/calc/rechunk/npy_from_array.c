#include "calc/rechunk/npy_from_array.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/outfile.h"
#include "core/base/size.h"
#include "core/base/spoolfile.h"
#include "core/base/str.h"
#include "storage/text/npy_head.h"

struct npy_store {
    struct gt_store base;
    const struct gt_array *array;
    struct gt_outfile file;
    struct gt_spoolfile spool; /* of a pipe: what came too early, where it stands in the file */
    int64_t head, items;       /* bytes, items of the array */
    bool spooled;
};

/* --- the header --------------------------------------------------------------------------------- */

static int put_head(struct npy_store *s, struct gt_err *err)
{
    const struct gt_array *array = s->array;
    char head[GT_NPY_HEAD], type[GT_DTYPE_NAME];
    struct gt_str shape = {0};
    gt_str_add(&shape, "(");
    for (int i = 0; i < array->ndim; i++)
        gt_str_addf(&shape, "%s%" PRId64, i ? ", " : "", array->shape[i]);
    gt_str_add(&shape, array->ndim == 1 ? ",)" : ")");
    int status = gt_str_check(&shape, err);
    if (!status) {
        s->head = (int64_t)gt_npy_head(head, gt_dtype_name_v2(&array->dtype, type), shape.s, false);
        status = gt_outfile_write(&s->file, head, (size_t)s->head, err);
    }
    gt_str_release(&shape);
    return status;
}

/* --- chunks --------------------------------------------------------------------------------------- */

/* The chunk's index, from "3.0"; false: the key is not one of a chunk. */
static bool parse_key(const struct gt_array *array, const char *key, int64_t *index)
{
    const char *slash = strrchr(key, '/');
    char *end;
    const char *p = slash ? slash + 1 : key;
    for (int i = 0; i < array->ndim || i == 0; i++, p = *end ? end + 1 : end) {
        const int64_t part = strtoll(p, &end, 10);
        if (end == p || (*end && *end != '.'))
            return false;
        if (i < array->ndim)
            index[i] = part;
    }
    return *p == 0;
}

/* Its first item, and how many of it are the array's. */
static int64_t first_item(const struct npy_store *s, const int64_t *index, int64_t *n)
{
    const struct gt_array *array = s->array;
    int64_t first = 0;
    *n = 1;
    for (int i = 0; i < array->ndim; i++) {
        const int64_t at = index[i] * array->chunk[i];
        first = first * array->shape[i] + at;
        *n *= gt_min_i64(array->chunk[i], array->shape[i] - at);
    }
    return first;
}

static int put_at(struct npy_store *s, const void *data, size_t n, int64_t offset, struct gt_err *err)
{
    if (!s->file.in_place)
        return gt_outfile_pwrite(&s->file, data, n, offset, err);
    if (offset == s->file.pos)
        return gt_outfile_write(&s->file, data, n, err);
    s->spooled = true;
    int status = gt_spoolfile_open(&s->spool, err);
    return status ? status : gt_spoolfile_write(&s->spool, data, n, offset, err);
}

static int on_put(struct gt_store *store, const char *key, const void *data, size_t n, struct gt_err *err)
{
    struct npy_store *s = (struct npy_store *)store;
    const int64_t size = (int64_t)s->array->dtype.size;
    int64_t index[GT_MAX_DIMS], items;
    (void)n; /* the edge's chunks are as long as others: what lies outside is left out */
    if (!parse_key(s->array, key, index))
        return 0;
    const int64_t first = first_item(s, index, &items);
    return items ? put_at(s, data, (size_t)(items * size), s->head + first * size, err) : 0;
}

/* --- the end ----------------------------------------------------------------------------------------- */

/* All that came too early, after what is written. */
static int unspool(struct npy_store *s, struct gt_err *err)
{
    enum { PIECE = 1 << 20 };
    const int64_t end = s->head + s->items * (int64_t)s->array->dtype.size;
    uint8_t *piece = gt_alloc(PIECE, 1, err);
    int status = piece ? 0 : GT_FAIL;
    while (!status && s->file.pos < end) {
        const size_t n = (size_t)gt_min_i64(PIECE, end - s->file.pos);
        status = gt_spoolfile_read(&s->spool, piece, n, s->file.pos, err);
        status = status ? status : gt_outfile_write(&s->file, piece, n, err);
    }
    free(piece);
    return status;
}

static int on_finish(struct gt_store *store, struct gt_err *err)
{
    struct npy_store *s = (struct npy_store *)store;
    int status = s->spooled ? unspool(s, err) : 0;
    return status ? status : gt_outfile_commit(&s->file, err);
}

static void on_free(struct gt_store *store)
{
    struct npy_store *s = (struct npy_store *)store;
    gt_outfile_abort(&s->file);
    gt_spoolfile_release(&s->spool);
    free(store->name);
    free(s);
}

static const struct gt_store_ops ops = {.kind = "npy", .put = on_put, .finish = on_finish, .free = on_free};

int gt_npy_store_create(struct gt_store **out, const char *path, const struct gt_array *array, const char *name, const char *tmpdir,
                        struct gt_err *err)
{
    *out = NULL;
    if (array->dtype.type == GT_STRING)
        return gt_fail(err, GT_USAGE, "array '%s' has strings of variable length, which .npy cannot hold", name);
    struct npy_store *s = gt_alloc(1, sizeof *s, err);
    if (!s)
        return GT_FAIL;
    s->base = (struct gt_store){.ops = &ops, .name = gt_strdup(path, err)};
    s->array = array;
    s->spool = (struct gt_spoolfile){.fd = -1, .tmpdir = tmpdir};
    s->items = 1;
    for (int i = 0; i < array->ndim; i++)
        s->items *= array->shape[i];
    int status = s->base.name ? gt_outfile_open(&s->file, path, true, err) : GT_FAIL;
    status = status ? status : put_head(s, err);
    if (status)
        on_free(&s->base);
    else
        *out = &s->base;
    return status;
}
