/* gt-svd: principal components of samples. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/outfile.h"
#include "base/size.h"
#include "calc/svd.h"
#include "cmd/cli.h"
#include "cmd/formats.h"
#include "cmd/outputs.h"
#include "cmd/plain.h"
#include "cmd/report.h"
#include "cmd/svd_array.h"
#include "out/components.h"

#define FORMATS "plink|tsv|npy"
#define ALGORITHMS "auto|krylov|gram|compressed|tsqr"
#define SCALES "binomial|patterson|center|standard|none"

/* Fewer samples say little of others. */
enum { FEW_SAMPLES = 50 };
/* More are hardly independent of one another. */
enum { MANY_VARIANTS = 200000 };
enum { MOST_COMPONENTS = 1000 };

enum { AUTO, KRYLOV, GRAM, COMPRESSED, TSQR };

static struct gt_svd_opts opts = {.k = 10, .tol = 1e-4, .passes = 200, .oversample = -1};
static struct svd_array array = {.missing = -1, .iterator = -1};
static int algorithm, scale, format = -1;
static const char *const format_names[] = {"plink", "tsv", "npy"};
static struct gt_str vectors_path, values_path, pruned_path, ids_path;

static const struct gt_opt options[] = {
    {'k', "components", GT_OPT_COUNT, &opts.k, "K", NULL, "so many components (default 10)"},
    {0, "algorithm", GT_OPT_CHOICE, &algorithm, NULL, ALGORITHMS, "gram and tsqr are exact (default auto)"},
    {0, "scale", GT_OPT_CHOICE, &scale, NULL, SCALES, "of variants (default binomial)"},
    {0, "tol", GT_OPT_REAL, &opts.tol, "X", NULL, "krylov: residual to stop at (default 1e-4)"},
    {0, "passes", GT_OPT_COUNT, &opts.passes, "N", NULL, "krylov: passes at most (default 200)"},
    {0, "oversample", GT_OPT_COUNT, &opts.oversample, "N", NULL, "columns beyond K in a block (default 6; compressed 10)"},
    {0, "power-iterations", GT_OPT_COUNT, &array.power, "Q", NULL, "compressed: power iterations (default 0)"},
    {0, "iterator", GT_OPT_CHOICE, &array.iterator, NULL, SVD_ITERATORS, "compressed: how they are made (default power)"},
    {0, "sketch", GT_OPT_READS, &array.sketch, "FILE", NULL, "compressed: the matrix to begin with (.npy; default random)"},
    {0, "missing", GT_OPT_CHOICE, &array.missing, NULL, SVD_MISSING, "NaN in a plain array (default error)"},
    {'O', "output-format", GT_OPT_CHOICE, &format, NULL, FORMATS, "of components (default by name, else plink)"},
    {0}};

/* --- options -------------------------------------------------------------------------- */

static int check_numbers(struct gt_err *err)
{
    if (opts.k < 1 || opts.k > MOST_COMPONENTS)
        return gt_fail(err, GT_USAGE, "-k %lld: from 1 to %d components were expected", (long long)opts.k, MOST_COMPONENTS);
    if (!(opts.tol > 0 && opts.tol < 1))
        return gt_fail(err, GT_USAGE, "--tol %g: a number above 0 and below 1 was expected", opts.tol);
    if (opts.passes < 3)
        return gt_fail(err, GT_USAGE, "--passes %lld: krylov looks at the genotypes, multiplies with them, and sums up: 3 at least",
                       (long long)opts.passes);
    if (opts.oversample > MOST_COMPONENTS)
        return gt_fail(err, GT_USAGE, "--oversample %lld: %d at most", (long long)opts.oversample, MOST_COMPONENTS);
    return GT_OK;
}

/* Options of some ways only say which is meant. */
static int check_ways(const struct gt_cli *cli, struct gt_err *err)
{
    enum { OF_KRYLOV = 1 << KRYLOV, OF_COMPRESSED = 1 << COMPRESSED, OF_BOTH = OF_KRYLOV | OF_COMPRESSED };
    static const struct {
        const char *name;
        int ways;
    } own[] = {{"tol", OF_KRYLOV},
               {"passes", OF_KRYLOV},
               {"oversample", OF_BOTH},
               {"seed", OF_BOTH},
               {"power-iterations", OF_COMPRESSED},
               {"iterator", OF_COMPRESSED},
               {"sketch", OF_COMPRESSED}};
    int ways = OF_BOTH;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (!gt_given(cli, own[i].name))
            continue;
        ways &= own[i].ways;
        opts.tuned = true;
        if ((algorithm != AUTO && !(own[i].ways & 1 << algorithm)) || !ways)
            return gt_fail(err, GT_USAGE, "--%s is for --algorithm %s", own[i].name,
                           own[i].ways == OF_BOTH     ? "krylov and compressed"
                           : own[i].ways == OF_KRYLOV ? "krylov"
                                                      : "compressed");
    }
    if (gt_given(cli, "seed") && array.sketch)
        return gt_fail(err, GT_USAGE, "--seed draws the matrix that --sketch gives");
    array.opts.tuned = !opts.tuned ? GT_SVD_ARRAY_AUTO : ways & OF_KRYLOV ? GT_SVD_ARRAY_KRYLOV : GT_SVD_ARRAY_COMPRESSED;
    return GT_OK;
}

/* What a plain array takes of the options. */
static void fill_array(const struct gt_cli *cli)
{
    static const enum gt_svd_array_way ways[] = {GT_SVD_ARRAY_AUTO, GT_SVD_ARRAY_KRYLOV, GT_SVD_ARRAY_AUTO, GT_SVD_ARRAY_COMPRESSED,
                                                 GT_SVD_ARRAY_TSQR};
    array.opts.way = ways[algorithm];
    array.opts.k = gt_given(cli, "components") ? opts.k : 0;
    array.opts.tol = opts.tol;
    array.opts.passes = opts.passes;
    array.opts.oversample = opts.oversample;
    array.opts.seed = opts.seed;
    array.foreign = algorithm == GRAM ? "--algorithm gram" : gt_given(cli, "scale") ? "--scale" : NULL;
    opts.power = array.power;
}

/* PREFIX.eigenvec, or a name that says more; PREFIX.eigenval beside it. */
static int name_outputs(struct gt_cli *cli, struct gt_err *err)
{
    static const char *const ends[] = {".eigenvec", ".tsv", ".tsv.gz", ".npy"};
    const char *given = cli->output;
    size_t stem = strlen(given);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (gt_ends_with(given, ends[i]))
            stem = strlen(given) - strlen(ends[i]);
    gt_str_addn(&values_path, given, stem);
    gt_str_add(&values_path, ".eigenval");
    gt_str_addn(&pruned_path, given, stem);
    gt_str_add(&pruned_path, ".prune.in");
    gt_str_addn(&vectors_path, given, format == GT_COMPONENTS_PLINK ? stem : strlen(given));
    gt_str_add(&vectors_path, format == GT_COMPONENTS_PLINK ? ".eigenvec" : "");
    int status = gt_str_check(&values_path, err);
    if (!status)
        status = gt_str_check(&pruned_path, err);
    return status ? status : gt_str_check(&vectors_path, err);
}

static int choose_outputs(struct gt_cli *cli, struct gt_err *err)
{
    static const char *const kinds[] = {"eigenvec", "tsv", "npy"};
    const bool plinks = gt_ends_with(cli->output, ".eigenvec");
    if (plinks && format > GT_COMPONENTS_PLINK)
        return gt_fail(err, GT_USAGE, "'%s' is what PLINK calls its table: -O plink writes that", cli->output);
    int status = plinks ? GT_OK : gt_format_choose("gt-svd", cli->output, FORMATS, format, &format, err);
    format = plinks ? GT_COMPONENTS_PLINK : format;
    if (status)
        return status;
    if (gt_is_stream(cli->output))
        return gt_output_add_late(cli, "-o", cli->output, NULL, err);
    status = name_outputs(cli, err);
    if (!status)
        status = gt_output_add_late(cli, "-o", vectors_path.s, kinds[format], err);
    if (!status)
        status = gt_output_add_late(cli, "-o", values_path.s, "eigenval", err);
    if (!status && cli->select.ld_prune)
        status = gt_output_add_late(cli, "-o", pruned_path.s, "prune.in", err);
    if (!status && format == GT_COMPONENTS_NPY) {
        gt_str_addf(&ids_path, "%s.id", vectors_path.s);
        status = gt_str_check(&ids_path, err);
        status = status ? status : gt_output_add_late(cli, "-o", ids_path.s, "id", err);
    }
    return status;
}

static int check(struct gt_cli *cli, struct gt_err *err)
{
    int status = check_numbers(err);
    if (!status)
        status = check_ways(cli, err);
    array.format = gt_given(cli, "output-format") ? format_names[format] : NULL;
    opts.algorithm = algorithm == COMPRESSED ? GT_SVD_COMPRESSED : (enum gt_svd_algorithm)algorithm;
    opts.scale = (enum gt_svd_scale)scale;
    opts.seed = (uint64_t)cli->seed;
    fill_array(cli);
    gt_outputs_by_input();
    return status;
}

/* --- what is told ------------------------------------------------------------------------ */

static const char *name_of(const struct gt_svd_plan *plan)
{
    static const char *const names[] = {"auto", "krylov", "gram", "compressed"};
    return names[plan->algorithm];
}

static void print_plan(const struct gt_cli *cli, const struct gt_svd_plan *plan, const struct gt_source_info *info)
{
    char a[GT_NUM_LEN], b[GT_NUM_LEN];
    const bool krylov = plan->algorithm == GT_SVD_KRYLOV;
    printf("input          %s (%s)\n", info->name, info->kind);
    printf("samples        %s\n", gt_format_count(a, plan->samples));
    printf("variants       %s\n", plan->variants < 0 ? "not known before the end" : gt_format_count(a, plan->variants));
    printf("components     %s\n", gt_format_count(a, opts.k));
    printf("algorithm      %s (%s)\n", name_of(plan), plan->why);
    if (plan->algorithm == GT_SVD_GRAM) {
        printf("passes         %s\n", gt_format_count(a, plan->sums.passes));
        printf("matrix         %s\n", gt_format_size(a, 8 * plan->samples * plan->samples));
    } else {
        printf("passes         %s%s\n",
               gt_format_count(a, krylov       ? opts.passes
                                  : plan->once ? 1
                                               : 2 + opts.power),
               krylov ? " at most" : "");
        printf("genotypes      %s\n", plan->once   ? "are read once"
                                      : plan->kept ? "stay in memory between passes"
                                                   : "are read again in each pass, but for what memory holds");
        printf("columns        %s a block\n", gt_format_count(a, plan->width));
        printf("vectors        %s\n", gt_format_size(a, plan->share[GT_SVD_SOLVING].size));
    }
    printf("memory         %s for buffers, %s for the process\n", gt_format_size(a, cli->engine.budget.limit),
           gt_format_size(b, cli->engine.limits.memory));
    printf("device         cpu, %d threads, kernels %s\n", cli->engine.limits.threads, gt_kernels()->name);
}

static double share_of(const struct gt_svd_result *result, int64_t components)
{
    const double *values = (const double *)(const void *)result->values.data;
    double sum = 0;
    for (int64_t c = 0; c < components; c++)
        sum += values[c];
    return sum / result->trace;
}

static void say_end(struct gt_cli *cli, const struct gt_svd_plan *plan, const struct gt_svd_result *result)
{
    char a[GT_THINGS_LEN], b[GT_THINGS_LEN], c[GT_THINGS_LEN];
    if (result->constant)
        gt_note(cli, "%s left out: all calls are alike", gt_format_things(a, result->constant, "variant"));
    if (plan->samples < FEW_SAMPLES)
        gt_warn(cli, "%s are few for components that say something of others", gt_format_things(a, plan->samples, "sample"));
    if (result->used > MANY_VARIANTS && !cli->select.ld_prune)
        gt_warn(cli, "%s may be in linkage, which components then tell of: --ld-prune 1000kb,0.1 prunes them",
                gt_format_things(c, result->used, "variant"));
    if (result->rank < opts.k)
        gt_warn(cli, "the data has %s: those behind are 0", gt_format_things(a, result->rank, "component"));
    if (plan->algorithm == GT_SVD_KRYLOV && result->residual > opts.tol)
        gt_warn(cli, "the residual is %.2g after %lld passes, above --tol %g", result->residual, (long long)result->passes, opts.tol);
    gt_note(cli, "%s of %s over %s tell %.4g %% of the variance, %s %.2f s", gt_format_things(a, opts.k, "component"),
            gt_format_things(b, plan->samples, "sample"), gt_format_things(c, result->used, "variant"), 100 * share_of(result, opts.k),
            plan->algorithm == GT_SVD_GRAM     ? "exactly,"
            : plan->algorithm == GT_SVD_KRYLOV ? "by krylov,"
                                               : "by random projection,",
            gt_elapsed(cli));
    if (plan->algorithm == GT_SVD_KRYLOV)
        gt_note(cli, "%lld passes, residual %.2g", (long long)result->passes, result->residual);
}

static bool add_count(struct json_object *o, const char *key, int64_t n)
{
    return gt_json_set(o, key, json_object_new_int64(n));
}

static bool add_number(struct json_object *o, const char *key, double x)
{
    return gt_json_set(o, key, json_object_new_double(x));
}

static int print_summary(const struct gt_cli *cli, const struct gt_svd_plan *plan, const struct gt_svd_result *result, struct gt_err *err)
{
    struct json_object *o = json_object_new_object();
    bool ok = add_count(o, "samples", plan->samples) && add_count(o, "variants", result->used) &&
              add_count(o, "constant", result->constant) && add_count(o, "components", opts.k) && add_count(o, "rank", result->rank) &&
              gt_json_set(o, "algorithm", json_object_new_string(name_of(plan))) && add_count(o, "passes", result->passes) &&
              add_number(o, "residual", result->residual) && add_number(o, "trace", result->trace) &&
              add_number(o, "variance_explained", share_of(result, opts.k)) && add_number(o, "seconds", gt_elapsed(cli)) &&
              add_count(o, "threads", cli->engine.limits.threads) && gt_json_set(o, "kernels", json_object_new_string(gt_kernels()->name));
    return gt_print_summary(cli, gt_json_whole(o, ok), err);
}

/* --- the run ------------------------------------------------------------------------------ */

/* Eigenvalues are those of PLINK 2: of X'X over the number of variants, constant ones too. */
static int write_result(const struct gt_cli *cli, const struct gt_source *source, struct gt_svd_result *result, struct gt_err *err)
{
    const struct gt_source_info *info = gt_source_info(source);
    double *values = (double *)(void *)result->values.data;
    const bool stream = gt_is_stream(cli->output);
    const double variants = (double)(result->used + result->constant);
    for (int64_t c = 0; c < opts.k; c++)
        values[c] /= variants;
    result->trace /= variants;
    const struct gt_components c = {
        &info->samples, &info->plink_ids, opts.k, (const double *)(const void *)result->vectors.data, values, gt_source_pruned_ids(source)};
    const struct gt_components_paths paths = {stream ? cli->output : vectors_path.s, stream ? NULL : values_path.s,
                                              stream ? NULL : pruned_path.s};
    return gt_components_write(&c, (enum gt_components_format)format, &paths, err);
}

static int decompose(struct gt_cli *cli, struct gt_source *source, const struct gt_svd_plan *plan, struct gt_err *err)
{
    struct gt_svd_result result;
    int status = gt_svd_run(&cli->engine, source, plan, &opts, &result, err);
    if (!status)
        status = write_result(cli, source, &result, err);
    if (!status) {
        gt_report_source(cli, source);
        say_end(cli, plan, &result);
    }
    if (!status && cli->json)
        status = print_summary(cli, plan, &result, err);
    gt_svd_release(&result);
    return status;
}

/* What genotypes do not take. */
static int check_genotypes(const struct gt_input *input, struct gt_err *err)
{
    const char *foreign = algorithm == TSQR     ? "--algorithm tsqr"
                          : array.missing >= 0  ? "--missing"
                          : array.sketch        ? "--sketch"
                          : array.iterator >= 0 ? "--iterator"
                                                : NULL;
    if (foreign)
        return gt_fail(err, GT_USAGE, "%s is for plain arrays, and '%s' holds genotypes", foreign, input->name);
    return GT_OK;
}

static int run_genotypes(struct gt_cli *cli, struct gt_input *input, struct gt_err *err)
{
    int status = check_genotypes(input, err);
    if (!status)
        status = choose_outputs(cli, err);
    cli->select.autosomal = cli->select.one_alt = true;
    const struct gt_source_opts how = {.paths = cli->operands,
                                       .n_paths = cli->n_operands,
                                       .opened = input,
                                       .array = cli->array,
                                       .select = &cli->select,
                                       .fields = GT_SITE_MULTI | (cli->select.ld_prune && pruned_path.s ? GT_SITE_ID : 0)};
    struct gt_source *source = NULL;
    struct gt_svd_plan plan;
    if (!status)
        status = gt_source_open(&source, &cli->engine, &how, err);
    if (!status && !(gt_source_info(source)->has & GT_HAS_DOSAGES))
        status = gt_fail(err, GT_USAGE, "components are of genotypes, and --slice leaves one allele of each call of '%s'",
                         gt_source_info(source)->name);
    if (!status)
        status = gt_svd_plan(&plan, &cli->engine, source, &opts, err);
    if (!status && cli->dry_run)
        print_plan(cli, &plan, gt_source_info(source));
    else if (!status)
        status = decompose(cli, source, &plan, err);
    gt_source_free(source);
    return status;
}

static int run(struct gt_cli *cli, struct gt_err *err)
{
    struct gt_input input = {0};
    struct plain plain = {.is = false};
    int status = gt_input_open(&input, cli->operands[0], err);
    if (!status)
        status = plain_look(&plain, &cli->engine, &input, cli->operands[0], cli->array, err);
    if (!status)
        status = plain.is ? svd_array_run(&array, cli, &input, err) : run_genotypes(cli, &input, err);
    gt_strs_release(&plain.ids);
    gt_input_release(&input);
    gt_str_release(&vectors_path);
    gt_str_release(&values_path);
    gt_str_release(&pruned_path);
    gt_str_release(&ids_path);
    return status;
}

static const struct gt_cmd command = {
    .name = "gt-svd",
    .summary = "principal components of samples, singular values and vectors of arrays",
    .synopsis = "[-k K] [-O FORMAT] [-o PREFIX] [IN...]",
    .examples = "  gt-svd -k 10 cohort.zarr -o pca\n"
                "  gt-svd --maf 0.01 --geno 0.05 cohort.bed > pca.eigenvec\n"
                "  gt-svd --algorithm compressed -k 10 x.zarr -o x\n",
    .options = options,
    .shared = GT_SHARED_RESOURCES | GT_SHARED_WATCH | GT_SHARED_SELECT | GT_SHARED_FILE | GT_SHARED_SEED,
    .check = check,
    .takes_input = true,
    .run = run,
};

int main(int argc, char **argv)
{
    return gt_cli_main(argc, argv, &command);
}
