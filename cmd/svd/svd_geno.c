#include "cmd/svd/svd_geno.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc/pca/pca_plot.h"
#include "calc/pca/pca_store.h"
#include "calc/pca/pca_table.h"
#include "cmd/common/report.h"
#include "cmd/device/device_choice.h"
#include "core/base/mem.h"
#include "core/base/outfile.h"
#include "core/base/size.h"
#include "geno/samples/groups.h"
#include "geno/source/source.h"
#include "storage/text/text_file.h"

/* --- a table ---------------------------------------------------------------------------- */

static int write_store(const struct gt_cli *cli, const char *path, bool replace, const struct svd_geno *svd, const struct svd_table *table,
                       struct gt_err *err)
{
    const struct gt_svd_stored what = {.scale = svd->opts.scale,
                                       .ploidy = table->info->ploidy,
                                       .ids = &table->info->samples,
                                       .fit = table->fit,
                                       .k = table->k,
                                       .variants = table->variants,
                                       .vectors = table->vectors,
                                       .values = table->values,
                                       .model = table->model,
                                       .history = cli->history};
    struct gt_budget *budget = (struct gt_budget *)&cli->engine.budget;
    return gt_svd_store_write(path, replace, cli->command_line, &what, budget, err);
}

static int scale(struct gt_buf *vectors, const struct svd_table *table, struct gt_err *err)
{
    const int64_t n = table->info->n_samples;
    int status = gt_buf_resize(vectors, (size_t)(n * table->k) * sizeof(double), err);
    for (int64_t i = 0; i < n * table->k && !status; i++)
        gt_buf_f64(vectors)[i] = table->vectors[i] * sqrt(table->values[i / n]);
    return status;
}

static const char *path_of(const struct gt_str *name)
{
    return name->len ? name->s : NULL;
}

/* Eigenvalues are those of PLINK 2: of X'X over the number of variants, constant ones too. */
static int make_eigenvalues(struct gt_buf *values, const struct svd_table *table, struct gt_err *err)
{
    int status = gt_buf_resize(values, (size_t)table->k * sizeof(double), err);
    for (int64_t c = 0; c < table->k && !status; c++)
        gt_buf_f64(values)[c] = table->values[c] / (double)table->variants;
    return status;
}

static int write_tables(struct gt_components_files *files, const struct gt_cli *cli, const struct svd_names *names,
                        const struct svd_table *table, const double *vectors, const double *values, struct gt_err *err)
{
    const struct gt_components c = {.ids = &table->info->samples,
                                    .plink_ids = &table->info->plink_ids,
                                    .k = table->k,
                                    .fit = table->fit,
                                    .refit = table->refit,
                                    .vectors = vectors,
                                    .values = values,
                                    .model = table->model,
                                    .pruned = table->pruned};
    const struct gt_components_paths paths = {.vectors = names->stream ? cli->output : names->vectors.s,
                                              .values = path_of(&names->values),
                                              .loadings = path_of(&names->loadings),
                                              .pruned = path_of(&names->pruned)};
    return gt_components_write(files, &c, svd_formats[names->format].components, &paths, err);
}

/* Reads --groups for the samples of a source; without the option there are none. */
static int read_groups(struct gt_groups *groups, const struct svd_geno *svd, const struct gt_geno_info *info, struct gt_err *err)
{
    *groups = (struct gt_groups){0};
    return svd->groups ? gt_groups_read(groups, svd->groups, &info->samples, &info->plink_ids, info->name, err) : GT_OK;
}

int svd_check_groups(const struct svd_geno *svd, const struct gt_source *source, struct gt_err *err)
{
    struct gt_groups groups;
    int status = read_groups(&groups, svd, gt_source_info(source), err);
    gt_groups_release(&groups);
    return status;
}

static int write_plot(struct gt_outfile *file, const struct svd_geno *svd, struct gt_cli *cli, const struct svd_table *table,
                      const double *vectors, const double *values, struct gt_err *err)
{
    const struct gt_geno_info *info = table->info;
    struct gt_groups groups;
    char n[GT_THINGS_LEN];
    int status = read_groups(&groups, svd, info, err);
    const struct gt_pca_plot plot = {.samples = info->n_samples,
                                     .k = table->k,
                                     .vectors = vectors,
                                     .values = values,
                                     .trace = table->trace / (double)table->variants,
                                     .fit = table->fit,
                                     .groups = svd->groups ? &groups : NULL,
                                     .ids = &info->samples};
    if (!status && svd->groups)
        gt_report_groups(cli, &groups, svd->groups);
    if (!status && groups.left_out)
        gt_note(cli, "'%s' has no group for %s", svd->groups, gt_format_things(n, groups.left_out, "sample"));
    if (!status)
        status = gt_picture_open(file, svd->plot, &cli->picture, err);
    if (!status)
        status = gt_pca_plot_write(file, &plot, err);
    gt_groups_release(&groups);
    return status;
}

int svd_table_write(const struct svd_geno *svd, struct gt_cli *cli, const struct svd_names *names, const struct svd_table *table,
                    struct gt_err *err)
{
    const bool store = !svd_formats[names->format].components;
    struct gt_components_files files;
    struct gt_buf scaled = {.budget = &cli->engine.budget}, values = {.budget = &cli->engine.budget};
    int status = make_eigenvalues(&values, table, err);
    gt_components_begin(&files);
    if (!status && svd->scores)
        status = scale(&scaled, table, err);
    const double *vectors = svd->scores ? gt_buf_f64(&scaled) : table->vectors;
    if (!status && svd->plot)
        status = write_plot(&files.file[GT_COMPONENTS_MORE], svd, cli, table, vectors, gt_buf_f64(&values), err);
    if (!status && !store && !svd->alone)
        status = write_tables(&files, cli, names, table, vectors, gt_buf_f64(&values), err);
    if (!status && (store || names->model.len))
        status = write_store(cli, store ? names->vectors.s : names->model.s, !store || cli->force, svd, table, err);
    if (!status)
        status = gt_components_commit(&files, err);
    gt_components_abort(&files);
    gt_buf_release(&scaled);
    gt_buf_release(&values);
    return status;
}

/* --- a decomposition ----------------------------------------------------------------------- */

static int write_result(const struct svd_geno *svd, struct gt_cli *cli, const struct svd_names *names, const struct gt_source *source,
                        const struct gt_svd_result *result, const struct gt_svd_model *model, struct gt_err *err)
{
    const struct svd_table table = {.info = gt_source_info(source),
                                    .vectors = gt_buf_f64(&result->vectors),
                                    .k = svd->opts.k,
                                    .variants = result->used + result->constant,
                                    .values = gt_buf_f64(&result->values),
                                    .trace = result->trace,
                                    .model = svd->loadings ? model : NULL,
                                    .pruned = gt_source_pruned_ids(source)};
    return svd_table_write(svd, cli, names, &table, err);
}

/* The source is freed, and another one opened of all samples. */
static int write_fit(struct svd_geno *svd, struct gt_cli *cli, const struct svd_names *names, struct gt_source **source,
                     const struct gt_svd_result *result, const struct gt_svd_model *model, struct gt_err *err)
{
    const struct gt_strs *kept = gt_source_pruned_ids(*source);
    struct gt_strs ids = {.budget = &cli->engine.budget}, pruned = {.budget = &cli->engine.budget};
    const struct svd_fitted fitted = {.ids = &ids, .result = result, .model = model, .pruned = kept ? &pruned : NULL};
    int status = gt_strs_copy(&ids, &gt_source_info(*source)->samples, err);
    if (!status && kept)
        status = gt_strs_copy(&pruned, kept, err);
    gt_report_source(cli, *source);
    gt_source_free(*source);
    *source = NULL;
    if (!status)
        status = svd_project_rest(svd, cli, names, &fitted, err);
    gt_strs_release(&ids);
    gt_strs_release(&pruned);
    return status;
}

static int decompose(struct svd_geno *svd, struct gt_cli *cli, const struct svd_names *names, struct gt_source **source,
                     const struct gt_svd_plan *plan, struct gt_err *err)
{
    struct gt_svd_result result;
    struct gt_svd_model model;
    gt_svd_model_init(&model, &cli->engine.budget);
    int status = gt_svd_run(&cli->engine, *source, plan, &svd->opts, &result, err);
    if (status == GT_INPUT && !gt_source_stats(*source)->sites_kept)
        gt_report_source(cli, *source); /* what dropped them */
    char *worst = status ? NULL : gt_strdup(gt_strs_get(&gt_source_info(*source)->samples, (size_t)result.worst), err);
    if (!status && !worst)
        status = GT_FAIL;
    if (!status && svd->opts.loadings)
        status = gt_svd_loadings(&cli->engine, *source, plan, &svd->opts, &result, &model, err);
    if (!status && cli->comm.rank == 0)
        status = svd->fit ? write_fit(svd, cli, names, source, &result, &model, err)
                          : write_result(svd, cli, names, *source, &result, &model, err);
    if (!status && cli->comm.rank == 0) {
        if (*source)
            gt_report_source(cli, *source);
        svd_say_end(svd, cli, plan, &result, worst);
    }
    if (!status && cli->json)
        status = svd_print_summary(svd, cli, plan, &result, err);
    free(worst);
    gt_svd_model_release(&model);
    gt_svd_release(&result);
    return status;
}

int svd_open_source(struct gt_source **source, struct gt_cli *cli, struct gt_source_opts how, const char *option, struct gt_err *err)
{
    how.paths = cli->operands;
    how.n_paths = cli->n_operands;
    how.array = cli->array;
    int status = gt_source_open(source, &cli->engine, &how, err);
    if (status)
        return status;
    const struct gt_geno_info *info = gt_source_info(*source);
    if (!(info->has & GT_HAS_DOSAGES))
        return gt_fail(err, GT_USAGE, "gt-svd needs genotypes, but --slice selects one allele of each call of '%s'", info->name);
    if (option && !(info->has & GT_HAS_ALLELES))
        return gt_fail(err, GT_USAGE, "--%s matches variants by their alleles, and '%s' has none", option, info->name);
    return GT_OK;
}

/* Who makes the axes, and who is projected, are read one after another. */
static int check_fit(const struct gt_cli *cli, const struct gt_input *input, struct gt_err *err)
{
    bool stream = input->kind != GT_KIND_ZARR_DIR && !input->seekable;
    for (int i = 0; i < cli->n_operands; i++)
        stream |= strcmp(cli->operands[i], "-") == 0;
    if (!stream)
        return GT_OK;
    gt_fail(err, GT_USAGE, "--fit reads its input twice, and '%s' is a stream", input->name);
    gt_hint(err, "make a store with gt-pack");
    return GT_USAGE;
}

static int open_source(struct gt_source **source, const struct svd_geno *svd, struct gt_cli *cli, const struct svd_names *names,
                       struct gt_input *input, struct gt_err *err)
{
    const unsigned sites = svd->opts.loadings ? GT_SITE_POS | GT_SITE_ALLELES | GT_SITE_ID : 0;
    struct gt_select_opts select = cli->select;
    if (svd->fit) {
        select.samples = NULL;
        select.samples_file = svd->fit;
        select.samples_option = "--fit";
    }
    const struct gt_source_opts how = {.opened = input,
                                       .select = &select,
                                       .fields = GT_SITE_MULTI | sites | (names->pruned.len ? GT_SITE_ID : 0),
                                       .again = svd->opts.loadings};
    return svd_open_source(source, cli, how, svd->fit ? "fit" : svd->opts.loadings ? "loadings" : NULL, err);
}

int svd_choose_device(struct svd_geno *svd, struct gt_cli *cli, const struct gt_geno_info *info, int passes, struct gt_err *err)
{
    const struct gt_device_work work = gt_svd_device_work(info, svd->opts.k, passes, cli->engine.limits.threads);
    char max[GT_NUM_LEN], text[GT_NUM_LEN + 40];
    snprintf(text, sizeof text, "an input of more than %s samples", gt_format_count(max, GT_SVD_DEVICE_SAMPLES));
    const char *no_path = info->n_samples > GT_SVD_DEVICE_SAMPLES ? text : NULL;
    int status = gt_device_choose(cli, &work, no_path, &svd->device, err);
    svd->opts.device = svd->device.ops ? &svd->device : NULL;
    return status;
}

/* Of --fit also the projection's. */
static int make_plan(struct gt_svd_plan *plan, const struct svd_geno *svd, struct gt_cli *cli, struct gt_source *source, struct gt_err *err)
{
    const int status = gt_svd_plan(plan, &cli->engine, source, &svd->opts, err);
    return status || !svd->fit ? status : svd_look_at_rest(svd, cli, source, err);
}

static int run(struct svd_geno *svd, struct gt_cli *cli, const struct svd_names *names, struct gt_input *input, struct gt_err *err)
{
    struct gt_source *source = NULL;
    struct gt_svd_plan plan;
    struct gt_err why;
    int status = open_source(&source, svd, cli, names, input, err);
    if (!status && !svd->fit)
        status = svd_check_groups(svd, source, err);
    if (!status)
        status = svd_choose_device(svd, cli, gt_source_info(source), GT_SVD_DEVICE_PASSES, err);
    if (!status)
        status = make_plan(&plan, svd, cli, source, err);
    if (gt_device_fall_back(cli, &svd->device, status, err, &why)) {
        svd->opts.device = NULL;
        status = make_plan(&plan, svd, cli, source, err);
        if (!status)
            gt_device_say_cpu(cli, &why);
    }
    if (!status && cli->dry_run) {
        status = svd_print_plan(svd, cli, &plan, gt_source_info(source), err);
        gt_print_notes(cli, gt_source_notes(source));
    } else if (!status) {
        status = decompose(svd, cli, names, &source, &plan, err);
    }
    gt_source_free(source);
    gt_device_close(&svd->device);
    return status;
}

int svd_geno_run(struct svd_geno *svd, struct gt_cli *cli, struct gt_input *input, struct gt_err *err)
{
    const unsigned beside = SVD_VALUES | (cli->select.ld_prune ? SVD_PRUNED : 0) | (svd->loadings ? SVD_LOADINGS : 0);
    struct svd_names names = {0};
    cli->select.autosomal = cli->select.one_alt = true;
    cli->select.lists_samples = svd->fit != NULL;
    svd->opts.loadings = svd->loadings || svd->fit;
    int status = svd->alone ? GT_OK : svd_names_choose(&names, cli, svd->format, svd->project ? 0 : beside, err);
    if (!status && svd->scores && !svd_formats[names.format].components)
        status = gt_fail(err, GT_USAGE, "--scores cannot be combined with -O zarr, which stores the singular values");
    if (!status && svd->project && cli->ranks)
        status = gt_fail(err, GT_USAGE, "--ranks: --project runs in one process");
    if (!status && svd->fit)
        status = check_fit(cli, input, err);
    if (!status && svd->project && cli->comm.rank > 0) /* rank 0 projects */
        return svd_names_release(&names), GT_OK;
    if (!status)
        status = svd->project ? svd_project_run(svd, cli, &names, input, err) : run(svd, cli, &names, input, err);
    svd_names_release(&names);
    return status;
}
