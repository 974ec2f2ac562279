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
