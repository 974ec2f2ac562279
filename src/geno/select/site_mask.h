/* --mask: which variants of an input stay, as an array of booleans beside it says. */
#ifndef GT_GENO_SITE_MASK_H
#define GT_GENO_SITE_MASK_H

#include "core/engine/engine.h"
#include "geno/model/geno_info.h"

/* Reads the mask into info->mask, counted in the budget of the engine.  path: the array, or a store or group that contains it as
 * variants/filter_pass, or as CONTIG/variants/filter_pass if the input has a single contig (MalariaGEN's site filters).  Non-zero values
 * keep a variant.  GT_USAGE if the number of variants of the input is not known, or if it is one of several `inputs` and the array is not
 * that of its contig; GT_INPUT if their lengths differ. */
int gt_mask_read(struct gt_geno_info *info, int inputs, struct gt_engine *engine, const char *path, struct gt_err *err);

static inline bool gt_mask_keeps(const struct gt_geno_info *info, int64_t variant)
{
    return !info->mask.len || info->mask.data[variant / 8] >> variant % 8 & 1;
}

#endif
