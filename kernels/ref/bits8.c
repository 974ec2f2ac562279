#include "kernels/bits8.h"

#include "kernels/impl.h"

void gt_bits_apart_ref(const uint8_t *bytes, int64_t n, uint8_t *planes)
{
    for (int64_t i = 0; i < n; i += 8)
        gt_bits8_apart(bytes + i, planes + i / 8, n / 8);
}

void gt_bits_together_ref(const uint8_t *planes, int64_t n, uint8_t *bytes)
{
    for (int64_t i = 0; i < n; i += 8)
        gt_bits8_together(planes + i / 8, n / 8, bytes + i);
}
