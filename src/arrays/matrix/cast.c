#include "config.h"

#include <math.h>
#include <string.h>

#include "arrays/matrix/matrix_impl.h"
#include "kernels/kernels.h"

_Static_assert((int)GT_NUMBER_BOOL == (int)GT_BOOL && (int)GT_NUMBER_U64 == (int)GT_U64 && (int)GT_NUMBER_F64 == (int)GT_F64,
               "types of numbers have one order");

bool gt_matrix_cast(enum gt_type from, const void *src, enum gt_type to, void *dst, size_t n, bool negative_missing)
{
    bool whole = from >= GT_I8 && from <= GT_I64;
    gt_kernels()->cast((enum gt_number)from, src, (enum gt_number)to, dst, (int64_t)n);
    bool any = false;
    for (size_t i = 0; negative_missing && whole && i < n; i++) {
        if (to == GT_F64 && ((double *)dst)[i] < 0)
            ((double *)dst)[i] = NAN, any = true;
        else if (to == GT_F32 && ((float *)dst)[i] < 0)
            ((float *)dst)[i] = NAN, any = true;
    }
    return any;
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
