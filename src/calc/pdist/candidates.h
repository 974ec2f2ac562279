/* Pairs above a limit, where most pairs are not: a sum over the sites with most heterozygotes leaves out those that cannot have it
 * (calc/pdist/metric_bound.h), and the others are counted one by one over all sites, exactly.  All genotypes are in memory.
 *
 * What a run reports of all pairs stays the same: pairs of samples with few calls or few heterozygotes, whose overlap may be low or whose
 * value may not be finite, are never left out. */
#ifndef GT_CALC_CANDIDATES_H
#define GT_CALC_CANDIDATES_H

#include <stdatomic.h>

#include "calc/pairs/acc_geno.h"
#include "calc/pairs/tile_writer.h"
#include "calc/pdist/pdist_internal.h"
#include "calc/pdist/sample_rows.h"

struct gt_candidates {
    struct gt_engine *engine;
    const struct gt_pdist_plan *plan;
    struct gt_metric_use use;
    struct gt_sample_rows rows;
    struct gt_cpu_plane form[GT_MAX_PLANES]; /* of the plan's planes */
    struct gt_cpu_plane sum;                 /* of the bound */
    enum gt_pair_product product;            /* that the sum has -2 times */
    const struct gt_pair_kernel *pair;
    struct gt_buf order;  /* uint32_t: sites, those with most heterozygotes first */
    int64_t first_sites;  /* so many of them are summed for all pairs */
    int64_t more_steps;   /* and so many steps of them after these for pairs that are left over, until one is not */
    struct gt_buf panels; /* of the first sites, as the kernel has them */
    struct gt_buf bits;   /* [samples][more_steps] of bit rows of a step: homozygous, code 2, missing */
    struct gt_buf steps;  /* int32_t [samples][more_steps]: what `own` is, over a step */
    struct gt_buf most;   /* int32_t by sample, whole panels: the most that the sum may be */
    struct gt_buf own;    /* the same: at least this it adds alone, over the first sites */
    struct gt_buf never;  /* uint8_t by sample: its pairs are never left out, and most and own are beyond all sums */
    _Atomic int64_t low_overlap, no_overlap, no_value;
};

/* Does the plan's metric and sink allow it?  Sets plan->bound, to NULL if not. */
void gt_candidates_plan(struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_row_source_info *info,
                        const struct gt_pdist_opts *opts);
/* Memory of all but a row source and results; 0 without a bound. */
int64_t gt_candidates_bytes(const struct gt_pdist_plan *plan, const struct gt_engine *engine);

/* Reads a pass of the started row source, and chooses the first sites by a trial with some pairs.  GT_NOENT if counting all pairs is
 * expected to be faster; nothing is kept then.  After success gt_candidates_release is called by the caller. */
int gt_candidates_find(struct gt_candidates *candidates, struct gt_engine *engine, struct gt_row_source *row_source,
                       const struct gt_pdist_plan *plan, const struct gt_pdist_opts *opts, struct gt_err *err);
/* `fill` of struct gt_tile_maker, with the candidates as ctx: "distance" of pairs that are left out is NaN, and their other results are
 * not set. */
int gt_candidates_fill(void *ctx, const struct gt_pair_box *box, const int *wanted, int n_wanted, double *results, struct gt_err *err);
void gt_candidates_release(struct gt_candidates *candidates);

/* Sites of a step, and bytes of a bit row of one. */
enum { GT_CANDIDATES_STEP = GT_BIT_ROW, GT_CANDIDATES_LINE = GT_BIT_ROW / 8 };
/* Splits steps of packed codes of a sample into their bit rows. */
void gt_candidates_split(const uint8_t *row, int64_t steps, uint8_t *bits);
/* What the sum has of both samples together at a step, twice with a minus. */
int64_t gt_candidates_together(const struct gt_candidates *candidates, const uint8_t *x, const uint8_t *y);

/* candidates_trial.c.  Sets first_sites and more_steps; 0 and 0: all pairs are to be counted. */
int gt_candidates_try(struct gt_candidates *candidates, struct gt_err *err);
/* What a sample adds alone to the sum, at the least, where it has these genotypes by code. */
int64_t gt_candidates_own(const struct gt_candidates *candidates, const int64_t codes[4]);
/* Most steps after the first sites. */
enum { GT_CANDIDATES_MOST_MORE = 16 };

#endif
