#include "cmd/pdist/pdist_unrelated.h"

#include <math.h>
#include <string.h>

#include "cmd/common/outputs.h"
#include "core/base/outfile.h"

/* Options about numbers that are written, or about some of the pairs. */
static int check_others(const struct gt_cli *cli, struct gt_err *err)
{
    static const char *const others[] = {"output-format", "plink-shape", "dtype",   "min",  "max",         "knn",  "pairs", "rows",
                                         "cols",          "part",        "between", "tree", "tree-method", "plot", "groups"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (gt_given(cli, others[k]))
            return gt_fail(err, GT_USAGE, "--unrelated cannot be combined with --%s", others[k]);
    return GT_OK;
}

int pdist_unrelated_check(double most, const struct gt_cli *cli, const struct gt_metric *metric, struct gt_pairs_opts *pairs,
                          struct gt_err *err)
{
    if (!(most >= 0 && most < 0.5))
        return gt_fail(err, GT_USAGE, "--unrelated %g: must be a kinship from 0 to below 0.5", most);
    if (strcmp(metric->name, "king") != 0)
        return gt_fail(err, GT_USAGE, "--unrelated needs kinship, and %s is not one; use -m king", metric->name);
    int status = check_others(cli, err);
    if (!status && gt_is_stream(cli->output))
        status = gt_fail(err, GT_USAGE, "--unrelated writes PREFIX.in.id and PREFIX.out.id: it needs -o PREFIX");
    if (!status)
        status = gt_output_add_sidecar("-o", cli->output, ".in.id", "id", err);
    if (!status)
        status = gt_output_add_sidecar("-o", cli->output, ".out.id", "id", err);
    *pairs = (struct gt_pairs_opts){.format = GT_PAIRS_UNRELATED, .value = metric->name, .limits = {true, -INFINITY, most}, .width = 8};
    return status;
}
