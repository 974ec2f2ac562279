/* gt-svd: principal components of samples. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/common/input_kind.h"
#include "cmd/common/outputs.h"
#include "cmd/svd/svd_array.h"
#include "cmd/svd/svd_geno.h"
#include "core/base/outfile.h"
#include "core/base/str.h"

#define ALGORITHMS "auto|krylov|gram|compressed|tsqr"
#define SCALES "binomial|patterson|center|standard|none"

enum { MOST_COMPONENTS = 1000 };
/* Of residuals of genotypes. */
#define SMALLEST_TOL 1e-7

enum { AUTO, KRYLOV, GRAM, COMPRESSED, TSQR };

static struct svd_geno geno = {.opts = {.k = 10, .tol = 1e-4, .passes = 200, .oversample = -1}, .format = -1, .match = -1, .min_match = -1};
static struct gt_svd_opts *const opts = &geno.opts;
static struct svd_array array = {.missing = -1, .iterator = -1, .format = -1};
static int algorithm, scale, as = -1;

static const struct gt_opt options[] = {
    {'k', "components", GT_OPT_COUNT, &geno.opts.k, "K", NULL, "number of components (default 10)"},
    PLAIN_AS_OPTION(&as),
    {'O', "output-format", GT_OPT_CHOICE, &geno.format, NULL, SVD_FORMATS, "output format (default: by the name of PREFIX, else plink)"},
    {0, "scores", GT_OPT_FLAG, &geno.scores, NULL, NULL, "scale each PC by its singular value"},
    {0, "loadings", GT_OPT_FLAG, &geno.loadings, NULL, NULL, "also write variant loadings, and a model for --project"},
    {0, "project", GT_OPT_READS, &geno.project, "MODEL", NULL, "project samples onto the PCs of a model"},
    {0, "match", GT_OPT_CHOICE, &geno.match, NULL, SVD_MATCHES, "how --project matches variants (default position)"},
    {0, "min-match", GT_OPT_REAL, &geno.min_match, "F", NULL, "proportion of model variants that must be found (default 0.5)"},
    {0, "fit", GT_OPT_READS, &geno.fit, "FILE", NULL, "compute PCs from these samples and project the others"},
    {0, "refit", GT_OPT_FLAG, &geno.refit, NULL, NULL, "with --fit: project the samples of --fit too"},
    {0, "plot", GT_OPT_WRITES, &geno.plot, "FILE", "plot", "plot PCs and eigenvalues (.svg, .png, .pdf); tables only with -o or -O"},
    {0, "groups", GT_OPT_READS, &geno.groups, "FILE", NULL, "colour --plot by group (lines: sample, group)"},
    {0, "scale", GT_OPT_CHOICE, &scale, NULL, SCALES, "how genotypes are scaled (default binomial)"},
    {0, "center", GT_OPT_FLAG, &array.center, NULL, NULL, "arrays: subtract the mean of each column"},
    {0, "missing", GT_OPT_CHOICE, &array.missing, NULL, SVD_MISSING, "arrays: how NaN is treated (default error)"},
    {0, "algorithm", GT_OPT_CHOICE, &algorithm, NULL, ALGORITHMS, "algorithm (default auto); gram and tsqr are exact"},
    {0, "tol", GT_OPT_REAL, &geno.opts.tol, "X", NULL, "krylov: stop at this residual (default 1e-4); compressed: warn above it"},
    {0, "passes", GT_OPT_COUNT, &geno.opts.passes, "N", NULL, "krylov: maximum number of passes (default 200)"},
    {0, "oversample", GT_OPT_COUNT, &geno.opts.oversample, "N", NULL, "extra columns in a block (default: krylov 6, compressed 10)"},
    {0, "power-iterations", GT_OPT_COUNT, &array.power, "Q", NULL, "compressed: number of power iterations (default 0)"},
    {0, "iterator", GT_OPT_CHOICE, &array.iterator, NULL, SVD_ITERATORS, "compressed: kind of power iteration (default power)"},
    {0, "sketch", GT_OPT_READS, &array.sketch, "FILE", NULL, "compressed: random matrix to start from (.npy)"},
    {0}};

/* --- options -------------------------------------------------------------------------- */

static int check_numbers(struct gt_err *err)
{
    if (opts->k < 1 || opts->k > MOST_COMPONENTS)
        return gt_fail(err, GT_USAGE, "-k %lld: must be from 1 to %d", (long long)opts->k, MOST_COMPONENTS);
    if (!(opts->tol > 0 && opts->tol < 1))
        return gt_fail(err, GT_USAGE, "--tol %g: must be above 0 and below 1", opts->tol);
    if (opts->passes < 3)
        return gt_fail(err, GT_USAGE, "--passes %lld: krylov needs at least 3", (long long)opts->passes);
    if (opts->oversample > MOST_COMPONENTS)
        return gt_fail(err, GT_USAGE, "--oversample %lld: must be at most %d", (long long)opts->oversample, MOST_COMPONENTS);
    return GT_OK;
}

/* Options of some ways only say which is meant. */
static int check_ways(const struct gt_cli *cli, struct gt_err *err)
{
    enum { OF_KRYLOV = 1 << KRYLOV, OF_COMPRESSED = 1 << COMPRESSED, OF_BOTH = OF_KRYLOV | OF_COMPRESSED };
    static const struct {
        const char *name;
        int ways;
    } own[] = {{"tol", OF_BOTH},
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
        opts->tuned = true;
        if ((algorithm != AUTO && !(own[i].ways & 1 << algorithm)) || !ways)
            return gt_fail(err, GT_USAGE, "--%s needs --algorithm %s", own[i].name,
                           own[i].ways == OF_BOTH     ? "krylov or compressed"
                           : own[i].ways == OF_KRYLOV ? "krylov"
                                                      : "compressed");
    }
    if (gt_given(cli, "seed") && array.sketch)
        return gt_fail(err, GT_USAGE, "--seed cannot be combined with --sketch, which gives the random matrix");
    array.opts.tuned = !opts->tuned ? GT_SVD_ARRAY_AUTO : ways & OF_KRYLOV ? GT_SVD_ARRAY_KRYLOV : GT_SVD_ARRAY_COMPRESSED;
    return GT_OK;
}

/* What a model says need not be said. */
static int check_model(const struct gt_cli *cli, struct gt_err *err)
{
    static const char *const decided[] = {"algorithm",        "scale", "tol",     "passes", "oversample", "seed",
                                          "power-iterations", "fit",   "loadings"};
    for (size_t i = 0; geno.project && i < sizeof decided / sizeof *decided; i++)
        if (gt_given(cli, decided[i]))
            return gt_fail(err, GT_USAGE, "--%s cannot be combined with --project, which uses an existing model", decided[i]);
    if (geno.refit && !geno.fit)
        return gt_fail(err, GT_USAGE, "--refit needs --fit");
    if (geno.match >= 0 && !geno.project)
        return gt_fail(err, GT_USAGE, "--match needs --project");
    if (gt_given(cli, "min-match") && !geno.project)
        return gt_fail(err, GT_USAGE, "--min-match needs --project");
    if (gt_given(cli, "min-match") && !(geno.min_match >= 0 && geno.min_match <= 1))
        return gt_fail(err, GT_USAGE, "--min-match %g: not between 0 and 1", geno.min_match);
    if (!gt_given(cli, "min-match"))
        geno.min_match = 0.5;
    return GT_OK;
}

/* A drawing alone, or next to what -o and -O ask for. */
static int check_plot(const struct gt_cli *cli, struct gt_err *err)
{
    if (geno.groups && !geno.plot)
        return gt_fail(err, GT_USAGE, "--groups needs --plot");
    int status = gt_plot_check(cli, geno.plot, err);
    if (status || !geno.plot)
        return status;
    geno.alone = !gt_given(cli, "output") && !gt_given(cli, "output-format");
    if (!geno.alone && gt_is_stdout(geno.plot) && gt_is_stdout(cli->output))
        return gt_fail(err, GT_USAGE, "--plot and the components cannot both go to standard output");
    if (geno.alone && (geno.loadings || !cli->version))
        return gt_fail(err, GT_USAGE, "--%s writes several files: it needs -o PREFIX", geno.loadings ? "loadings" : "no-version");
    return GT_OK;
}

/* What a plain array takes of the options. */
static void fill_array(const struct gt_cli *cli)
{
    static const enum gt_svd_array_way ways[] = {GT_SVD_ARRAY_AUTO, GT_SVD_ARRAY_KRYLOV, GT_SVD_ARRAY_AUTO, GT_SVD_ARRAY_COMPRESSED,
                                                 GT_SVD_ARRAY_TSQR};
    array.opts.way = ways[algorithm];
    array.opts.k = gt_given(cli, "components") ? opts->k : 0;
    array.opts.tol = opts->tol;
    array.opts.verify = gt_given(cli, "tol");
    array.opts.passes = opts->passes;
    array.opts.oversample = opts->oversample;
    array.opts.seed = opts->seed;
    array.foreign = algorithm == GRAM        ? "--algorithm gram"
                    : gt_given(cli, "scale") ? "--scale"
                    : geno.loadings          ? "--loadings"
                    : geno.scores            ? "--scores"
                    : geno.fit               ? "--fit"
                    : geno.project           ? "--project"
                    : geno.plot              ? "--plot"
                                             : NULL;
    opts->power = array.power;
}

static int check(struct gt_cli *cli, struct gt_err *err)
{
    int status = check_numbers(err);
    if (!status)
        status = check_ways(cli, err);
    if (!status)
        status = check_model(cli, err);
    if (!status)
        status = check_plot(cli, err);
    array.format = geno.format;
    opts->algorithm = algorithm == COMPRESSED ? GT_SVD_COMPRESSED : (enum gt_svd_algorithm)algorithm;
    opts->scale = (enum gt_svd_scale)scale;
    opts->seed = (uint64_t)cli->seed;
    geno.asked = gt_given(cli, "components");
    fill_array(cli);
    gt_outputs_by_input();
    return status;
}

/* --- the run ------------------------------------------------------------------------------ */

/* What genotypes do not take. */
static int check_genotypes(const struct gt_input *input, struct gt_err *err)
{
    if (array.opts.verify && (opts->algorithm == GT_SVD_COMPRESSED || array.power > 0))
        return gt_fail(err, GT_USAGE, "--tol with --algorithm compressed needs a plain array, and '%s' holds genotypes", input->name);
    const char *foreign = algorithm == TSQR     ? "--algorithm tsqr"
                          : array.missing >= 0  ? "--missing"
                          : array.center        ? "--center"
                          : array.sketch        ? "--sketch"
                          : array.iterator >= 0 ? "--iterator"
                                                : NULL;
    if (foreign)
        return gt_fail(err, GT_USAGE, "%s needs a plain array; '%s' holds genotypes", foreign, input->name);
    return GT_OK;
}

static int run_genotypes(struct gt_cli *cli, struct gt_input *input, struct gt_err *err)
{
    int status = check_genotypes(input, err);
    if (!status && opts->tol < SMALLEST_TOL)
        gt_warn(cli, "--tol %g may not be reached: genotypes are multiplied in 28-bit fixed point, which ends at about %g", opts->tol,
                SMALLEST_TOL);
    return status ? status : svd_geno_run(&geno, cli, input, err);
}

static int run(struct gt_cli *cli, struct gt_err *err)
{
    struct gt_input input = {0};
    struct plain plain = {.is = false};
    int status = gt_input_open(&input, cli->operands[0], err);
    if (!status)
        status = plain_look(&plain, &cli->engine, &input, cli->operands[0], cli->array, as, err);
    if (!status)
        plain_say(&plain, cli, input.name);
    if (!status && plain.is && cli->comm.size > 1)
        status = gt_fail(err, GT_USAGE, "arrays are decomposed by one process, and %d were started", cli->comm.size);
    if (!status && plain.is && cli->ranks)
        status = gt_fail(err, GT_USAGE, "--ranks: arrays are decomposed by one process");
    if (!status)
        status = plain.is ? svd_array_run(&array, cli, &input, err) : run_genotypes(cli, &input, err);
    gt_strs_release(&plain.ids);
    gt_input_release(&input);
    return status;
}

static const struct gt_cmd command = {
    .name = "gt-svd",
    .summary = "principal components of genotypes, SVD of arrays",
    .synopsis = "[-k K] [-O FORMAT] [-o PREFIX] [IN...]",
    .examples = "  gt-svd --maf 0.01 --ld-prune 1000kb,0.1 cohort.zarr -o pca\n"
                "  gt-svd cohort.zarr --plot pca.svg --groups populations.txt\n"
                "  gt-svd --fit unrelated.txt --loadings cohort.bed -o pca\n"
                "  gt-svd --project pca.model.zip study.vcf.gz -o study\n"
                "  gt-svd --center -k 10 measurements.npy -o x\n",
    .options = options,
    .shared = GT_SHARED_RESOURCES | GT_SHARED_RANKS | GT_SHARED_DEVICE | GT_SHARED_WATCH | GT_SHARED_SELECT | GT_SHARED_OUTPUT |
              GT_SHARED_SEED | GT_SHARED_PLOT,
    .ranks = true,
    .check = check,
    .takes_input = true,
    .run = run,
};

int main(int argc, char **argv)
{
    return gt_cli_main(argc, argv, &command);
}
