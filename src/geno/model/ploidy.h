/* Ploidy of the data and everything that depends on it.
 *
 * Data in which every call has one allele (a haploid organism) are haploid; all other data are diploid.
 *
 *             codes               one allele, ALT    alleles of n calls
 *   haploid   0, 1, 3 (missing)   1                  n
 *   diploid   0, 1, 2, 3          2, as in PLINK     2 n (males on X, MT: see geno/samples/sex_count.h)
 *
 * The code of a call with only ALT alleles thus equals the ploidy, and a sum of codes is an allele count.
 *
 * The ploidy comes from --ploidy, else from an attribute of a store, else from the first non-missing genotypes of the input.
 * Calls on X, Y and MT are ignored for this if the input has other contigs. */
#ifndef GT_GENO_PLOIDY_H
#define GT_GENO_PLOIDY_H

#include <stdbool.h>
#include <stdint.h>

enum { GT_PLOIDY_UNKNOWN, GT_HAPLOID, GT_DIPLOID };

/* Attribute of gt_packed and of arrays of allele counts that stores the ploidy. */
#define GT_PLOIDY_ATTR "ploidy"

/* Ploidy shown by a call of n alleles, `known` of which are not missing. */
static inline int gt_ploidy_shown(int n, int known)
{
    return known == 0 ? GT_PLOIDY_UNKNOWN : n == 1 ? GT_HAPLOID : GT_DIPLOID;
}

/* Combines the ploidies shown by two calls or inputs. */
static inline int gt_ploidy_add(int shown, int more)
{
    return shown > more ? shown : more;
}

/* Converts the codes of n samples from ploidy `from` to ploidy `to` in place.  Returns -1, or the first sample with a code that `to` lacks:
 * a heterozygote in haploid data. */
int64_t gt_ploidy_row(uint8_t *row, int64_t n, int from, int to);

struct gt_err;
struct gt_geno_info;
/* Adds the samples of `input` to inputs of ploidy *all (0: none yet).  GT_INPUT if the ploidy differs. */
int gt_ploidy_join(int *all, const struct gt_geno_info *input, struct gt_err *err);
/* GT_USAGE if the input is haploid and `what` is about heterozygotes. */
int gt_ploidy_need_diploid(const struct gt_geno_info *input, const char *what, struct gt_err *err);

#endif
