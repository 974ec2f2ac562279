/* SSE 4.2, which every cpu with AVX2 has, has an instruction for it. */
#include <nmmintrin.h>
#include <string.h>

#include "kernels/impl.h"

uint32_t gt_crc32c_avx2(uint32_t crc, const void *data, size_t n)
{
    const uint8_t *p = data;
    uint64_t state = ~crc;
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t x;
        memcpy(&x, p, 8);
        state = _mm_crc32_u64(state, x);
    }
    for (; n > 0; n--, p++)
        state = _mm_crc32_u8((uint32_t)state, *p);
    return ~(uint32_t)state;
}
