#include "cmd/pdist/pdist_part.h"

#include <math.h>
#include <string.h>

#include "cmd/pdist/pdist_task.h"
#include "core/base/size.h"
#include "core/base/str.h"

enum { MOST_ROWS = 200000 }; /* of which all pairs are written unasked */

static bool is_limited(const struct pdist_scale *scale)
{
    return !isnan(scale->min) || !isnan(scale->max);
}

bool pdist_scale_chooses(const struct pdist_scale *scale)
{
    return is_limited(scale) || scale->knn || scale->part_text;
}

void pdist_scale_format(const struct pdist_scale *scale, bool listed, struct pdist_format *format, const char *output)
{
    if (format->format < 0 && (listed || is_limited(scale) || scale->knn) && !gt_ends_with(output, ".kin0"))
        format->format = PDIST_PAIRS;
}

/* What is settled where genotypes are read, and what where numbers are made of counts. */
static int check_counts(const struct pdist_scale *scale, const struct gt_cli *cli, enum gt_missing missing, bool power, bool counts,
                        struct gt_err *err)
{
    const char *const rule = gt_missing_name(missing);
    const char *const selects = gt_given(cli, "haplotypes") ? "haplotypes" : cli->selected_by;
    const bool later = missing == GT_MISSING_RESCALE || missing == GT_MISSING_IGNORE;
    if (scale->sum && !scale->merge)
        return gt_fail(err, GT_USAGE, "--sum needs --merge");
    if (scale->overlaps && !scale->sum)
        return gt_fail(err, GT_USAGE, "--allow-overlaps needs --merge --sum");
    if (scale->merge && selects)
        return gt_fail(err, GT_USAGE, "--%s cannot be combined with --merge, which reads pair counts", selects);
    if (counts && power)
        return gt_fail(err, GT_USAGE, "-p applies to --merge, which computes distances from the counts");
    if (gt_given(cli, "missing") && scale->merge && (counts || !later))
        return gt_fail(err, GT_USAGE, "--missing %s applies when genotypes are counted, not with --merge", rule);
    if (gt_given(cli, "missing") && counts && later)
        return gt_fail(err, GT_USAGE, "--missing %s applies to --merge, which computes distances from the counts", rule);
    return GT_OK;
}

static bool takes_width(enum gt_pairs_format format)
{
    return format == GT_PAIRS_NPY || format == GT_PAIRS_CONDENSED || format == GT_PAIRS_ZARR;
}

static int check_list(const struct pdist_scale *scale, const struct gt_cli *cli, const struct gt_pairs_opts *pairs, struct gt_err *err)
{
    if (gt_given(cli, "knn") && scale->knn < 1)
        return gt_fail(err, GT_USAGE, "--knn 0: must be at least 1");
    if (scale->min > scale->max)
        return gt_fail(err, GT_USAGE, "--min %g is above --max %g: no pair would be written", scale->min, scale->max);
    if (scale->knn && pairs->format != GT_PAIRS_LIST)
        return gt_fail(err, GT_USAGE, "--knn needs -O pairs");
    if (is_limited(scale) && pairs->format != GT_PAIRS_LIST && pairs->format != GT_PAIRS_KIN0)
        return gt_fail(err, GT_USAGE, "--%s needs -O pairs or -O kin0", isnan(scale->min) ? "max" : "min");
    if (scale->width >= 0 && !takes_width(pairs->format))
        return gt_fail(err, GT_USAGE, "--dtype needs -O npy, condensed or zarr");
    if (scale->parts < 2 || pairs->format != GT_PAIRS_ZARR)
        return GT_OK;
    gt_fail(err, GT_USAGE, "--part cannot be combined with -O zarr: a chunk may hold rows of two parts");
    gt_hint(err, "write parts with -O counts --part I/N, then --merge them with -O zarr");
    return GT_USAGE;
}

int pdist_scale_check(struct pdist_scale *scale, const struct gt_cli *cli, const struct gt_metric_use *use, bool power,
                      struct gt_pairs_opts *pairs, struct gt_err *err)
{
    int status = scale->part_text ? pdist_task_part(scale->part_text, &scale->part, &scale->parts, err) : GT_OK;
    if (!status)
        status = check_counts(scale, cli, use->missing, power, pairs->format == GT_PAIRS_COUNTS, err);
    if (!status)
        status = check_list(scale, cli, pairs, err);
    pairs->limits =
        (struct gt_pairs_limits){is_limited(scale), isnan(scale->min) ? -INFINITY : scale->min, isnan(scale->max) ? INFINITY : scale->max};
    pairs->neighbours = scale->knn;
    pairs->largest = use->metric->traits & GT_METRIC_SIMILARITY;
    pairs->width = scale->width == 1 ? 4 : 8;
    return status;
}

int pdist_scale_check_rows(const struct pdist_scale *scale, int64_t rows, const char *items, struct gt_err *err)
{
    char a[GT_NUM_LEN], b[GT_NUM_LEN];
    if (rows <= MOST_ROWS || is_limited(scale) || scale->knn || scale->parts)
        return GT_OK;
    gt_fail(err, GT_USAGE, "%s %s have %s pairs", gt_format_count(a, rows), items, gt_format_count(b, rows * (rows - 1) / 2));
    gt_hint(err, "select some with --pairs, --knn, --min, --max or --part; --part 1/1 writes all");
    return GT_USAGE;
}
