#include <string.h>

#include "kernels/impl.h"
#include "kernels/plain_call.h"

/* Code of the call at p[0..2], or -1 when it is not of the plain form. */
static inline int plain_call(const char *p, int n_alleles)
{
    if (gt_is_plain_call(p, (unsigned)n_alleles))
        return (p[0] != '0') + (p[2] != '0');
    return p[0] == '.' && p[2] == '.' && gt_is_separator(p[1]) ? 3 : -1;
}

struct gt_scan_result gt_scan_gt_ref(const char *text, const char *text_end, int64_t n_samples, int64_t first_sample, int n_alleles,
                                     uint8_t *row)
{
    struct gt_scan_result r = {text, 0};
    row += first_sample / 4;
    while (n_samples - r.done >= 4 && text_end - r.end >= 16) {
        int code[4];
        for (int k = 0; k < 4; k++) {
            code[k] = r.end[4 * k + 3] == '\t' ? plain_call(r.end + 4 * k, n_alleles) : -1;
            if (code[k] < 0)
                return r;
        }
        row[r.done / 4] = (uint8_t)(code[0] | code[1] << 2 | code[2] << 4 | code[3] << 6);
        r.done += 4;
        r.end += 16;
    }
    return r;
}

struct gt_scan_result gt_scan_gt_first_ref(const char *text, const char *text_end, int64_t n_samples, int64_t first_sample, int n_alleles,
                                           uint8_t *row)
{
    struct gt_scan_result r = {text, 0};
    row += first_sample / 4;
    while (n_samples - r.done >= 4) {
        const char *p = r.end;
        unsigned byte = 0;
        for (int k = 0; k < 4; k++) {
            const char *tab = text_end - p > 3 ? memchr(p + 3, '\t', (size_t)(text_end - p - 3)) : NULL;
            const int code = tab && gt_ends_call(p[3]) ? plain_call(p, n_alleles) : -1;
            if (code < 0)
                return r;
            byte |= (unsigned)code << 2 * k;
            p = tab + 1;
        }
        row[r.done / 4] = (uint8_t)byte;
        r.done += 4;
        r.end = p;
    }
    return r;
}

bool gt_scan_alleles_ref(const char *text, int64_t n_samples, int8_t *alleles, uint8_t *phased)
{
    for (const char *p = text; p < text + 4 * n_samples; p += 4) {
        const bool none = p[0] == '.' && p[2] == '.' && gt_is_separator(p[1]);
        if (p[3] != '\t' || !(none || gt_is_plain_call(p, 10)))
            return false;
        *alleles++ = none ? -1 : (int8_t)(p[0] - '0');
        *alleles++ = none ? -1 : (int8_t)(p[2] - '0');
        *phased++ = p[1] == '|';
    }
    return true;
}
