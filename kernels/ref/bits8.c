#include "kernels/bits8.h"

#include "kernels/impl.h"

void gt_bits_apart_ref(const uint8_t *bytes, int64_t n, uint8_t *planes)
{
    gt_bits8_apart(bytes, 0, n, planes);
}

void gt_bits_together_ref(const uint8_t *planes, int64_t n, uint8_t *bytes)
{
    gt_bits8_together(planes, 0, n, bytes);
}
