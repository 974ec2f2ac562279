/* gt-pdist --rows and --cols where one of them is another input. */
#ifndef GT_CMD_PDIST_OTHER_H
#define GT_CMD_PDIST_OTHER_H

#include "cmd/pdist/pdist_input.h"
#include "cmd/pdist/pdist_subset.h"

struct pdist_other {
    const char *path;             /* NULL: there is none */
    bool rows;                    /* it is --rows */
    struct gt_select_opts select; /* sites as of the first input, all samples */
    struct pdist_input in;
};

/* Takes what is an input out of *subset.  GT_USAGE when both are. */
int pdist_other_find(struct pdist_other *other, struct pdist_subset *subset, struct gt_err *err);
/* Opens it next to `in`, which was opened as look says.  GT_INPUT unless both have the same sites. */
int pdist_other_open(struct pdist_other *other, struct gt_cli *cli, struct pdist_input *in, const struct pdist_look *look,
                     struct gt_err *err);
/* in->row_source becomes one of both, rows by columns. */
int pdist_other_join(struct pdist_other *other, struct gt_cli *cli, struct pdist_input *in, struct gt_err *err);
void pdist_other_release(struct pdist_other *other); /* after what was joined */

#endif
