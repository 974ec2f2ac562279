#include "config.h"

#include "core/base/philox.h"

#include <Random123/philox.h>

void gt_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    philox4x32_ctr_t c = {{counter[0], counter[1], counter[2], counter[3]}};
    philox4x32_key_t k = {{key[0], key[1]}};
    c = philox4x32(c, k);
    for (int i = 0; i < 4; i++)
        out[i] = c.v[i];
}
