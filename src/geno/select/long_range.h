/* Regions of long-range linkage disequilibrium of the human genome, which principal components
 * tell of where they should tell of ancestry: --exclude-long-range. */
#ifndef GT_GENO_LONG_RANGE_H
#define GT_GENO_LONG_RANGE_H

#include "geno/model/regions.h"

/* which: "b37" or "b38", the positions of GRCh37 and GRCh38; else a file as gt_regions_parse takes.
 * b37: Price et al. 2008 (Am J Hum Genet 83:132), as the Genome Analysis Wiki of the University of Michigan
 * rounds them.  b38: Anderson et al. 2010 (Nat Protoc 5:1564), lifted over by plinkQC; what of that is
 * shorter than 100 kb, torn off by the lifting, is left out. */
int gt_long_range_parse(struct gt_regions *regions, const char *which, const struct gt_strs *known, struct gt_err *err);

#endif
