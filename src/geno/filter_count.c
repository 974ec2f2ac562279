/* What filters count of a site's calls.  Where sexes are known, as PLINK 2 counts: on X males have one allele, on Y only they
 * have calls, mitochondria are one copy; a heterozygote of one copy has half of each allele. */
#include "config.h"

#include "geno/filter_impl.h"
#include "geno/hwe.h"
#include "kernels/kernels.h"

/* Of those in the mask, n of them. */
static void count_some(const struct gt_filter *f, const uint8_t *row, const uint8_t *mask, int64_t n, uint8_t *scratch, int64_t counts[4])
{
    const size_t stride = ((size_t)f->n_samples + 3) / 4;
    for (size_t i = 0; i < stride; i++)
        scratch[i] = row[i] & mask[i];
    gt_kernels()->count_codes(scratch, f->n_samples, counts);
    counts[0] = n - counts[1] - counts[2] - counts[3];
}

/* n codes of calls of one copy, or two. */
static void add_alleles(const struct gt_filter *f, const int64_t n[4], int copies, struct gt_filter_counts *c)
{
    const int64_t known = n[0] + n[1] + n[2];
    const int64_t het = copies == 1 && f->opts.haploid == 1 ? 2 : 1; /* else half an allele */
    c->halves += 2 * copies * known;
    c->alt_halves += copies * (2 * n[2] + het * n[1]);
}

void gt_filter_count_row(const struct gt_filter *f, enum gt_place place, const uint8_t *row, uint8_t *scratch, struct gt_filter_counts *c)
{
    *c = (struct gt_filter_counts){.place = place, .samples = f->n_samples};
    gt_kernels()->count_codes(row, f->n_samples, c->codes);
    if (place == GT_ON_X || place == GT_ON_Y)
        count_some(f, row, f->males, f->n_males, scratch, c->males);
    if (place == GT_ON_X && f->opts.hwe > 0)
        count_some(f, row, f->females, f->n_females, scratch, c->females);
    c->missing = c->codes[3];
    if (place == GT_ON_Y) {
        c->samples = f->n_males;
        c->missing = c->males[3];
        add_alleles(f, c->males, 1, c);
    } else if (place == GT_ON_X) {
        int64_t others[4];
        for (int code = 0; code < 4; code++)
            others[code] = c->codes[code] - c->males[code];
        add_alleles(f, others, 2, c);
        add_alleles(f, c->males, 1, c);
    } else {
        add_alleles(f, c->codes, place == GT_ON_MT ? 1 : 2, c);
    }
}

bool gt_filter_in_equilibrium(const struct gt_filter *f, const struct gt_filter_counts *c)
{
    const int64_t alt = c->males[2] + (f->opts.haploid == 1 ? c->males[1] : 0);
    if (c->place == GT_ON_X)
        return gt_hwe_exact_x(c->males[0], alt, c->females[0], c->females[1], c->females[2], f->opts.hwe) >= f->opts.hwe * (1 - 1e-9);
    return c->place != GT_ELSEWHERE || gt_hwe_exact(c->codes[0], c->codes[1], c->codes[2]) >= f->opts.hwe;
}
