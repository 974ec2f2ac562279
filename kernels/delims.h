/* Whole numbers between marks, one by one: the rule, and what stands where vectors cannot look. */
#ifndef GT_KERNELS_DELIMS_H
#define GT_KERNELS_DELIMS_H

#include "kernels/kernels.h"

#define GT_DELIM_AT(mark) ((mark) >> 8)

static inline bool gt_is_delim(char c)
{
    return c == ',' || c == ':' || c == '/' || c == '|' || c == '\t';
}

/* The n characters at s as marked_ints has them. */
static inline int32_t gt_marked_int(const char *s, int64_t n)
{
    int32_t x = 0;
    if (n == 1 && *s == '.')
        return GT_MARKED_DOT;
    if (n < 1 || n > 8)
        return GT_MARKED_OTHER;
    for (int64_t i = 0; i < n; i++) {
        if ((unsigned)(s[i] - '0') > 9)
            return GT_MARKED_OTHER;
        x = 10 * x + (s[i] - '0');
    }
    return x;
}

/* The number before mark i. */
static inline int32_t gt_marked_int_at(const char *text, const int32_t *delims, int64_t i)
{
    const int64_t from = GT_DELIM_AT(delims[i - 1]) + 1;
    return gt_marked_int(text + from, GT_DELIM_AT(delims[i]) - from);
}

#endif
