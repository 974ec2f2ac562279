/* --concat samples: inputs of the same sites and other samples, side by side. */
#ifndef GT_GENO_JOIN_SAMPLES_H
#define GT_GENO_JOIN_SAMPLES_H

#include "geno/model/reader.h"

struct gt_concat;

/* A reader of the samples of n inputs, those of the first one first; takes them over, on failure too.  They were opened with
 * GT_SITE_POS, GT_SITE_ALLELES and whatever else will be asked for.  Sites, their ids and filters, and the header are those of the
 * first input, families those of all.  Calls of all samples are decoded, those that are not chosen too.  GT_INPUT at the first
 * one of which another input has another contig, position or alleles, as far as both have them, or has it not or more.
 * GT_INPUT too when a sample is in two of them. */
int gt_reader_join_samples(struct gt_reader **out, struct gt_engine *engine, struct gt_concat **sides, int n, struct gt_err *err);

#endif
