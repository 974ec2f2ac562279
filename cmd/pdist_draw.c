#include "cmd/pdist_draw.h"

#include <string.h>

#include "base/outfile.h"
#include "base/str.h"
#include "out/text.h"

int pdist_draw_check_name(const char *output, struct gt_err *err)
{
    static const char *const trees[] = {".nwk", ".newick", ".tree", ".tre"};
    const size_t stem = gt_text_stem(output);
    for (size_t k = 0; k < sizeof trees / sizeof *trees; k++) {
        const size_t n = strlen(trees[k]);
        if (stem <= n || memcmp(output + stem - n, trees[k], n) != 0)
            continue;
        gt_fail(err, GT_USAGE, "'%s' is the name of a tree, and -o is where the matrix goes", output);
        gt_hint(err, "--tree %s writes one", output);
        return GT_USAGE;
    }
    return GT_OK;
}

static int check_pairs(const struct gt_pairs_opts *pairs, bool some, struct gt_err *err)
{
    if (pairs->format == GT_PAIRS_COUNTS) {
        gt_fail(err, GT_USAGE, "--tree is made of distances, and -O counts is what comes before them");
        gt_hint(err, "--merge makes distances of counts, and takes --tree");
        return GT_USAGE;
    }
    if (pairs->list || pairs->rectangle || some)
        return gt_fail(err, GT_USAGE, "--tree is made of all pairs, and --%s takes some",
                       pairs->list        ? "pairs"
                       : pairs->rectangle ? "rows or --cols"
                                          : "part");
    return GT_OK;
}

int pdist_draw_check(struct pdist_draw *draw, const struct gt_cli *cli, const struct gt_metric *metric, const struct gt_pairs_opts *pairs,
                     bool asked, bool some, struct gt_err *err)
{
    if (!draw->opts.tree)
        return draw->method < 0 ? GT_OK : gt_fail(err, GT_USAGE, "--tree-method is for --tree");
    int status = check_pairs(pairs, some, err);
    if (status)
        return status;
    if (metric->traits & GT_METRIC_LIKENESS) {
        gt_fail(err, GT_USAGE, "--tree is made of distances, and -m %s is a likeness: near ones have large numbers", metric->name);
        gt_hint(err, "-m 1-ibs or -m euclidean");
        return GT_USAGE;
    }
    draw->opts.method = draw->method == 1 ? GT_TREE_UPGMA : GT_TREE_NJ;
    draw->alone = !asked && !gt_given(cli, "output") && !gt_given(cli, "output-format");
    if (gt_is_stdout(draw->opts.tree) && !draw->alone && gt_is_stdout(cli->output))
        return gt_fail(err, GT_USAGE, "--tree %s and the matrix cannot both go to standard output", draw->opts.tree);
    return GT_OK;
}

struct gt_sink_wants pdist_draw_wants(const struct pdist_draw *draw, const struct gt_pairs_opts *pairs)
{
    const struct gt_sink_wants matrix = gt_pairs_wants(pairs);
    return draw->opts.tree ? gt_drawn_wants(&draw->opts, draw->alone ? NULL : &matrix) : matrix;
}

int pdist_draw_open(const struct pdist_draw *draw, const struct gt_pairs_opts *pairs, const char *output, struct gt_sink **sink,
                    struct gt_err *err)
{
    struct gt_sink *matrix = NULL;
    int status = draw->alone ? GT_OK : gt_pairs_open(&matrix, pairs, output, err);
    *sink = matrix;
    if (status || !draw->opts.tree)
        return status;
    status = gt_drawn_open(sink, &draw->opts, matrix, err);
    if (status && matrix)
        matrix->ops->free(matrix);
    return status;
}
