/* Inputs side by side: what the files of geno/join_samples.h share. */
#ifndef GT_GENO_JOIN_IMPL_H
#define GT_GENO_JOIN_IMPL_H

#include "geno/source/source_internal.h"

struct gt_side {
    struct gt_concat *inputs; /* one of them */
    struct gt_block *block;   /* NULL: there is none yet, or no more */
    int64_t at;               /* its variants before that were delivered */
    bool ended;
    size_t warned; /* warnings that were taken over */
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

/* The v-th variant that was not delivered. */
static inline const struct gt_site *gt_side_site(const struct gt_side *side, int64_t v)
{
    return &gt_block_sites(side->block)[side->at + v];
}

/* join_sites.c: the next n variants of side i are those of the first one; GT_INPUT. */
int gt_joined_check_sites(const struct gt_joined *joined, int i, int64_t n, struct gt_err *err);
/* GT_INPUT: side `ended` has no more variants, and side `more` has one. */
int gt_joined_refuse_more(const struct gt_joined *joined, int ended, int more, struct gt_err *err);

#endif
