/* Sample codes past n_samples that a panel's row bytes hold: OR of it makes them missing. */
#ifndef GT_KERNELS_PANEL_H
#define GT_KERNELS_PANEL_H

#include <string.h>

#include "kernels/kernels.h"

enum { PANEL_BYTES = GT_PANEL / 4 };

static inline void absent_bits(uint8_t mask[PANEL_BYTES], int64_t n_samples, int64_t panel)
{
    int64_t here = n_samples - panel * GT_PANEL;
    here = here < 0 ? 0 : here > GT_PANEL ? GT_PANEL : here;
    memset(mask, 0, PANEL_BYTES);
    if (here < GT_PANEL) {
        mask[here / 4] = (uint8_t)(0xff << here % 4 * 2);
        memset(mask + here / 4 + 1, 0xff, (size_t)(PANEL_BYTES - here / 4 - 1));
    }
}

#endif
