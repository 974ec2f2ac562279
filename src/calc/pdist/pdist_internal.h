/* What the parts of pdist share. */
#ifndef GT_CALC_PDIST_IMPL_H
#define GT_CALC_PDIST_IMPL_H

#include <pthread.h>
#include <stdatomic.h>

#include "calc/pairs/accumulator.h"
#include "calc/pdist/pdist.h"

/* pdist_planes.c.  Planes of an accumulator: "distance" stands in place of the first sum, which
 * is not kept. */
enum { GT_PDIST_NUMBER, GT_PDIST_DISTANCE };
/* As the rows ask for it. */
struct gt_metric_use gt_pdist_use(const struct gt_pdist_plan *plan, const struct gt_pdist_opts *opts);
/* Those of the metric, then others of the sink.  GT_USAGE where the metric is not one of such rows, or lacks what the sink wants. */
int gt_pdist_choose_planes(struct gt_pdist_plan *plan, const struct gt_row_source_info *info, const struct gt_pdist_opts *opts,
                           struct gt_err *err);
/* What is counted for a pass over a box. */
struct gt_acc_setup gt_pdist_setup(const struct gt_pdist_plan *plan, struct gt_engine *engine, const struct gt_pair_box *box);

/* pdist_survey.c.  What is wanted of the values of a plain array; GT_USAGE where that and the
 * options do not go together. */
int gt_pdist_choose_numbers(struct gt_pdist_plan *plan, const struct gt_row_source_info *info, const struct gt_pdist_opts *opts,
                            struct gt_err *err);
/* A pass over the row_source, which has started: *numbers are the plan's with what was found. */
struct gt_pdist_moments {
    struct gt_numbers numbers;
    struct gt_buf found;
};
int gt_pdist_moments(struct gt_pdist_moments *moments, struct gt_engine *engine, struct gt_row_source *row_source,
                     const struct gt_pdist_plan *plan, struct gt_err *err);

/* pdist_mean.c.  Are numbers made of the mean of all?  Counts are not. */
bool gt_pdist_is_relative(const struct gt_pdist_opts *opts);
/* A sink of all pairs' numbers, each from 0 to 1. */
__extension__ typedef unsigned __int128 gt_pdist_wide;
struct gt_pdist_mean {
    struct gt_sink sink;
    const struct gt_pdist_plan *plan;
    int shift; /* the unit is 2^-shift */
    pthread_mutex_t lock;
    gt_pdist_wide sum; /* of units */
    int64_t n;
};
void gt_pdist_mean_init(struct gt_pdist_mean *mean, const struct gt_pdist_plan *plan);
/* Of those that came, NaN left out, as if rounded once; NaN of none. */
double gt_pdist_mean_value(const struct gt_pdist_mean *mean);
void gt_pdist_mean_release(struct gt_pdist_mean *mean);

/* pdist_passes.c.  Which rows come, and how many pairs, by part, parts and the sink's part. */
void gt_pdist_choose_rows(struct gt_pdist_plan *plan, const struct gt_pdist_opts *opts);
/* Is this cell the one that stands for its pair?  Others are its mirror image, or the diagonal. */
bool gt_pdist_is_counted(const struct gt_pdist_plan *plan, int64_t row, int64_t column);

/* The boxes of the passes, one after another; zeroed to begin.  At least one. */
struct gt_pdist_walk {
    struct gt_pair_box box;
    int64_t sums_bytes; /* of the box: they fit their share, where one step of samples does */
    int64_t pass;       /* boxes so far */
    int stretch;
    int64_t at;
    int64_t steps; /* of samples in the last box: the next one has about as many */
};
bool gt_pdist_next_box(const struct gt_pdist_plan *plan, const struct gt_engine *engine, struct gt_pdist_walk *walk);
/* Bytes of sums: of the widest box that cannot be cut, and of all in one pass. */
void gt_pdist_sums(const struct gt_pdist_plan *plan, const struct gt_engine *engine, int64_t *at_least, int64_t *at_once);
/* All samples that are looked at: what blocks are made of. */
struct gt_pair_box gt_pdist_all(const struct gt_pdist_plan *plan);

#endif
