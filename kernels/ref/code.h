/* A sample's code in a packed row. */
#ifndef GT_KERNELS_REF_CODE_H
#define GT_KERNELS_REF_CODE_H

#include <stdint.h>

static inline int code_of(const uint8_t *row, int64_t s)
{
    return row[s / 4] >> s % 4 * 2 & 3;
}

/* Writing sample 0 of a byte clears the rest of it, so pad bits end up 0. */
static inline void put_code(uint8_t *row, int64_t s, int code)
{
    if (s % 4 == 0)
        row[s / 4] = 0;
    row[s / 4] |= (uint8_t)(code << s % 4 * 2);
}

#endif
