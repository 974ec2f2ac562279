/* The exact test on X.  A table is a number of A among males, its row, and of heterozygotes among females.  Along a row
 * probabilities rise to a peak and fall again, and so do the peaks from row to row.  Tables no likelier than the one seen are
 * summed from two edges outwards, which move little between rows; what a row has in all is known, so that tables between the
 * edges are not looked at. */
#include "config.h"

#include <math.h>
#include <stdbool.h>

#include "geno/model/hwe.h"

struct table {
    double male_a, male_b, aa, het, bb;
    double weight; /* how much likelier than the one seen */
};

static const double as_likely = 1 + 1e-9; /* tables as likely differ by rounding */
static const double nothing = 1e-20;      /* of a sum: adds nothing */

enum { FEWER = -1, MORE = 1 }; /* heterozygotes */

/* How much likelier a table is with two heterozygotes more, or fewer. */
static double ratio(const struct table *t, int by)
{
    return by == MORE ? 4 * t->aa * t->bb / ((t->het + 2) * (t->het + 1)) : t->het * (t->het - 1) / (4 * (t->aa + 1) * (t->bb + 1));
}

static void move(struct table *t, int by)
{
    t->weight *= ratio(t, by);
    t->het += 2 * by;
    t->aa -= by;
    t->bb -= by;
}

/* To the edge of its row: no likelier than the one seen, and the next one inwards is.  False: all of the row is no likelier. */
static bool find_edge(struct table *t, int outwards)
{
    for (;;) {
        const double out = ratio(t, outwards), in = ratio(t, -outwards);
        if (t->weight > as_likely ? out == 0 : out <= 1 && in > 1 && t->weight * in > as_likely)
            return true;
        if (t->weight <= as_likely && out <= 1 && in <= 1)
            return false;
        move(t, t->weight > as_likely || out > 1 ? outwards : -outwards);
    }
}

/* From an edge on. */
static double tail(struct table t, int outwards)
{
    double sum = 0;
    for (; t.weight <= as_likely && t.weight > sum * nothing; move(&t, outwards))
        sum += t.weight;
    return sum;
}

static double alleles_a(const struct table *t)
{
    return 2 * t->aa + t->het;
}

/* A of a female for B of a male. */
static void next_row(struct table *t)
{
    t->weight *= t->male_b-- / ++t->male_a;
    if (t->aa > 0)
        t->weight *= 2 * t->aa-- / ++t->het;
    else
        t->weight *= t->het-- / (2 * ++t->bb);
}

/* Of rows after that of the one seen, or from it on.  row: what its row has in all; ends when there is `enough`. */
static double rows(struct table seen, double row, bool from, double enough)
{
    struct table low = seen, high = seen;
    double sum = 0;
    while (sum < enough) {
        const bool edges = find_edge(&low, FEWER) && find_edge(&high, MORE);
        if (from)
            sum += edges ? tail(low, FEWER) + tail(high, MORE) : row;
        from = true;
        const double a = alleles_a(&low), b = 2 * low.bb + low.het;
        if (low.male_b == 0 || a == 0 || (!edges && row <= sum * nothing))
            break;
        row *= low.male_b / (low.male_a + 1) * a / (b + 1);
        next_row(&low);
        next_row(&high);
    }
    return sum;
}

/* lgamma() also writes a sign, which all threads share, and nobody reads. */
static double log_gamma(double x)
{
#if HAVE_DECL_LGAMMA_R
    int sign;
    return lgamma_r(x, &sign);
#else
    return lgamma(x);
#endif
}

/* log of the ways to choose k of n */
static double log_choose(double n, double k)
{
    return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1);
}

double gt_hwe_exact_x(int64_t male_a, int64_t male_b, int64_t hom_a, int64_t het, int64_t hom_b, double enough)
{
    const struct table seen = {(double)male_a, (double)male_b, (double)hom_a, (double)het, (double)hom_b, 1};
    const struct table mirrored = {seen.male_b, seen.male_a, seen.bb, seen.het, seen.aa, 1};
    const double males = seen.male_a + seen.male_b, females = seen.aa + seen.het + seen.bb, a = alleles_a(&seen);
    const double of_row = log_choose(2 * females, a) - log_choose(females, seen.het) - log_choose(females - seen.het, seen.aa) -
                          seen.het * M_LN2; /* -log of its share of its row */
    const double p =
        exp(log_choose(males, seen.male_a) + log_choose(2 * females, a) - log_choose(2 * females + males, a + seen.male_a) - of_row);
    if (p < 1e-290)
        return 0;
    double sum = rows(seen, exp(of_row), true, enough / p);
    if (sum * p < enough)
        sum += rows(mirrored, exp(of_row), false, enough / p - sum);
    return sum * p < 1 ? sum * p : 1;
}
