/* Numbers as text against printf. */
#include <math.h>
#include <string.h>

#include "storage/text/decimal.h"
#include "test/support/random.h"
#include "test/support/tap.h"

static int wrong; /* values whose text differs */

static void check(double value)
{
    char got[GT_DECIMAL_LEN + 1] = {0}, want[64];
    *gt_decimal_double(got, value) = '\0';
    if (isnan(value))
        strcpy(want, "nan");
    else if (value >= 0 && value < 0x1p53 && value == floor(value) && !signbit(value))
        snprintf(want, sizeof want, "%.0f", value);
    else
        snprintf(want, sizeof want, "%.10g", value);
    if (strcmp(got, want) == 0)
        return;
    if (!wrong++)
        diag("%a: got '%s', want '%s'", value, got, want);
}

static void all_same(const char *what)
{
    ok(wrong == 0, "%s: %d wrong", what, wrong);
    wrong = 0;
}

/* As PLINK writes `value`; want: what "%.6g" makes of `same`. */
static void check_plink(double value, double same)
{
    char got[GT_DECIMAL_LEN + 1] = {0}, want[64];
    *gt_decimal_plink(got, value) = '\0';
    snprintf(want, sizeof want, "%.6g", same);
    if (strcmp(got, want) && !wrong++)
        diag("%a: got '%s', want '%s'", value, got, want);
}

/* Halves of the sixth digit go to the even neighbour, also where binary numbers do not hit them; what is not near one is rounded as by
 * printf. */
static void check_halves(void)
{
    for (int i = 0; i < 200000; i++) {
        const int64_t n = 100000 + (int64_t)(random_u64() % 899999), even = n + n % 2, power = (int64_t)pow(10, (int)(random_u64() % 10));
        const double sign = random_u64() % 2 ? -1 : 1, half = sign * ((double)n + 0.5) / (double)power;
        check_plink(half, sign * (double)even / (double)power);
        check_plink(nextafter(half, 0), sign * (double)even / (double)power);
        check_plink(half * (1 + 3e-15), sign * (double)even / (double)power);
        check_plink(half * (1 + 1e-11), sign * (double)(n + 1) / (double)power);
        check_plink(half * (1 - 1e-11), sign * (double)n / (double)power);
    }
    all_same("PLINK's: halves of the sixth digit");
    for (int whole = 1; whole <= 6; whole++) /* odd numbers over a power of two: as binary numbers they are halves exactly */
        for (int i = 0; i < 1000; i++) {
            const double low = pow(10, whole - 1), scale = ldexp(1, 7 - whole);
            const double value = (2 * floor(low * scale / 2 * (1 + 8.9 * (double)(random_u64() >> 11) * 0x1p-53)) + 1) / scale;
            check_plink(value, value);
            check_plink(-value, -value);
        }
    all_same("PLINK's: halves that are binary numbers");
    for (int i = 0; i < 100000; i++) {
        const double value = ldexp((double)(random_u64() >> 11), -53) * pow(10, (int)(random_u64() % 20) - 9);
        check_plink(value, value);
    }
    static const double others[] = {1, 999999, 999998.5, 999999.4, 1e6, 1e-4, 9.99999e-5, 1e-300, 5e-324, 1e300, 0.5, 100, 123456};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        check_plink(others[i], others[i]);
    all_same("PLINK's: values of all sizes");
}

int main(void)
{
    static const double special[] = {0,
                                     -0.0,
                                     1,
                                     9,
                                     10,
                                     0.5,
                                     1e-4,
                                     9.9999999999e-5,
                                     0.99999999995,
                                     0.99999999994,
                                     9.9999999995,
                                     1e10,
                                     9999999999.5,
                                     1e15,
                                     0x1p53,
                                     0x1p60,
                                     -1.5,
                                     1e300,
                                     1e-300,
                                     5e-324,
                                     1.00000000005,
                                     123456.78905,
                                     0.1,
                                     0.001,
                                     0.00010000000005};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        check(special[i]);
        check(nextafter(special[i], 0));
        check(nextafter(special[i], INFINITY));
    }
    check(INFINITY);
    check(-INFINITY);
    check(NAN);
    check(-NAN);
    all_same("special values");

    for (int i = 0; i < 300000; i++) {
        double unit = (double)(random_u64() >> 11) * 0x1p-53;
        check(unit * pow(10, (int)(random_u64() % 18) - 6));
        check(sqrt((double)(random_u64() % 1000000)));
    }
    all_same("random values of all sizes, and roots of whole numbers");

    for (int i = 0; i < 100000; i++) {
        double half = ((double)(random_u64() % 10000000000u) + 0.5) / pow(10, (int)(random_u64() % 14));
        check(half);
        check(nextafter(half, 0));
        check(nextafter(half, 1e300));
    }
    all_same("values next to a half of the last digit");

    for (int i = 0; i < 60000; i++) { /* a few ulps around it, on both sides */
        double down = ((double)(1000000000u + random_u64() % 9000000000u) + 0.5) / pow(10, (int)(random_u64() % 14)), up = down;
        for (int ulps = 0; ulps < 12; ulps++) {
            check(down);
            check(up);
            down = nextafter(down, 0);
            up = nextafter(up, 1e300);
        }
    }
    all_same("values a few ulps around a half of the last digit");

    for (int i = 0; i < 300000; i++) {
        uint64_t bits = random_u64();
        double value;
        memcpy(&value, &bits, sizeof value);
        check(value);
    }
    all_same("random bits");
    check_halves();
    return done_testing();
}
