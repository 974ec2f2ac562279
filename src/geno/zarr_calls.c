/* Chunks of genotypes -> 2-bit rows. */
#include <string.h>

#include "geno/zarr_calls.h"
#include "kernels/kernels.h"

static const char *sample_name(const struct zr_calls *c, int64_t sample)
{
    return gt_strs_get(&c->reader->base.info.samples, (size_t)sample);
}

static int refuse_call(const struct zr_calls *c, int code, int64_t sample)
{
    gt_fail(c->err, GT_INPUT, "'%s': the call of sample '%s' at variant %lld: %s", c->reader->base.info.name, sample_name(c, sample),
            (long long)c->variant + 1, gt_call_fault(code));
    gt_call_hint(code, c->err);
    return GT_INPUT;
}

static int refuse_number(const struct zr_calls *c, int value, int64_t sample)
{
    return gt_fail(c->err, GT_INPUT, "'%s': %s %d at variant %lld, sample '%s', where only 0, 1 and 2 can be held",
                   c->reader->base.info.name, c->reader->slice >= 0 ? "allele" : "the number", value, (long long)c->variant + 1,
                   sample_name(c, sample));
}

/* n calls -> n 2-bit codes, the last byte filled up with 0. */
static int calls_to_codes(struct zr_calls *c, const int8_t *calls, int64_t n, uint8_t *codes)
{
    const struct zarr_reader *r = c->reader;
    struct gt_call_counts counts = {0};
    int64_t sample;

    if (r->layout == ZR_DOSAGES || r->slice >= 0) {
        int width = r->layout == ZR_DOSAGES ? 1 : r->ploidy, which = r->slice >= 0 ? r->slice : 0;
        sample = gt_number_row(calls, width, which, n, codes);
        return sample < 0 ? 0 : refuse_number(c, calls[sample * width + which], c->sample + sample);
    }
    int fault = gt_dosage_row(&r->rule, calls, r->ploidy, c->sample, n, codes, &counts, &sample);
    gt_call_counts_add(&counts, c->stats);
    return fault ? refuse_call(c, fault, sample) : 0;
}

/* codes (n of them) into a row at sample s; the row was 0 there. */
static void put_codes(uint8_t *row, int64_t s, const uint8_t *codes, int64_t n)
{
    unsigned shift = 2 * (unsigned)(s % 4);
    int64_t bytes = (n + 3) / 4;

    row += s / 4;
    if (shift == 0) {
        memcpy(row, codes, (size_t)bytes);
        return;
    }
    for (int64_t i = 0; i < bytes; i++) {
        row[i] |= (uint8_t)(codes[i] << shift);
        if (codes[i] >> (8 - shift))
            row[i + 1] |= (uint8_t)(codes[i] >> (8 - shift));
    }
}

/* One value as an allele number: what does not fit an int8 is still "not 0" or missing. */
static int8_t narrow(const struct gt_dtype *dtype, const uint8_t *p)
{
    int64_t v = gt_dtype_whole(dtype->type, dtype->size, p);

    return v > 127 || (v < 0 && dtype->type == GT_U64) ? 127 : v < -2 ? -1 : (int8_t)v;
}

/* Chunk number `at` of the item into item->raw. */
static int decode_chunk(struct zarr_reader *r, struct zr_item *item, size_t at, const int64_t *index, struct gt_err *err)
{
    enum zr_state state = item->state[at];
    struct gt_buf *stored = state == ZR_LATER ? &item->later : &item->stored[at];
    int status = state == ZR_LATER ? zr_fetch(r, index, stored, &state, err) : GT_OK;

    return status ? status : gt_array_decode(r->geno, index, state == ZR_MISSING ? NULL : stored, &item->raw, item->scratch, err);
}

/* The calls of a row and column of the grid, all of the ploidy axis. */
struct piece {
    const int8_t *calls; /* first wanted row */
    int64_t stride;      /* from row to row */
};

/* Rows skip .. skip + n of the chunks at (row, col), of n_samples samples.  int8
 * and the whole ploidy axis in one chunk: as it was decoded.  Else copied together. */
static int make_piece(struct zarr_reader *r, struct zr_item *item, size_t first, int64_t row, int64_t col, int64_t skip, int64_t n,
                      int64_t n_samples, struct piece *piece, struct gt_err *err)
{
    const struct gt_array *a = r->geno;
    int64_t width = a->chunk[1], depth = a->ndim == 3 ? a->chunk[2] : 1, layers = a->ndim == 3 ? gt_array_grid(a, 2) : 1;
    bool direct = a->dtype.type == GT_I8 && layers == 1 && depth == r->ploidy;
    int status = direct ? 0 : gt_buf_resize(&item->tile, (size_t)(n * n_samples * r->ploidy), err);

    for (int64_t layer = 0; layer < layers && !status; layer++) {
        int64_t index[3] = {row, col, layer}, deep = r->ploidy - layer * depth < depth ? r->ploidy - layer * depth : depth;
        size_t at = first + (size_t)layer, size = a->dtype.size;
        int8_t *to;
        status = decode_chunk(r, item, at, index, err);
        if (status || direct)
            break;
        to = (int8_t *)item->tile.data + layer * depth;
        for (int64_t i = 0; i < n; i++)
            for (int64_t s = 0; s < n_samples; s++)
                for (int64_t p = 0; p < deep; p++)
                    to[(i * n_samples + s) * r->ploidy + p] =
                        narrow(&a->dtype, item->raw.data + (size_t)(((skip + i) * width + s) * depth + p) * size);
    }
    if (status)
        return status;
    piece->calls = direct ? (const int8_t *)item->raw.data + skip * width * depth : (const int8_t *)item->tile.data;
    piece->stride = (direct ? width : n_samples) * r->ploidy;
    return 0;
}

/* Rows [j, end) of the block, whose records are in the chunks at (row, col). */
struct span {
    int64_t row, col, j, end;
};

static int64_t record_of(const struct zr_item *item, int64_t j)
{
    return item->first + ((const struct zr_row *)item->rows.data)[j].record;
}

static int decode_calls(struct zarr_reader *r, struct zr_item *item, size_t first, const struct span *span, struct gt_err *err)
{
    const struct gt_array *a = r->geno;
    int64_t sample = span->col * a->chunk[1], left = r->base.info.n_samples - sample, n_samples = left < a->chunk[1] ? left : a->chunk[1];
    int64_t from = record_of(item, span->j), n = record_of(item, span->end - 1) - from + 1;
    struct zr_calls c = {r, &item->block.stats, err, 0, sample, false};
    struct piece piece;
    int status = make_piece(r, item, first, span->row, span->col, from - span->row * a->chunk[0], n, n_samples, &piece, err);

    if (!status)
        status = gt_buf_resize(&item->codes, (size_t)(n_samples + 3) / 4, err);
    for (int64_t j = span->j; j < span->end && !status; j++) {
        const int8_t *calls = piece.calls + (record_of(item, j) - from) * piece.stride;
        struct gt_select_stats once = item->block.stats;
        c.variant = record_of(item, j);
        calls = zr_alts_of_row(&c, item, calls, n_samples, j);
        if ((status = calls_to_codes(&c, calls, n_samples, item->codes.data)) != 0)
            return status;
        put_codes(item->block.rows.data + (size_t)j * item->block.stride, sample, item->codes.data, n_samples);
        status = zr_alts_see(&c, item, calls, item->codes.data, n_samples, j);
        if (j > span->j && record_of(item, j - 1) == c.variant)
            item->block.stats = once; /* what calls a record has counts once */
        if (c.failed)
            return GT_INPUT;
    }
    return status;
}

static int decode_packed(struct zarr_reader *r, struct zr_item *item, size_t at, const struct span *span, struct gt_err *err)
{
    const struct gt_array *a = r->geno;
    int64_t index[2] = {span->row, span->col}, byte = span->col * a->chunk[1], left = a->shape[1] - byte,
            width = left < a->chunk[1] ? left : a->chunk[1];
    uint8_t mask = (uint8_t)(0xFF >> (-2 * r->base.info.n_samples & 7));
    int status = decode_chunk(r, item, at, index, err);

    for (int64_t j = span->j; j < span->end && !status; j++) {
        uint8_t *to = item->block.rows.data + (size_t)j * item->block.stride;
        memcpy(to + byte, item->raw.data + (size_t)((record_of(item, j) - span->row * a->chunk[0]) * a->chunk[1]), (size_t)width);
        if (byte + width == a->shape[1])
            to[byte + width - 1] &= mask; /* pad bits are nobody's */
    }
    return status;
}

/* Rows of the block whose records are in row `span->row` of chunks, from row span->end on. */
static void next_span(const struct zarr_reader *r, const struct zr_item *item, struct span *span)
{
    int64_t end = (span->row + 1) * r->geno->chunk[0];

    span->j = span->end;
    while (span->end < item->n_rows && record_of(item, span->end) < end)
        span->end++;
}

int zr_genotypes(struct zarr_reader *r, struct zr_item *item, struct gt_err *err)
{
    const struct gt_array *a = r->geno;
    int64_t columns = gt_array_grid(a, 1), layers = a->ndim == 3 ? gt_array_grid(a, 2) : 1;
    struct span span = {.row = item->chunk_row};
    int status;

    item->block.stride = (size_t)(r->base.info.n_samples + 3) / 4;
    status = gt_buf_resize(&item->block.rows, (size_t)item->n_rows * item->block.stride + GT_KERNEL_PAD, err);
    if (!status)
        status = zr_alts_begin(r, item, err);
    if (status)
        return status;
    memset(item->block.rows.data, 0, item->block.rows.len);
    for (; span.row < item->chunk_row + item->chunk_rows && !status; span.row++) {
        next_span(r, item, &span);
        for (span.col = 0; span.col < columns && span.j < span.end && !status; span.col++) {
            size_t at = (size_t)(((span.row - item->chunk_row) * columns + span.col) * layers);
            status = r->layout == ZR_PACKED ? decode_packed(r, item, at, &span, err) : decode_calls(r, item, at, &span, err);
        }
    }
    if (!status)
        zr_alts_end(item);
    item->block.n = status ? 0 : item->n_rows;
    return status;
}
