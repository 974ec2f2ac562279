/* 16 byte vectors of which each 128-bit lane is a 16 x 16 matrix of bytes (vector =
 * row): turned in place, in every lane.  Interleaving vector k with vector k + 8
 * rotates the address of a byte, row bits above column bits, by one bit; four times
 * swaps them.  The including file gives
 *     vec, vec low_bytes(vec, vec), vec high_bytes(vec, vec)   unpack in lanes */
#ifndef GT_KERNELS_TURN_H
#define GT_KERNELS_TURN_H

#include "kernels/unroll.h"

GT_INLINE void turn_half(const vec from[16], vec to[16])
{
    GT_UNROLL
    for (int k = 0; k < 8; k++) {
        to[2 * k] = low_bytes(from[k], from[k + 8]);
        to[2 * k + 1] = high_bytes(from[k], from[k + 8]);
    }
}

GT_INLINE void turn_bytes(vec v[16])
{
    vec t[16];
    turn_half(v, t);
    turn_half(t, v);
    turn_half(v, t);
    turn_half(t, v);
}

#endif
