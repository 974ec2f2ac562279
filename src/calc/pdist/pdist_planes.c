/* What is counted for a metric and a sink. */
#include <string.h>

#include "calc/pairs/counts_file.h"
#include "calc/pdist/pdist_internal.h"
#include "geno/model/ploidy.h"

static enum gt_count find_count(const char *name)
{
    int count = GT_COUNT_N;
    while (count < GT_COUNTS && strcmp(gt_count_name((enum gt_count)count), name) != 0)
        count++;
    return count < GT_COUNTS ? (enum gt_count)count : GT_COUNT_NONE;
}

static void add_plane(struct gt_pdist_plan *plan, enum gt_count count, enum gt_missing missing)
{
    plan->planes[plan->n_planes] = gt_count_plane(count, missing);
    plan->planes[plan->n_planes].ploidy = plan->ploidy;
    plan->results[plan->n_planes++] = gt_count_name(count);
}

static bool has_result(const struct gt_pdist_plan *plan, const char *name)
{
    for (int k = 0; k < plan->n_planes; k++)
        if (strcmp(plan->results[k], name) == 0)
            return true;
    return false;
}

struct gt_metric_use gt_pdist_use(const struct gt_pdist_plan *plan, const struct gt_pdist_opts *opts)
{
    struct gt_metric_use use = opts->use;
    use.arrays = plan->kind == GT_ROWS_F64;
    use.weight = plan->weight;
    use.ploidy = plan->ploidy;
    return use;
}

/* Terms by site are about all that are compared; a file of counts is one for every rule of missing calls. */
static int check_terms(const struct gt_pdist_plan *plan, const struct gt_row_source_info *info, const struct gt_pdist_opts *opts,
                       struct gt_err *err)
{
    const bool by_rule = opts->use.missing == GT_MISSING_MEAN || opts->use.missing == GT_MISSING_PLINK;
    const char *option = by_rule ? "--missing" : "-m", *name = by_rule ? gt_missing_name(opts->use.missing) : opts->use.metric->name;
    bool any = plan->numbers.fill;
    for (int k = 0; k < plan->n_planes; k++)
        any |= plan->planes[k].terms != NULL;
    if (any && info->rectangle) { /* a sample may stand there more than once */
        gt_fail(err, GT_USAGE, "%s %s needs the %s of all %s: it cannot be combined with --rows and --cols", option, name,
                plan->numbers.fill ? "means" : "frequencies", plan->numbers.fill ? "rows" : "samples");
        if (!plan->numbers.fill)
            gt_hint(err, "compute the whole square: -S with the samples of both");
        return GT_USAGE;
    }
    if (any && by_rule && (opts->wants.counts || info->counts))
        return gt_fail(err, GT_USAGE, "%s %s needs weighted sums, but a file of counts has integers", option, name);
    return GT_OK;
}

/* The mean of all pairs is not known from some of them. */
static int check_relative(const struct gt_row_source_info *info, const struct gt_pdist_opts *opts, struct gt_err *err)
{
    if (!gt_pdist_is_relative(opts) || !(info->rectangle || opts->parts))
        return GT_OK;
    gt_fail(err, GT_USAGE, "-m %s needs the mean of all pairs: %s not possible", opts->use.metric->name,
            opts->parts ? "--part is" : "--rows and --cols are");
    gt_hint(err, opts->parts ? "write the parts with -O counts --part I/N, then --merge them"
                             : "compute the whole square: -S with the samples of both");
    return GT_USAGE;
}

int gt_pdist_choose_planes(struct gt_pdist_plan *plan, const struct gt_row_source_info *info, const struct gt_pdist_opts *opts,
                           struct gt_err *err)
{
    const struct gt_metric_use use = gt_pdist_use(plan, opts);
    const struct gt_metric *metric = use.metric;
    enum gt_count counts[GT_METRIC_PLANES];
    if (!gt_metric_way(&use)->counts[0])
        return gt_fail(err, GT_USAGE, "metric %s needs %s, not %s", metric->name, use.arrays ? "genotypes" : "a plain array",
                       use.arrays ? "a plain array" : "genotypes");
    if (use.ploidy == GT_HAPLOID && (metric->traits & GT_METRIC_DIPLOID))
        return gt_fail(err, GT_USAGE, "-m %s needs heterozygous calls, and '%s' is haploid", metric->name, info->name);
    int status = gt_metric_check_missing(&use, err);
    if (status)
        return status;
    const int n = gt_metric_counts(&use, counts);
    for (int k = 0; k < n; k++)
        add_plane(plan, counts[k], use.missing);
    if (use.arrays && opts->wants.counts)
        return gt_fail(err, GT_USAGE, "-O counts needs genotypes: sums over '%s' are not integers", info->name);
    if ((status = check_terms(plan, info, opts, err)) || (status = check_relative(info, opts, err)))
        return status;
    if (!opts->wants.counts)
        plan->results[GT_PDIST_DISTANCE] = "distance";
    for (const char *const *name = opts->wants.planes; *name; name++) {
        if (has_result(plan, *name))
            continue;
        enum gt_count count = find_count(*name);
        if (!count || plan->n_planes == GT_MAX_PLANES)
            return gt_fail(err, GT_USAGE, "metric %s has no '%s'", metric->name, *name);
        add_plane(plan, count, use.missing);
    }
    return info->counts ? gt_counts_check(info->counts, info->name, plan->planes, plan->n_planes, metric->name, err) : GT_OK;
}

struct gt_acc_setup gt_pdist_setup(const struct gt_pdist_plan *plan, struct gt_engine *engine, const struct gt_pair_box *box)
{
    return (struct gt_acc_setup){.rows = plan->kind,
                                 .alleles = plan->alleles,
                                 .n_samples = plan->samples,
                                 .box = *box,
                                 .planes = plan->planes,
                                 .n_planes = plan->n_planes,
                                 .block_rows = plan->block_sites,
                                 .rare = plan->rare,
                                 .parts_wanted = 24 * (int64_t)engine->limits.threads,
                                 .budget = &engine->budget,
                                 .device = plan->device,
                                 .numbers = plan->numbers,
                                 .rank = engine->comm.rank,
                                 .ranks = engine->comm.size};
}
