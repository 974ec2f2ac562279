/* Samples on axes that others made: --project, and --fit. */
#include <stdio.h>
#include <string.h>

#include "calc/pca/pca_store.h"
#include "cmd/common/report.h"
#include "cmd/device/device_choice.h"
#include "cmd/svd/svd_geno.h"
#include "core/base/size.h"
#include "geno/select/filter_table.h"
#include "geno/source/source.h"

enum { ID = 1 };

static int open_source(struct gt_source **source, struct gt_cli *cli, const struct gt_select_opts *select, struct gt_input *input,
                       struct gt_err *err)
{
    const struct gt_source_opts how = {
        .opened = input, .select = select, .fields = GT_SITE_MULTI | GT_SITE_POS | GT_SITE_ALLELES | GT_SITE_ID};
    return svd_open_source(source, cli, how, "project", err);
}

static void print_plan(const struct gt_cli *cli, const struct gt_svd_scores_plan *plan, const struct gt_svd_model *model,
                       const struct gt_geno_info *info, const struct gt_device *device)
{
    char a[GT_NUM_LEN];
    printf("input          %s (%s)\n", info->name, info->kind);
    printf("samples        %s\n", gt_format_count(a, plan->samples));
    printf("variants       %s\n", plan->variants < 0 ? "unknown before the end" : gt_format_count(a, plan->variants));
    printf("components     %s\n", gt_format_count(a, plan->k));
    printf("model          %s variants\n", gt_format_count(a, model->n));
    printf("passes         1\n");
    svd_print_resources(cli, device, plan->device_bytes);
}

static int print_summary(const struct gt_cli *cli, const struct gt_svd_scores_plan *plan, const struct gt_svd_model *model,
                         const struct gt_svd_scores_result *result, struct gt_err *err)
{
    const struct {
        const char *key;
        int64_t n;
    } counts[] = {{"samples", plan->samples},
                  {"components", plan->k},
                  {"model", model->n},
                  {"same", result->match.same},
                  {"swapped", result->match.swapped},
                  {"absent", result->absent},
                  {"other_alleles", result->match.others},
                  {"duplicates", result->match.again},
                  {"unknown", result->match.unknown},
                  {"empty", result->empty},
                  {"threads", cli->engine.limits.threads}};
    struct json_object *o = json_object_new_object();
    bool ok = o;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        ok = ok && gt_json_set_int(o, counts[i].key, counts[i].n);
    ok = ok && gt_json_set_real(o, "seconds", gt_elapsed(cli));
    return gt_print_summary(cli, gt_json_if_complete(o, ok), err);
}

/* --- --project ------------------------------------------------------------------------------ */

static int read_model(struct gt_svd_model *model, struct gt_cli *cli, const char *path, struct gt_err *err)
{
    struct gt_input input = {0};
    int status = gt_input_open(&input, path, err);
    if (!status)
        status = gt_svd_store_read(model, &cli->engine, &input, err);
    gt_input_release(&input);
    return status;
}

static int project(struct svd_geno *svd, struct gt_cli *cli, const struct svd_names *names, struct gt_source *source,
                   const struct gt_svd_scores_plan *plan, const struct gt_svd_model *model, struct gt_err *err)
{
    struct gt_svd_scores_result result;
    char a[GT_THINGS_LEN], b[GT_THINGS_LEN];
    int status = gt_svd_scores(&cli->engine, source, plan, model, &result, err);
    const struct svd_table table = {.info = gt_source_info(source),
                                    .vectors = gt_buf_f64(&result.vectors),
                                    .k = plan->k,
                                    .variants = model->variants,
                                    .values = gt_buf_f64(&model->values)};
    if (!status)
        status = svd_table_write(svd, cli, names, &table, err);
    if (!status) {
        gt_report_source(cli, source);
        svd_say_match(cli, plan, model, &result);
        gt_note(cli, "%s of %s projected, %.2f s", gt_format_things(a, plan->k, "component"), gt_format_things(b, plan->samples, "sample"),
                gt_elapsed(cli));
    }
    if (!status && cli->json)
        status = print_summary(cli, plan, model, &result, err);
    gt_svd_scores_release(&result);
    return status;
}

int svd_project_run(struct svd_geno *svd, struct gt_cli *cli, const struct svd_names *names, struct gt_input *input, struct gt_err *err)
{
    struct gt_source *source = NULL;
    struct gt_svd_scores_plan plan;
    struct gt_svd_model model;
    struct gt_err why;
    gt_svd_model_init(&model, &cli->engine.budget);
    int status = read_model(&model, cli, svd->project, err);
    struct gt_svd_scores_opts opts = {.by_id = svd->match == ID, .min_match = svd->min_match};
    svd->opts.k = opts.k = svd->asked ? svd->opts.k : model.k;
    svd->opts.scale = model.scale;
    if (!status)
        status = open_source(&source, cli, &cli->select, input, err);
    if (!status)
        status = svd_check_groups(svd, source, err);
    if (!status)
        status = svd_choose_device(svd, cli, gt_source_info(source), 1, err);
    opts.device = svd->opts.device;
    if (!status)
        status = gt_svd_scores_plan(&plan, &cli->engine, source, &model, &opts, err);
    if (gt_device_fall_back(cli, &svd->device, status, err, &why)) {
        opts.device = NULL;
        status = gt_svd_scores_plan(&plan, &cli->engine, source, &model, &opts, err);
        if (!status)
            gt_device_say_cpu(cli, &why);
    }
    if (!status && cli->dry_run) {
        print_plan(cli, &plan, &model, gt_source_info(source), &svd->device);
        gt_print_notes(cli, gt_source_notes(source));
    } else if (!status) {
        status = project(svd, cli, names, source, &plan, &model, err);
    }
    gt_source_free(source);
    gt_device_close(&svd->device);
    gt_svd_model_release(&model);
    return status;
}

/* --- --fit ------------------------------------------------------------------------------------ */

/* Samples of the fit have their own vectors, and the others those of the projection; refit: all have these. */
static int put_fitted(bool refit, double *vectors, uint8_t *fit, int64_t k, const struct gt_strs *ids, const struct svd_fitted *fitted,
                      struct gt_budget *budget, struct gt_err *err)
{
    const double *own = gt_buf_f64(&fitted->result->vectors);
    struct gt_names *numbers = gt_names_of(fitted->ids, budget, err);
    for (size_t s = 0; s < ids->n && numbers; s++) {
        const char *id = gt_strs_get(ids, s);
        const int64_t at = gt_names_find(numbers, id, strlen(id));
        fit[s] = at >= 0;
        for (int64_t c = 0; c < k && at >= 0 && !refit; c++)
            vectors[(size_t)c * ids->n + s] = own[(size_t)c * fitted->ids->n + (size_t)at];
    }
    gt_names_free(numbers);
    return numbers ? GT_OK : GT_FAIL;
}

/* Which variants count was decided by the samples of the fit: the model has them.  --thin and --rm-dup of all variants would choose
 * others than of those that the filters had left. */
static struct gt_select_opts without_filters(const struct gt_select_opts *given)
{
    struct gt_select_opts select = *given;
    gt_filters_clear(&select, GT_FILTER_CALLS);
    select.thin = select.require_sites = 0;
    select.rm_dup = GT_DUP_KEEP;
    return select;
}

/* Notes of `rest`, without those that `fit` has, too. */
static void print_other_notes(struct gt_cli *cli, const struct gt_strs *rest, const struct gt_strs *fit)
{
    for (size_t i = 0; i < rest->n; i++) {
        size_t k = 0;
        while (k < fit->n && strcmp(gt_strs_get(rest, i), gt_strs_get(fit, k)) != 0)
            k++;
        if (k == fit->n)
            gt_note(cli, "%s", gt_strs_get(rest, i));
    }
}

/* The projection's plan, before there is a model. */
static int plan_rest(const struct svd_geno *svd, struct gt_cli *cli, const struct gt_geno_info *fit, struct gt_source *rest,
                     struct gt_err *err)
{
    const int64_t k = svd->opts.k, most = gt_max_i64(0, fit->n_variants < 0 ? fit->n_variants_max : fit->n_variants);
    const struct gt_svd_model model = {.k = k, .n = most, .ploidy = fit->ploidy};
    const int64_t vectors = gt_bytes_mul(fit->n_samples, gt_bytes_mul(k, (int64_t)sizeof(double)));
    const struct gt_svd_scores_opts opts = {
        .k = k, .device = svd->opts.device, .to_come = gt_bytes_add(gt_svd_model_bytes(most, k), vectors)};
    struct gt_svd_scores_plan plan;
    return gt_svd_scores_plan(&plan, &cli->engine, rest, &model, &opts, err);
}

int svd_look_at_rest(const struct svd_geno *svd, struct gt_cli *cli, const struct gt_source *fit, struct gt_err *err)
{
    const struct gt_select_opts select = without_filters(&cli->select);
    struct gt_source *source = NULL;
    int status = open_source(&source, cli, &select, NULL, err);
    if (!status)
        status = svd_check_groups(svd, source, err);
    if (!status)
        status = plan_rest(svd, cli, gt_source_info(fit), source, err);
    if (!status)
        print_other_notes(cli, gt_source_notes(source), gt_source_notes(fit));
    gt_source_free(source);
    return status;
}

/* Copies of a variant cannot be distinguished, and the first one is projected.  The fit has that one, too, if it came from --rm-dup alone:
 * filters, and the exclusion of monomorphic variants, may leave another one. */
static void warn_copies(struct gt_cli *cli, const struct gt_svd_match_stats *match)
{
    const bool first = cli->select.rm_dup && !gt_filters_given(&cli->select, GT_FILTER_CALLS) && !cli->select.thin && !cli->select.ld_prune;
    char a[GT_THINGS_LEN];
    if (match->again && !first)
        gt_warn(cli,
                "%s of a model variant in the data: the first copy is projected, but the filters may have kept another one for the "
                "fit; remove duplicates first with gt-pack --rm-dup force-first",
                gt_format_things(a, match->again, "duplicate"));
}

/* missing: calls of model variants. */
static void say_fitted(const struct svd_geno *svd, struct gt_cli *cli, int64_t missing)
{
    if (svd->refit)
        gt_note(cli, "all samples are projected, those of --fit too (--refit)");
    else if (missing && svd->projected)
        gt_note(cli, "missing calls count as the mean in samples of --fit (FIT 1), and are rescaled in projected samples (FIT 0); "
                     "--refit treats all the same");
}

static int write_all(struct svd_geno *svd, struct gt_cli *cli, const struct svd_names *names, const struct gt_source *source,
                     const struct svd_fitted *fitted, const struct gt_svd_scores_plan *plan, struct gt_svd_scores_result *result,
                     struct gt_err *err)
{
    const struct gt_geno_info *info = gt_source_info(source);
    const int64_t k = svd->opts.k, n = info->n_samples;
    struct gt_buf fit = {.budget = &cli->engine.budget};
    char a[GT_THINGS_LEN], b[GT_NUM_LEN];
    int64_t inside = 0;
    int status = gt_buf_resize(&fit, (size_t)n, err);
    if (!status)
        status = put_fitted(svd->refit, gt_buf_f64(&result->vectors), fit.data, k, &info->samples, fitted, &cli->engine.budget, err);
    for (int64_t s = 0; s < n && !status; s++)
        inside += fit.data[s];
    svd->projected = n - inside;
    const struct svd_table table = {.info = info,
                                    .fit = fit.data,
                                    .refit = svd->refit,
                                    .vectors = gt_buf_f64(&result->vectors),
                                    .k = k,
                                    .variants = fitted->model->variants,
                                    .values = gt_buf_f64(&fitted->model->values),
                                    .trace = fitted->result->trace,
                                    .model = svd->loadings ? fitted->model : NULL,
                                    .pruned = fitted->pruned};
    if (!status)
        status = svd_table_write(svd, cli, names, &table, err);
    if (!status)
        warn_copies(cli, &result->match);
    if (!status)
        svd_say_found(cli, plan, fitted->model, result);
    if (!status)
        gt_note(cli, "%s projected onto the PCs of %s", gt_format_things(a, svd->projected, "sample"),
                gt_format_count(b, (int64_t)fitted->ids->n));
    if (!status)
        say_fitted(svd, cli, result->missing);
    gt_buf_release(&fit);
    return status;
}

/* Data without positions are matched by id. */
static bool has_positions(const struct gt_svd_model *model)
{
    int64_t v = 0;
    while (v < model->n && gt_buf_i64(&model->position)[v] < 1)
        v++;
    return v < model->n;
}

int svd_project_rest(struct svd_geno *svd, struct gt_cli *cli, const struct svd_names *names, const struct svd_fitted *fitted,
                     struct gt_err *err)
{
    const struct gt_select_opts select = without_filters(&cli->select);
    const struct gt_svd_scores_opts opts = {.k = svd->opts.k, .by_id = !has_positions(fitted->model), .device = svd->opts.device};
    struct gt_svd_scores_result result = {0};
    struct gt_svd_scores_plan plan;
    struct gt_source *source = NULL;
    int status = open_source(&source, cli, &select, NULL, err);
    if (!status)
        status = gt_svd_scores_plan(&plan, &cli->engine, source, fitted->model, &opts, err);
    if (!status)
        status = gt_svd_scores(&cli->engine, source, &plan, fitted->model, &result, err);
    if (!status)
        status = write_all(svd, cli, names, source, fitted, &plan, &result, err);
    gt_svd_scores_release(&result);
    gt_source_free(source);
    return status;
}
