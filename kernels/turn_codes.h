/* Bytes of four rows, four samples each -> bytes of four samples, four rows each.  The including file gives
 *     vec, vec choose(vec x, vec y, int mask)   bits of y where those of mask are set in a byte, else those of x
 *     SHIFT_LEFT(vec, n), SHIFT_RIGHT(vec, n)   in words of 16 bits */
#ifndef GT_KERNELS_TURN_CODES_H
#define GT_KERNELS_TURN_CODES_H

#include "kernels/unroll.h"

GT_INLINE void turn_codes(vec v[4])
{
    const vec a = choose(v[0], SHIFT_LEFT(v[2], 4), 0xf0), c = choose(SHIFT_RIGHT(v[0], 4), v[2], 0xf0);
    const vec b = choose(v[1], SHIFT_LEFT(v[3], 4), 0xf0), d = choose(SHIFT_RIGHT(v[1], 4), v[3], 0xf0);
    v[0] = choose(a, SHIFT_LEFT(b, 2), 0xcc);
    v[1] = choose(SHIFT_RIGHT(a, 2), b, 0xcc);
    v[2] = choose(c, SHIFT_LEFT(d, 2), 0xcc);
    v[3] = choose(SHIFT_RIGHT(c, 2), d, 0xcc);
}

#endif
