/* Where results go: calc/ computes rows and hands them to a sink, out/ writes
 * them as a file format. */
#ifndef GT_CALC_SINK_H
#define GT_CALC_SINK_H

#include "base/str.h"
#include "engine/budget.h"

/* A square matrix of doubles with named rows, delivered in bands of rows.
 * format is called on any thread and makes the bytes of rows [row, row + n);
 * write is called in row order and puts them out.  begin before all, finish
 * after all; free without finish leaves nothing under the output's name. */
struct gt_sink;
struct gt_sink_ops {
    int (*begin)(struct gt_sink *sink, int64_t n_rows, const struct gt_strs *ids, struct gt_err *err);
    int (*format)(struct gt_sink *sink, int64_t row, int64_t n, const double *values, struct gt_buf *bytes, struct gt_err *err);
    int (*write)(struct gt_sink *sink, const struct gt_buf *bytes, struct gt_err *err);
    int (*finish)(struct gt_sink *sink, struct gt_err *err);
    void (*free)(struct gt_sink *sink);
};
struct gt_sink {
    const struct gt_sink_ops *ops;
};

#endif
