#include "cmd/svd/svd_array.h"

#include <stdio.h>
#include <string.h>

#include "calc/svd/svd_files.h"
#include "calc/svd/svd_zarr.h"
#include "cmd/common/input_kind.h"
#include "cmd/common/outputs.h"
#include "core/base/outfile.h"
#include "core/base/size.h"
#include "geno/select/select_check.h"
#include "geno/source/source.h"

enum svd_array_format { NPY, TSV, ZARR };

/* --- outputs --------------------------------------------------------------------------- */

/* A store is named by -o, and other formats by its PREFIX. */
static int choose_format(const struct svd_array *svd, const struct gt_cli *cli, enum svd_array_format *format, struct gt_err *err)
{
    static const struct {
        const char *format, *ends[2];
        enum svd_array_format is;
    } formats[] = {{"npy", {".npy", ".npy"}, NPY}, {"tsv", {".tsv", ".tsv"}, TSV}, {"zarr", {".zarr", ".zip"}, ZARR}};
    bool known = !svd->format;
    *format = NPY;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const bool named = gt_ends_with(cli->output, formats[i].ends[0]) || gt_ends_with(cli->output, formats[i].ends[1]);
        const bool asked = svd->format && strcmp(svd->format, formats[i].format) == 0;
        *format = svd->format ? asked ? formats[i].is : *format : named ? formats[i].is : *format;
        known |= asked;
    }
    if (!known)
        return gt_fail(err, GT_USAGE, "-O %s is for genotypes; u, s and v of an array are written as npy, tsv or zarr", svd->format);
    if (*format == ZARR && (gt_is_stream(cli->output) || gt_ends_with(cli->output, ".tar")))
        return gt_fail(err, GT_USAGE, "-O zarr writes a directory or a .zip: it needs -o");
    if (!cli->version && *format != ZARR)
        return gt_fail(err, GT_USAGE, "--no-version needs -O zarr: no other format records its history");
    return GT_OK;
}

/* PREFIX of PREFIX.u.npy and so on; "" where values go to one stream. */
static int name_outputs(const struct gt_cli *cli, enum svd_array_format format, struct gt_str *prefix, struct gt_err *err)
{
    static const char *const suffixes[] = {".npy", ".tsv"}, *const parts[] = {".u", ".s", ".v"};
    const char *kind = format == NPY ? "npy" : "tsv";
    size_t stem = strlen(cli->output);
    if (gt_is_stream(cli->output) || format == ZARR)
        return gt_output_add_late(cli, "-o", cli->output, format == ZARR ? "store" : NULL, err);
    for (size_t i = 0; i < 2; i++)
        if (gt_ends_with(cli->output, suffixes[i]))
            stem = strlen(cli->output) - strlen(suffixes[i]);
    gt_str_addn(prefix, cli->output, stem);
    int status = gt_str_check(prefix, err);
    for (size_t i = 0; i < 3 && !status; i++) {
        struct gt_str path = {0};
        gt_str_addf(&path, "%s%s%s", prefix->s, parts[i], gt_svd_suffix[format == NPY ? GT_SVD_NPY : GT_SVD_TSV]);
        status = gt_str_check(&path, err);
        if (!status)
            status = gt_output_add_late(cli, "-o", path.s, kind, err);
        gt_str_release(&path);
    }
    return status;
}

/* --- the run ------------------------------------------------------------------------------ */

/* Vectors that nobody wants. */
static int pass_by(struct gt_svd_array_sink *sink, bool u, int64_t first, int64_t n, const double *values, int64_t lead, struct gt_err *err)
{
    (void)sink, (void)u, (void)first, (void)n, (void)values, (void)lead, (void)err;
    return GT_OK;
}

/* Where u, s and v go: files or zarr, or values alone to -o. */
struct results {
    struct gt_svd_files *files;
    struct gt_svd_zarr *zarr;
    struct gt_svd_array_sink none;
};

static int open_results(struct results *to, struct gt_cli *cli, const struct gt_svd_array_plan *plan, const char *prefix,
                        enum svd_array_format format, struct gt_err *err)
{
    if (format == ZARR)
        return gt_svd_zarr_open(&to->zarr, cli->output, cli->force, cli->command_line, plan->rows, plan->columns, plan->k,
                                &cli->engine.budget, err);
    const enum gt_svd_format file = format == NPY ? GT_SVD_NPY : GT_SVD_TSV;
    return prefix ? gt_svd_files_open(&to->files, prefix, file, plan->rows, plan->columns, plan->k, err) : GT_OK;
}

static struct gt_svd_array_sink *sink_of(struct results *to)
{
    return to->zarr ? gt_svd_zarr_sink(to->zarr) : to->files ? gt_svd_files_sink(to->files) : &to->none;
}

static int finish_results(struct results *to, const struct gt_cli *cli, const double *values, int64_t k, struct gt_err *err)
{
    return to->zarr    ? gt_svd_zarr_finish(to->zarr, values, cli->history, err)
           : to->files ? gt_svd_files_finish(to->files, values, err)
                       : gt_svd_values_write(cli->output, values, k, err);
}

static int decompose(const struct svd_array *svd, struct gt_cli *cli, struct gt_matrix *matrix, const struct gt_svd_array_plan *plan,
                     const char *prefix, enum svd_array_format format, struct gt_err *err)
{
    struct results to = {.none = {.rows = pass_by}};
    struct gt_svd_array_result result = {0};
    int status = open_results(&to, cli, plan, prefix, format, err);
    if (!status)
        status = gt_svd_array_run(&cli->engine, matrix, plan, &svd->opts, sink_of(&to), &result, err);
    if (!status)
        status = finish_results(&to, cli, gt_buf_f64(&result.values), plan->k, err);
    if (!status)
        svd_array_report(cli, plan, &svd->opts, &result);
    if (!status && cli->json)
        status = svd_array_print_summary(cli, plan, &svd->opts, &result, err);
    gt_svd_files_free(to.files);
    gt_svd_zarr_free(to.zarr);
    gt_svd_array_release(&result);
    return status;
}

static int open_sketch(struct svd_array *svd, struct gt_cli *cli, struct gt_err *err)
{
    const struct gt_matrix_opts opts = {.cast = true, .type = GT_F64, .memory = cli->engine.budget.limit / 16};
    struct gt_input input = {0};
    int status = gt_input_open(&input, svd->sketch, err);
    if (!status)
        status = gt_matrix_open(&svd->opts.sketch, &cli->engine, &input, &opts, err);
    gt_input_release(&input);
    return status;
}

static int open_array(struct gt_matrix **matrix, struct gt_cli *cli, struct gt_input *input, const char *foreign, struct gt_err *err)
{
    const struct gt_geno_info plain = {.name = input->name, .kind = "plain array"};
    const struct gt_matrix_opts opts = {.array = cli->array, .slice = cli->select.slice};
    int status = gt_select_check(&cli->select, &plain, 0, err);
    if (!status && foreign)
        status = gt_fail(err, GT_USAGE, "%s needs genotypes; '%s' is a plain array", foreign, input->name);
    if (!status && cli->n_operands > 1)
        status = gt_fail(err, GT_USAGE, "'%s' is a plain array; give one array, not %d", input->name, cli->n_operands);
    if (!status)
        status = gt_matrix_open(matrix, &cli->engine, input, &opts, err);
    return status ? status : plain_check_axes(gt_matrix_info(*matrix), err);
}

int svd_array_run(struct svd_array *svd, struct gt_cli *cli, struct gt_input *input, struct gt_err *err)
{
    struct gt_matrix *matrix = NULL;
    struct gt_svd_array_plan plan;
    struct gt_str prefix = {0};
    enum svd_array_format format = NPY;
    svd->opts.power = svd->power;
    svd->opts.qr = svd->iterator == 1;
    svd->opts.mean = svd->missing == 1;
    svd->opts.center = svd->center;
    int status = choose_format(svd, cli, &format, err);
    if (!status)
        status = name_outputs(cli, format, &prefix, err);
    if (!status)
        status = open_array(&matrix, cli, input, svd->foreign, err);
    if (!status && svd->sketch)
        status = open_sketch(svd, cli, err);
    if (!status)
        status = gt_svd_array_plan(&plan, &cli->engine, matrix, &svd->opts, err);
    if (!status && cli->dry_run)
        svd_array_print_plan(cli, &plan, gt_matrix_info(matrix));
    else if (!status)
        status = decompose(svd, cli, matrix, &plan, prefix.len ? prefix.s : NULL, format, err);
    gt_matrix_free(matrix);
    gt_matrix_free(svd->opts.sketch);
    gt_str_release(&prefix);
    return status;
}
