/* A user's own metric: a number for each combination of two allele counts, -m table:FILE. */
#ifndef GT_CALC_METRIC_TABLE_H
#define GT_CALC_METRIC_TABLE_H

#include "calc/pdist/metric.h"

enum gt_metric_transform { GT_TRANSFORM_NONE, GT_TRANSFORM_SQRT, GT_TRANSFORM_MEAN, GT_TRANSFORM_1_MEAN };

/* value[x][y] is symmetric.  The metric is the sum of these over the sites non-missing in both samples, its square root, the mean over
 * these sites, or 1 - the mean. */
struct gt_metric_table {
    struct gt_metric metric;
    double value[3][3];
    enum gt_metric_transform transform;
};

/* Reads three lines of three numbers, and at most one line "transform none|sqrt|mean|1-mean"; '#' begins a comment.  name: of the
 * metric, borrowed. */
int gt_metric_table_read(struct gt_metric_table *table, const char *name, const char *path, struct gt_err *err);

/* The metric of GT_METRIC_LANES pairs.  c: the sums that the metric asks for, in its order; sites: of all, to which the sum of the table
 * is scaled, or 0: it is not. */
void gt_metric_table_values(const struct gt_metric_table *table, const double *const c[], double sites, double *restrict out);

#endif
