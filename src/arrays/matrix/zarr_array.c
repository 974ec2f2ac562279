/* Arrays of a Zarr store: rows of a view are put together from the chunks that they lie in. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "arrays/matrix/matrix_impl.h"
#include "arrays/zarr/group.h"
#include "arrays/zarr/open.h"
#include "core/base/mem.h"
#include "core/base/size.h"

struct zarr {
    struct gt_matrix_back base;
    struct gt_store *store; /* NULL: it and the array are somebody else's */
    struct gt_array *array;
    struct gt_cache *cache;
};

static int zarr_start(struct gt_matrix_back *back, struct gt_err *err)
{
    struct zarr *z = (struct zarr *)back;
    const struct gt_cache_opts opts = {.budget = back->budget, .ordered = back->keep, .axis = back->row_axis};
    gt_cache_free(z->cache);
    z->cache = NULL;
    return gt_cache_new(&z->cache, z->array, &opts, err);
}

static void zarr_drop(struct gt_matrix_back *back, struct gt_matrix_item *item)
{
    while (item->n_held > 0)
        gt_cache_give(((struct zarr *)back)->cache, item->held[--item->n_held]);
}

/* The stored bytes of the first chunks, as many as memory was given for. */
static int zarr_fetch(struct gt_matrix_back *back, const int64_t *stride, struct gt_matrix_item *item, struct gt_err *err)
{
    struct zarr *z = (struct zarr *)back;
    struct gt_region_walk walk;
    int64_t bytes = 0;
    int status = 0;
    zarr_drop(back, item);
    for (gt_region_walk_begin(&walk, z->array, &item->region, stride); gt_region_walk_chunk(&walk); gt_region_walk_next(&walk)) {
        bytes += (int64_t)z->array->unit_bytes;
        if (item->n_held && bytes > back->fetch_bytes)
            break;
        status = gt_grow(&item->held, &item->cap_held, item->n_held + 1, sizeof(struct gt_chunk *), err);
        if (!status)
            status = gt_cache_acquire(z->cache, walk.index, &item->held[item->n_held], err);
        if (status)
            return status;
        item->n_held++;
    }
    status = gt_cache_fetch(z->cache, item->held, item->n_held, &bytes, err);
    gt_flow_bytes(bytes);
    return status;
}

/* Is the block this chunk, as it is?  Steps are at least 1. */
static bool is_block(const struct zarr *z, const struct gt_region_walk *walk, const struct gt_matrix_item *item)
{
    struct gt_nd part = walk->part;
    if (item->stored.len != z->array->unit_bytes)
        return false;
    gt_nd_tidy(&part);
    return part.ndim == 1 && part.axis[0].n == (int64_t)z->array->unit_items;
}

static int take_chunk(struct zarr *z, struct gt_chunk *chunk, const struct gt_region_walk *walk, struct gt_matrix_item *item,
                      struct gt_err *err)
{
    size_t size = z->array->dtype.size;
    int status = gt_cache_decode_part(z->cache, chunk, (size_t)walk->from, gt_region_walk_span(walk), item->scratch, err);
    if (!status && is_block(z, walk, item) && gt_cache_give_for(z->cache, chunk, &item->stored))
        return GT_OK;
    if (!status)
        gt_nd_copy(&walk->part, size, item->stored.data + walk->to * (int64_t)size, chunk->raw.data + (size_t)walk->from * size);
    gt_cache_give(z->cache, chunk);
    return status;
}

/* Of chunks that stay: blocks that share them begin at different ones, so that none waits for what another decodes. */
static int decode_held(struct zarr *z, struct gt_matrix_item *item, struct gt_err *err)
{
    static const size_t eighths[] = {0, 4, 2, 6, 1, 5, 3, 7};
    const int64_t block = item->block.n > 0 ? item->block.first / item->block.n : 0;
    const size_t n = item->n_held, from = n * eighths[block & 7] / 8;
    int status = 0;
    for (size_t i = 0; i < n && !status; i++)
        status = gt_cache_decode(z->cache, item->held[(from + i) % n], item->scratch, err);
    return status;
}

static int zarr_make(struct gt_matrix_back *back, const int64_t *stride, struct gt_matrix_item *item, struct gt_err *err)
{
    struct zarr *z = (struct zarr *)back;
    struct gt_region_walk walk;
    size_t at = 0, n = item->n_held;
    int status = back->keep ? decode_held(z, item, err) : 0;
    item->n_held = 0;
    for (gt_region_walk_begin(&walk, z->array, &item->region, stride); gt_region_walk_chunk(&walk) && !status; gt_region_walk_next(&walk)) {
        struct gt_chunk *chunk = at < n ? item->held[at++] : NULL;
        if (!chunk)
            status = gt_cache_acquire(z->cache, walk.index, &chunk, err);
        if (!status)
            status = take_chunk(z, chunk, &walk, item, err);
    }
    while (at < n)
        gt_cache_give(z->cache, item->held[at++]);
    return status;
}

static void zarr_free(struct gt_matrix_back *back)
{
    struct zarr *z = (struct zarr *)back;
    gt_cache_free(z->cache);
    if (z->store)
        gt_array_free(z->array);
    gt_store_free(z->store);
    free(z);
}

static int not_numbers(const struct zarr *z, const char *path, struct gt_err *err)
{
    char type[GT_DTYPE_NAME];
    if (gt_type_is_text(z->array->dtype.type))
        return gt_fail(err, GT_INPUT, "'%s': array '%s' holds strings; numbers are needed", z->store->name, gt_array_name(path));
    return gt_fail_unsupported(err, "'%s': array '%s' has type %s; only integers, floats and booleans are supported", z->store->name,
                               gt_array_name(path), gt_dtype_name_v3(&z->array->dtype, type));
}

static int open_array(struct zarr *z, const char *path, struct gt_err *err)
{
    struct gt_group *group = NULL;
    int status = gt_array_open(&z->array, z->store, path, err);
    if (status == GT_NOENT) {
        status = gt_group_open(&group, z->store, path, err);
        gt_group_free(group);
        if (status)
            return status == GT_NOENT ? gt_zarr_fail_absent(z->store, path, err) : status;
        gt_fail(err, GT_INPUT, "'%s': '%s' is a group; an array is needed", z->store->name, *path ? path : "/");
        gt_hint(err, "list the arrays with gt-info, and give one as STORE/ARRAY");
        return GT_INPUT;
    }
    if (!status && z->array->dtype.type > GT_F64)
        status = not_numbers(z, path, err);
    return status;
}

static void describe(struct zarr *z)
{
    const struct gt_array *a = z->array;
    struct gt_matrix_back *base = &z->base;
    base->ndim = a->ndim;
    base->dtype = gt_dtype_of(a->dtype.type); /* decoded: little endian */
    base->read_bytes = (int64_t)(a->unit_bytes < INT64_MAX / 4 ? 2 * a->unit_bytes : INT64_MAX / 2);
    const char *codec = gt_codec_describe(a->codecs);
    const bool local = strcmp(a->store->ops->kind, "directory") == 0;
    base->raw = local && strcmp(codec, "none") == 0;
    base->fast = base->raw || (local && (strncmp(codec, "lz4", 3) == 0 || strncmp(codec, "blosc:lz4:", 10) == 0));
    for (int i = 0; i < a->ndim; i++) {
        base->shape[i] = a->shape[i];
        base->unit[i] = a->unit[i];
        base->axis[i] = a->dim_names[i];
    }
}

static struct zarr *new_zarr(struct gt_engine *engine, struct gt_err *err)
{
    static const struct gt_matrix_back_ops ops = {zarr_start, zarr_fetch, zarr_make, zarr_drop, zarr_free};
    struct zarr *z = gt_alloc(1, sizeof *z, err);
    if (z)
        z->base = (struct gt_matrix_back){.ops = &ops, .kind = "Zarr array", .budget = &engine->budget};
    return z;
}

int gt_matrix_of_array(struct gt_matrix_back **out, struct gt_engine *engine, struct gt_array *array, struct gt_err *err)
{
    struct zarr *z = new_zarr(engine, err);
    if (!z)
        return GT_FAIL;
    z->array = array;
    describe(z);
    *out = &z->base;
    return 0;
}

int gt_matrix_open_zarr(struct gt_matrix_back **out, struct gt_engine *engine, struct gt_input *input, const char *array,
                        struct gt_err *err)
{
    struct gt_str path = {0};
    struct zarr *z = new_zarr(engine, err);
    if (!z)
        return GT_FAIL;
    int status = gt_zarr_path(&path, input, array, err);
    if (!status)
        status = gt_zarr_open_store(&z->store, engine, input, true, err);
    if (!status)
        status = open_array(z, path.s, err);
    gt_str_release(&path);
    if (status) {
        zarr_free(&z->base);
        return status;
    }
    describe(z);
    *out = &z->base;
    return 0;
}
