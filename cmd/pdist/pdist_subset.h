/* Which samples gt-pdist compares with which: --pairs, --rows and --cols. */
#ifndef GT_CMD_PDIST_SUBSET_H
#define GT_CMD_PDIST_SUBSET_H

#include "calc/pair_files/pair_writers.h"
#include "calc/pdist/metric.h"
#include "cmd/pdist/pdist_input.h"

struct pdist_subset {
    const char *pairs, *rows, *columns; /* files; NULL = not given */
    bool other;                         /* rows or columns are those of another input: only one list is left */
    struct gt_pair_list list;           /* of pairs */
    struct gt_buf buffers[2];
    bool noted; /* names that are absent were reported */
};

/* other_list: another option chooses pairs; of_all: the metric looks at all samples together.  GT_USAGE for what does not go together.  In
 * cmd->check. */
int pdist_subset_check(struct pdist_subset *subset, bool other_list, bool merge, bool of_all, const struct gt_metric_use *use,
                       struct gt_pairs_opts *pairs, struct gt_err *err);
/* Reads the files; in->row_source becomes one of the samples that they name.  Names that
 * are not there: see geno/model/absent.h. */
int pdist_subset_open(struct pdist_subset *subset, struct gt_cli *cli, struct pdist_input *in, struct gt_err *err);
void pdist_subset_release(struct pdist_subset *subset);

#endif
