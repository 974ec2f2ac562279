#include "config.h"

#include "core/base/size.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A decimal number as mantissa * 10^exponent, so that nothing is rounded. */
struct decimal {
    uint64_t mantissa;
    int exponent;
};

static bool add_digit(struct decimal *d, char c)
{
    return !__builtin_mul_overflow(d->mantissa, 10, &d->mantissa) &&
           !__builtin_add_overflow(d->mantissa, (uint64_t)(c - '0'), &d->mantissa);
}

/* Reads digits[.digits][e[+-]digits]; the rest of the text, or NULL. */
static const char *read_decimal(const char *s, struct decimal *d)
{
    int digits = 0, exponent = 0;
    *d = (struct decimal){0};
    for (; isdigit((unsigned char)*s); s++, digits++)
        if (!add_digit(d, *s))
            return NULL;
    if (*s == '.')
        for (s++; isdigit((unsigned char)*s); s++, digits++, d->exponent--)
            if (!add_digit(d, *s))
                return NULL;
    if (!digits)
        return NULL;
    if ((*s == 'e' || *s == 'E') && (isdigit((unsigned char)s[1]) || (strchr("+-", s[1]) && s[1] && isdigit((unsigned char)s[2])))) {
        bool negative = s[1] == '-';
        for (s += isdigit((unsigned char)s[1]) ? 1 : 2; isdigit((unsigned char)*s); s++)
            if ((exponent = exponent * 10 + (*s - '0')) > 1000)
                return NULL;
        d->exponent += negative ? -exponent : exponent;
    }
    return s;
}

/* d * unit into *value; false when it does not fit.  *whole: nothing was cut off. */
static bool scale(struct decimal d, int64_t unit, int64_t *value, bool *whole)
{
    unsigned __int128 v = (unsigned __int128)d.mantissa * (uint64_t)unit;
    *whole = true;
    for (; d.exponent > 0 && v; d.exponent--)
        if ((v *= 10) > INT64_MAX)
            return false;
    for (; d.exponent < 0 && v; d.exponent++) {
        *whole = *whole && v % 10 == 0;
        v /= 10;
    }
    *value = (int64_t)v;
    return v <= INT64_MAX;
}

/* K, KB, KiB, ..., in large or small letters -> bytes; 0 when it is no unit. */
static int64_t size_unit(const char *s)
{
    static const char letters[] = "KMGTP";
    const char *at;
    int64_t unit = 1;
    bool decimal;
    if (!*s || !strcasecmp(s, "B"))
        return 1;
    at = strchr(letters, toupper((unsigned char)*s));
    decimal = !strcasecmp(s + 1, "B");
    if (!at || (s[1] && !decimal && strcasecmp(s + 1, "iB")))
        return 0;
    for (int k = (int)(at - letters); k >= 0; k--)
        unit *= decimal ? 1000 : 1024;
    return unit;
}

int gt_parse_size(const char *text, int64_t *bytes, struct gt_err *err)
{
    struct decimal d;
    const char *rest = read_decimal(text, &d);
    int64_t unit = rest ? size_unit(rest) : 0;
    bool whole;
    if (!unit) {
        int status = gt_fail(err, GT_USAGE, "'%s' is not a size", text);
        gt_hint(err, "for example 512M, 1.5G or 100MB");
        return status;
    }
    if (!scale(d, unit, bytes, &whole))
        return gt_fail(err, GT_USAGE, "size '%s' is too large", text);
    return GT_OK;
}

/* 1Mb, as distances are written. */
static int not_a_count(const char *text, const char *rest, struct decimal d, struct gt_err *err)
{
    int64_t bases;
    bool whole;
    const int64_t unit = !rest ? 0 : strcasecmp(rest, "kb") == 0 ? 1000 : strcasecmp(rest, "Mb") == 0 ? 1000000 : 0;
    gt_fail(err, GT_USAGE, "'%s' is not an integer", text);
    if (unit && scale(d, unit, &bases, &whole) && whole)
        gt_hint(err, "write %s as %lld", text, (long long)bases);
    return GT_USAGE;
}

int gt_parse_count(const char *text, int64_t *count, struct gt_err *err)
{
    struct decimal d;
    const char *rest = read_decimal(text, &d);
    bool digits_only = *text && !text[strspn(text, "0123456789")];
    bool whole;
    if ((!rest && digits_only) || (rest && !*rest && !scale(d, 1, count, &whole)))
        return gt_fail(err, GT_USAGE, "number '%s' is too large", text);
    if (!rest || *rest || !whole)
        return not_a_count(text, rest, d, err);
    return GT_OK;
}

int gt_parse_double(const char *text, double *value, struct gt_err *err)
{
    char *end;
    double v = strtod(text, &end);
    if (end == text || *end || isspace((unsigned char)*text) || !isfinite(v))
        return gt_fail(err, GT_USAGE, "'%s' is not a number", text);
    *value = v;
    return GT_OK;
}

char *gt_format_count(char buf[GT_NUM_LEN], int64_t count)
{
    char digits[24], *out = buf;
    int n = snprintf(digits, sizeof digits, "%llu", count < 0 ? 0ULL - (unsigned long long)count : (unsigned long long)count);
    if (count < 0)
        *out++ = '-';
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            *out++ = ',';
        *out++ = digits[i];
    }
    *out = '\0';
    return buf;
}

char *gt_format_size(char buf[GT_NUM_LEN], int64_t bytes)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double v = (double)bytes;
    int k = 0;
    /* 1023.96 would print as 1024.0 of its unit */
    for (; fabs(v) >= (k ? 1023.95 : 1024) && k < 6; k++)
        v /= 1024;
    if (k)
        snprintf(buf, GT_NUM_LEN, "%.1f %s", v, unit[k]);
    else
        snprintf(buf, GT_NUM_LEN, "%lld B", (long long)bytes);
    return buf;
}

char *gt_format_things(char buf[GT_THINGS_LEN], int64_t count, const char *thing)
{
    char number[GT_NUM_LEN];
    snprintf(buf, GT_THINGS_LEN, "%s %s%s", gt_format_count(number, count), thing, count == 1 ? "" : "s");
    return buf;
}
