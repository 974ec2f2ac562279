/* Sampling, the plain version: Random123's Philox, one group at a time. */
#include <Random123/philox.h>

#include "kernels/sim.h"

static void words4(const uint32_t key[2], const uint32_t counter[3], uint32_t group, uint32_t out[4])
{
    philox4x32_ctr_t ctr = {{group, counter[0], counter[1], counter[2]}};
    philox4x32_key_t k = {{key[0], key[1]}};
    ctr = philox4x32_R(GT_PHILOX_ROUNDS, ctr, k);
    for (int i = 0; i < 4; i++)
        out[i] = ctr.v[i];
}

void gt_sim_words_ref(const uint32_t key[2], const uint32_t counter[3], uint32_t group, int64_t n_groups, uint32_t *out)
{
    for (int64_t g = 0; g < n_groups; g++)
        words4(key, counter, group + (uint32_t)g, out + 4 * g);
}

void gt_sim_codes_ref(const uint32_t key[2], const uint32_t counter[3], int64_t first, int64_t n, const uint32_t above[3], uint8_t *row)
{
    uint32_t words[4];
    int64_t end = first + n;

    for (int64_t s = first; s < end;) {
        int64_t group = s / 4;
        int byte = row[group];
        words4(key, counter, (uint32_t)group, words);
        for (; s < end && s / 4 == group; s++) {
            uint32_t u = words[s % 4];
            int code = (u > above[0]) + (u > above[1]) + (u > above[2]);
            int shift = (int)(s % 4) * 2;
            byte = (byte & ~(3 << shift)) | code << shift;
        }
        row[group] = (uint8_t)byte;
    }
}
