/* Compares the sites of two sources. */
#ifndef GT_GENO_AGREE_H
#define GT_GENO_AGREE_H

#include "geno/source/source.h"

/* Reads both to their ends and rewinds them: GT_INPUT, naming the first difference, unless contigs, positions and alleles are the same
 * where both have them.  They were opened with `again`, GT_SITE_POS and GT_SITE_ALLELES. */
int gt_sources_agree(struct gt_engine *engine, struct gt_source *a, struct gt_source *b, struct gt_err *err);

#endif
