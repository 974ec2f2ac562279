/* Two sources of the same sites. */
#ifndef GT_GENO_AGREE_H
#define GT_GENO_AGREE_H

#include "geno/source/source.h"

/* Reads both from where they stand to their ends: GT_INPUT, with the first site that differs,
 * unless contigs, positions and alleles are the same, as far as both have them.  They were opened with `again`,
 * GT_SITE_POS and GT_SITE_ALLELES, and are rewound. */
int gt_sources_agree(struct gt_engine *engine, struct gt_source *a, struct gt_source *b, struct gt_err *err);

#endif
