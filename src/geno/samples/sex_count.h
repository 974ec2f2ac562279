/* What a site's calls count as where sexes are known, as PLINK 2 counts: on X males have one allele, on Y only they have calls,
 * mitochondria are one copy; a heterozygote of one copy has half of each allele. */
#ifndef GT_GENO_SEX_COUNT_H
#define GT_GENO_SEX_COUNT_H

#include "geno/samples/sex.h"

/* Who is what among the samples of a row. */
struct gt_sex_rows {
    uint8_t *males, *females; /* rows: 3 is one of them; NULL where sexes are not known */
    int64_t n, n_males, n_females;
};

/* Of n samples, whose numbers in the input are in `samples` (NULL: as they stand); sexes may be NULL. */
int gt_sex_rows_make(struct gt_sex_rows *rows, const struct gt_sexes *sexes, const uint32_t *samples, int64_t n, struct gt_err *err);
/* Of n of those of `from`. */
int gt_sex_rows_choose(struct gt_sex_rows *rows, const struct gt_sex_rows *from, const uint32_t *samples, int64_t n, struct gt_err *err);
void gt_sex_rows_release(struct gt_sex_rows *rows);
/* Row `row` becomes that of a site on Y, where only males have calls, in `to`: others are `nothing`, a code. */
void gt_sex_rows_on_y(const struct gt_sex_rows *rows, const uint8_t *row, unsigned nothing, uint8_t *to);

struct gt_sex_site_counts {
    enum gt_chrom_class chrom_class;
    int64_t codes[4];                   /* of all samples */
    int64_t males[4], females[4];       /* of those, on X; males on Y too */
    int64_t samples, missing;           /* that may have a call, and have none */
    int64_t alleles_x2, alt_alleles_x2; /* twice the alleles known, and those among them that are not REF */
};

/* What is to be known in addition to it. */
struct gt_sex_rule {
    int ploidy; /* of the data; haploid data has no sexes */
    bool test;  /* gt_sex_hwe_x is to be asked */
};

/* row: of the samples of `rows`; scratch: as long, with GT_KERNEL_PAD; not looked at elsewhere than on X and Y. */
void gt_sex_count(const struct gt_sex_rows *rows, const struct gt_sex_rule *rule, enum gt_chrom_class chrom_class, const uint8_t *row,
                  uint8_t *scratch, struct gt_sex_site_counts *counters);
/* Of a site on X: as gt_hwe_exact_x. */
double gt_sex_hwe_x(const struct gt_sex_site_counts *counters, double enough);

#endif
