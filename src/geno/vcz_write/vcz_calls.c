/* call_genotype, its mask and its phases of a row_group. */
#include <string.h>

#include "geno/vcz_write/vcz_internal.h"

void vcz_make_call_tables(struct gt_vcz *vcz)
{
    for (unsigned bits = 0; bits < 32; bits++) {
        struct gt_alleles a = gt_call_alleles(bits, vcz->opts.phased);
        vcz->call[bits] = (uint16_t)((uint8_t)a.first | (uint8_t)a.second << 8);
    }
    for (unsigned byte = 0; byte < 256; byte++)
        for (unsigned i = 0; i < 4; i++) {
            unsigned code = byte >> 2 * i & 3;
            vcz->quad_call[byte] |= (uint64_t)vcz->call[code] << 16 * i;
            vcz->quad_mask[byte] |= (uint64_t)(code == 3 ? 0x0101 : 0) << 16 * i;
        }
}

/* One row of genotypes of samples [from, from + n), from % 4 == 0 unless general. */
static void call_row(const struct gt_vcz *vcz, const struct gt_calls *calls, int64_t v, int64_t from, int64_t n, bool mask, uint8_t *to)
{
    const struct gt_block *block = &calls->block;
    const uint8_t *row = gt_block_row(block, v);
    const uint8_t *phase = calls->phase.len ? calls->phase.data + (size_t)v * block->stride : NULL;
    const uint8_t *second =
        calls->second.len && gt_block_sites(block)[v].multiallelic ? calls->second.data + (size_t)v * block->stride : NULL;
    int64_t s = from;

    if (from % 4 == 0 && (mask || (!phase && !second)))
        for (; s + 4 <= from + n; s += 4)
            memcpy(to + 2 * (s - from), mask ? &vcz->quad_mask[row[s / 4]] : &vcz->quad_call[row[s / 4]], 8);
    for (; s < from + n; s++) {
        int shift = (int)(s % 4) * 2;
        unsigned bits = row[s / 4] >> shift & 3;
        uint16_t pair = bits == 3 ? 0x0101 : 0;
        if (!mask) {
            bits |= phase ? (phase[s / 4] >> shift & 1u) << 2 : 0;
            bits |= second ? (second[s / 4] >> shift & 3u) << 3 : 0;
            pair = vcz->call[bits];
        }
        memcpy(to + 2 * (s - from), &pair, 2);
    }
}

static int encode_chunk(const struct gt_vcz *vcz, int which, int64_t row_group, int64_t column, const struct gt_calls *calls,
                        struct gt_buf *bytes, struct gt_err *err)
{
    int64_t width = vcz->opts.chunk_samples, from = column * width, n = vcz->n_samples - from < width ? vcz->n_samples - from : width;
    size_t row = (size_t)width * (which == VCZ_PHASED ? 1 : 2);
    struct gt_buf *raw = &bytes[VCZ_RAW];
    int status = gt_buf_resize(raw, (size_t)vcz->opts.chunk_variants * row, err);

    if (status)
        return status;
    memset(raw->data, 0, raw->len);
    for (int64_t v = 0; v < calls->block.n; v++) {
        uint8_t *to = raw->data + (size_t)v * row;
        if (which == VCZ_PHASED)
            memset(to, vcz->opts.phased, (size_t)n);
        else
            call_row(vcz, calls, v, from, n, which == VCZ_MASK, to);
    }
    return vcz_add_chunk(vcz, which, row_group, column, raw, bytes, err);
}

int vcz_encode_calls(const struct gt_vcz *vcz, int64_t row_group, const struct gt_calls *calls, struct gt_buf *bytes, struct gt_err *err)
{
    int status = 0;

    for (int64_t c = 0; c < vcz->sample_chunks && !status; c++)
        for (int which = VCZ_GENOTYPE; which <= VCZ_MASK && !status; which++)
            status = encode_chunk(vcz, which, row_group, c, calls, bytes, err);
    return status;
}
