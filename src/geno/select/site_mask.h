/* --mask: which variants of an input stay, as an array of booleans beside it says. */
#ifndef GT_GENO_SITE_MASK_H
#define GT_GENO_SITE_MASK_H

#include "core/engine/engine.h"
#include "geno/model/geno_info.h"

/* Bits of the input's variants into info->mask, which goes with the info and counts in the engine's budget.  path: the array, or a store or
 * group in which it is variants/filter_pass, or CONTIG/variants/filter_pass where all of the input is on one contig (MalariaGEN's site
 * filters). Any number but 0 keeps a variant.  GT_USAGE where the input does not know how many variants it has, or is one of `inputs` and
 * the array is not that of its contig; GT_INPUT when they are not as many as the array's. */
int gt_mask_read(struct gt_geno_info *info, int inputs, struct gt_engine *engine, const char *path, struct gt_err *err);

static inline bool gt_mask_keeps(const struct gt_geno_info *info, int64_t variant)
{
    return !info->mask.len || info->mask.data[variant / 8] >> variant % 8 & 1;
}

#endif
