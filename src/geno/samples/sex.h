/* Sexes: which samples are haploid on X and Y, and where.
 *
 * On X, outside the pseudoautosomal regions (PARs), males are haploid; on Y males are haploid and females have no copy.  A heterozygous
 * call on a haploid chromosome is set to missing and counted, as in PLINK.  A sample of unknown sex is diploid on X and haploid on Y,
 * as in PLINK 2.
 *
 * PARs are those of GRCh37 and GRCh38, detected from the length of contig X; for any other length no PARs are assumed, as for PLINK files,
 * which have PARs as contig XY. */
#ifndef GT_GENO_SEX_H
#define GT_GENO_SEX_H

#include "geno/model/geno_info.h"

struct gt_sexes;

/* Chromosome classes, on which the ploidy of a call depends with sex. */
enum gt_chrom_class {
    GT_CHROM_AUTOSOME, /* autosomes, what X and Y share */
    GT_CHROM_X,
    GT_CHROM_Y,
    GT_CHROM_MT, /* everybody has one */
    GT_CHROM_CLASSES
};

/* How many are what.  Of sexes in a file: `absent` are those of the unknown whom it has no line for, `unnamed` its lines for
 * nobody in the input. */
struct gt_sex_counts {
    int64_t male, female, unknown, absent, unnamed;
    bool no_build; /* there is a contig X of neither build, and none that X and Y share */
};

/* from: "auto", as the input says it; or a file with lines "IID SEX", "FID IID SEX", or as .fam and .psam
 * have them; 1, M or male, 2, F or female, in any case of letters; all else is not known.  Samples that the input lacks, or knows
 * of another family, are skipped.  GT_INPUT when a line is none of these, gives a sample another sex, or nobody's sex is known. */
int gt_sexes_new(struct gt_sexes **out, const char *from, const struct gt_geno_info *input, struct gt_err *err);
void gt_sexes_free(struct gt_sexes *sexes); /* NULL is fine */

/* As the input says it, for counting; the caller's, for gt_sexes_free.  NULL when it does not, or has no place where it matters. */
int gt_sexes_of_input(struct gt_sexes **out, const struct gt_geno_info *input, struct gt_err *err);

/* Of a position of the input's contig of that number, and of one on a contig that its header lacks. */
enum gt_chrom_class gt_sexes_chrom_class(const struct gt_sexes *sexes, int32_t contig, int64_t position);
enum gt_chrom_class gt_sexes_chrom_class_named(const char *contig);

/* enum gt_call_ploidy of each input sample at such a place.  NULL: nothing that is to be looked at. */
const uint8_t *gt_sexes_call_ploidy(const struct gt_sexes *sexes, enum gt_chrom_class chrom_class);
bool gt_sexes_is_male(const struct gt_sexes *sexes, int64_t sample);
bool gt_sexes_is_female(const struct gt_sexes *sexes, int64_t sample);
/* Of n samples, whose numbers in the input are in `samples` (NULL: as they stand). */
void gt_sexes_count(const struct gt_sexes *sexes, const uint32_t *samples, int64_t n, struct gt_sex_counts *counts);

#endif
