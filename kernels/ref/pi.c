/* Points inside the quarter circle, the plain version: Random123's Philox. */
#include <Random123/philox.h>

#include "kernels/pi.h"

int64_t gt_pi_count_ref(uint64_t key, uint64_t first, int64_t n)
{
    const philox4x32_key_t k = {{(uint32_t)key, (uint32_t)(key >> 32)}};
    uint64_t end = first + (uint64_t)n;
    int64_t inside = 0;
    for (uint64_t point = first; point < end;) {
        philox4x32_ctr_t w = {{(uint32_t)(point >> 1), (uint32_t)(point >> 33), 0, 0}};
        w = philox4x32(w, k);
        for (; point < end && !(point & 1); point++)
            inside += gt_pi_inside(w.v[0], w.v[1]);
        if (point < end) {
            inside += gt_pi_inside(w.v[2], w.v[3]);
            point++;
        }
    }
    return inside;
}
