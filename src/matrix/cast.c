#include "config.h"

#include <math.h>
#include <string.h>

#include "matrix/matrix_impl.h"

#define SAME(x) (x)

/* Numbers need not be aligned in src. */
#define LOOP(from_type, to_type, value)                                                                                                    \
    for (size_t i = 0; i < n; i++) {                                                                                                       \
        from_type x;                                                                                                                       \
        memcpy(&x, src + i * sizeof x, sizeof x);                                                                                          \
        ((to_type *)dst)[i] = (to_type)value(x);                                                                                           \
    }                                                                                                                                      \
    return

/* One function a destination: its cases are the sources. */
#define CAST(name, to_type)                                                                                                                \
    static void name(enum gt_type from, const uint8_t *src, void *dst, size_t n)                                                           \
    {                                                                                                                                      \
        switch (from) {                                                                                                                    \
        case GT_BOOL:                                                                                                                      \
        case GT_U8:                                                                                                                        \
            LOOP(uint8_t, to_type, SAME);                                                                                                  \
        case GT_I8:                                                                                                                        \
            LOOP(int8_t, to_type, SAME);                                                                                                   \
        case GT_I16:                                                                                                                       \
            LOOP(int16_t, to_type, SAME);                                                                                                  \
        case GT_I32:                                                                                                                       \
            LOOP(int32_t, to_type, SAME);                                                                                                  \
        case GT_I64:                                                                                                                       \
            LOOP(int64_t, to_type, SAME);                                                                                                  \
        case GT_U16:                                                                                                                       \
            LOOP(uint16_t, to_type, SAME);                                                                                                 \
        case GT_U32:                                                                                                                       \
            LOOP(uint32_t, to_type, SAME);                                                                                                 \
        case GT_U64:                                                                                                                       \
            LOOP(uint64_t, to_type, SAME);                                                                                                 \
        case GT_F16:                                                                                                                       \
            LOOP(uint16_t, to_type, gt_dtype_half);                                                                                                 \
        case GT_F32:                                                                                                                       \
            LOOP(float, to_type, SAME);                                                                                                    \
        default:                                                                                                                           \
            LOOP(double, to_type, SAME);                                                                                                   \
        }                                                                                                                                  \
    }

CAST(to_double, double)
CAST(to_float, float)

void gt_matrix_cast(enum gt_type from, const void *src, enum gt_type to, void *dst, size_t n, bool negative_missing)
{
    bool whole = from >= GT_I8 && from <= GT_I64;
    if (to == GT_F64)
        to_double(from, src, dst, n);
    else
        to_float(from, src, dst, n);
    for (size_t i = 0; negative_missing && whole && i < n; i++) {
        if (to == GT_F64 && ((double *)dst)[i] < 0)
            ((double *)dst)[i] = NAN;
        else if (to == GT_F32 && ((float *)dst)[i] < 0)
            ((float *)dst)[i] = NAN;
    }
}

void gt_matrix_swap(size_t size, void *data, size_t n)
{
    uint8_t *p = data;
    for (size_t i = 0; i < n; i++, p += size) {
        uint16_t x16;
        uint32_t x32;
        uint64_t x64;
        if (size == 2) {
            memcpy(&x16, p, 2);
            x16 = __builtin_bswap16(x16);
            memcpy(p, &x16, 2);
        } else if (size == 4) {
            memcpy(&x32, p, 4);
            x32 = __builtin_bswap32(x32);
            memcpy(p, &x32, 4);
        } else if (size == 8) {
            memcpy(&x64, p, 8);
            x64 = __builtin_bswap64(x64);
            memcpy(p, &x64, 8);
        }
    }
}
