/* Whole arrays, for ids, contigs and other small ones. */
#include "zarr/array.h"

#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "base/str.h"
#include "codec/vlen.h"

#define MAX_STRINGS ((size_t)1 << 24)

static int total_items(const struct gt_array *array, size_t *items, struct gt_err *err)
{
    *items = 1;
    for (int i = 0; i < array->ndim; i++)
        if (!gt_mul_size(*items, (size_t)array->shape[i], items))
            return gt_fail(err, GT_INPUT, "array '%s' is too large", array->path);
    return GT_OK;
}

static int read_chunk(struct gt_array *array, const int64_t *index, struct gt_buf *stored, struct gt_buf *raw, struct gt_buf scratch[2],
                      struct gt_err *err)
{
    int status = gt_array_fetch(array, index, stored, err);

    if (status > 0)
        return status;
    return gt_array_decode(array, index, status == GT_NOENT ? NULL : stored, raw, scratch, err);
}

static void grid_of(const struct gt_array *array, int64_t *grid)
{
    for (int i = 0; i < array->ndim; i++)
        grid[i] = gt_array_grid(array, i);
}

int gt_array_read_all(struct gt_array *array, struct gt_buf *raw, struct gt_err *err)
{
    struct gt_buf stored = {.budget = raw->budget}, chunk = stored, scratch[2] = {stored, stored};
    int64_t index[GT_MAX_DIMS] = {0}, grid[GT_MAX_DIMS];
    size_t items, bytes;
    int status = total_items(array, &items, err);

    if (!status && array->dtype.type == GT_STRING)
        status = gt_fail(err, GT_INPUT, "array '%s' holds strings where numbers were expected", array->path);
    if (!status && !gt_mul_size(items, array->dtype.size, &bytes))
        status = gt_fail(err, GT_INPUT, "array '%s' is too large", array->path);
    if (!status)
        status = gt_buf_resize(raw, bytes, err);
    grid_of(array, grid);
    if (!status && items > 0) {
        do {
            struct gt_nd part;
            int64_t at = gt_array_chunk_part(array, index, &part);
            status = read_chunk(array, index, &stored, &chunk, scratch, err);
            if (!status)
                gt_nd_copy(&part, array->dtype.size, raw->data + (size_t)at * array->dtype.size, chunk.data);
        } while (!status && gt_nd_next(array->ndim, grid, index));
    }
    gt_buf_release(&stored);
    gt_buf_release(&chunk);
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

int gt_array_item_text(const struct gt_array *array, const uint8_t *item, struct gt_strs *strs, struct gt_err *err)
{
    struct gt_str text = {0};
    size_t len = array->dtype.size;

    if (array->dtype.type == GT_BYTES) {
        while (len > 0 && item[len - 1] == 0)
            len--;
        gt_strs_add(strs, (const char *)item, len);
        return GT_OK;
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
            return gt_fail(err, GT_INPUT, "array '%s' holds %#x, which is no Unicode character", array->path, (unsigned)c);
        }
        gt_str_addn(&text, bytes, n);
    }
    gt_strs_add(strs, text.s ? text.s : "", text.len);
    gt_str_release(&text);
    return GT_OK;
}

static int read_fixed(struct gt_array *array, struct gt_budget *budget, struct gt_strs *strs, size_t items, struct gt_err *err)
{
    struct gt_buf raw = {.budget = budget};
    int status = gt_array_read_all(array, &raw, err);

    for (size_t i = 0; !status && i < items; i++)
        status = gt_array_item_text(array, raw.data + i * array->dtype.size, strs, err);
    gt_buf_release(&raw);
    return status;
}

static int count_texts(const struct gt_array *array, struct gt_budget *budget, size_t raw, size_t *taken, struct gt_err *err)
{
    size_t bytes = raw + array->chunk_items * sizeof(size_t); /* both are bounded */
    int status = budget ? gt_budget_take(budget, bytes, err) : GT_OK;

    if (status)
        gt_fail_prefix(err, "array '%s'", array->path);
    else
        *taken += bytes;
    return status;
}

/* *taken: bytes of the budget that the texts of all chunks are counted with. */
static int read_string_chunks(struct gt_array *array, struct gt_budget *budget, struct gt_strs *chunks, size_t *taken, struct gt_err *err)
{
    struct gt_buf stored = {.budget = budget}, raw = stored, scratch[2] = {stored, stored};
    int64_t index[GT_MAX_DIMS] = {0}, grid[GT_MAX_DIMS];
    size_t n = 0;
    int status;

    grid_of(array, grid);
    do {
        status = read_chunk(array, index, &stored, &raw, scratch, err);
        if (!status)
            status = count_texts(array, budget, raw.len, taken, err);
        if (!status)
            status = gt_vlen_unpack(&raw, &chunks[n], err);
        if (!status && chunks[n++].n != array->chunk_items)
            status = gt_fail(err, GT_INPUT, "a chunk of array '%s' has %zu strings where %zu were expected", array->path, chunks[n - 1].n,
                             array->chunk_items);
    } while (!status && gt_nd_next(array->ndim, grid, index));
    gt_buf_release(&stored);
    gt_buf_release(&raw);
    gt_buf_release(&scratch[0]);
    gt_buf_release(&scratch[1]);
    return status;
}

static int read_vlen(struct gt_array *array, struct gt_budget *budget, struct gt_strs *strs, struct gt_err *err)
{
    int64_t at[GT_MAX_DIMS] = {0}, grid[GT_MAX_DIMS];
    size_t n = 1, taken = 0;
    struct gt_strs *chunks;
    int status;

    grid_of(array, grid);
    for (int i = 0; i < array->ndim; i++)
        n *= (size_t)grid[i]; /* at most the number of items, which is bounded */
    chunks = gt_xcalloc(n, sizeof *chunks);
    status = read_string_chunks(array, budget, chunks, &taken, err);
    if (!status) {
        do {
            int64_t chunk[GT_MAX_DIMS], item[GT_MAX_DIMS];
            size_t c, i, end;
            for (int d = 0; d < array->ndim; d++) {
                chunk[d] = at[d] / array->chunk[d];
                item[d] = at[d] % array->chunk[d];
            }
            c = (size_t)gt_nd_number(array->ndim, grid, chunk);
            i = (size_t)gt_nd_number(array->ndim, array->chunk, item);
            end = i + 1 < chunks[c].n ? chunks[c].start[i + 1] : chunks[c].text_len;
            gt_strs_add(strs, gt_strs_get(&chunks[c], i), end - chunks[c].start[i] - 1);
        } while (gt_nd_next(array->ndim, array->shape, at));
    }
    for (size_t i = 0; i < n; i++)
        gt_strs_release(&chunks[i]);
    free(chunks);
    if (budget)
        gt_budget_give(budget, taken);
    return status;
}

int gt_array_read_strings(struct gt_array *array, struct gt_budget *budget, struct gt_strs *strs, struct gt_err *err)
{
    size_t items;
    int status = total_items(array, &items, err);

    gt_strs_clear(strs);
    if (status)
        return status;
    if (items > MAX_STRINGS || array->chunk_items > MAX_STRINGS)
        return gt_fail(err, GT_INPUT, "array '%s' has %zu strings in chunks of %zu, more than the %zu that are read at once", array->path,
                       items, array->chunk_items, MAX_STRINGS);
    if (items == 0)
        return GT_OK;
    if (array->dtype.type == GT_STRING)
        return read_vlen(array, budget, strs, err);
    if (array->dtype.type == GT_BYTES || array->dtype.type == GT_UCS4)
        return read_fixed(array, budget, strs, items, err);
    return gt_fail(err, GT_INPUT, "array '%s' holds numbers where strings were expected", array->path);
}
