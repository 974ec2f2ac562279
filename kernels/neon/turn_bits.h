/* Squares of 8 x 8 bits. */
#ifndef GT_KERNELS_NEON_TURN_BITS_H
#define GT_KERNELS_NEON_TURN_BITS_H

#include <arm_neon.h>

#include "kernels/unroll.h"

/* Of each half: bit c of byte r becomes bit r of byte c (gt_turn_bits8, twice). */
GT_INLINE uint8x16_t turn_bits(uint8x16_t bytes)
{
    uint64x2_t x = vreinterpretq_u64_u8(bytes);
#define SWAP(n, mask)                                                                                                                      \
    {                                                                                                                                      \
        const uint64x2_t t = vandq_u64(veorq_u64(x, vshrq_n_u64(x, n)), vdupq_n_u64(mask));                                                \
        x = veorq_u64(x, veorq_u64(t, vshlq_n_u64(t, n)));                                                                                 \
    }
    SWAP(7, UINT64_C(0x00aa00aa00aa00aa))
    SWAP(14, UINT64_C(0x0000cccc0000cccc))
    SWAP(28, UINT64_C(0x00000000f0f0f0f0))
#undef SWAP
    return vreinterpretq_u8_u64(x);
}

#endif
