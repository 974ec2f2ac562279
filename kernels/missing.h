/* Missing calls by sample, over many rows: a field of two bits holds three rows and a byte 85 fields, and only then are
 * counters touched.  The flags of a level decide what vectors this is made of. */
#ifndef GT_KERNELS_MISSING_H
#define GT_KERNELS_MISSING_H

#include <stdint.h>
#include <string.h>

#include "kernels/unroll.h"

typedef uint64_t missing_fields __attribute__((vector_size(64)));

enum { MISSING_SAMPLES = 256, MISSING_FEW = 3, MISSING_SOME = 85 * MISSING_FEW };

/* Byte b of bytes[k]: missing calls of sample 4 b + k in n_rows rows, at most MISSING_SOME. */
GT_INLINE void count_missing(const uint8_t *rows, size_t stride, int64_t n_rows, missing_fields bytes[4])
{
    missing_fields all[4] = {{0}, {0}, {0}, {0}};
    for (int64_t r = 0; r < n_rows; r += MISSING_FEW) {
        missing_fields few = {0};
        for (int64_t i = r; i < r + MISSING_FEW && i < n_rows; i++) {
            missing_fields codes;
            memcpy(&codes, rows + (size_t)i * stride, sizeof codes);
            few += codes & codes >> 1 & UINT64_C(0x5555555555555555);
        }
        GT_UNROLL
        for (int k = 0; k < 4; k++)
            all[k] += few >> 2 * k & UINT64_C(0x0303030303030303);
    }
    memcpy(bytes, all, sizeof all);
}

GT_INLINE void add_missing(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_samples, uint32_t *missing)
{
    missing_fields bytes[4];
    for (int64_t r = 0; r < n_rows; r += MISSING_SOME)
        for (int64_t s = 0; s < n_samples; s += MISSING_SAMPLES) {
            const int64_t n = n_samples - s < MISSING_SAMPLES ? n_samples - s : MISSING_SAMPLES;
            count_missing(rows + (size_t)r * stride + s / 4, stride, n_rows - r < MISSING_SOME ? n_rows - r : MISSING_SOME, bytes);
            for (int64_t i = 0; i < n; i++)
                missing[s + i] += ((const uint8_t *)&bytes[i % 4])[i / 4];
        }
}

#endif
