/* Codes of a byte each, packed, and masks of bytes as bits. */
#ifndef GT_KERNELS_NEON_PACK_CODES_H
#define GT_KERNELS_NEON_PACK_CODES_H

#include <arm_neon.h>

#include "kernels/unroll.h"

/* 64 codes in order -> 16 bytes of a packed row. */
GT_INLINE uint8x16_t pack_codes(const uint8x16_t codes[4])
{
    const uint8x16_t low = vsliq_n_u8(vuzp1q_u8(codes[0], codes[1]), vuzp2q_u8(codes[0], codes[1]), 2);
    const uint8x16_t high = vsliq_n_u8(vuzp1q_u8(codes[2], codes[3]), vuzp2q_u8(codes[2], codes[3]), 2);
    return vsliq_n_u8(vuzp1q_u8(low, high), vuzp2q_u8(low, high), 4);
}

/* 64 bytes in order, 0 or 255 -> a bit each. */
GT_INLINE uint64_t mask_bits(const uint8x16_t bytes[4])
{
    const uint8x16_t bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t low = vpaddq_u8(vandq_u8(bytes[0], bit), vandq_u8(bytes[1], bit));
    const uint8x16_t high = vpaddq_u8(vandq_u8(bytes[2], bit), vandq_u8(bytes[3], bit));
    const uint8x16_t all = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
}

/* 16 bytes, 0 or 255 -> four bits each. */
GT_INLINE uint64_t mask_nibbles(uint8x16_t bytes)
{
    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(bytes), 4)), 0);
}

#endif
