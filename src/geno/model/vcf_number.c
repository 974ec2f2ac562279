#include "config.h"

#include "geno/model/vcf_number.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static uint32_t bits_of(double x)
{
    float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* What may stand after a number. */
static bool is_behind(char c)
{
    return c == ',' || c == ':' || c == ';' || c == '\t';
}

/* Anything that strtod takes, which wants a copy: of the number alone, as a line may have millions after it. */
static uint32_t general(const char *s, const char *end, const char **stop)
{
    char near[64], *text = near, *behind;
    size_t n = 0;
    while (s + n < end && !is_behind(s[n]))
        n++;
    if (n >= sizeof near && !(text = malloc(n + 1))) {
        *stop = s;
        return GT_VCF_FLOAT_MISSING;
    }
    memcpy(text, s, n);
    text[n] = '\0';
    double x = strtod(text, &behind);
    *stop = s + (behind - text);
    if (text != near)
        free(text);
    return *stop == s ? GT_VCF_FLOAT_MISSING : bits_of(x);
}

/* A decimal number below 10^15 with at most 15 places is, correctly rounded, one division; the rest is
 * strtod's. */
uint32_t gt_vcf_float(const char *s, const char *end, const char **stop)
{
    static const double tens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const char *p = s;
    uint64_t digits = 0;
    unsigned places = 0, n = 0;
    const int negative = p < end && *p == '-';
    int point = 0;
    p += negative;
    for (; p < end && n <= 15; p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (digit < 10) {
            digits = digits * 10 + digit;
            places += (unsigned)point;
            n++;
        } else if (*p == '.' && !point) {
            point = 1;
        } else {
            break;
        }
    }
    /* a letter after it may belong to it */
    if (!n || n > 15 || (p < end && !is_behind(*p)))
        return general(s, end, stop);
    double x = (double)digits / tens[places];
    *stop = p;
    return bits_of(negative ? -x : x);
}

bool gt_vcf_quality(const char *s, size_t n, uint32_t *bits)
{
    const char *stop = s + n;
    const bool none = n == 1 && *s == '.';
    *bits = none || !n ? GT_VCF_FLOAT_MISSING : gt_vcf_float(s, s + n, &stop);
    return n && stop == s + n;
}

int64_t gt_vcf_position(const char *s, size_t n)
{
    int64_t value = 0;
    if (!n || n > 18)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (s[i] < '0' || s[i] > '9')
            return -1;
        value = value * 10 + (s[i] - '0');
    }
    return value;
}

int64_t gt_vcf_length(const char *info, size_t n, int64_t position, int64_t length)
{
    const char *p = info, *end = p + n;
    while (p && end - p >= 4) {
        if (memcmp(p, "END=", 4) == 0) {
            const char *stop = memchr(p, ';', (size_t)(end - p));
            int64_t last = gt_vcf_position(p + 4, (size_t)((stop ? stop : end) - p - 4));
            return last >= position ? last - position + 1 : length;
        }
        p = memmem(p, (size_t)(end - p), ";END=", 5);
        p = p ? p + 1 : NULL;
    }
    return length;
}
