/* write_alleles of a level, which has alleles_16: 16 samples as text; is any of them not of the form? */
#ifndef GT_KERNELS_X86_TEXT_INT_H
#define GT_KERNELS_X86_TEXT_INT_H

#include <string.h>

#include "kernels/impl.h"

static inline bool write_alleles(const int8_t *alleles, const uint8_t *phased, int64_t n_samples, char *text)
{
    static const uint8_t none[16];
    bool bad = false;
    int64_t s = 0;

    for (; s + 16 <= n_samples; s += 16)
        bad |= alleles_16(alleles + 2 * s, phased ? phased + s : none, text + 4 * s);
    if (s < n_samples) {
        const size_t left = (size_t)(n_samples - s);
        int8_t near_alleles[32] = {0};
        uint8_t near_phased[16] = {0};
        char near[64];
        memcpy(near_alleles, alleles + 2 * s, 2 * left);
        if (phased)
            memcpy(near_phased, phased + s, left);
        bad |= alleles_16(near_alleles, near_phased, near);
        memcpy(text + 4 * s, near, 4 * left);
    }
    return !bad;
}

#endif
