/* What gt-pdist makes of all distances in addition to the matrix: --tree, --plot. */
#ifndef GT_CMD_PDIST_DRAW_H
#define GT_CMD_PDIST_DRAW_H

#include "calc/pair_files/pair_writers.h"
#include "calc/pair_files/tree_and_heatmap.h"
#include "calc/pdist/metric.h"
#include "cmd/common/cli.h"
#include "cmd/pdist/pdist_input.h"

struct pdist_draw {
    struct gt_drawn_opts opts;
    const char *groups_file; /* --groups, NULL = not given */
    int method;              /* --tree-method, a number of PDIST_TREES; -1 = not given */
    bool alone;              /* no matrix is written: nothing asks for one */
    struct gt_groups groups;
};
#define PDIST_TREES "nj|upgma"

/* A matrix is not written under the name of a drawing: GT_USAGE with the option that draws.
 * In cmd->check, before the format is chosen by that name. */
int pdist_draw_check_name(const char *output, struct gt_err *err);
/* GT_USAGE for what makes no sense, or not together.  asked: the matrix is asked for; some: of some
 * of the pairs.  In cmd->check. */
int pdist_draw_check(struct pdist_draw *draw, const struct gt_cli *cli, const struct gt_metric *metric, const struct gt_pairs_opts *pairs,
                     bool asked, bool some, struct gt_err *err);

/* What is drawn is of this input: its samples' groups are read. */
int pdist_draw_input(struct pdist_draw *draw, struct gt_cli *cli, const struct pdist_input *in, struct gt_err *err);
void pdist_draw_release(struct pdist_draw *draw);

/* As gt_pairs_wants and gt_pairs_open, of all that is written. */
struct gt_sink_wants pdist_draw_wants(const struct pdist_draw *draw, const struct gt_pairs_opts *pairs);
int pdist_draw_open(const struct pdist_draw *draw, const struct gt_pairs_opts *pairs, const char *output, struct gt_sink **sink,
                    struct gt_err *err);

#endif
