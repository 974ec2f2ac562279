#include "cmd/pdist/pdist_draw.h"

#include <string.h>

#include "cmd/common/report.h"
#include "core/base/outfile.h"
#include "core/base/size.h"
#include "core/base/str.h"
#include "storage/text/text_file.h"

static bool draws(const struct pdist_draw *draw)
{
    return draw->opts.tree || draw->opts.plot;
}

static bool is_named(const char *path, const char *suffix)
{
    const size_t stem = gt_text_stem(path), n = strlen(suffix);
    return stem > n && memcmp(path + stem - n, suffix, n) == 0;
}

int pdist_draw_check_name(const char *output, struct gt_err *err)
{
    static const struct {
        const char *suffix, *what, *option;
    } names[] = {{".nwk", "a tree", "tree"},    {".newick", "a tree", "tree"}, {".tree", "a tree", "tree"},  {".tre", "a tree", "tree"},
                 {".svg", "a picture", "plot"}, {".png", "a picture", "plot"}, {".pdf", "a picture", "plot"}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (!is_named(output, names[k].suffix))
            continue;
        gt_fail(err, GT_USAGE, "'%s' has the suffix of %s, but -o names the matrix", output, names[k].what);
        gt_hint(err, "use --%s %s", names[k].option, output);
        return GT_USAGE;
    }
    return GT_OK;
}

static int check_pairs(const char *option, const struct gt_pairs_opts *pairs, bool some, struct gt_err *err)
{
    if (pairs->format == GT_PAIRS_COUNTS) {
        gt_fail(err, GT_USAGE, "--%s needs distances, but -O counts writes pair counts", option);
        gt_hint(err, "compute distances from the counts with --merge, which accepts --%s", option);
        return GT_USAGE;
    }
    if (pairs->list || pairs->rectangle || some)
        return gt_fail(err, GT_USAGE, "--%s needs all pairs, but --%s selects some", option,
                       pairs->list        ? "pairs"
                       : pairs->rectangle ? "rows or --cols"
                                          : "part");
    return GT_OK;
}

/* At most one of them goes to standard output. */
static int check_stdout(const struct pdist_draw *draw, const struct gt_cli *cli, struct gt_err *err)
{
    const bool tree = draw->opts.tree && gt_is_stdout(draw->opts.tree), plot = draw->opts.plot && gt_is_stdout(draw->opts.plot);
    const bool matrix = !draw->alone && gt_is_stdout(cli->output);
    if (tree + plot + matrix < 2)
        return GT_OK;
    return gt_fail(err, GT_USAGE, "%s and %s cannot both go to standard output", tree ? "--tree" : "--plot",
                   matrix ? "the matrix" : "--plot");
}

static int check_tree(const struct gt_metric *metric, struct gt_err *err)
{
    if (!(metric->traits & GT_METRIC_SIMILARITY))
        return GT_OK;
    gt_fail(err, GT_USAGE, "--tree needs distances, but %s is a similarity", metric->name);
    gt_hint(err, "use -m 1-ibs or -m euclidean");
    return GT_USAGE;
}

int pdist_draw_check(struct pdist_draw *draw, const struct gt_cli *cli, const struct gt_metric *metric, const struct gt_pairs_opts *pairs,
                     bool asked, bool some, struct gt_err *err)
{
    struct gt_drawn_opts *opts = &draw->opts;
    int status = gt_plot_check(cli, opts->plot, err);
    if (status)
        return status;
    if (!opts->tree && draw->method >= 0)
        return gt_fail(err, GT_USAGE, "--tree-method needs --tree");
    if (!opts->plot && draw->groups_file)
        return gt_fail(err, GT_USAGE, "--groups needs --plot");
    if (!draws(draw))
        return GT_OK;
    status = check_pairs(opts->tree ? "tree" : "plot", pairs, some, err);
    if (!status && opts->tree)
        status = check_tree(metric, err);
    opts->picture = &cli->picture;
    opts->method = draw->method == 1 ? GT_TREE_UPGMA : GT_TREE_NJ;
    opts->label = metric->name;
    opts->similarity = metric->traits & GT_METRIC_SIMILARITY;
    draw->alone = !asked && !gt_given(cli, "output") && !gt_given(cli, "output-format");
    return status ? status : check_stdout(draw, cli, err);
}

int pdist_draw_input(struct pdist_draw *draw, struct gt_cli *cli, const struct pdist_input *in, struct gt_err *err)
{
    char n[GT_THINGS_LEN];
    draw->opts.item = in->item;
    if (!draw->groups_file || draw->opts.groups)
        return GT_OK;
    int status = gt_groups_read(&draw->groups, draw->groups_file, in->row_source->info.ids, in->row_source->info.plink_ids, in->name, err);
    if (status)
        return status;
    draw->opts.groups = &draw->groups;
    gt_report_groups(cli, &draw->groups, draw->groups_file);
    if (draw->groups.left_out)
        gt_note(cli, "'%s' has no group for %s", draw->groups_file, gt_format_things(n, draw->groups.left_out, "sample"));
    return GT_OK;
}

void pdist_draw_release(struct pdist_draw *draw)
{
    gt_groups_release(&draw->groups);
}

struct gt_sink_wants pdist_draw_wants(const struct pdist_draw *draw, const struct gt_pairs_opts *pairs)
{
    const struct gt_sink_wants matrix = gt_pairs_wants(pairs);
    return draws(draw) ? gt_drawn_wants(&draw->opts, draw->alone ? NULL : &matrix) : matrix;
}

int pdist_draw_open(const struct pdist_draw *draw, const struct gt_pairs_opts *pairs, const char *output, struct gt_sink **sink,
                    struct gt_err *err)
{
    struct gt_sink *matrix = NULL;
    int status = draw->alone ? GT_OK : gt_pairs_open(&matrix, pairs, output, err);
    *sink = matrix;
    if (status || !draws(draw))
        return status;
    status = gt_drawn_open(sink, &draw->opts, matrix, err);
    if (status && matrix)
        matrix->ops->free(matrix);
    return status;
}
