/* --concat samples: declarations shared by the files of geno/source/join_samples.h. */
#ifndef GT_GENO_JOIN_IMPL_H
#define GT_GENO_JOIN_IMPL_H

#include "geno/source/source_internal.h"

struct gt_side {
    struct gt_concat *inputs; /* one input */
    struct gt_block *block;   /* NULL: not read yet, or at the end */
    int64_t at;               /* variants of the block delivered so far */
    bool ended;
    size_t warned; /* warnings already copied */
};

struct gt_joined {
    struct gt_reader base;
    struct gt_side *side;
    int n;
    int64_t delivered;
};

static inline const struct gt_geno_info *gt_joined_info(const struct gt_joined *r, int i)
{
    return r->side[i].inputs->stage.info;
}

/* The v-th variant not yet delivered. */
static inline const struct gt_site *gt_side_site(const struct gt_side *side, int64_t v)
{
    return &gt_block_sites(side->block)[side->at + v];
}

/* join_sites.c: GT_INPUT unless the next n variants of side i match those of the first side. */
int gt_joined_check_sites(const struct gt_joined *joined, int i, int64_t n, struct gt_err *err);
/* GT_INPUT: side `ended` has no more variants, but side `more` has. */
int gt_joined_refuse_more(const struct gt_joined *joined, int ended, int more, struct gt_err *err);

#endif
