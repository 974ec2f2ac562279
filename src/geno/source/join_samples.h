/* --concat samples: joins inputs with the same sites and different samples. */
#ifndef GT_GENO_JOIN_SAMPLES_H
#define GT_GENO_JOIN_SAMPLES_H

#include "geno/model/reader.h"

struct gt_concat;

/* A reader of the samples of n inputs in order; takes them over, also on failure.  They were opened with GT_SITE_POS,
 * GT_SITE_ALLELES and all other fields needed.  Sites, ids, filters and header are those of the first input, pedigrees those of all.
 * Calls of all samples are decoded, including those not selected.  GT_INPUT at the first site whose contig, position or alleles
 * differ between inputs that have them, if one input has more sites than another, or if a sample is in two inputs. */
int gt_reader_join_samples(struct gt_reader **out, struct gt_engine *engine, struct gt_concat **sides, int n, struct gt_err *err);

#endif
