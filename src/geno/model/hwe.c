#include "geno/model/hwe.h"

/* Numbers of genotypes with given allele counts: `het` says it all. */
struct table {
    double het, rare, common; /* rare, common: homozygotes of the rarer and the commoner allele */
};

/* How much more likely two more heterozygotes are, and two fewer. */
static double ratio_up(const struct table *t)
{
    return 4 * t->rare * t->common / ((t->het + 2) * (t->het + 1));
}
static double ratio_down(const struct table *t)
{
    return t->het * (t->het - 1) / (4 * (t->rare + 1) * (t->common + 1));
}

static void move(struct table *t, int by)
{
    t->het += 2 * by;
    t->rare -= by;
    t->common -= by;
}

/* About the likeliest table of these alleles; the sums below are relative to it. */
static struct table likeliest(const struct table *seen)
{
    double alleles = 2 * seen->rare + seen->het, n = seen->rare + seen->het + seen->common;
    struct table t = *seen;
    double het = alleles * (2 * n - alleles) / (2 * n);
    double steps = (double)(int64_t)((het - t.het) / 2);
    t.het += 2 * steps;
    t.rare -= steps;
    t.common -= steps;
    return t;
}

struct sums {
    double all, tail; /* tail: less likely than what was seen, and a share of what is as likely */
};

/* Tables as likely as the one seen differ from it by rounding only. */
static void count(struct sums *sums, double weight, double seen, double as_likely)
{
    sums->all += weight;
    if (weight < seen * (1 - 1e-9))
        sums->tail += weight;
    else if (weight <= seen * (1 + 1e-9))
        sums->tail += weight * as_likely;
}

/* as_likely: the share of tables as likely as the one seen. */
static double tail(int64_t hom_a, int64_t het, int64_t hom_b, double as_likely)
{
    const struct table seen = {(double)het, (double)(hom_a < hom_b ? hom_a : hom_b), (double)(hom_a < hom_b ? hom_b : hom_a)};
    struct sums sums = {0, 0};
    if (seen.het == 0 && seen.rare == 0)
        return as_likely;
    const struct table start = likeliest(&seen);
    double seen_weight = 1, weight = 1;
    for (struct table t = start; t.het < seen.het; move(&t, 1))
        seen_weight *= ratio_up(&t);
    for (struct table t = start; t.het > seen.het; move(&t, -1))
        seen_weight *= ratio_down(&t);
    if (seen_weight < 1e-300)
        return 0;
    /* what is below this adds nothing, however much of it there is */
    const double nothing = seen_weight * 1e-30;
    for (struct table t = start; weight > nothing; move(&t, 1)) {
        count(&sums, weight, seen_weight, as_likely);
        weight *= ratio_up(&t);
    }
    struct table t = start;
    for (weight = ratio_down(&t); weight > nothing; weight *= ratio_down(&t)) {
        move(&t, -1);
        count(&sums, weight, seen_weight, as_likely);
    }
    return sums.tail / sums.all;
}

double gt_hwe_midp(int64_t hom_a, int64_t het, int64_t hom_b)
{
    return tail(hom_a, het, hom_b, 0.5);
}

double gt_hwe_exact(int64_t hom_a, int64_t het, int64_t hom_b)
{
    return tail(hom_a, het, hom_b, 1);
}
