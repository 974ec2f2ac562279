/* Ploidy of data: what follows from it is said here, and asked here.
 *
 * Data in which every call has one allele (a haploid organism) is haploid; all else is diploid.
 *
 *             codes               one allele, ALT    alleles of n calls
 *   haploid   0, 1, 3 (missing)   1                  n
 *   diploid   0, 1, 2, 3          2, as in PLINK     2 n (males on X, MT: see geno/samples/sex_count.h)
 *
 * So the code of a call that is ALT alone is the ploidy, and a sum of codes is a number of alleles.
 *
 * --ploidy says it; else an attribute of a store; else the first called genotypes of the input.  Calls without a
 * known allele show nothing, nor do those on X, Y and MT where the input has other contigs, too. */
#ifndef GT_GENO_PLOIDY_H
#define GT_GENO_PLOIDY_H

#include <stdbool.h>
#include <stdint.h>

enum { GT_PLOIDY_UNKNOWN, GT_HAPLOID, GT_DIPLOID };

/* Attribute that holds it, of gt_packed, and of arrays of dosages. */
#define GT_PLOIDY_ATTR "ploidy"

/* What a call of n alleles shows, `known` of which are not missing. */
static inline int gt_ploidy_shown(int n, int known)
{
    return known == 0 ? GT_PLOIDY_UNKNOWN : n == 1 ? GT_HAPLOID : GT_DIPLOID;
}

/* A call more, or another input: what both show. */
static inline int gt_ploidy_add(int shown, int more)
{
    return shown > more ? shown : more;
}

/* Codes that n samples have in data of ploidy `from`, in place as those of ploidy `to`.  -1; or the first sample that has a code
 * which `to` does not have: a heterozygote in haploid data. */
int64_t gt_ploidy_row(uint8_t *row, int64_t n, int from, int to);

struct gt_err;
struct gt_geno_info;
/* Samples of `input` come beside those of the inputs before, which are of ploidy *all (0: there are none).  GT_INPUT: it differs. */
int gt_ploidy_join(int *all, const struct gt_geno_info *input, struct gt_err *err);
/* GT_USAGE where the input is haploid: `what` is about heterozygotes. */
int gt_ploidy_need_diploid(const struct gt_geno_info *input, const char *what, struct gt_err *err);

#endif
