#include "kernels/cast.h"

bool gt_cast_avx512(enum gt_number from, const void *src, enum gt_number to, void *dst, int64_t n)
{
    return cast(from, src, to, dst, n);
}
