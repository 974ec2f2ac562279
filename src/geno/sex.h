/* --sex: which samples have one X and one Y, and where.
 *
 * On X, outside of its pseudoautosomal regions, a male has one copy; on Y a male has one and a female
 * none.  Where a copy is the only one a call of two alleles that differ is a fault, and counts as
 * missing, as in PLINK.  A sample whose sex is not known
 * has two copies of X, and one of Y, as in PLINK 2.
 * The regions are those of GRCh37 and GRCh38, whose contig X is told by its length; of any other X
 * all is outside of them, as in PLINK's files, which have them as a contig XY. */
#ifndef GT_GENO_SEX_H
#define GT_GENO_SEX_H

#include "geno/source.h"

struct gt_sexes;

/* from: "auto", as the input says it; or a file with lines "IID SEX", "FID IID SEX", or as .fam and .psam
 * have them; 1, M or male, 2, F or female, in any case of letters; all else is not known.  Samples that the input lacks, or knows
 * of another family, are passed over.  GT_INPUT when a line is none of these, gives a sample another sex, or nobody's sex is known. */
int gt_sexes_new(struct gt_sexes **out, const char *from, const struct gt_source_info *input, struct gt_err *err);
void gt_sexes_free(struct gt_sexes *sexes); /* NULL is fine */

/* enum gt_copies of each input sample at a position of the input's contig of that number.  NULL: all have two. */
const uint8_t *gt_sexes_at(const struct gt_sexes *sexes, int32_t contig, int64_t position);
/* Of a contig that the input's header lacks. */
const uint8_t *gt_sexes_at_named(const struct gt_sexes *sexes, const char *contig);

#endif
