/* Exact tests of Hardy-Weinberg against their definition, and counts of codes a
 * sample against counting one by one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc/stats/code_counts.h"
#include "calc/stats/stats.h"
#include "geno/model/contigs.h"
#include "geno/model/hwe.h"
#include "kernels/kernels.h"
#include "test/support/tap.h"

static unsigned seed = 1;

static int64_t below(int64_t n)
{
    seed = seed * 1103515245u + 12345u;
    return (int64_t)(seed >> 8) % n;
}

/* log of the probability of this table among those with the same alleles, but for a constant */
static long double log_weight(int64_t a, int64_t het, int64_t b)
{
    return (long double)het * logl(2) - lgammal((long double)a + 1) - lgammal((long double)het + 1) - lgammal((long double)b + 1);
}

static double by_definition(int64_t a, int64_t het, int64_t b)
{
    long double seen = log_weight(a, het, b), all = 0, tail = 0;
    int64_t rare = a < b ? a : b, first = het % 2;
    for (int64_t h = first; h <= 2 * rare + het; h += 2) {
        int64_t steps = (h - het) / 2;
        long double w = log_weight(a - steps, h, b - steps);
        all += expl(w - seen);
        tail += fabsl(w - seen) < 1e-10L ? 0.5L : w < seen ? expl(w - seen) : 0;
    }
    return (double)(tail / all);
}

static void test_hwe(void)
{
    double worst = 0;
    bool symmetric = true;
    for (int i = 0; i < 20000; i++) {
        int64_t most = i % 4 == 0 ? 4 : i % 4 == 1 ? 30 : i % 4 == 2 ? 300 : 2000;
        int64_t a = below(most), het = below(most), b = below(most);
        double p = gt_hwe_midp(a, het, b), want = by_definition(a, het, b);
        symmetric = symmetric && p == gt_hwe_midp(b, het, a);
        if (want > 1e-250 && a + het + b > 0)
            worst = fmax(worst, fabs(p - want) / want);
    }
    ok(worst < 1e-9, "mid-p as its definition has it, at worst off by %.2g", worst);
    ok(symmetric, "it does not matter which allele is which");
    ok(gt_hwe_midp(0, 0, 0) == 0.5 && gt_hwe_midp(10, 0, 0) == 0.5 && gt_hwe_midp(0, 0, 7) == 0.5, "one allele or none tells nothing");
    ok(gt_hwe_midp(1000000, 0, 1000000) == 0, "what a double cannot hold is 0");
    double large = gt_hwe_midp(25000000, 50000000, 25000000);
    ok(large > 0.999 && large <= 1, "a hundred million samples: %.6f", large);
}

/* Of males with alleles[0] A and alleles[1] B, and females. */
static long double log_weight_x(const int64_t alleles[2], int64_t a, int64_t het, int64_t b)
{
    return log_weight(a, het, b) - lgammal((long double)alleles[0] + 1) - lgammal((long double)alleles[1] + 1);
}

static double by_definition_x(int64_t male_a, int64_t male_b, int64_t a, int64_t het, int64_t b)
{
    const int64_t seen_alleles[2] = {male_a, male_b}, males = male_a + male_b, females = a + het + b, all_a = male_a + 2 * a + het;
    const long double seen = log_weight_x(seen_alleles, a, het, b);
    long double all = 0, tail = 0;
    for (int64_t m = 0; m <= males; m++)
        for (int64_t h = 0; h <= females; h++) {
            const int64_t alleles[2] = {m, males - m}, twice = all_a - m - h, homs = twice / 2;
            if (twice < 0 || twice % 2 || homs + h > females)
                continue;
            const long double w = log_weight_x(alleles, homs, h, females - homs - h);
            all += expl(w - seen);
            tail += fabsl(w - seen) < 1e-10L ? 1 : w < seen ? expl(w - seen) : 0;
        }
    return (double)(tail / all);
}

static void test_hwe_x(void)
{
    double worst = 0, worst_autosomal = 0;
    bool enough = true, symmetric = true;
    for (int i = 0; i < 4000; i++) {
        const int64_t most = i % 4 == 0 ? 3 : i % 4 == 1 ? 10 : 40;
        const int64_t ma = below(most), mb = below(most), a = below(most), het = below(most), b = below(most);
        const double want = by_definition_x(ma, mb, a, het, b), p = gt_hwe_exact_x(ma, mb, a, het, b, 2);
        worst = fmax(worst, fabs(p - want) / want);
        symmetric = symmetric && fabs(p - gt_hwe_exact_x(mb, ma, b, het, a, 2)) <= 1e-9 * p;
        for (double threshold = 1e-6; threshold < 1; threshold *= 10)
            enough = enough && (gt_hwe_exact_x(ma, mb, a, het, b, threshold) < threshold) == (want < threshold);
        worst_autosomal = fmax(worst_autosomal, fabs(gt_hwe_exact_x(0, 0, a, het, b, 2) - gt_hwe_exact(a, het, b)));
    }
    ok(worst < 1e-9, "X: as its definition has it, at worst off by %.2g", worst);
    ok(symmetric, "X: it does not matter which allele is which");
    ok(enough, "X: ends early on the right side of a threshold");
    ok(worst_autosomal < 1e-9, "X: of females alone it is the test of autosomes: %.2g", worst_autosomal);
    ok(gt_hwe_exact_x(0, 0, 0, 0, 0, 2) == 1 && gt_hwe_exact_x(7, 0, 0, 0, 0, 2) == 1, "X: nothing to test");
    ok(gt_hwe_exact_x(500000, 0, 0, 0, 500000, 2) == 0, "X: what a double cannot hold is 0");
    const double large = gt_hwe_exact_x(25000000, 25000000, 12500000, 25000000, 12500000, 1e-3);
    ok(large >= 1e-3, "X: a hundred million samples: %.6f", large);
}

static bool same_counts(const struct gt_code_counts *counters, const uint8_t *rows, size_t stride, int64_t n_rows)
{
    for (int64_t s = 0; s < counters->n; s++) {
        uint32_t want[4] = {0};
        for (int64_t r = 0; r < n_rows; r++)
            want[rows[(size_t)r * stride + (size_t)s / 4] >> s % 4 * 2 & 3]++;
        for (int code = 1; code < 4; code++)
            if (gt_code_counts_get(counters, code)[s] != want[code])
                return false;
    }
    return true;
}

/* All sizes around the words and the widths of fields, with what is no sample filled with noise. */
static void test_code_counts(void)
{
    static const int64_t samples[] = {1, 3, 31, 32, 33, 255, 256, 257, 1000}, rows[] = {0, 1, 2, 3, 4, 254, 255, 256, 700};
    struct gt_code_counts counters = {0};
    bool good = true;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            size_t stride = (size_t)(samples[i] + 3) / 4, bytes = stride * (size_t)rows[k] + GT_KERNEL_PAD;
            uint8_t *data = malloc(bytes);
            for (size_t b = 0; b < bytes; b++)
                data[b] = k % 2 ? 0xff : (uint8_t)below(256);
            good = good && gt_code_counts_start(&counters, NULL, samples[i], NULL) == GT_OK;
            for (int64_t r = 0; r < rows[k]; r++)
                gt_code_counts_add(&counters, data + (size_t)r * stride);
            gt_code_counts_finish(&counters);
            good = good && same_counts(&counters, data, stride, rows[k]);
            free(data);
        }
    gt_code_counts_release(&counters);
    ok(good, "counts of codes a sample, 81 shapes");
}

static void test_names(void)
{
    static const char *const out[] = {"X", "chrX", "Y", "chrY", "MT", "chrM", "M", "mt", "23", "24", "26", "chr23"};
    static const char *const in[] = {"1", "chr1", "22", "2", "25", "XY", "PAR1", "27", "2L", "X2", "chr2R", "scaffold_X", "", "Y_RaGOO"};
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        ok(!gt_contig_is_autosome(out[i]), "'%s' is no autosome", out[i]);
    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        ok(gt_contig_is_autosome(in[i]), "'%s' may be one", in[i]);
}

int main(void)
{
    test_hwe();
    test_hwe_x();
    test_code_counts();
    test_names();
    return done_testing();
}
