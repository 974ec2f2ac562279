#include "kernels/impl.h"
#include "kernels/ref/code.h"

void gt_count_codes_ref(const uint8_t *row, int64_t n_samples, int64_t counts[4])
{
    for (int c = 0; c < 4; c++)
        counts[c] = 0;
    for (int64_t s = 0; s < n_samples; s++)
        counts[code_of(row, s)]++;
}

int64_t gt_list_carriers_ref(const uint8_t *row, int64_t n_samples, int major, int64_t most, uint32_t *out)
{
    int64_t n = 0;
    for (int64_t s = 0; s < n_samples && n <= most; s++) {
        const int code = code_of(row, s);
        if (code != major)
            out[n++] = GT_CARRIER(s, code == 1 ? GT_CARRIER_HET : code == 3 ? GT_CARRIER_MISSING : GT_CARRIER_HOM);
    }
    return n;
}

void gt_add_missing_ref(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_samples, uint32_t *missing)
{
    for (int64_t r = 0; r < n_rows; r++, rows += stride)
        for (int64_t s = 0; s < n_samples; s++)
            missing[s] += code_of(rows, s) == 3;
}

void gt_gather_samples_ref(const uint8_t *row, const uint32_t *index, int64_t n_out, uint8_t *out)
{
    for (int64_t s = 0; s < n_out; s++)
        put_code(out, s, code_of(row, index[s]));
}

void gt_unpack_i8_ref(const uint8_t *row, int64_t n_samples, int8_t *out)
{
    static const int8_t value[4] = {0, 1, 2, -1};
    for (int64_t s = 0; s < n_samples; s++)
        out[s] = value[code_of(row, s)];
}

void gt_bed_to_packed_ref(const uint8_t *bed, int64_t n_samples, uint8_t *row)
{
    static const uint8_t code[4] = {2, 3, 1, 0};
    for (int64_t s = 0; s < n_samples; s++)
        put_code(row, s, code[code_of(bed, s)]);
}

void gt_geno_to_packed_ref(const uint8_t *geno, int64_t n_samples, uint8_t *row)
{
    static const uint8_t code[4] = {2, 1, 0, 3};
    uint8_t four = 0;
    for (int64_t s = 0; s < n_samples; s++) {
        four = s % 4 ? four : geno[s / 4];
        put_code(row, s, code[four >> (6 - 2 * (s % 4)) & 3]);
    }
}
