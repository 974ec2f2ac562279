#include "kernels/delims.h"
#include "kernels/impl.h"

int64_t gt_split_delims_ref(const char *text, int64_t n, int32_t *delims)
{
    int64_t found = 0;
    for (int64_t i = 0; i < n; i++)
        if (gt_is_delim(text[i]))
            delims[found++] = (int32_t)(i << 8 | text[i]);
    return found;
}

int64_t gt_same_delims_ref(const int32_t *delims, int64_t n, const uint8_t *pattern, const uint8_t *other, int64_t period)
{
    for (int64_t r = 0; r < n; r++)
        for (int64_t i = 0; i < period; i++) {
            const uint8_t c = (uint8_t)delims[r * period + i];
            if (c != pattern[i] && c != other[i])
                return r;
        }
    return n;
}

int64_t gt_marked_ints_ref(const char *text, const int32_t *delims, int64_t n, int32_t *values)
{
    int64_t others = 0;
    for (int64_t i = 0; i < n; i++) {
        values[i] = gt_marked_int_at(text, delims, i);
        others += values[i] == GT_MARKED_OTHER;
    }
    return others;
}

void gt_fix_ints_ref(int32_t *x, int64_t n, int32_t range[2])
{
    for (int64_t i = 0; i < n; i++) {
        x[i] = x[i] == INT32_MIN ? -1 : x[i] == INT32_MIN + 1 ? -2 : x[i];
        range[0] = x[i] < range[0] ? x[i] : range[0];
        range[1] = x[i] > range[1] ? x[i] : range[1];
    }
}
