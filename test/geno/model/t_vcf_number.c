/* Numbers and Number= of VCF: the values that strtod and htslib give. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "geno/model/field_decls.h"
#include "geno/model/vcf_number.h"
#include "test/support/tap.h"

static uint64_t state = 1;

static uint64_t next(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state >> 20;
}

static bool float_is(const char *text, size_t used)
{
    const char *stop;
    uint32_t got = gt_vcf_float(text, text + strlen(text), &stop), bits;
    float want = (float)strtod(text, NULL);
    memcpy(&bits, &want, sizeof bits);
    return got == bits && stop == text + used;
}

static void floats(void)
{
    char text[80];
    bool same = true;
    for (int i = 0; i < 200000 && same; i++) {
        const uint64_t x = next() * next() >> next() % 60;
        const int n = snprintf(text, sizeof text, "%s%llu", next() % 4 ? "" : "-", (unsigned long long)x);
        if (next() % 2 && n < 60) {
            memmove(text + n / 2 + 1, text + n / 2, (size_t)(n - n / 2) + 1);
            text[n / 2] = '.';
        }
        if (next() % 8 == 0)
            snprintf(text + strlen(text), sizeof text - strlen(text), "e%d", (int)(next() % 80) - 40);
        same = float_is(text, strlen(text));
    }
    ok(same, "random decimals, with and without a point and an exponent, are strtod's: %s", text);
    for (int i = 0; i < 300000 && same; i++) { /* 14 to 20 digits behind the point, as programs print doubles */
        int n = snprintf(text, sizeof text, "%s%llu.", next() % 4 ? "" : "-", (unsigned long long)(next() % 2 ? 0 : next() % 1000));
        for (int digits = 14 + (int)(next() % 7); digits; digits--)
            text[n++] = (char)('0' + next() % 10);
        text[n] = '\0';
        same = float_is(text, (size_t)n);
    }
    ok(same, "14 to 20 digits behind the point: %s", text);
    for (int i = 0; i < 300000 && same; i++) { /* next to a half between two floats */
        const uint32_t bits = 0x38000000u + (uint32_t)(next() % 0x08000000u), up = bits + 1;
        float low, high;
        memcpy(&low, &bits, sizeof low);
        memcpy(&high, &up, sizeof high);
        snprintf(text, sizeof text, "%.*f", 15 + (int)(next() % 3), ((double)low + (double)high) / 2);
        same = float_is(text, strlen(text));
    }
    ok(same, "15 to 17 digits next to a half between two floats: %s", text);
    ok(float_is("0.1", 3) && float_is("-0", 2) && float_is("1e-45", 5) && float_is("inf", 3) && float_is("16777217", 8), "edges");
    ok(float_is("1.5,2", 3) && float_is("7:8", 1) && float_is("1.5x", 3) && float_is(".5", 2) && float_is("5.", 2), "where a number ends");
    const char *stop, *none = "abc";
    ok(gt_vcf_float(none, none + 3, &stop) == GT_VCF_FLOAT_MISSING && stop == none, "none is missing");
    ok(gt_vcf_float(none, none, &stop) == GT_VCF_FLOAT_MISSING && stop == none, "nothing is missing");
}

/* Of a line with much behind a number only the number costs. */
static void long_lines(void)
{
    enum { N = 1 << 24, TIMES = 20000 };
    char *line = malloc(N);
    const char *stop;
    bool right = line;
    if (!line)
        abort();
    memset(line, '1', N);
    memcpy(line, "1e-3,", 5);
    line[N - 1] = '\t';
    const clock_t start = clock();
    for (int i = 0; i < TIMES && right; i++)
        right = gt_vcf_float(line, line + N, &stop) != GT_VCF_FLOAT_MISSING && stop == line + 4;
    ok(right && clock() - start < 5 * CLOCKS_PER_SEC, "a number in front of 16 MB of others");
    free(line);
}

static bool int_is(const char *text, int32_t want, size_t used)
{
    const char *stop;
    return gt_vcf_int(text, text + strlen(text), &stop) == want && stop == text + used;
}

static void ints(void)
{
    ok(int_is("0", 0, 1) && int_is("-12", -12, 3) && int_is("+7", 7, 2) && int_is("2147483647", INT32_MAX, 10), "whole numbers");
    ok(int_is("-2147483640", -2147483640, 11) && int_is("-2147483641", GT_VCF_INT_MISSING, 11), "the smallest are reserved");
    ok(int_is("2147483648", GT_VCF_INT_MISSING, 10) && int_is("99999999999999999999999", GT_VCF_INT_MISSING, 23), "too large is missing");
    ok(int_is("1.5", 1, 1) && int_is("3,4", 3, 1) && int_is("x", GT_VCF_INT_MISSING, 0) && int_is("", GT_VCF_INT_MISSING, 0),
       "where they end");
}

static void fields(void)
{
    ok(gt_vcf_number_of("A") == GT_VCF_PER_ALT && gt_vcf_number_of("R") == GT_VCF_PER_ALLELE &&
           gt_vcf_number_of("G") == GT_VCF_PER_GENOTYPE,
       "A, R, G");
    ok(gt_vcf_number_of(".") == GT_VCF_ANY_NUMBER && gt_vcf_number_of("") == GT_VCF_ANY_NUMBER &&
           gt_vcf_number_of("-1") == GT_VCF_ANY_NUMBER && gt_vcf_number_of("x") == GT_VCF_ANY_NUMBER && gt_vcf_number_of("0") == 0 &&
           gt_vcf_number_of("17") == 17,
       "numbers, and what is none");
    ok(gt_vcf_type_of("Integer") == GT_VCF_INTEGER && gt_vcf_type_of("Flag") == GT_VCF_FLAG && gt_vcf_type_of("String") == GT_VCF_STRING &&
           gt_vcf_type_of("?") == GT_VCF_STRING,
       "types");
    struct gt_vcf_fields a = {0}, b = {0};
    struct gt_err err = {0};
    const struct gt_vcf_field dp = {.type = GT_VCF_INTEGER, .number = 1}, other = {.type = GT_VCF_FLOAT, .number = 1},
                              format = {.format = true, .type = GT_VCF_STRING, .number = 2};
    ok(!gt_vcf_fields_add(&a, &dp, "DP", "depth", &err) && !gt_vcf_fields_add(&b, &format, "DP", "", &err) &&
           !gt_vcf_fields_add(&b, &dp, "DP", "", &err) && !gt_vcf_fields_merge(&a, &b, "a", "b", false, &err),
       "INFO and FORMAT of one name");
    ok(gt_vcf_fields_n(&a) == 2 && gt_vcf_field(&a, 1)->format && strcmp(gt_vcf_field_name(&a, 1), "DP") == 0, "merged");
    gt_vcf_fields_release(&b);
    ok(!gt_vcf_fields_add(&b, &other, "DP", "", &err) && gt_vcf_fields_merge(&a, &b, "a", "b", false, &err) == GT_INPUT,
       "another type is refused");
    gt_vcf_fields_release(&a);
    gt_vcf_fields_release(&b);
}

int main(void)
{
    floats();
    long_lines();
    ints();
    fields();
    return done_testing();
}
