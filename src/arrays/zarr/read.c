/* Whole arrays, for ids, contigs and other small ones. */
#include "arrays/zarr/array.h"

#include <stdlib.h>
#include <string.h>

#include "arrays/zarr/region.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/base/str.h"

#define MAX_STRINGS ((size_t)1 << 24)

enum { AHEAD = 16 }; /* chunks of a list that are asked for at once */

static int total_items(const struct gt_array *array, size_t *items, struct gt_err *err)
{
    *items = 1;
    for (int i = 0; i < array->ndim; i++)
        if (!gt_mul_size(*items, (size_t)array->shape[i], items))
            return gt_fail(err, GT_INPUT, "array '%s' is too large", gt_array_name(array->path));
    return GT_OK;
}

int gt_array_read_all(struct gt_array *array, struct gt_buf *raw, struct gt_err *err)
{
    struct gt_buf scratch[2] = {{.budget = raw->budget}, {.budget = raw->budget}};
    struct gt_cache_opts opts = {.budget = raw->budget};
    struct gt_cache *cache = NULL;
    struct gt_region region;
    int64_t stride[GT_MAX_DIMS];
    size_t items, bytes;
    int status = total_items(array, &items, err);

    if (!status && !gt_mul_size(items, array->dtype.size, &bytes))
        status = gt_fail(err, GT_INPUT, "array '%s' is too large", gt_array_name(array->path));
    if (!status)
        status = gt_buf_resize(raw, bytes, err);
    if (!status)
        status = gt_cache_new(&cache, array, &opts, err);
    if (!status) {
        gt_region_all(&region, array);
        gt_nd_strides(array->ndim, array->shape, stride);
        status = gt_region_read(cache, &region, raw->data, stride, scratch, err);
    }
    gt_cache_free(cache);
    gt_buf_release(&scratch[0]);
    gt_buf_release(&scratch[1]);
    return status;
}

/* UTF-8 of one code point; 0 when it is none. */
static size_t utf8(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return c >= 0xD800 && c < 0xE000 ? 0 : 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return c < 0x110000 ? 4 : 0;
}

static int add_text(const struct gt_array *array, const char *text, size_t n, bool nul, struct gt_strs *strs, struct gt_err *err)
{
    if (!nul && n > 0 && memchr(text, 0, n))
        return gt_fail_unsupported(err, "array '%s' has a string with a NUL inside, which is not supported", gt_array_name(array->path));
    return gt_strs_add(strs, text, n, err);
}

int gt_array_item_text(const struct gt_array *array, const uint8_t *item, bool nul, struct gt_strs *strs, struct gt_err *err)
{
    struct gt_str text = {0};
    size_t len = array->dtype.size;

    if (array->dtype.type == GT_BYTES) {
        while (len > 0 && item[len - 1] == 0)
            len--;
        return add_text(array, (const char *)item, len, nul, strs, err);
    }
    while (len > 0 && memcmp(item + len - 4, "\0\0\0", 4) == 0)
        len -= 4;
    for (size_t i = 0; i < len; i += 4) {
        uint32_t c;
        char bytes[4];
        size_t n;
        memcpy(&c, item + i, 4);
        n = utf8(c, bytes);
        if (n == 0) {
            gt_str_release(&text);
            return gt_fail(err, GT_INPUT, "array '%s' holds %#x, which is not a Unicode character", gt_array_name(array->path),
                           (unsigned)c);
        }
        gt_str_addn(&text, bytes, n);
    }
    int status = gt_str_check(&text, err);
    if (!status)
        status = add_text(array, text.s, text.len, nul, strs, err);
    gt_str_release(&text);
    return status;
}

/* Reading all texts: one row of chunks after another, since the items of a row of
 * the array may lie in many of them. */
struct texts {
    struct gt_array *array;
    struct gt_cache *cache;
    int64_t grid[GT_MAX_DIMS];
    struct gt_chunk **chunk; /* of the row */
    int64_t n;
    struct gt_buf scratch[2];
};

static int hold_row(struct texts *t, int64_t row, struct gt_err *err)
{
    int64_t index[GT_MAX_DIMS] = {row};
    int status = GT_OK;

    t->n = 0;
    do {
        status = gt_cache_acquire(t->cache, index, &t->chunk[t->n], err);
        if (status)
            return status;
        status = gt_cache_decode(t->cache, t->chunk[t->n++], t->scratch, err);
    } while (!status && gt_nd_next(t->array->ndim - 1, t->grid + 1, index + 1));
    return status;
}

/* Gets the stored bytes of the next chunks of a list as one question, and holds them. */
static int get_ahead(struct gt_cache *cache, int64_t from, int64_t n, struct gt_chunk *ahead[AHEAD], struct gt_err *err)
{
    int status = GT_OK;

    for (int64_t i = 0; i < n && !status; i++, from++)
        status = gt_cache_acquire(cache, &from, &ahead[i], err);
    return status ? status : gt_cache_fetch(cache, ahead, (size_t)n, NULL, err);
}

static void give_ahead(struct gt_cache *cache, struct gt_chunk *ahead[AHEAD])
{
    for (int i = 0; i < AHEAD; i++) {
        if (ahead[i])
            gt_cache_give(cache, ahead[i]);
        ahead[i] = NULL;
    }
}

static const char *text_at(const struct texts *t, const int64_t *at, size_t *len)
{
    const struct gt_array *array = t->array;
    int64_t chunk[GT_MAX_DIMS] = {0}, item[GT_MAX_DIMS];
    const struct gt_strs *texts;
    size_t i;

    for (int d = 0; d < array->ndim; d++) {
        chunk[d] = at[d] / array->unit[d];
        item[d] = at[d] % array->unit[d];
    }
    texts = &t->chunk[gt_nd_number(array->ndim - 1, t->grid + 1, chunk + 1)]->texts;
    i = (size_t)gt_nd_number(array->ndim, array->unit, item);
    *len = gt_strs_len(texts, i);
    return gt_strs_get(texts, i);
}

static int add_row(struct texts *t, int64_t row, struct gt_strs *strs, struct gt_err *err)
{
    const struct gt_array *array = t->array;
    int64_t extent[GT_MAX_DIMS], at[GT_MAX_DIMS] = {0};
    int status = hold_row(t, row, err);

    memcpy(extent, array->shape, sizeof extent);
    if (array->ndim > 0) {
        int64_t left = array->shape[0] - row * array->unit[0];
        extent[0] = left < array->unit[0] ? left : array->unit[0];
    }
    while (!status) {
        size_t len;
        const char *text = text_at(t, at, &len);
        status = gt_strs_add(strs, text, len, err);
        if (!gt_nd_next(array->ndim, extent, at))
            break;
    }
    if (status == GT_NOFIT)
        gt_fail_prefix(err, "array '%s'", gt_array_name(array->path));
    for (int64_t i = 0; i < t->n; i++)
        gt_cache_give(t->cache, t->chunk[i]);
    return status;
}

static int read_texts(struct gt_array *array, struct gt_budget *budget, struct gt_strs *strs, struct gt_err *err)
{
    struct texts t = {.array = array, .scratch = {{.budget = budget}, {.budget = budget}}};
    struct gt_cache_opts opts = {.budget = budget, .texts = true};
    struct gt_chunk *ahead[AHEAD] = {0};
    int64_t rows = 1, wide = 1;
    const bool far = array->ndim == 1 && array->store->ops->get_many;
    int status = gt_cache_new(&t.cache, array, &opts, err);

    for (int i = 0; i < array->ndim; i++) {
        t.grid[i] = gt_array_units(array, i);
        *(i ? &wide : &rows) *= t.grid[i]; /* at most the number of items, which is bounded */
    }
    t.chunk = gt_alloc((size_t)wide, sizeof(struct gt_chunk *), err);
    if (!status && !t.chunk)
        status = GT_FAIL;
    for (int64_t row = 0; row < rows && !status; row++) {
        if (row % AHEAD == 0 && far) {
            give_ahead(t.cache, ahead);
            status = get_ahead(t.cache, row, gt_min_i64(AHEAD, rows - row), ahead, err);
        }
        status = status ? status : add_row(&t, row, strs, err);
    }
    give_ahead(t.cache, ahead);
    gt_cache_free(t.cache);
    gt_buf_release(&t.scratch[0]);
    gt_buf_release(&t.scratch[1]);
    free(t.chunk);
    return status;
}

int gt_array_read_strings(struct gt_array *array, struct gt_budget *budget, struct gt_strs *strs, struct gt_err *err)
{
    size_t items;
    int status = total_items(array, &items, err);

    gt_strs_clear(strs);
    if (status)
        return status;
    if (array->dtype.type < GT_BYTES)
        return gt_fail(err, GT_INPUT, "array '%s' holds numbers; strings are needed", gt_array_name(array->path));
    if (items > MAX_STRINGS || array->chunk_items > MAX_STRINGS)
        return gt_fail(err, GT_INPUT, "array '%s' has %zu strings in chunks of %zu, more than the %zu that are read at once",
                       gt_array_name(array->path), items, array->chunk_items, MAX_STRINGS);
    if (items == 0)
        return GT_OK;
    return read_texts(array, budget, strs, err);
}
