/* What is drawn of distances. */
#ifndef GT_OUT_DRAWN_IMPL_H
#define GT_OUT_DRAWN_IMPL_H

#include "calc/cluster/cluster.h"
#include "calc/pair_files/tree_and_heatmap.h"
#include "core/base/outfile.h"

/* out/newick.c */
int gt_newick_write(struct gt_outfile *file, const struct gt_buf *joins, const struct gt_strs *ids, struct gt_err *err);

/* out/heatmap.c; the triangle may have what is no number.  bytes: next to a second triangle. */
int gt_heatmap_write(struct gt_outfile *file, const struct gt_drawn_opts *opts, const struct gt_buf *triangle, const struct gt_strs *ids,
                     struct gt_err *err);
int64_t gt_heatmap_bytes(void);

#endif
