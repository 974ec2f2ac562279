/* LD pruning by PLINK's greedy rule.
 *
 * A window moves over the variants of a contig.  Of two variants in the window with r2 above a threshold (over samples
 * non-missing in both), the one with the higher major allele frequency is removed, or the later one if equal, until no
 * such pair is left.  Results and order of pairs are those of PLINK 2 --indep-pairwise (since 2023 with --indep-order 1),
 * including its window rules: monomorphic variants are removed, except those without another variant in
 * reach. */
#ifndef GT_GENO_PRUNE_H
#define GT_GENO_PRUNE_H

#include "core/base/budget.h"

struct gt_prune_opts {
    int64_t window; /* in variants, or in bases between the first and the last one */
    bool bases;
    int64_t step; /* step of a window in variants */
    double r2;
};

/* Parses "WINDOWkb,R2", "WINDOW,R2" or "WINDOW,STEP,R2".  GT_USAGE. */
int gt_prune_parse(struct gt_prune_opts *opts, const char *text, struct gt_err *err);

struct gt_prune;
int gt_prune_new(struct gt_prune **out, const struct gt_prune_opts *opts, int64_t samples, struct gt_budget *budget, struct gt_err *err);
void gt_prune_free(struct gt_prune *prune); /* NULL is allowed */
/* Memory for a window of that many variants; a window in bases usually keeps far fewer.  Variants are added `block` at a time, and then the
 * decided ones are asked for. */
int64_t gt_prune_bytes(int64_t samples, int64_t window, int64_t block);

/* Adds the next variant, a packed row.  GT_INPUT if a window is in bases and positions are not sorted. */
int gt_prune_add(struct gt_prune *prune, int32_t contig, int64_t position, const uint8_t *row, struct gt_err *err);
/* Ends the input. */
void gt_prune_end(struct gt_prune *prune);
/* Number of leading variants whose result is known. */
int64_t gt_prune_decided(const struct gt_prune *prune);
/* Is a variant kept?  Its index must be below gt_prune_decided and must not decrease: earlier ones are forgotten. */
bool gt_prune_keeps(struct gt_prune *prune, int64_t number);

#endif
