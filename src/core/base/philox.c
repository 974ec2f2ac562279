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

void gt_random_matrix(uint64_t seed, int64_t n, int64_t columns, double *out, int64_t row, int64_t column)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (int64_t c = 0; c < columns; c++)
        for (int64_t i = 0; i < n; i++) {
            const uint32_t at[4] = {(uint32_t)i, (uint32_t)(i >> 32), (uint32_t)c, 0};
            uint32_t bits[4];
            gt_philox(at, key, bits);
            out[i * row + c * column] = 2 * gt_unit32(bits[0]) - 1;
        }
}
