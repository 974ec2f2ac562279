/* sharding_indexed. */
#include "config.h"

#include "storage/codec/shard.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "storage/codec/step.h"
#include "storage/codec/vlen.h"

struct shard {
    struct gt_shard base;
    int64_t chunk[GT_MAX_DIMS];
    size_t item_size;
    void *fill; /* an item, or a text: what inner chunks hold that are not stored */
};

/* --- parsing --------------------------------------------------------------------- */

static int parse_shape(struct shard *shard, struct json_object *value, const struct gt_codec_array *array, struct gt_err *err)
{
    struct gt_shard *base = &shard->base;
    if (!json_object_is_type(value, json_type_array) || json_object_array_length(value) != (size_t)array->ndim)
        return gt_fail(err, GT_INPUT, "'chunk_shape' is not a shape of %d axes", array->ndim);
    base->ndim = array->ndim;
    base->n = base->unit_items = 1;
    for (int i = 0; i < array->ndim; i++) {
        struct json_object *extent = json_object_array_get_idx(value, (size_t)i);
        int64_t unit = json_object_is_type(extent, json_type_int) ? json_object_get_int64(extent) : 0;
        if (unit < 1 || array->chunk[i] % unit != 0)
            return gt_fail(err, GT_INPUT, "'chunk_shape' does not divide the shard along axis %d", i);
        shard->chunk[i] = array->chunk[i];
        base->unit[i] = unit;
        base->grid[i] = array->chunk[i] / unit;
        base->unit_items *= (size_t)unit; /* both are parts of n_items */
        base->n *= (size_t)base->grid[i];
    }
    return 0;
}

/* The index: one array of (grid..., 2), of a stored size that its codecs do not change. */
static int parse_index(struct shard *shard, struct json_object *codecs, struct gt_err *err)
{
    struct gt_codec_array array = {
        .item_size = 8, .type = GT_U64, .n_items = 2 * shard->base.n, .ndim = 2, .chunk = {(int64_t)shard->base.n, 2}, .zarr_format = 3};
    bool exact;
    int rc = gt_codec_parse_v3(&shard->base.index_chain, codecs, &array, err);
    if (rc) {
        gt_fail_prefix(err, "index");
        return rc;
    }
    shard->base.index_bytes = gt_codec_bound(shard->base.index_chain, &exact);
    return exact ? 0 : gt_fail(err, GT_INPUT, "index: its codecs change its size");
}

static int copy_fill(struct shard *shard, const void *fill, struct gt_err *err)
{
    if (shard->item_size == 0)
        shard->fill = gt_strdup(fill ? fill : "", err);
    else
        shard->fill = gt_alloc(1, shard->item_size, err);
    if (shard->fill && fill && shard->item_size > 0)
        memcpy(shard->fill, fill, shard->item_size);
    return shard->fill ? 0 : GT_FAIL;
}

static int parse(struct gt_step *step, struct json_object *conf, int zarr_format, struct gt_codec_array *array, struct gt_err *err)
{
    struct json_object *shape = NULL, *codecs = NULL, *index = NULL;
    struct shard *shard = step->own = gt_alloc(1, sizeof *shard, err);
    const char *where = NULL;
    int rc;
    (void)zarr_format;
    if (!shard)
        return GT_FAIL;
    if (!conf || !json_object_object_get_ex(conf, "chunk_shape", &shape) || !json_object_object_get_ex(conf, "codecs", &codecs) ||
        !json_object_object_get_ex(conf, "index_codecs", &index))
        return gt_fail(err, GT_INPUT, "'chunk_shape', 'codecs' or 'index_codecs' is missing");
    if ((rc = gt_conf_text(conf, "index_location", &where, err)))
        return rc;
    if (where && strcmp(where, "start") != 0 && strcmp(where, "end") != 0)
        return gt_fail(err, GT_INPUT, "'index_location' is '%s', neither start nor end", where);
    if (++array->depth > GT_MAX_NESTING)
        return gt_fail_unsupported(err, "shards nested more than %d deep are not supported", GT_MAX_NESTING);
    shard->base.index_at_start = where && strcmp(where, "start") == 0;
    shard->item_size = array->item_size;
    if ((rc = copy_fill(shard, array->fill, err)) || (rc = parse_shape(shard, shape, array, err)) || (rc = parse_index(shard, index, err)))
        return rc;
    struct gt_codec_array inner = *array;
    memcpy(inner.chunk, shard->base.unit, sizeof inner.chunk);
    inner.n_items = shard->base.unit_items;
    return gt_codec_parse_v3(&shard->base.inner, codecs, &inner, err);
}

static void release(struct gt_step *step)
{
    struct shard *shard = step->own;
    if (!shard)
        return;
    gt_codec_free(shard->base.inner);
    gt_codec_free(shard->base.index_chain);
    free(shard->fill);
}

/* Shards that other programs wrote have gaps, if they like: the size says nothing but
 * that it is not beyond reason. */
static size_t bound(const struct gt_step *step, size_t n, bool *exact)
{
    const struct shard *shard = step->own;
    bool inner_exact;
    size_t each = gt_codec_bound(shard->base.inner, &inner_exact), all;
    *exact = false;
    if (!gt_mul_size(each, shard->base.n, &all) || all > INT64_MAX / 16)
        all = INT64_MAX / 16;
    return (all > n ? all : n) + shard->base.index_bytes;
}

/* Of a shard of strings a list of all of them, and one of those of an inner chunk. */
static int64_t encode_buffers(const struct gt_step *step, size_t n)
{
    const struct shard *shard = step->own;
    const size_t unit = shard->item_size > 0 ? shard->base.unit_items * shard->item_size : n / shard->base.n;
    const size_t lists = shard->item_size > 0 ? 0 : 2 * n + (sizeof(size_t) + 1) * shard->base.n * shard->base.unit_items;
    return (int64_t)(3 * 16 * shard->base.n + 2 * shard->base.index_bytes + 2 * (unit + unit / 8 + 4096) + lists) +
           gt_codec_encode_bytes(shard->base.inner, unit);
}

/* --- the index ---------------------------------------------------------------------- */

int gt_shard_index(const struct gt_shard *shard, const void *data, struct gt_buf *index, struct gt_buf scratch[2], struct gt_err *err)
{
    int rc = gt_codec_decode(shard->index_chain, data, shard->index_bytes, index, scratch, err);
    if (rc)
        gt_fail_prefix(err, "index of the shard");
    return rc;
}

int gt_shard_entry(const struct gt_buf *index, size_t i, uint64_t shard_bytes, uint64_t *offset, uint64_t *n, struct gt_err *err)
{
    memcpy(offset, index->data + 16 * i, 8);
    memcpy(n, index->data + 16 * i + 8, 8);
    if (*offset == UINT64_MAX && *n == UINT64_MAX)
        return GT_NOENT;
    if (*n == 0 || *offset > INT64_MAX || *n > INT64_MAX - *offset || *offset + *n > shard_bytes)
        return gt_fail(err, GT_INPUT, "inner chunk %zu: the index gives %llu bytes at byte %llu, which is outside the shard", i,
                       (unsigned long long)*n, (unsigned long long)*offset);
    return 0;
}

/* --- a whole shard ------------------------------------------------------------------- */

/* Items of inner chunk `at` (an index in the grid) in it, and in the shard: first item at the place returned. */
static int64_t place_of(const struct shard *shard, const int64_t *at, struct gt_nd *nd)
{
    int64_t from[GT_MAX_DIMS], to[GT_MAX_DIMS], first = 0;
    gt_nd_strides(shard->base.ndim, shard->base.unit, from);
    gt_nd_strides(shard->base.ndim, shard->chunk, to);
    nd->ndim = shard->base.ndim;
    for (int i = 0; i < nd->ndim; i++) {
        nd->axis[i] = (struct gt_nd_axis){shard->base.unit[i], from[i], to[i]};
        first += at[i] * shard->base.unit[i] * to[i];
    }
    return first;
}

struct buffers {
    struct gt_buf index, raw, coded, scratch[2];
};

static void buffers_init(struct buffers *b, struct gt_budget *budget)
{
    memset(b, 0, sizeof *b);
    b->index.budget = b->raw.budget = b->coded.budget = b->scratch[0].budget = b->scratch[1].budget = budget;
}

static void buffers_release(struct buffers *b)
{
    gt_buf_release(&b->index);
    gt_buf_release(&b->raw);
    gt_buf_release(&b->coded);
    gt_buf_release(&b->scratch[0]);
    gt_buf_release(&b->scratch[1]);
}

static int read_index(const struct shard *shard, struct gt_view shard_bytes, struct buffers *b, struct gt_err *err)
{
    if (shard_bytes.n < shard->base.index_bytes)
        return gt_fail(err, GT_INPUT, "truncated: %zu bytes are less than the index of the shard", shard_bytes.n);
    const uint8_t *at = shard_bytes.data + (shard->base.index_at_start ? 0 : shard_bytes.n - shard->base.index_bytes);
    return gt_shard_index(&shard->base, at, &b->index, b->scratch, err);
}

/* Inner chunk i into b->raw; GT_NOENT when it is not stored. */
static int decode_inner(const struct shard *shard, struct gt_view bytes, size_t i, struct buffers *b, struct gt_err *err)
{
    uint64_t offset, n;
    int rc = gt_shard_entry(&b->index, i, bytes.n, &offset, &n, err);
    if (rc)
        return rc;
    rc = gt_codec_decode(shard->base.inner, bytes.data + offset, (size_t)n, &b->raw, b->scratch, err);
    if (rc)
        gt_fail_prefix(err, "inner chunk %zu", i);
    return rc;
}

static int decode_items(const struct shard *shard, struct gt_view bytes, struct gt_buf *out, struct buffers *b, struct gt_err *err)
{
    int64_t at[GT_MAX_DIMS] = {0};
    int rc = 0;
    for (size_t i = 0; i < shard->base.n && rc <= 0; i++, gt_nd_next(shard->base.ndim, shard->base.grid, at)) {
        struct gt_nd nd;
        uint8_t *to = out->data + (size_t)place_of(shard, at, &nd) * shard->item_size;
        rc = decode_inner(shard, bytes, i, b, err);
        if (rc == 0) {
            gt_nd_copy(&nd, shard->item_size, to, b->raw.data);
        } else if (rc == GT_NOENT) {
            for (int a = 0; a < nd.ndim; a++)
                nd.axis[a].from = 0;
            gt_nd_copy(&nd, shard->item_size, to, shard->fill);
        }
    }
    return rc == GT_NOENT ? 0 : rc;
}

/* Texts of all inner chunks, in the order of the shard. */
static int decode_texts(const struct shard *shard, struct gt_view bytes, struct gt_buf *out, struct buffers *b, struct gt_err *err)
{
    const struct gt_shard *base = &shard->base;
    struct gt_buf room = {.budget = out->budget};
    struct gt_strs all = {.budget = out->budget};
    int64_t index[GT_MAX_DIMS] = {0}, at[GT_MAX_DIMS], in[GT_MAX_DIMS];
    size_t size = 0;
    int rc = gt_mul_size(base->n, sizeof all, &size) ? gt_buf_zeros(&room, size, err) : gt_no_memory(err);
    struct gt_strs *lists = (struct gt_strs *)(void *)room.data;
    for (size_t i = 0; i < base->n && rc <= 0; i++) {
        lists[i].budget = out->budget;
        rc = decode_inner(shard, bytes, i, b, err);
        if (!rc)
            rc = gt_vlen_unpack(&b->raw, true, &lists[i], err);
    }
    rc = rc == GT_NOENT ? 0 : rc;
    if (!rc)
        do {
            for (int a = 0; a < base->ndim; a++) {
                at[a] = index[a] / base->unit[a];
                in[a] = index[a] % base->unit[a];
            }
            const struct gt_strs *list = &lists[gt_nd_number(base->ndim, base->grid, at)];
            const size_t i = (size_t)gt_nd_number(base->ndim, base->unit, in);
            rc = list->n ? gt_strs_add(&all, gt_strs_get(list, i), gt_strs_len(list, i), err)
                         : gt_strs_add(&all, shard->fill, strlen(shard->fill), err);
        } while (!rc && gt_nd_next(base->ndim, shard->chunk, index));
    if (!rc)
        rc = gt_vlen_pack(&all, 0, all.n, all.n, out, err);
    for (size_t i = 0; i < room.len / sizeof all; i++)
        gt_strs_release(&lists[i]);
    gt_buf_release(&room);
    gt_strs_release(&all);
    return rc;
}

static int decode(const struct gt_step *step, struct gt_view *view, struct gt_buf *out, struct gt_err *err)
{
    const struct shard *shard = step->own;
    struct buffers b;
    buffers_init(&b, out->budget);
    int rc = read_index(shard, *view, &b, err);
    if (!rc && shard->item_size > 0)
        rc = gt_step_room(out, step->raw_limit, err);
    if (!rc)
        rc = (shard->item_size > 0 ? decode_items : decode_texts)(shard, *view, out, &b, err);
    buffers_release(&b);
    *view = (struct gt_view){out->data, out->len};
    return rc;
}

/* --- writing -------------------------------------------------------------------------- */

/* The items of inner chunk `at`. */
static int take_items(const struct shard *shard, struct gt_view in, const int64_t *at, struct gt_buf *raw, struct gt_err *err)
{
    struct gt_nd nd;
    const uint8_t *from = in.data + (size_t)place_of(shard, at, &nd) * shard->item_size;
    int rc = gt_step_room(raw, shard->base.unit_items * shard->item_size, err);
    if (rc)
        return rc;
    for (int a = 0; a < nd.ndim; a++) {
        int64_t to = nd.axis[a].to;
        nd.axis[a].to = nd.axis[a].from;
        nd.axis[a].from = to;
    }
    gt_nd_copy(&nd, shard->item_size, raw->data, from);
    return 0;
}

/* All texts of a shard that is to be written. */
static int list_texts(const struct shard *shard, struct gt_view in, struct gt_strs *texts, struct gt_err *err)
{
    const struct gt_buf raw = {.data = (uint8_t *)in.data, .len = in.n};
    int rc = gt_vlen_unpack(&raw, true, texts, err);
    if (!rc && texts->n != shard->base.n * shard->base.unit_items)
        rc = gt_fail(err, GT_FAIL, "%zu strings where a shard has %zu", texts->n, shard->base.n * shard->base.unit_items);
    return rc;
}

static int take_texts(const struct shard *shard, const struct gt_strs *texts, const int64_t *at, struct gt_buf *raw, struct gt_err *err)
{
    struct gt_strs own = {.budget = raw->budget};
    int64_t in[GT_MAX_DIMS] = {0}, stride[GT_MAX_DIMS];
    int rc = 0;
    gt_nd_strides(shard->base.ndim, shard->chunk, stride);
    do {
        int64_t from = 0;
        for (int i = 0; i < shard->base.ndim; i++)
            from += (at[i] * shard->base.unit[i] + in[i]) * stride[i];
        rc = gt_strs_add(&own, gt_strs_get(texts, (size_t)from), gt_strs_len(texts, (size_t)from), err);
    } while (!rc && gt_nd_next(shard->base.ndim, shard->base.unit, in));
    if (!rc)
        rc = gt_vlen_pack(&own, 0, own.n, own.n, raw, err);
    gt_strs_release(&own);
    return rc;
}

static int put_index(const struct shard *shard, struct buffers *b, struct gt_buf *out, struct gt_err *err)
{
    int rc = gt_codec_encode(shard->base.index_chain, &b->index, &b->coded, b->scratch, err);
    if (!rc && b->coded.len != shard->base.index_bytes)
        rc = gt_fail(err, GT_FAIL, "the index of a shard encodes to %zu bytes instead of %zu", b->coded.len, shard->base.index_bytes);
    if (rc)
        return rc;
    if (!shard->base.index_at_start)
        return gt_buf_append(out, b->coded.data, b->coded.len, err);
    memcpy(out->data, b->coded.data, b->coded.len);
    return 0;
}

static int encode(const struct gt_step *step, struct gt_view in, struct gt_buf *out, struct gt_err *err)
{
    const struct shard *shard = step->own;
    int64_t at[GT_MAX_DIMS] = {0};
    struct buffers b;
    struct gt_strs texts = {.budget = out->budget};
    buffers_init(&b, out->budget);
    int rc = gt_buf_resize(&b.index, 16 * shard->base.n, err);
    if (!rc && shard->item_size == 0)
        rc = list_texts(shard, in, &texts, err);
    if (!rc)
        rc = gt_step_room(out, shard->base.index_at_start ? shard->base.index_bytes : 0, err);
    if (!rc && shard->item_size > 0) {
        bool exact; /* allocate all memory at once: growing a buffer copies it */
        gt_buf_try(out, bound(step, in.n, &exact));
    }
    for (size_t i = 0; i < shard->base.n && !rc; i++, gt_nd_next(shard->base.ndim, shard->base.grid, at)) {
        rc = shard->item_size > 0 ? take_items(shard, in, at, &b.raw, err) : take_texts(shard, &texts, at, &b.raw, err);
        rc = rc ? rc : gt_codec_encode(shard->base.inner, &b.raw, &b.coded, b.scratch, err);
        uint64_t entry[2] = {out->len, b.coded.len};
        memcpy(b.index.data + 16 * i, entry, sizeof entry);
        if (!rc)
            rc = gt_buf_append(out, b.coded.data, b.coded.len, err);
    }
    rc = rc ? rc : put_index(shard, &b, out, err);
    gt_strs_release(&texts);
    buffers_release(&b);
    return rc;
}

static void describe(const struct gt_step *step, struct gt_str *text)
{
    const struct shard *shard = step->own;
    gt_str_add(text, "(");
    for (int i = 0; i < shard->base.ndim; i++)
        gt_str_addf(text, "%s%lld", i ? "x" : "", (long long)shard->base.unit[i]);
    gt_str_addf(text, " %s)", gt_codec_describe(shard->base.inner));
}

const struct gt_codec gt_codec_sharding_indexed = {.name = "sharding_indexed",
                                                   .kind = GT_ARRAY_BYTES,
                                                   .v3_only = true,
                                                   .parse = parse,
                                                   .release = release,
                                                   .bound = bound,
                                                   .buffers = encode_buffers,
                                                   .encode = encode,
                                                   .decode = decode,
                                                   .describe = describe};

const struct gt_shard *gt_step_shard(const struct gt_step *step)
{
    return step->codec == &gt_codec_sharding_indexed ? &((const struct shard *)step->own)->base : NULL;
}
