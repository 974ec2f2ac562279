/* Chunks of genotypes -> 2-bit rows. */
#include <string.h>

#include "geno/zarr_calls.h"
#include "kernels/kernels.h"

static bool counts(const struct zr_calls *c, int64_t s)
{
    return !c->reader->keep || c->reader->keep[c->sample + s];
}

/* One call of one allele. */
static unsigned haploid_code(const struct zr_calls *c, int8_t a)
{
    return a > 0 ? (c->reader->select->haploid == 1 ? 1u : 2u) : 0u;
}

/* `a` was called, the other allele is '.'. */
static unsigned half_code(struct zr_calls *c, int64_t s, int8_t a)
{
    if (!counts(c, s))
        return 3;
    c->stats->half_calls++;
    switch (c->reader->select->half_call) {
    case GT_HALF_HAPLOID:
        return haploid_code(c, a);
    case GT_HALF_REFERENCE:
        return a > 0;
    case GT_HALF_ERROR:
        gt_fail(c->err, GT_INPUT, "'%s': half call at variant %lld, sample '%s'", c->reader->base.info.name, (long long)c->variant + 1,
                gt_strs_get(&c->reader->base.info.samples, (size_t)(c->sample + s)));
        c->failed = true;
        return 3;
    default:
        return 3;
    }
}

static unsigned haploid_call(struct zr_calls *c, int64_t s, int8_t a)
{
    if (counts(c, s))
        c->stats->haploid_calls++;
    return haploid_code(c, a);
}

/* -1 is a missing allele, -2 says that there is none. */
static unsigned diploid_code(struct zr_calls *c, int64_t s, int8_t a, int8_t b)
{
    if (a >= 0 && b >= 0)
        return (a > 0) + (b > 0);
    if (a < 0 && b < 0)
        return 3;
    if (a < 0) {
        int8_t t = a;
        a = b;
        b = t;
    }
    return b == -2 ? haploid_call(c, s, a) : half_code(c, s, a);
}

static unsigned stored_number(struct zr_calls *c, int64_t s, int8_t value, const char *what)
{
    if (value > 2 && !c->failed) {
        c->failed = true;
        gt_fail(c->err, GT_INPUT, "'%s': %s %d at variant %lld, sample '%s', where only 0, 1 and 2 can be held", c->reader->base.info.name,
                what, value, (long long)c->variant + 1, gt_strs_get(&c->reader->base.info.samples, (size_t)(c->sample + s)));
    }
    return value < 0 || value > 2 ? 3u : (unsigned)value;
}

static unsigned code_of(struct zr_calls *c, const int8_t *calls, int64_t s)
{
    const struct zarr_reader *r = c->reader;

    if (r->layout == ZR_DOSAGES)
        return stored_number(c, s, calls[s], "the number");
    calls += s * r->ploidy;
    if (r->slice >= 0)
        return stored_number(c, s, calls[r->slice], "allele");
    if (r->ploidy == 1)
        return calls[0] < 0 ? 3 : haploid_call(c, s, calls[0]);
    return diploid_code(c, s, calls[0], calls[1]);
}

/* Four diploid calls at once, in the bytes of a word: bit 7 of a byte says
 * missing.  False when one of the four has just one of its alleles. */
static bool four_diploid(const int8_t *calls, uint8_t *code)
{
    const uint64_t low = 0x0101010101010101, lanes = 0x0003000300030003;
    uint64_t w, negative, alt;

    memcpy(&w, calls, sizeof w); /* little endian: sample 0 in the lowest 16 bits */
    negative = w >> 7 & low;
    alt = ((w & 0x7F * low) + 0x7F * low) >> 7 & low;
    negative = (negative + (negative >> 8)) & lanes;
    if (negative & 0x0001000100010001)
        return false;
    alt = ((alt + (alt >> 8)) & lanes) | negative | negative >> 1;
    *code = (uint8_t)(alt | alt >> 14 | alt >> 28 | alt >> 42);
    return true;
}

/* n calls -> n 2-bit codes, the last byte filled up with 0. */
static void calls_to_codes(struct zr_calls *c, const int8_t *calls, int64_t n, uint8_t *codes)
{
    bool diploid = c->reader->layout == ZR_CALLS && c->reader->ploidy == 2 && c->reader->slice < 0;

    for (int64_t s = 0; s < n; s += 4) {
        int64_t left = n - s < 4 ? n - s : 4;
        unsigned code = 0;
        if (diploid && left == 4 && four_diploid(calls + 2 * s, &codes[s / 4]))
            continue;
        for (int64_t i = 0; i < left; i++)
            code |= code_of(c, calls, s + i) << (2 * i);
        codes[s / 4] = (uint8_t)code;
    }
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
        calls_to_codes(&c, calls, n_samples, item->codes.data);
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
