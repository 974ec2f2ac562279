/* Hardy-Weinberg equilibrium. */
#ifndef GT_GENO_HWE_H
#define GT_GENO_HWE_H

#include <stdint.h>

/* The exact test (Wigginton, Cutler and Abecasis 2005) with the mid-p adjustment
 * (Graffelman and Moreno 2013): the probability, given the allele counts, of fewer or
 * more heterozygotes that are less likely than those seen, and half of those as likely.
 * hom_a, hom_b: homozygotes of either allele, with het at most 2^40 genotypes.  0.5 without genotypes,
 * and where one allele is all there is; 0 below 1e-300. */
double gt_hwe_midp(int64_t hom_a, int64_t het, int64_t hom_b);
/* Without the adjustment: all of those as likely count.  1 where there is nothing to test. */
double gt_hwe_exact(int64_t hom_a, int64_t het, int64_t hom_b);
/* Of X, without the adjustment (Graffelman and Weir 2016): males have one allele, a of them A, and females two; given how
 * many A all have together, tables of both that are no likelier than the one seen.  Ends with some number of at least
 * `enough` as soon as the probability is known to be; 2 asks for all of it.  0 below 1e-290. */
double gt_hwe_exact_x(int64_t male_a, int64_t male_b, int64_t hom_a, int64_t het, int64_t hom_b, double enough);

#endif
