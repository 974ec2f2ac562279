/* Pruning of variants in linkage disequilibrium: PLINK's greedy rule.
 *
 * A window moves over the variants of a contig.  Of two in it whose dosages have a squared
 * correlation above a threshold, over the samples that are known at both, the one with the more
 * frequent major allele goes, of equals the later one; pairs are looked at until none is left.  What is
 * left, and in which order pairs come, is as of PLINK 2 --indep-pairwise (since 2023 with
 * --indep-order 1), whose rules for windows it follows as well: variants at which all known calls
 * are alike go, but for those that have no other variant within reach. */
#ifndef GT_GENO_PRUNE_H
#define GT_GENO_PRUNE_H

#include "core/base/budget.h"

struct gt_prune_opts {
    int64_t window; /* variants, or bases between the first and the last one */
    bool bases;
    int64_t step; /* variants that a window of variants moves by */
    double r2;
};

/* "WINDOWkb,R2", "WINDOW,R2" or "WINDOW,STEP,R2".  GT_USAGE. */
int gt_prune_parse(struct gt_prune_opts *opts, const char *text, struct gt_err *err);

struct gt_prune;
int gt_prune_new(struct gt_prune **out, const struct gt_prune_opts *opts, int64_t samples, struct gt_budget *budget, struct gt_err *err);
void gt_prune_free(struct gt_prune *prune); /* NULL is fine */
/* Bytes that a window of so many variants takes, of which most are soon gone where it is one of bases. */
int64_t gt_prune_bytes(int64_t samples, int64_t variants);

/* The next variant, a packed row.  GT_INPUT when a window is one of bases and positions go back. */
int gt_prune_add(struct gt_prune *prune, int32_t contig, int64_t position, const uint8_t *row, struct gt_err *err);
/* There are no more. */
void gt_prune_end(struct gt_prune *prune);
/* What becomes of the first so many variants is known. */
int64_t gt_prune_decided(const struct gt_prune *prune);
/* Of a variant before that.  Numbers must not go back: those before it are forgotten. */
bool gt_prune_keeps(struct gt_prune *prune, int64_t number);

#endif
