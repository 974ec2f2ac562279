/* Chunks of genotypes -> 2-bit rows. */
#include <string.h>

#include "core/base/size.h"
#include "geno/model/packed.h"
#include "geno/select/filter.h"
#include "geno/vcz_read/zarr_calls.h"
#include "kernels/kernels.h"

static const char *sample_name(const struct zr_calls *c, int64_t sample)
{
    return gt_strs_get(&c->reader->base.info.samples, (size_t)sample);
}

int zr_refuse_call(const struct zr_calls *c, int code, int64_t sample)
{
    gt_fail(c->err, GT_INPUT, "'%s': the call of sample '%s' at variant %lld: %s", c->reader->base.info.name, sample_name(c, sample),
            (long long)c->variant + 1, gt_call_fault(code));
    gt_call_hint(code, c->err);
    return GT_INPUT;
}

static int refuse_number(const struct zr_calls *c, int value, int64_t sample)
{
    return gt_fail(c->err, GT_INPUT, "'%s': %s %d at variant %lld, sample '%s'; only 0, 1 and 2 are possible", c->reader->base.info.name,
                   c->reader->slice >= 0 ? "allele" : "the number", value, (long long)c->variant + 1, sample_name(c, sample));
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
    const struct gt_stored_calls from = {calls, r->ploidy, c->sample, n};
    int fault = gt_dosage_row(&c->rule, &from, codes, &counts, &sample);
    gt_call_counts_add(&counts, c->stats);
    return fault ? zr_refuse_call(c, fault, sample) : 0;
}

/* One value as an allele number: what does not fit an int8 is still "not 0" or missing. */
static int8_t narrow(int64_t v)
{
    return v > 127 ? 127 : v < -2 ? -1 : (int8_t)v;
}

static int64_t number_at(const struct gt_dtype *dtype, const uint8_t *p)
{
    const int64_t v = gt_dtype_load_int(dtype->type, dtype->size, p);
    return v < 0 && dtype->type == GT_U64 ? INT64_MAX : v;
}

/* The calls of a row and column of the grid, all of the ploidy axis. */
struct piece {
    int64_t skip, n, n_samples; /* rows skip .. skip + n of the chunks */
    const int8_t *calls;        /* first wanted row */
    int64_t stride;             /* from row to row */
};

/* Rows [j, end) of the block, whose records are in the chunks at (row, col); the first of
 * these is chunk number `at` of the item, and there are `layers` along the ploidy axis. */
struct span {
    int64_t row, col, j, end;
    size_t at;
    int64_t layers;
};

/* Where a number is in its chunk, of a layer that has `depth` of the ploidy axis. */
static const uint8_t *in_chunk(const struct gt_array *a, const struct gt_chunk *chunk, int64_t row, int64_t sample, int64_t depth,
                               int64_t p)
{
    return chunk->raw.data + (size_t)((row * a->unit[1] + sample) * depth + p) * a->dtype.size;
}

/* One layer of numbers of any type into the tile, of all of the ploidy axis. */
static void add_layer(const struct zarr_reader *r, struct zr_item *item, const struct gt_chunk *chunk, int64_t layer,
                      const struct piece *piece)
{
    const struct gt_array *a = r->geno;
    int64_t depth = a->ndim == 3 ? a->unit[2] : 1, left = r->ploidy - layer * depth, deep = left < depth ? left : depth;
    int8_t *to = (int8_t *)item->tile.data + layer * depth;

    for (int64_t i = 0; i < piece->n; i++)
        for (int64_t s = 0; s < piece->n_samples; s++)
            for (int64_t p = 0; p < deep; p++)
                to[(i * piece->n_samples + s) * r->ploidy + p] =
                    narrow(number_at(&a->dtype, in_chunk(a, chunk, piece->skip + i, s, depth, p)));
}

int64_t zr_allele_number(const struct zarr_reader *r, const struct zr_item *item, const int8_t *call)
{
    const struct gt_array *a = r->geno;
    if (*call != 127 || a->dtype.type == GT_I8)
        return *call;
    const int64_t depth = a->ndim == 3 ? a->unit[2] : 1, at = call - (const int8_t *)item->tile.data, p = at % r->ploidy,
                  sample = at / r->ploidy % item->tile_samples, row = item->tile_skip + at / r->ploidy / item->tile_samples;
    return number_at(&a->dtype, in_chunk(a, item->calls.chunk[item->tile_chunk + (size_t)(p / depth)], row, sample, depth, p % depth));
}

/* The calls of a span, whose rows and samples the piece says.  int8 and the whole ploidy axis in one chunk: as it was decoded.  Else
 * copied together. */
static int make_piece(struct zarr_reader *r, struct zr_item *item, const struct span *span, struct piece *piece, struct gt_err *err)
{
    const struct gt_array *a = r->geno;
    bool direct = a->dtype.type == GT_I8 && span->layers == 1 && (a->ndim == 3 ? a->unit[2] : 1) == r->ploidy;
    int status = direct ? 0 : gt_buf_resize(&item->tile, (size_t)(piece->n * piece->n_samples * r->ploidy) + GT_KERNEL_PAD, err);

    piece->stride = (direct ? a->unit[1] : piece->n_samples) * r->ploidy;
    piece->calls = (const int8_t *)item->tile.data;
    item->tile_chunk = span->at;
    item->tile_skip = piece->skip;
    item->tile_samples = piece->n_samples;
    for (int64_t layer = 0; layer < span->layers && !status; layer++) {
        struct gt_chunk *chunk;
        status = zr_decode_calls(r, item, span->at + (size_t)layer, piece->skip, piece->n, &chunk, err);
        if (!status && direct)
            piece->calls = (const int8_t *)chunk->raw.data + piece->skip * piece->stride;
        else if (!status)
            add_layer(r, item, chunk, layer, piece);
    }
    return status;
}

/* Row j of the block from the piece that has its calls. */
static int add_calls(struct zr_calls *c, struct zr_item *item, const int8_t *calls, int64_t n, int64_t j)
{
    uint8_t *row = item->block.rows.data + (size_t)j * item->block.stride;
    bool aligned = c->sample % 4 == 0;
    uint8_t *codes = aligned ? row + c->sample / 4 : item->codes.data;
    int status;

    calls = zr_alts_of_row(c, item, calls, n, j);
    status = calls_to_codes(c, calls, n, codes);
    if (!status && !aligned)
        gt_put_codes(row, c->sample, codes, n);
    if (!status)
        status = zr_alts_see(c, item, calls, codes, n, j);
    if (!status && c->reader->fields & GT_SITE_HAPLOTYPES)
        status = zr_haplotypes(c, item, calls, codes, n, j);
    if (!status && c->reader->fields & GT_SITE_PHASES)
        status = zr_phases(c, item, calls, codes, n, j);
    if (!status && c->reader->fields & GT_SITE_CALLS)
        status = zr_alleles(c, item, calls, codes, n, j);
    return status;
}

static int decode_calls(struct zarr_reader *r, struct zr_item *item, const struct span *span, struct gt_err *err)
{
    int64_t width = r->geno->unit[1], sample = span->col * width, left = r->base.info.n_samples - sample,
            n_samples = left < width ? left : width, from = zr_record_of(item, span->j), n = zr_record_of(item, span->end - 1) - from + 1;
    struct zr_calls c = {r, &item->block.stats, err, 0, sample, r->rule};
    struct piece piece = {.skip = from - span->row * r->geno->unit[0], .n = n, .n_samples = n_samples};
    int status = make_piece(r, item, span, &piece, err);

    if (!status)
        status = gt_buf_resize(&item->codes, (size_t)(n_samples + 3) / 4, err);
    for (int64_t j = span->j; j < span->end && !status; j++) {
        struct gt_select_stats once = item->block.stats;
        c.variant = zr_record_of(item, j);
        c.rule.copies =
            item->block.sites.len ? gt_filter_call_ploidy(r->base.filter, &item->block, gt_block_sites(&item->block) + j) : NULL;
        status = add_calls(&c, item, piece.calls + (c.variant - from) * piece.stride, n_samples, j);
        if ((j > span->j && zr_record_of(item, j - 1) == c.variant) || (item->counted && c.variant == item->first))
            item->block.stats = once; /* what calls a record has counts once */
    }
    return status;
}

static int decode_packed(struct zarr_reader *r, struct zr_item *item, const struct span *span, struct gt_err *err)
{
    const struct gt_array *a = r->geno;
    int64_t byte = span->col * a->unit[1], left = a->shape[1] - byte, width = left < a->unit[1] ? left : a->unit[1];
    uint8_t mask = (uint8_t)(0xFF >> (-2 * r->base.info.n_samples & 7));
    const int64_t row = zr_record_of(item, span->j) - span->row * a->unit[0],
                  last = zr_record_of(item, span->end - 1) - span->row * a->unit[0];
    struct gt_chunk *chunk;
    int status = zr_decode_calls(r, item, span->at, row, last - row + 1, &chunk, err);

    for (int64_t j = span->j; j < span->end && !status; j++) {
        uint8_t *to = item->block.rows.data + (size_t)j * item->block.stride;
        memcpy(to + byte, chunk->raw.data + (size_t)((zr_record_of(item, j) - span->row * a->unit[0]) * a->unit[1]), (size_t)width);
        if (byte + width == a->shape[1])
            to[byte + width - 1] &= mask; /* pad bits are nobody's */
    }
    return status;
}

/* Rows of the block whose records are in row `span->row` of units, from row span->end on. */
static void next_span(const struct zarr_reader *r, const struct zr_item *item, struct span *span)
{
    span->j = span->end;
    if (span->j < item->n_rows)
        span->row = zr_record_of(item, span->j) / r->geno->unit[0];
    while (span->end < item->n_rows && zr_record_of(item, span->end) < (span->row + 1) * r->geno->unit[0])
        span->end++;
}

int zr_genotypes(struct zarr_reader *r, struct zr_item *item, struct gt_err *err)
{
    const struct gt_array *a = r->geno;
    struct span span = {.layers = a->ndim == 3 ? gt_array_units(a, 2) : 1};
    int status;

    item->block.stride = (size_t)(r->base.info.n_samples + 3) / 4;
    status = gt_buf_resize(&item->block.rows, (size_t)item->n_rows * item->block.stride + GT_KERNEL_PAD, err);
    if (!status && r->fields & GT_SITE_HAPLOTYPES)
        status = gt_block_haplotypes(&item->block, item->n_rows, r->base.info.n_samples, err);
    if (!status)
        status = zr_alts_begin(r, item, err);
    if (status)
        return status;
    const size_t whole =
        r->layout == ZR_PACKED && !r->wanted.len ? item->block.rows.len - GT_KERNEL_PAD : 0; /* bytes that are copied one and all */
    memset(item->block.rows.data + whole, 0, item->block.rows.len - whole);
    if (r->layout == ZR_SITES) {
        item->block.n = item->n_rows;
        return 0;
    }
    for (next_span(r, item, &span); span.j < span.end && !status; next_span(r, item, &span)) {
        span.at = (size_t)((span.row - item->calls.first) * item->calls.columns);
        for (span.col = 0; span.col < gt_array_units(a, 1) && !status; span.col++, span.at += (size_t)span.layers) {
            if (r->wanted.len && !r->wanted.data[span.col])
                continue;
            status = (r->layout == ZR_PACKED ? decode_packed : decode_calls)(r, item, &span, err);
            zr_give_some_calls(r, item, span.at, (size_t)span.layers);
        }
    }
    if (!status)
        zr_alts_end(item);
    item->block.n = status ? 0 : item->n_rows;
    return status;
}
