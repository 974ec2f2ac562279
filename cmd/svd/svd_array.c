#include "cmd/svd/svd_array.h"

#include <stdio.h>
#include <string.h>

#include "calc/svd/svd_files.h"
#include "calc/svd/svd_zarr.h"
#include "cmd/common/input_kind.h"
#include "cmd/common/outputs.h"
#include "cmd/device/device_choice.h"
#include "cmd/svd/svd_names.h"
#include "core/base/outfile.h"
#include "core/base/size.h"
#include "geno/select/select_check.h"
#include "geno/source/source.h"

/* --- outputs --------------------------------------------------------------------------- */

static bool is_store(const struct svd_format *format)
{
    return !format->components;
}

static bool is_of_arrays(const struct svd_format *format)
{
    return format->arrays || is_store(format);
}

/* A store is named by -o, and other formats by its PREFIX. */
static int choose_format(const struct svd_array *svd, const struct gt_cli *cli, const struct svd_format **format, struct gt_err *err)
{
    *format = &svd_formats[svd->format < 0 ? SVD_NPY : svd->format];
    for (size_t i = 0; i < SVD_N_FORMATS && svd->format < 0; i++)
        if (is_of_arrays(&svd_formats[i]) && svd_name_asks(&svd_formats[i], cli->output))
            *format = &svd_formats[i];
    if (!is_of_arrays(*format))
        return gt_fail(err, GT_USAGE, "-O %s is for genotypes; u, s and v of an array are written as npy, tsv or zarr",
                       svd_formats[svd->format].name);
    if (is_store(*format) && (gt_is_stream(cli->output) || gt_ends_with(cli->output, ".tar")))
        return gt_fail(err, GT_USAGE, "-O zarr writes a directory or a .zip: it needs -o");
    return gt_check_version(cli, is_store(*format), "-O zarr", err);
}

/* PREFIX of PREFIX.u.npy and so on; "" where values go to one stream. */
static int name_outputs(const struct gt_cli *cli, const struct svd_format *format, struct gt_str *prefix, struct gt_err *err)
{
    static const char *const parts[] = {".u", ".s", ".v"};
    if (gt_is_stream(cli->output) || is_store(format))
        return gt_output_add_late(cli, "-o", cli->output, is_store(format) ? format->kind : NULL, err);
    gt_str_addn(prefix, cli->output, svd_prefix_len(cli->output));
    int status = gt_str_check(prefix, err);
    for (size_t i = 0; i < 3 && !status; i++) {
        struct gt_str path = {0};
        gt_str_addf(&path, "%s%s%s", prefix->s, parts[i], format->arrays->suffix);
        status = gt_str_check(&path, err);
        if (!status)
            status = gt_output_add_late(cli, "-o", path.s, format->kind, err);
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
                        const struct svd_format *format, struct gt_err *err)
{
    if (is_store(format))
        return gt_svd_zarr_open(&to->zarr, cli->output, cli->force, cli->command_line, plan, &cli->engine.budget, err);
    return prefix ? gt_svd_files_open(&to->files, prefix, format->arrays, plan->rows, plan->columns, plan->k, err) : GT_OK;
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
                     const char *prefix, const struct svd_format *format, struct gt_err *err)
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

/* On the device that was asked for; where auto chose one that is too small, on the cpu. */
static int make_plan(struct svd_array *svd, struct gt_cli *cli, struct gt_matrix *matrix, struct gt_svd_array_plan *plan,
                     struct gt_err *err)
{
    const struct gt_device_work work = gt_svd_array_device_work(gt_matrix_info(matrix), &svd->opts, cli->engine.limits.threads);
    struct gt_err why;
    int status = gt_device_choose(cli, &work, NULL, &svd->device, err);
    svd->opts.device = svd->device.ops ? &svd->device : NULL;
    if (!status)
        status = gt_svd_array_plan(plan, &cli->engine, matrix, &svd->opts, err);
    if (gt_device_fall_back(cli, &svd->device, status, err, &why)) {
        svd->opts.device = NULL;
        status = gt_svd_array_plan(plan, &cli->engine, matrix, &svd->opts, err);
        if (!status)
            gt_device_say_cpu(cli, &why);
    }
    return status;
}

int svd_array_run(struct svd_array *svd, struct gt_cli *cli, struct gt_input *input, struct gt_err *err)
{
    struct gt_matrix *matrix = NULL;
    struct gt_svd_array_plan plan;
    struct gt_str prefix = {0};
    const struct svd_format *format = NULL;
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
        status = make_plan(svd, cli, matrix, &plan, err);
    if (!status && cli->dry_run)
        svd_array_print_plan(cli, &svd->device, &plan, gt_matrix_info(matrix));
    else if (!status)
        status = decompose(svd, cli, matrix, &plan, prefix.len ? prefix.s : NULL, format, err);
    gt_matrix_free(matrix);
    gt_matrix_free(svd->opts.sketch);
    gt_device_close(&svd->device);
    gt_str_release(&prefix);
    return status;
}
