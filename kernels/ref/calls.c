#include "kernels/impl.h"
#include "kernels/ref/code.h"

static inline void put_bit(uint64_t *bits, int64_t s, int bit)
{
    if (s % 64 == 0)
        bits[s / 64] = 0;
    bits[s / 64] |= (uint64_t)bit << s % 64;
}

unsigned gt_pack_calls_ref(const int8_t *calls, int64_t n_samples, int haploid_alt, uint8_t *row, uint64_t *haploid, uint64_t *half)
{
    unsigned met = 0;
    for (int64_t s = 0; s < n_samples; s++) {
        int8_t a = calls[2 * s], b = calls[2 * s + 1];
        int one = (a < 0) != (b < 0), alone = one && (a == -2 || b == -2), alt = (a > 0) + (b > 0);
        put_code(row, s, alone ? alt * haploid_alt : a < 0 || b < 0 ? 3 : alt);
        put_bit(haploid, s, alone);
        put_bit(half, s, one && !alone);
        met |= alone ? GT_CALLS_HAPLOID : one ? GT_CALLS_HALF : 0u;
    }
    return met;
}

/* Number of an allele of BCF as a store has it, or 127. */
static inline int8_t bcf_allele(int8_t v, int n_alleles)
{
    int number = (v >> 1) - 1;
    if (v == -127)
        return -2;
    if (v == -128 || number == -1)
        return -1;
    return (int8_t)(v < 0 || number >= n_alleles ? 127 : number);
}

unsigned gt_pack_bcf_ref(const int8_t *gt, int64_t n_samples, int n_alleles, int haploid_alt, uint8_t *row, uint64_t *haploid,
                         uint64_t *half)
{
    unsigned met = 0;
    for (int64_t s = 0; s < n_samples; s += 64) {
        int8_t calls[128];
        int64_t n = n_samples - s < 64 ? n_samples - s : 64;
        for (int64_t i = 0; i < 2 * n; i++) {
            calls[i] = bcf_allele(gt[2 * s + i], n_alleles);
            met |= calls[i] == 127 ? GT_CALLS_BAD : 0u;
        }
        met |= gt_pack_calls_ref(calls, n, haploid_alt, row + s / 4, haploid + s / 64, half + s / 64);
    }
    return met;
}

void gt_pack_haploid_ref(const int8_t *calls, int64_t n_samples, int haploid_alt, uint8_t *row, uint64_t *called)
{
    for (int64_t s = 0; s < n_samples; s++) {
        put_code(row, s, calls[s] < 0 ? 3 : calls[s] > 0 ? haploid_alt : 0);
        put_bit(called, s, calls[s] >= 0);
    }
}

static int pack_numbers(const int8_t *values, int step, int64_t n_samples, uint8_t *row)
{
    int over = 0;
    for (int64_t s = 0; s < n_samples; s++) {
        int8_t v = values[s * step];
        put_code(row, s, v < 0 || v > 2 ? 3 : v);
        over |= v > 2;
    }
    return over;
}

int gt_pack_i8_ref(const int8_t *values, int64_t n_samples, uint8_t *row)
{
    return pack_numbers(values, 1, n_samples, row);
}

int gt_pack_allele_ref(const int8_t *calls, int which, int64_t n_samples, uint8_t *row)
{
    return pack_numbers(calls + which, 2, n_samples, row);
}
