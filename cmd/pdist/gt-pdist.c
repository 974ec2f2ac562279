/* gt-pdist: distances between all samples. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "calc/pairs/counts_file.h"
#include "calc/pdist/metric_table.h"
#include "calc/pdist/pdist.h"
#include "cmd/common/cli.h"
#include "cmd/common/formats.h"
#include "cmd/common/input_kind.h"
#include "cmd/common/report.h"
#include "cmd/common/suggest.h"
#include "cmd/device/device_choice.h"
#include "cmd/pdist/pdist_column_file.h"
#include "cmd/pdist/pdist_draw.h"
#include "cmd/pdist/pdist_format.h"
#include "cmd/pdist/pdist_input.h"
#include "cmd/pdist/pdist_part.h"
#include "cmd/pdist/pdist_subset.h"
#include "cmd/pdist/pdist_two_inputs.h"
#include "cmd/pdist/pdist_unrelated.h"
#include "core/base/size.h"
#include "geno/model/ploidy.h"
#include "kernels/kernels.h"

static struct gt_device device;
static const char *metric; /* NULL = that of the format */
static int missing = GT_MISSING_RESCALE;
static struct pdist_format format = {-1, -1};
static struct gt_pairs_opts pairs;
static const char *power_text; /* NULL: not given */
static double power = NAN;
static const char *weights, *variances, *inverse; /* files */
static struct pdist_scale scale = PDIST_SCALE;
static struct pdist_subset subset;
static struct pdist_other other;
static double unrelated = NAN;
static int64_t listed_unrelated[2]; /* samples that stay, that leave */
static bool haplotypes;
static struct pdist_draw draw = {.method = -1};
static struct pdist_axis compared = PDIST_AXIS;
static int as = -1;
static struct gt_metric_use use;
static struct gt_metric_table table; /* of -m table:FILE */

static const struct gt_opt options[] = {
    {'m', "metric", GT_OPT_TEXT, &metric, "METRIC", NULL, "euclidean (default), ibs, king, grm, ..., or table:FILE"},
    {'O', "output-format", GT_OPT_CHOICE, &format.format, NULL, PDIST_FORMATS, "output format (default: by the name of OUT, else tsv)"},
    {0, "missing", GT_OPT_CHOICE, &missing, NULL, "rescale|ignore|plink|mean|error|literal",
     "how missing genotypes are treated (default rescale)"},
    {0, "min", GT_OPT_REAL, &scale.min, "X", NULL, "list only pairs with a value of at least X"},
    {0, "max", GT_OPT_REAL, &scale.max, "X", NULL, "list only pairs with a value of at most X"},
    {0, "knn", GT_OPT_COUNT, &scale.knn, "K", NULL, "list only the K nearest neighbours of each row"},
    {0, "pairs", GT_OPT_READS, &subset.pairs, "FILE", NULL, "list only the pairs in FILE (two ids per line)"},
    {0, "rows", GT_OPT_READS, &subset.rows, "FILE", NULL, "rows of the matrix: samples listed in FILE, or another input"},
    {0, "cols", GT_OPT_READS, &subset.columns, "FILE", NULL, "columns of the matrix: samples listed in FILE, or another input"},
    {0, "unrelated", GT_OPT_REAL, &unrelated, "T", NULL,
     "split samples into a set without kinship above T (OUT.in.id) and the rest (OUT.out.id)"},
    {0, "tree", GT_OPT_WRITES, &draw.opts.tree, "FILE", "newick", "write a tree in Newick format; matrix only with -o or -O"},
    {0, "tree-method", GT_OPT_CHOICE, &draw.method, NULL, PDIST_TREES, "neighbour joining or UPGMA (default nj)"},
    {0, "plot", GT_OPT_WRITES, &draw.opts.plot, "FILE", "plot", "plot a heat map (.svg, .png, .pdf); matrix only with -o or -O"},
    {0, "groups", GT_OPT_READS, &draw.groups_file, "FILE", NULL, "colour --plot by group (lines: sample, group)"},
    {0, "part", GT_OPT_TEXT, &scale.part_text, "I/N|auto", NULL, "compute part I of N, or the part of this task of an array job (auto)"},
    {0, "merge", GT_OPT_FLAG, &scale.merge, NULL, NULL, "combine the parts of one run, files of -O counts"},
    {0, "sum", GT_OPT_FLAG, &scale.sum, NULL, NULL, "with --merge: add counts of different variants"},
    {0, "allow-overlaps", GT_OPT_FLAG, &scale.overlaps, NULL, NULL, "with --sum: allow files whose positions overlap"},
    {0, "plink-shape", GT_OPT_CHOICE, &format.shape, NULL, PDIST_SHAPES, "shape for -O plink and king (default triangle)"},
    {0, "dtype", GT_OPT_CHOICE, &scale.width, NULL, PDIST_WIDTHS, "data type for -O npy, condensed and zarr (default f8)"},
    {0, "between", GT_OPT_CHOICE, &compared.between, NULL, PDIST_BETWEEN, "what is compared (default samples)"},
    {0, "haplotypes", GT_OPT_FLAG, &haplotypes, NULL, NULL, "compare the haplotypes of phased samples"},
    PLAIN_AS_OPTION(&as),
    {0, "axis", GT_OPT_COUNT, &compared.axis, "N", NULL, "arrays: compare rows (0, default) or columns (1)"},
    {0, "weights", GT_OPT_READS, &weights, "FILE", NULL, "arrays: weight of each column"},
    {'p', "power", GT_OPT_TEXT, &power_text, "P", NULL, "minkowski: the exponent p, or inf (default 2)"},
    {'V', "variances", GT_OPT_READS, &variances, "FILE", NULL, "seuclidean: variance of each column (default: computed)"},
    {0, "vi", GT_OPT_READS, &inverse, "FILE", NULL, "mahalanobis: inverse covariance matrix (default: computed)"},
    {0}};

static int parse_power(struct gt_err *err)
{
    if (!power_text || strcasecmp(power_text, "inf") == 0) {
        power = power_text ? INFINITY : NAN;
        return GT_OK;
    }
    int status = gt_parse_double(power_text, &power, err);
    if (status)
        gt_fail_prefix(err, "option '-p'");
    return status;
}

/* The metric of that name, or table:FILE. */
static int find_metric(struct gt_err *err)
{
    static const char prefix[] = "table:";
    use = (struct gt_metric_use){.metric = gt_metric_find(metric), .missing = (enum gt_missing)missing, .p = isnan(power) ? 2 : power};
    if (strncmp(metric, prefix, strlen(prefix)) != 0) {
        metric = use.metric ? use.metric->name : metric;
        return GT_OK;
    }
    use.table = &table;
    use.metric = &table.metric;
    int status = gt_input_register(metric + strlen(prefix), err);
    return status ? status : gt_metric_table_read(&table, metric, metric + strlen(prefix), err);
}

static int choose_metric(struct gt_err *err)
{
    struct gt_str names = {0};
    const struct gt_metric *entry;
    int status = parse_power(err);
    status = status ? status : find_metric(err);
    if (status)
        return status;
    if (use.metric && !isnan(power) && !(use.metric->traits & GT_METRIC_POWER))
        return gt_fail(err, GT_USAGE, "-p needs -m minkowski; '%s' has no power", metric);
    if (use.metric && isinf(use.p) && use.p > 0)
        use.metric = gt_metric_find("chebyshev");
    else if (use.metric && !(use.p > 0 && use.p <= 1000))
        return gt_fail(err, GT_USAGE, "-p %g: must be above 0 and at most 1000, or inf", power);
    if (use.metric && variances && !(use.metric->traits & GT_METRIC_STANDARD))
        return gt_fail(err, GT_USAGE, "-V needs -m seuclidean; '%s' takes no variances", metric);
    if (use.metric && inverse && !(use.metric->traits & GT_METRIC_MAHALANOBIS))
        return gt_fail(err, GT_USAGE, "--vi needs -m mahalanobis; '%s' takes no inverse covariance", metric);
    if (use.metric && weights && !(use.metric->traits & GT_METRIC_WEIGHTS))
        return gt_fail(err, GT_USAGE, "-m %s cannot be weighted: --weights does not apply", metric);
    if (use.metric)
        return GT_OK;
    for (int k = 0; (entry = gt_metric_at(k)); k++)
        gt_str_addf(&names, "%s%s", k ? "|" : "", entry->name);
    gt_fail(err, GT_USAGE, "unknown metric '%s'", metric);
    gt_suggest_choice(names.s ? names.s : "", metric, err);
    gt_str_release(&names);
    return GT_USAGE;
}

/* Does it look at all samples together? */
static bool is_of_all(void)
{
    return ((use.metric->traits & GT_METRIC_STANDARD) && !variances) || ((use.metric->traits & GT_METRIC_MAHALANOBIS) && !inverse);
}

static int check_unrelated(struct gt_cli *cli, struct gt_err *err)
{
    metric = metric ? metric : "king";
    int status = choose_metric(err);
    if (!status)
        status = pdist_scale_check(&scale, cli, &use, !isnan(power), &pairs, err);
    status = status ? status : pdist_unrelated_check(unrelated, cli, use.metric, &pairs, err);
    pairs.listed = listed_unrelated;
    return status;
}

static int check(struct gt_cli *cli, struct gt_err *err)
{
    if (!isnan(unrelated))
        return check_unrelated(cli, err);
    pdist_scale_format(&scale, subset.pairs, &format, cli->output);
    const bool listed = subset.pairs || pdist_scale_chooses(&scale);
    int status = pdist_draw_check_name(cli->output, err);
    if (!status)
        status = gt_format_choose("gt-pdist", cli->output, PDIST_FORMATS, format.format, &format.format, err);
    if (status)
        return status;
    metric = metric ? metric : pdist_format_metric(&format, cli->output);
    status = choose_metric(err);
    if (!status)
        status = pdist_format_check(&format, cli, metric, &pairs, err);
    if (!status)
        status = pdist_subset_check(&subset, pdist_scale_chooses(&scale), scale.merge, is_of_all(), &use, &pairs, err);
    if (!status)
        status = pdist_axis_check(&compared, scale.merge, as == PLAIN_AS_ARRAY, err);
    if (!status)
        status = pdist_scale_check(&scale, cli, &use, !isnan(power), &pairs, err);
    if (!status && scale.merge && cli->comm.size > 1)
        status = gt_fail(err, GT_USAGE, "--merge runs in one process, and %d were started", cli->comm.size);
    if (!status && scale.merge && cli->ranks)
        status = gt_fail(err, GT_USAGE, "--ranks: --merge runs in one process");
    return status ? status : pdist_draw_check(&draw, cli, use.metric, &pairs, listed, scale.parts > 1, err);
}

static void print_ranks(const struct gt_cli *cli, const struct gt_pdist_plan *plan, const struct gt_row_source_info *info)
{
    const struct gt_per_rank figures = {.reads = plan->rank_reads,
                                        .at_most = plan->variants < 0,
                                        .sends = plan->rank_sends,
                                        .sends_at_most = !plan->chain,
                                        .passes_on = plan->chain};
    if (plan->shared)
        printf("ranks          %d: each reads and counts its range of the variants; rank 0 adds up and writes\n", cli->engine.comm.size);
    else
        printf("ranks          %d: each reads all of the input and counts its share of the %s; rank 0 writes\n", cli->engine.comm.size,
               info->rows == GT_ROWS_F64 ? "pairs" : "variants");
    gt_print_per_rank(&figures);
}

static void print_sites(const struct gt_pdist_plan *plan, const struct pdist_input *in)
{
    const int64_t most = in->row_source->info.most;
    char a[GT_NUM_LEN];
    if (plan->variants >= 0)
        printf("%-14s %s\n", in->overs, gt_format_count(a, plan->variants));
    else
        printf("%-14s unknown before the end%s%s\n", in->overs, most < 0 ? "" : "; at most ", most < 0 ? "" : gt_format_count(a, most));
}

static int print_plan(const struct gt_cli *cli, const struct gt_pdist_plan *plan, const struct gt_pdist_opts *opts,
                      const struct pdist_input *in, struct gt_err *err)
{
    struct gt_work amounts;
    char a[GT_NUM_LEN], b[GT_NUM_LEN];
    printf("input          %s (%s)\n", in->name, in->kind);
    if (plan->column_at)
        printf("%-14s %s by %s\n", in->items, gt_format_count(a, plan->rows), gt_format_count(b, plan->samples - plan->column_at));
    else
        printf("%-14s %s\n", in->items, gt_format_count(a, plan->samples));
    print_sites(plan, in);
    if (in->codes)
        printf("numbers        if all are 0, 1 or 2: stored in two bits\n");
    if (scale.parts)
        printf("part           %lld of %lld: %s of %s rows\n", (long long)scale.part + 1, (long long)scale.parts,
               gt_format_count(a, plan->last - plan->first), gt_format_count(b, plan->rows));
    printf("pairs          %s\n", gt_format_count(a, plan->pairs));
    if (plan->variants >= 0)
        printf("pair-sites     %.3g\n", (double)plan->pairs * (double)plan->variants);
    if (cli->engine.comm.size > 1)
        print_ranks(cli, plan, &in->row_source->info);
    printf("passes         %s\n", gt_format_count(a, plan->reads + (in->mahalanobis ? gt_mahalanobis_passes(in->mahalanobis) : 0)));
    printf("block          %s sites at most, %s\n", gt_format_count(a, plan->block_sites), gt_format_size(b, plan->block_bytes));
    printf("pair sums      %s%s\n", gt_format_size(a, plan->sums_bytes), plan->alleles ? ", half of it for multiallelic variants" : "");
    if (plan->bound)
        printf("or candidates  pairs that may reach %g, in place of pair sums, if they are few: %s\n", opts->wants.least,
               gt_format_size(a, plan->early_bytes));
    if (plan->allotment[GT_PDIST_SINK].size)
        printf("output keeps   %s\n", gt_format_size(a, plan->allotment[GT_PDIST_SINK].size));
    gt_print_memory(cli);
    const struct gt_device_work work = {.preferred = plan->device_bytes};
    printf("device         %s, %d threads\n", gt_device_text((char[GT_DEVICE_TEXT_LEN]){0}, &device, &work), cli->engine.limits.threads);
    gt_pdist_work(&amounts, &cli->engine, plan, &opts->wants);
    return device.ops || plan->kind == GT_ROWS_COUNTS ? GT_OK : gt_print_estimate(cli, &amounts, err);
}

/* Rows of an array that looks as if the columns were meant; none where the axis is named, or was asked for. */
static bool are_columns_likely(const struct gt_pdist_plan *plan, const struct pdist_input *in)
{
    return in->matrix && compared.axis < 0 && compared.between < 0 && !plan->column_at && strcmp(in->item, "row") == 0 &&
           plan->variants > 0 && plan->rows / plan->variants >= 10;
}

static void say_start(struct gt_cli *cli, const struct gt_pdist_plan *plan, const struct pdist_input *in)
{
    char a[GT_THINGS_LEN], b[GT_THINGS_LEN], c[GT_NUM_LEN], with[GT_NUM_LEN + 8] = "";
    gt_format_things(a, plan->rows, in->item);
    if (plan->column_at)
        snprintf(with, sizeof with, " with %s", gt_format_count(c, plan->samples - plan->column_at));
    if (plan->variants >= 0)
        gt_note(cli, "comparing %s%s over %s%s", a, with, gt_format_things(b, plan->variants, in->over),
                are_columns_likely(plan, in) ? "; --axis 1 compares columns" : "");
    else
        gt_note(cli, "comparing %s%s (number of %s not known in advance)", a, with, in->overs);
}

static void say_end(struct gt_cli *cli, const struct gt_pdist_plan *plan, const struct pdist_input *in, const struct gt_pdist_stats *stats)
{
    char a[GT_THINGS_LEN], b[GT_THINGS_LEN];
    double seconds = gt_elapsed(cli);
    if (in->source) {
        gt_report_source(cli, in->source);
        gt_report_collapsed(cli, in->source, plan->alleles);
    }
    if (other.in.source)
        gt_report_source(cli, other.in.source);
    if (!in->source && (!plan->samples || !stats->sites)) /* a source tells that itself */
        gt_warn(cli, "no %s of '%s' are left", plan->samples ? in->overs : in->items, in->name);
    if (use.missing != GT_MISSING_LITERAL && pdist_input_any_negative(in))
        gt_note(cli, "negative integers in '%s' are taken as missing; floating-point values are compared as they are", in->name);
    if (stats->sites && stats->low_overlap)
        gt_warn(cli, "less than half of the %s are observed in both %s of %s; none in %s", in->overs, in->items,
                gt_format_things(a, stats->low_overlap, "pair"), gt_format_count(b, stats->no_overlap));
    if (stats->no_value)
        gt_warn(cli, "%s: %s of %s have no finite value", use.metric->name, gt_format_things(a, stats->no_value, "pair"), in->items);
    if (!isnan(unrelated))
        gt_note(cli, "%s unrelated ('%s.in.id'), %s excluded ('%s.out.id')", gt_format_things(a, listed_unrelated[0], "sample"),
                cli->output, gt_format_count(b, listed_unrelated[1]), cli->output);
    gt_note(cli, "%s, %s, %.2f s: %.2e pairs x %s a second", gt_format_things(a, plan->pairs, "pair"),
            gt_format_things(b, stats->sites, in->over), seconds, (double)plan->pairs * (double)stats->sites / seconds, in->overs);
}

static int print_summary(const struct gt_cli *cli, const struct gt_pdist_plan *plan, const struct gt_pdist_stats *stats,
                         const struct pdist_input *in, struct gt_err *err)
{
    const struct gt_select_stats *select = in->source ? gt_source_stats(in->source) : NULL;
    struct json_object *o = json_object_new_object();
    bool ok = gt_json_set_int(o, in->items, plan->rows) && gt_json_set_int(o, in->overs, stats->sites) &&
              gt_json_set_int(o, "pairs", plan->pairs) && gt_json_set_int(o, "passes", plan->passes) &&
              gt_json_set_int(o, "pairs_low_overlap", stats->low_overlap) && gt_json_set_int(o, "pairs_no_overlap", stats->no_overlap) &&
              gt_json_set_int(o, "pairs_no_value", stats->no_value) && gt_json_set_text(o, "metric", use.metric->name);
    if (select)
        ok = ok && gt_json_set_int(o, "multiallelic", select->multiallelic) &&
             gt_json_set_int(o, "multiallelic_pooled", plan->alleles ? select->pooled : select->multiallelic) &&
             gt_json_set_int(o, "half_calls", select->half_calls) && gt_json_set_int(o, "haploid_calls", select->haploid_calls);
    ok = ok && gt_json_set_real(o, "seconds", gt_elapsed(cli)) && gt_json_set_int(o, "threads", cli->engine.limits.threads) &&
         gt_json_set_text(o, "kernels", gt_kernels()->name);
    return gt_print_summary(cli, gt_json_if_complete(o, ok), err);
}

static int compare(struct gt_cli *cli, struct pdist_input *in, const struct gt_pdist_plan *plan, const struct gt_pdist_opts *opts,
                   struct gt_err *err)
{
    struct gt_pdist_stats stats;
    struct gt_sink *sink = NULL;
    pairs.store.item = in->item;
    int status = cli->comm.rank > 0 ? GT_OK : pdist_draw_open(&draw, &pairs, cli->output, &sink, err);
    if (status)
        return status;
    if (!in->started)
        say_start(cli, plan, in);
    in->started = true;
    status = pdist_input_prepare(in, err);
    status = status ? status : gt_pdist_run(&cli->engine, in->row_source, plan, opts, sink, &stats, err);
    if (sink)
        sink->ops->free(sink);
    if (status || cli->comm.rank > 0)
        return status;
    say_end(cli, plan, in, &stats);
    return cli->json ? print_summary(cli, plan, &stats, in, err) : GT_OK;
}

/* Numbers of single alleles are compared as numbers. */
static int check_metric(const struct pdist_input *in, struct gt_err *err)
{
    if (!in->source || (gt_source_info(in->source)->has & GT_HAS_DOSAGES) || (use.metric->traits & GT_METRIC_NUMERIC))
        return GT_OK;
    return gt_fail(err, GT_USAGE, "-m %s needs genotypes, but --%s selects single alleles of the calls of '%s'", use.metric->name,
                   haplotypes ? "haplotypes" : "slice", in->name);
}

/* A file of counts tells how missing dosages were taken. */
static int open_input(struct pdist_input *in, struct gt_cli *cli, struct gt_err *err)
{
    const bool autosomal = use.metric->traits & GT_METRIC_AUTOSOMAL;
    const struct pdist_look look = {.paths = cli->operands,
                                    .n_paths = cli->n_operands,
                                    .array = cli->array,
                                    .select = &cli->select,
                                    .beside = other.path != NULL,
                                    .axis = &compared,
                                    .as = as,
                                    .use = &use,
                                    .codes = gt_metric_takes_codes(&use) && !weights && !other.path && pairs.format != GT_PAIRS_COUNTS &&
                                             cli->engine.comm.size <= 1,
                                    .counts = pairs.format == GT_PAIRS_COUNTS,
                                    .mahalanobis = use.metric->traits & GT_METRIC_MAHALANOBIS,
                                    .inverse = inverse};
    cli->select.autosomal = autosomal;
    cli->select.lists_samples = subset.pairs || subset.rows || subset.columns;
    cli->select.haplotypes = haplotypes;
    cli->select.one_alt = use.metric->traits & GT_METRIC_ONE_ALT;
    if (!scale.merge) {
        pairs.counts_flags = (use.missing == GT_MISSING_LITERAL ? GT_COUNTS_LITERAL : 0) | (autosomal ? GT_COUNTS_AUTOSOMAL : 0) |
                             (cli->select.contigs ? GT_COUNTS_CONTIGS : 0);
        int status = pdist_input_open(in, cli, &look, err);
        pairs.counts_flags |= !status && in->row_source->info.ploidy == GT_HAPLOID ? GT_COUNTS_HAPLOID : 0;
        return status ? status : pdist_other_open(&other, cli, in, &look, err);
    }
    int status = pdist_input_open_counts(in, cli, scale.overlaps ? GT_COUNTS_SUM_OVERLAPS : scale.sum ? GT_COUNTS_SUM : GT_COUNTS_ONE, err);
    if (status)
        return status;
    pairs.counts_flags = in->row_source->info.counts->flags;
    if (pairs.counts_flags & GT_COUNTS_LITERAL)
        use.missing = GT_MISSING_LITERAL;
    return GT_OK;
}

/* Of --weights or -V: a variance weighs as 1 over it. */
static int read_weights(struct gt_buf *numbers, struct gt_cli *cli, struct gt_err *err)
{
    double sum_of_all = 0, *values;
    if (!weights && !variances)
        return GT_OK;
    int status = pdist_numbers_read(numbers, &cli->engine, weights ? weights : variances, err);
    values = (double *)(void *)numbers->data;
    for (size_t k = 0; !status && k < numbers->len / sizeof *values; k++) {
        values[k] = weights ? values[k] : 1 / values[k];
        sum_of_all += values[k];
    }
    if (!status && !(sum_of_all > 0))
        status = gt_fail(err, GT_INPUT, "'%s' has no value above 0", weights ? weights : variances);
    return status;
}

static int choose_device(struct gt_cli *cli, const struct gt_row_source_info *info, struct gt_err *err)
{
    const struct gt_device_work work = gt_pdist_device_work(info, cli->engine.limits.threads);
    const char *no_path = info->rows == GT_ROWS_COUNTS ? "--merge" : NULL;
    return gt_device_choose(cli, &work, no_path, &device, err);
}

static int run_input(struct gt_cli *cli, struct pdist_input *in, const struct gt_buf *numbers, struct gt_err *err)
{
    struct gt_pdist_plan plan;
    struct gt_pdist_opts opts = {.use = use,
                                 .weights = numbers->len ? (const double *)(const void *)numbers->data : NULL,
                                 .n_weights = (int64_t)(numbers->len / sizeof(double)),
                                 .wants = pdist_draw_wants(&draw, &pairs),
                                 .part = scale.part,
                                 .parts = scale.parts};
    struct gt_err why;
    int status = pdist_subset_open(&subset, cli, in, err);
    status = status ? status : pdist_other_join(&other, cli, in, err);
    if (!status && !subset.pairs)
        status = pdist_scale_check_rows(&scale, in->row_source->info.samples, in->items, err);
    status = status ? status : pdist_draw_input(&draw, cli, in, err);
    if (!status && !device.ops)
        status = choose_device(cli, &in->row_source->info, err);
    opts.device = device.ops ? &device : NULL;
    status = status ? status : gt_pdist_plan(&plan, &cli->engine, &in->row_source->info, &opts, err);
    if (gt_device_fall_back(cli, &device, status, err, &why)) {
        opts.device = NULL;
        status = gt_pdist_plan(&plan, &cli->engine, &in->row_source->info, &opts, err);
        if (!status)
            gt_device_say_cpu(cli, &why);
    }
    status = status ? status : pdist_input_check_counts(in, use.metric->traits & GT_METRIC_AUTOSOMAL, err);
    status = status ? status : pdist_input_plan(in, err);
    if (!status && cli->dry_run)
        status = print_plan(cli, &plan, &opts, in, err);
    if (!status && cli->dry_run && in->source)
        gt_print_notes(cli, gt_source_notes(in->source));
    if (!status && !cli->dry_run)
        status = compare(cli, in, &plan, &opts, err);
    return status;
}

static int run(struct gt_cli *cli, struct gt_err *err)
{
    struct pdist_input in = {0};
    struct gt_buf numbers = {0};
    int status = pdist_other_find(&other, &subset, err);
    status = status ? status : open_input(&in, cli, err);
    status = status ? status : read_weights(&numbers, cli, err);
    status = status ? status : check_metric(&in, err);
    status = status ? status : run_input(cli, &in, &numbers, err);
    if (status && pdist_input_widen(&in, err)) {
        pdist_subset_release(&subset);
        status = run_input(cli, &in, &numbers, err);
    }
    gt_buf_release(&numbers);
    pdist_input_release(&in);
    pdist_other_release(&other);
    pdist_subset_release(&subset);
    pdist_draw_release(&draw);
    gt_device_close(&device);
    return status;
}

static const struct gt_cmd command = {
    .name = "gt-pdist",
    .summary = "pairwise distances, IBS and kinship between samples",
    .synopsis = "[-m METRIC] [-O FORMAT] [-o OUT] [IN...]",
    .examples = "  gt-pdist cohort.zarr -o dist.tsv\n"
                "  gt-pdist -m 1-ibs --maf 0.05 cohort.vcf.gz -o dist.npy\n"
                "  gt-pdist -m king --min 0.0442 cohort.bed -o related.kin0\n"
                "  gt-pdist -m 1-ibs --tree nj.nwk --plot heatmap.svg cohort.zarr\n",
    .options = options,
    .shared =
        GT_SHARED_RESOURCES | GT_SHARED_RANKS | GT_SHARED_DEVICE | GT_SHARED_WATCH | GT_SHARED_SELECT | GT_SHARED_OUTPUT | GT_SHARED_PLOT,
    .ranks = true,
    .check = check,
    .takes_input = true,
    .run = run,
};

int main(int argc, char **argv)
{
    return gt_cli_main(argc, argv, &command);
}
