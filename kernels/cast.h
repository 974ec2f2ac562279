/* Casts, for one level: the including file's flags say what the loops become.
 *
 * BLOCK numbers at a time are made int64 or double, in the first-level cache, and of these
 * what is wanted: so there is a loop for each type on either side, not for each pair.  The
 * compiler knows how long they are, and makes vectors of them at any level of optimization. */
#ifndef GT_KERNELS_CAST_H
#define GT_KERNELS_CAST_H

#include <math.h>
#include <string.h>

#include "kernels/half.h"
#include "kernels/impl.h"

#define BLOCK 64

#define FOR_BLOCK for (int i = 0; i < BLOCK; i++)
#define SAME(x) (x)

/* Nothing is aligned. */
#define LOAD_AS(number, type, made, value)                                                                                                 \
    case number:                                                                                                                           \
        FOR_BLOCK                                                                                                                          \
        {                                                                                                                                  \
            type x;                                                                                                                        \
            memcpy(&x, src + i * (int)sizeof x, sizeof x);                                                                                 \
            to[i] = (made)value(x);                                                                                                        \
        }                                                                                                                                  \
        return
#define STORE_AS(number, type, value)                                                                                                      \
    case number:                                                                                                                           \
        FOR_BLOCK                                                                                                                          \
        {                                                                                                                                  \
            const type y = (type)value(from[i]);                                                                                           \
            memcpy(dst + i * (int)sizeof y, &y, sizeof y);                                                                                 \
        }                                                                                                                                  \
        return

static void load_ints(enum gt_number type, const uint8_t *src, int64_t to[BLOCK])
{
    switch (type) {
        LOAD_AS(GT_NUMBER_I8, int8_t, int64_t, SAME);
        LOAD_AS(GT_NUMBER_I16, int16_t, int64_t, SAME);
        LOAD_AS(GT_NUMBER_I32, int32_t, int64_t, SAME);
        LOAD_AS(GT_NUMBER_U16, uint16_t, int64_t, SAME);
        LOAD_AS(GT_NUMBER_U32, uint32_t, int64_t, SAME);
    case GT_NUMBER_BOOL:
        LOAD_AS(GT_NUMBER_U8, uint8_t, int64_t, SAME);
    default:
        memcpy(to, src, BLOCK * sizeof *to);
    }
}

static void load_reals(enum gt_number type, const uint8_t *src, double to[BLOCK])
{
    switch (type) {
        LOAD_AS(GT_NUMBER_I8, int8_t, double, SAME);
        LOAD_AS(GT_NUMBER_I16, int16_t, double, SAME);
        LOAD_AS(GT_NUMBER_I32, int32_t, double, SAME);
        LOAD_AS(GT_NUMBER_I64, int64_t, double, SAME);
        LOAD_AS(GT_NUMBER_U16, uint16_t, double, SAME);
        LOAD_AS(GT_NUMBER_U32, uint32_t, double, SAME);
        LOAD_AS(GT_NUMBER_U64, uint64_t, double, SAME);
        LOAD_AS(GT_NUMBER_F16, uint16_t, double, gt_half_number);
        LOAD_AS(GT_NUMBER_F32, float, double, SAME);
    case GT_NUMBER_BOOL:
        LOAD_AS(GT_NUMBER_U8, uint8_t, double, SAME);
    default:
        memcpy(to, src, BLOCK * sizeof *to);
    }
}

#define IS_SET(x) ((x) != 0)

static void store_ints(enum gt_number type, const int64_t from[BLOCK], uint8_t *dst)
{
    switch (type) {
        STORE_AS(GT_NUMBER_BOOL, uint8_t, IS_SET);
    case GT_NUMBER_I8:
        STORE_AS(GT_NUMBER_U8, uint8_t, SAME);
    case GT_NUMBER_I16:
        STORE_AS(GT_NUMBER_U16, uint16_t, SAME);
    case GT_NUMBER_I32:
        STORE_AS(GT_NUMBER_U32, uint32_t, SAME);
    default:
        memcpy(dst, from, BLOCK * sizeof *from);
    }
}

static void store_reals(enum gt_number type, const double from[BLOCK], uint8_t *dst)
{
    switch (type) {
        STORE_AS(GT_NUMBER_F16, uint16_t, gt_half_bits);
        STORE_AS(GT_NUMBER_F32, float, SAME);
    default:
        memcpy(dst, from, BLOCK * sizeof *from);
    }
}

/* --- what fits ------------------------------------------------------------------------- */

static bool is_real(enum gt_number type)
{
    return type >= GT_NUMBER_F16;
}

/* The bits of a whole type's numbers, their sign left out. */
static int bits_of(enum gt_number type)
{
    static const int bits[GT_NUMBER_F16] = {1, 7, 15, 31, 63, 8, 16, 32, 64};
    return bits[type];
}

static bool is_signed(enum gt_number type)
{
    return type >= GT_NUMBER_I8 && type <= GT_NUMBER_I64;
}

static bool ints_fit(enum gt_number from, const int64_t x[BLOCK], enum gt_number to)
{
    const uint64_t all = UINT64_MAX >> (64 - bits_of(to));
    const int64_t most = all > INT64_MAX ? INT64_MAX : (int64_t)all, minimum = is_signed(to) ? -most - 1 : 0;
    int bad = 0;
    if (from == GT_NUMBER_U64)
        FOR_BLOCK bad |= (uint64_t)x[i] > all;
    else
        FOR_BLOCK bad |= (x[i] < minimum) | (x[i] > most);
    return !bad;
}

/* Towards zero, then modulo 2^64; NaN and infinity are 0. */
static int64_t wrap(double x)
{
    uint64_t bits, size;
    memcpy(&bits, &x, 8);
    const int shift = (int)(bits >> 52 & 0x7ff) - 1075;
    size = (bits & 0xfffffffffffff) | 0x10000000000000;
    if (shift >= 64 || shift <= -64)
        return 0;
    size = shift >= 0 ? size << shift : size >> -shift;
    return (int64_t)(bits >> 63 ? 0 - size : size);
}

/* Reals as whole numbers, and whether they are that. */
static bool whole_reals(const double x[BLOCK], enum gt_number to, int64_t whole[BLOCK])
{
    const double end = 2 * (double)(UINT64_C(1) << (bits_of(to) - 1)), minimum = is_signed(to) ? -end : 0;
    int bad = 0, far = 0;
    FOR_BLOCK far |= !(x[i] > -0x1p63 && x[i] < 0x1p63);
    if (far)
        FOR_BLOCK whole[i] = wrap(x[i]);
    else
        FOR_BLOCK whole[i] = (int64_t)x[i];
    FOR_BLOCK bad |= !(x[i] >= minimum && x[i] < end) | (x[i] < 0x1p63 && (double)whole[i] != x[i]);
    if (to == GT_NUMBER_BOOL)
        FOR_BLOCK whole[i] = x[i] != 0;
    return !bad;
}

static bool reals_fit(const double x[BLOCK], enum gt_number to)
{
    const double end = to == GT_NUMBER_F16 ? 65520 : to == GT_NUMBER_F32 ? 0x1.ffffffp127 : INFINITY;
    int bad = 0;
    FOR_BLOCK bad |= (fabs(x[i]) >= end) & (fabs(x[i]) < INFINITY);
    return !bad;
}

/* --- a block ----------------------------------------------------------------------------- */

/* By way of double it would be rounded twice. */
static void ints_to_floats(enum gt_number type, const int64_t x[BLOCK], uint8_t *dst)
{
    float y[BLOCK];
    if (type == GT_NUMBER_U64)
        FOR_BLOCK y[i] = (float)(uint64_t)x[i];
    else
        FOR_BLOCK y[i] = (float)x[i];
    memcpy(dst, y, sizeof y);
}

static bool cast_block(enum gt_number from, const uint8_t *src, enum gt_number to, uint8_t *dst)
{
    int64_t whole[BLOCK];
    double real[BLOCK];
    bool fit = true;
    if (!is_real(from) && (!is_real(to) || to == GT_NUMBER_F32)) {
        load_ints(from, src, whole);
        if (is_real(to))
            ints_to_floats(from, whole, dst);
        else
            fit = ints_fit(from, whole, to);
    } else {
        load_reals(from, src, real);
        fit = is_real(to) ? reals_fit(real, to) : whole_reals(real, to, whole);
        if (is_real(to))
            store_reals(to, real, dst);
    }
    if (!is_real(to))
        store_ints(to, whole, dst);
    return fit;
}

static int size_of(enum gt_number type)
{
    static const int sizes[GT_NUMBERS] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8};
    return sizes[type];
}

static bool cast(enum gt_number from, const uint8_t *src, enum gt_number to, uint8_t *dst, int64_t n)
{
    const int in = size_of(from), out = size_of(to);
    uint8_t last_in[BLOCK * 8] = {0}, last_out[BLOCK * 8];
    bool fit = true;
    for (; n >= BLOCK; n -= BLOCK, src += BLOCK * in, dst += BLOCK * out)
        fit = cast_block(from, src, to, dst) && fit;
    if (n == 0)
        return fit;
    memcpy(last_in, src, (size_t)(n * in));
    fit = cast_block(from, last_in, to, last_out) && fit;
    memcpy(dst, last_out, (size_t)(n * out));
    return fit;
}

#endif
