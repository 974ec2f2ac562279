#include "storage/text/decimal.h"

#include <htslib/kstring.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 10 }; /* significant ones of a number that is not whole */

#define TEN(...)                                                                                                                           \
    {__VA_ARGS__, '0', ','}, {__VA_ARGS__, '1', ','}, {__VA_ARGS__, '2', ','}, {__VA_ARGS__, '3', ','}, {__VA_ARGS__, '4', ','},           \
        {__VA_ARGS__, '5', ','}, {__VA_ARGS__, '6', ','}, {__VA_ARGS__, '7', ','}, {__VA_ARGS__, '8', ','},                                \
    {                                                                                                                                      \
        __VA_ARGS__, '9', ','                                                                                                              \
    }
#define HUNDRED(a)                                                                                                                         \
    TEN(a, '0'), TEN(a, '1'), TEN(a, '2'), TEN(a, '3'), TEN(a, '4'), TEN(a, '5'), TEN(a, '6'), TEN(a, '7'), TEN(a, '8'), TEN(a, '9')
const char gt_decimal_table[1000][4] = {
    "0,",         "1,",         "2,",         "3,",         "4,",         "5,",         "6,",         "7,",         "8,",     "9,",
    TEN('1'),     TEN('2'),     TEN('3'),     TEN('4'),     TEN('5'),     TEN('6'),     TEN('7'),     TEN('8'),     TEN('9'), HUNDRED('1'),
    HUNDRED('2'), HUNDRED('3'), HUNDRED('4'), HUNDRED('5'), HUNDRED('6'), HUNDRED('7'), HUNDRED('8'), HUNDRED('9'),
};

char *gt_decimal_uint(char *at, uint64_t value)
{
    char digits[20];
    int n = 0;
    do
        digits[n++] = (char)('0' + value % 10);
    while (value /= 10);
    while (n)
        *at++ = digits[--n];
    return at;
}

static char *by_printf(char *at, double value, int digits)
{
    char text[GT_DECIMAL_LEN + 1];
    int n = snprintf(text, sizeof text, "%.*g", digits, value);
    memcpy(at, text, (size_t)n);
    return at + n;
}

/* The digits with the point after the first `whole` of them (none or fewer: zeros
 * in front), without zeros at the end. */
static char *put_digits(char *at, uint64_t digits, int whole)
{
    char text[DIGITS];
    int n = DIGITS;
    for (int i = DIGITS; i-- > 0; digits /= 10)
        text[i] = (char)('0' + digits % 10);
    while (n > whole && n > 0 && text[n - 1] == '0')
        n--;
    if (whole <= 0) {
        memcpy(at, "0.0000", 6);
        at += 2 - whole;
        memcpy(at, text, (size_t)n);
        return at + n;
    }
    memcpy(at, text, (size_t)whole);
    at += whole;
    if (n > whole) {
        *at++ = '.';
        memcpy(at, text + whole, (size_t)(n - whole));
        at += n - whole;
    }
    return at;
}

static const double power[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};

/* Digits before the point of a number in [1e-4, 1e10); below 1, minus the zeros after it. */
static int digits_before(double value)
{
    int whole = -3;
    while (whole < DIGITS && value >= (whole < 0 ? 1 / power[-whole] : power[whole]))
        whole++;
    return whole;
}

static char *put_nan(char *at)
{
    memcpy(at, "nan", 3);
    return at + 3;
}

/* Scaled to ten digits before the point, a number in [1e-4, 1e10) is off by less
 * than 2e-6 (one product with an exact power of ten), so its rounding is right
 * unless it is that close to a half: those few go to printf. */
char *gt_decimal_double(char *at, double value)
{
    if (isnan(value))
        return put_nan(at);
    if (value >= 0 && value < 0x1p53 && value == floor(value) && !signbit(value))
        return gt_decimal_uint(at, (uint64_t)value);
    if (!(value >= 1e-4 && value < 1e10))
        return by_printf(at, value, DIGITS);
    int whole = digits_before(value);
    double scaled = value * power[DIGITS - whole], down = floor(scaled), rest = scaled - down;
    uint64_t digits = (uint64_t)down + (rest > 0.5);
    if (fabs(rest - 0.5) < 1e-5 || digits < 1000000000 || digits >= 10000000000)
        return by_printf(at, value, DIGITS);
    return put_digits(at, digits, whole);
}

char *gt_decimal_plink(char *at, double value)
{
    enum { SIX = 6, MORE = 10000 /* for the digits that are not written */ };
    const double near = 5e-9;
    if (isnan(value))
        return put_nan(at);
    if (value < 0) {
        *at++ = '-';
        value = -value;
    }
    if (!(value >= 1e-4 && value < 999999))
        return by_printf(at, value, SIX);
    int whole = digits_before(value);
    double scaled = value * power[SIX - whole], down = floor(scaled), rest = scaled - down;
    uint64_t digits = (uint64_t)down;
    digits += rest > 0.5 + near || (rest >= 0.5 - near && digits % 2);
    return digits < 1000000 ? put_digits(at, digits * MORE, whole) : by_printf(at, value, SIX);
}

static char *by_htslib(char *at, double value)
{
    char room[64];
    kstring_t text = {.s = room, .m = sizeof room};
    kputd(value, &text); /* 50 bytes are the most that it asks for */
    memcpy(at, text.s, text.l);
    return at + text.l;
}

/* htslib rounds the product with a power of ten to a whole number, halves up or to even as its version
 * has it; halves, what becomes seven digits, and all that it writes with an exponent are left to it. */
char *gt_decimal_vcf(char *at, double value)
{
    static const double tops[] = {1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5};
    const double size = fabs(value);
    int whole = -3;
    if (!(size >= 1e-4 && size < 999999))
        return value == 0 && !signbit(value) ? (*at = '0', at + 1) : by_htslib(at, value);
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++)
        whole += size >= tops[i];
    const double scaled = size * power[6 - whole];
    uint32_t digits = (uint32_t)scaled;
    const double rest = scaled - digits;
    digits += rest > 0.5;
    if (digits > 999999 || (rest > 0.5 - 1e-9 && rest < 0.5 + 1e-9))
        return by_htslib(at, value);
    *at = '-';
    at += value < 0;
    int zeros = 0;
    char text[6];
    for (int i = 6; i-- > 0; digits /= 10)
        text[i] = (char)('0' + digits % 10);
    while (zeros < 5 && text[5 - zeros] == '0')
        zeros++;
    const int n = 6 - zeros;
    if (whole <= 0) {
        memcpy(at, "0.000", 5);
        at += 2 - whole;
        memcpy(at, text, 6);
        return at + n;
    }
    memcpy(at, text, 6);
    if (n <= whole)
        return at + whole;
    memmove(at + whole + 1, at + whole, (size_t)(6 - whole));
    at[whole] = '.';
    return at + n + 1;
}
