#include "kernels/impl.h"

bool gt_write_alleles_ref(const int8_t *alleles, const uint8_t *phased, int64_t n_samples, char *text)
{
    for (int64_t s = 0; s < n_samples; s++, alleles += 2) {
        if (alleles[0] < -1 || alleles[0] > 9 || alleles[1] < -1 || alleles[1] > 9)
            return false;
        *text++ = (char)(alleles[0] < 0 ? '.' : '0' + alleles[0]);
        *text++ = phased && phased[s] ? '|' : '/';
        *text++ = (char)(alleles[1] < 0 ? '.' : '0' + alleles[1]);
        *text++ = '\t';
    }
    return true;
}
