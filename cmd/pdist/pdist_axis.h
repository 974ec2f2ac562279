/* What gt-pdist compares: --between and --axis. */
#ifndef GT_CMD_PDIST_AXIS_H
#define GT_CMD_PDIST_AXIS_H

#include "arrays/matrix/matrix.h"
#include "calc/pdist/metric.h"
#include "cmd/common/cli.h"

enum { PDIST_SAMPLES, PDIST_VARIANTS };
struct pdist_axis {
    int between;  /* a number of PDIST_BETWEEN; -1 = not given */
    int64_t axis; /* -1 = not given */
};
#define PDIST_BETWEEN "samples|variants"
#define PDIST_AXIS                                                                                                                         \
    {                                                                                                                                      \
        -1, -1                                                                                                                             \
    }

/* In cmd->check: GT_USAGE for what does not go together.  array: --as array was given. */
int pdist_axis_check(const struct pdist_axis *axis, bool merge, bool array, struct gt_err *err);

/* Are variants of genotypes compared?  GT_USAGE where there is no such axis, or where the metric,
 * what missing ones do or `counts`, which are asked for, is about samples alone. */
int pdist_axis_of_genotypes(const struct pdist_axis *axis, const struct gt_metric_use *use, bool counts, bool *variants,
                            struct gt_err *err);

/* The axis of a plain array's view that is named samples; -1: there is none. */
int pdist_axis_samples(const struct gt_matrix_info *info);

/* Which axis of a plain array's view is compared.  samples: the view has an axis of that name.
 * GT_USAGE where there is none. */
int pdist_axis_of_array(const struct pdist_axis *axis, const struct gt_matrix_info *info, bool samples, int *compared, struct gt_err *err);

#endif
