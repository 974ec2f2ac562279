/* Regions of long-range linkage disequilibrium of the human genome, which distort principal components of
 * ancestry: --exclude-long-range. */
#ifndef GT_GENO_LONG_RANGE_H
#define GT_GENO_LONG_RANGE_H

#include "geno/model/regions.h"

/* which: "b37" or "b38" for GRCh37 or GRCh38 positions; else a file for gt_regions_parse.
 * b37: Price et al. 2008 (Am J Hum Genet 83:132), rounded as in the Genome Analysis Wiki of the University of Michigan.
 * b38: Anderson et al. 2010 (Nat Protoc 5:1564), lifted over by plinkQC, without fragments below 100 kb created by the
 * liftover. */
int gt_long_range_parse(struct gt_regions *regions, const char *which, const struct gt_names *known, struct gt_err *err);

#endif
