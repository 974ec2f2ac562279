/* Sites as the lines of text formats need them. */
#ifndef GT_OUT_SITE_H
#define GT_OUT_SITE_H

#include <string.h>

#include "geno/model/block.h"

/* GT_INPUT, naming the site, when a text file cannot store it: it has no contig or no alleles, its contig, id, an allele or a FILTER
 * is empty or contains a blank or control character, or, unless `alts`, it is not known which ALT a call has. */
int gt_site_check(const struct gt_block *block, const struct gt_site *site, bool alts, struct gt_err *err);

/* GT_INPUT, naming the site, when it has calls and more alleles than gt_block.calls distinguishes (geno/model/dosage.h). */
int gt_site_check_calls(const struct gt_strs *contigs, const struct gt_site *site, struct gt_err *err);

static inline const char *gt_site_id(const struct gt_block *block, const struct gt_site *site)
{
    return gt_strs_get(&block->ids, site->id);
}
static inline const char *gt_site_allele(const struct gt_block *block, const struct gt_site *site, int32_t allele)
{
    return gt_strs_get(&block->alleles, site->first_allele + (size_t)allele);
}
/* INFO/END of a site that its REF does not tell the end of: an ALT is symbolic, or there is none.  0: it needs none. */
static inline int64_t gt_site_end(const struct gt_block *block, const struct gt_site *site)
{
    bool symbolic = site->n_alleles == 1;
    for (int32_t a = 1; a < site->n_alleles; a++)
        symbolic = symbolic || *gt_site_allele(block, site, a) == '<';
    if (!symbolic || site->n_alleles < 1 || site->length <= 0 || site->length == (int64_t)strlen(gt_site_allele(block, site, 0)))
        return 0;
    return site->position + site->length - 1;
}
static inline int32_t gt_site_filter(const struct gt_block *block, const struct gt_site *site, uint32_t i)
{
    return ((const int32_t *)(const void *)block->filters.data)[site->filter_from + i];
}

#endif
