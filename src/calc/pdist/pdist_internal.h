/* Internals of pdist. */
#ifndef GT_CALC_PDIST_IMPL_H
#define GT_CALC_PDIST_IMPL_H

#include <pthread.h>
#include <stdatomic.h>

#include "calc/pairs/accumulator.h"
#include "calc/pdist/pdist.h"

/* pdist_planes.c.  Positions among the result planes: "distance" replaces the first sum. */
enum { GT_PDIST_NUMBER, GT_PDIST_DISTANCE };
/* Parameters of the metric for these rows. */
struct gt_metric_use gt_pdist_use(const struct gt_pdist_plan *plan, const struct gt_pdist_opts *opts);
/* Chooses the planes of the metric and of the sink.  GT_USAGE if the metric does not support these rows or lacks what the sink needs. */
int gt_pdist_choose_planes(struct gt_pdist_plan *plan, const struct gt_row_source_info *info, const struct gt_pdist_opts *opts,
                           struct gt_err *err);
/* Setup of the accumulator of a pass over a box. */
struct gt_acc_setup gt_pdist_setup(const struct gt_pdist_plan *plan, struct gt_engine *engine, const struct gt_pair_box *box);

/* Exactly half of the sites is no low overlap. */
static inline bool gt_pdist_is_low(double joint, double sites)
{
    return joint * 2 < sites || joint == 0;
}

/* array_moments.c.  Chooses the preprocessing of a plain array; GT_USAGE if it contradicts the options. */
int gt_pdist_choose_numbers(struct gt_pdist_plan *plan, const struct gt_row_source_info *info, const struct gt_pdist_opts *opts,
                            struct gt_err *err);
/* A preliminary pass over the started row source: fills in the moments needed by plan->numbers. */
struct gt_pdist_moments {
    struct gt_numbers numbers;
    struct gt_buf found;
};
int gt_pdist_moments(struct gt_pdist_moments *moments, struct gt_engine *engine, struct gt_row_source *row_source,
                     const struct gt_pdist_plan *plan, struct gt_err *err);

/* pdist_mean.c.  Are results relative to the mean of all pairs?  Raw counts are not. */
bool gt_pdist_is_relative(const struct gt_pdist_opts *opts);
/* A sink that averages the results of all pairs, each from 0 to 1. */
__extension__ typedef unsigned __int128 gt_pdist_wide;
struct gt_pdist_mean {
    struct gt_sink sink;
    const struct gt_pdist_plan *plan;
    int shift; /* the unit of sum is 2^-shift */
    pthread_mutex_t lock;
    gt_pdist_wide sum; /* in units */
    int64_t n;
};
void gt_pdist_mean_init(struct gt_pdist_mean *mean, const struct gt_pdist_plan *plan);
/* The mean of the results except NaN, correctly rounded; NaN if there are none. */
double gt_pdist_mean_value(const struct gt_pdist_mean *mean);
void gt_pdist_mean_release(struct gt_pdist_mean *mean);

/* pdist_passes.c.  Chooses the rows of this part and counts its pairs. */
void gt_pdist_choose_rows(struct gt_pdist_plan *plan, const struct gt_pdist_opts *opts);
/* Does the cell represent its pair, rather than being its mirror image or on the diagonal? */
static inline bool gt_pdist_is_counted(const struct gt_pdist_plan *plan, int64_t row, int64_t column)
{
    if (plan->column_at)
        return true;
    const bool lower = plan->part == GT_PART_LOWER || plan->part == GT_PART_LOWER_DIAGONAL;
    return lower ? column < row : column > row || column < plan->first;
}

/* Blocks of sites at once: one is read while each thread makes one ready or counts it.  More would only take memory that must be cleared
 * first. */
static inline int gt_pdist_blocks(const struct gt_engine *engine)
{
    return engine->limits.threads + 1;
}

/* Iterates over the boxes of the passes; zero-initialise.  There is at least one. */
struct gt_pdist_walk {
    struct gt_pair_box box;
    int64_t sums_bytes; /* sums of the box; fit the allotment if a step of samples does */
    int64_t pass;       /* boxes so far */
    int stretch;
    int64_t at;
    int64_t steps; /* width of the last box in steps; the next one is similar */
};
bool gt_pdist_next_box(const struct gt_pdist_plan *plan, const struct gt_engine *engine, struct gt_pdist_walk *walk);
/* Memory of sums: of the widest indivisible box, and of a single pass. */
void gt_pdist_sums(const struct gt_pdist_plan *plan, const struct gt_engine *engine, int64_t *at_least, int64_t *at_once);
/* Bytes of the device's memory for a box; 0 without one. */
int64_t gt_pdist_device_bytes(const struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_pair_box *box);
/* The box of all samples needed. */
struct gt_pair_box gt_pdist_all(const struct gt_pdist_plan *plan);

#endif
