/* IEEE 754 half precision. */
#ifndef GT_KERNELS_HALF_H
#define GT_KERNELS_HALF_H

#include <stdint.h>
#include <string.h>

/* A half's bits -> its number: exponent and fraction take their places in a float, whose
 * exponent is larger by 112; where the half has no exponent the float is that of the fraction. */
static inline float gt_half_number(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = h & 0x7fff;
    uint32_t bits = (rest << 13) + (rest >= 0x7c00 ? 0x70000000 : 0x38000000);
    float f, small = (float)rest * 0x1p-24f;
    if (rest < 0x400)
        memcpy(&bits, &small, 4);
    bits |= sign;
    memcpy(&f, &bits, 4);
    return f;
}

/* Rounded to nearest, halves to even. */
static inline uint16_t gt_half_bits(double d)
{
    uint64_t bits, fraction, lost;
    memcpy(&bits, &d, 8);
    const uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    fraction = (bits & 0xfffffffffffff) | (exponent > -1023 ? 0x10000000000000 : 0);
    if (exponent == 1024)
        return (uint16_t)(sign | 0x7c00 | (fraction & 0xfffffffffffff ? 0x200 : 0));
    if (exponent > 15)
        return sign | 0x7c00;
    const int shift = exponent < -14 ? 42 - 14 - exponent : 42;
    if (shift > 63)
        return sign;
    lost = fraction & ((UINT64_C(1) << shift) - 1);
    fraction >>= shift;
    fraction += lost > UINT64_C(1) << (shift - 1) || (lost == UINT64_C(1) << (shift - 1) && (fraction & 1));
    return (uint16_t)(sign + (exponent < -14 ? 0 : (uint64_t)(exponent + 14) << 10) + fraction);
}

#endif
