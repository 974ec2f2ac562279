#include "core/base/utf8.h"

#include <stdint.h>
#include <string.h>

size_t gt_utf8_length(const char *text, size_t n)
{
    const unsigned char *p = (const unsigned char *)text;
    const size_t len = *p < 0x80 ? 1 : *p < 0xC2 ? 0 : *p < 0xE0 ? 2 : *p < 0xF0 ? 3 : *p < 0xF5 ? 4 : 0;
    if (len == 0 || len > n)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    const bool overlong = (*p == 0xE0 && p[1] < 0xA0) || (*p == 0xF0 && p[1] < 0x90);
    const bool outside = (*p == 0xED && p[1] > 0x9F) || (*p == 0xF4 && p[1] > 0x8F);
    return overlong || outside ? 0 : len;
}

bool gt_is_utf8(const char *text, size_t n)
{
    for (size_t i = 0, len; i < n; i += len) {
        uint64_t eight;
        if (n - i >= 8 && (memcpy(&eight, text + i, 8), (eight & UINT64_C(0x8080808080808080)) == 0))
            len = 8;
        else if ((len = gt_utf8_length(text + i, n - i)) == 0)
            return false;
    }
    return true;
}

int gt_check_utf8(const char *what, const char *text, size_t n, struct gt_err *err)
{
    char shown[41];
    size_t len = 0;
    if (gt_is_utf8(text, n))
        return GT_OK;
    for (; len < 40 && len < n; len++)
        shown[len] = text[len] >= ' ' && text[len] < 0x7f ? text[len] : '?';
    shown[len] = '\0';
    return gt_fail(err, GT_INPUT, "%s '%s' is not UTF-8, which strings of a Zarr store must be", what, shown);
}
