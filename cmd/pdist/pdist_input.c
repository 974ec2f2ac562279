#include "cmd/pdist/pdist_input.h"

#include <string.h>

#include "calc/pairs/counts_file.h"
#include "cmd/common/input_kind.h"
#include "geno/select/select_check.h"
#include "storage/input/input.h"

/* How a plain array is looked at. */
struct array_view {
    struct plain plain;
    int compared; /* axis of the view */
};

/* --- a plain array ------------------------------------------------------------------ */

/* Ids of what is compared. */
static int name_items(struct pdist_input *in, const struct array_view *view, struct gt_err *err)
{
    const struct gt_matrix_info *info = gt_matrix_info(in->matrix);
    const char *const axis = info->axis[view->compared];
    const bool samples = view->plain.samples_axis >= 0 && axis && strcmp(axis, "samples") == 0;
    char number[24];
    int status = GT_OK;
    for (int64_t i = 0; i < info->shape[view->compared] && !status; i++) {
        int64_t at = info->start[view->compared] + i * info->step[view->compared];
        const char *id = number;
        if (samples && view->plain.ids.n)
            id = gt_strs_get(&view->plain.ids, (size_t)at);
        else
            snprintf(number, sizeof number, samples ? "S%lld" : "%lld", (long long)at);
        status = gt_strs_add(&in->ids, id, strlen(id), err);
    }
    in->item = samples ? "sample" : view->compared ? "column" : "row";
    in->items = samples ? "samples" : view->compared ? "columns" : "rows";
    in->over = samples ? "value" : view->compared ? "row" : "column";
    in->overs = samples ? "values" : view->compared ? "rows" : "columns";
    return status;
}

static bool is_literal(const struct pdist_look *look)
{
    return look->use->missing == GT_MISSING_LITERAL;
}

/* What is compared becomes the columns, or, of what is multiplied first, the rows. */
static int open_matrix(struct pdist_input *in, struct gt_cli *cli, struct gt_input *input, struct array_view *view,
                       const struct pdist_look *look, struct gt_err *err)
{
    const struct gt_matrix_opts opts = {
        .array = look->array, .slice = look->select->slice, .cast = true, .type = GT_F64, .negative_missing = !is_literal(look)};
    int status = gt_matrix_open(&in->matrix, &cli->engine, input, &opts, err);
    if (!status && is_literal(look) && gt_matrix_info(in->matrix)->stored > GT_U64)
        status =
            gt_fail(err, GT_USAGE, "--missing literal needs integers; '%s' holds floating-point numbers", gt_matrix_info(in->matrix)->name);
    if (!status)
        status = plain_check_axes(gt_matrix_info(in->matrix), err);
    if (!status && view->plain.stream)
        view->plain.samples_axis = pdist_axis_samples(gt_matrix_info(in->matrix));
    if (!status)
        status = pdist_axis_of_array(look->axis, gt_matrix_info(in->matrix), view->plain.samples_axis >= 0, &view->compared, err);
    if (!status)
        status = name_items(in, view, err);
    return status || (view->compared == 1) != look->mahalanobis ? status : gt_matrix_transpose(in->matrix, err);
}

static int open_inverse(struct pdist_input *in, struct gt_cli *cli, const char *path, struct gt_err *err)
{
    const struct gt_matrix_opts opts = {.cast = true, .type = GT_F64};
    struct gt_input input = {0};
    int status = gt_input_open(&input, path, err);
    if (!status)
        status = gt_matrix_open(&in->inverse, &cli->engine, &input, &opts, err);
    gt_input_release(&input);
    return status;
}

static int open_row_source(struct pdist_input *in, struct gt_cli *cli, const struct pdist_look *look, struct gt_err *err)
{
    if (look->codes && gt_matrix_info(in->matrix)->stored <= GT_U64) {
        int failed = gt_row_source_codes(&in->codes, &cli->engine, in->matrix, &in->ids, is_literal(look), err);
        in->row_source = in->codes;
        return failed;
    }
    if (!look->mahalanobis)
        return gt_row_source_matrix(&in->row_source, in->matrix, &in->ids, err);
    int status = look->inverse ? open_inverse(in, cli, look->inverse, err) : GT_OK;
    if (!status)
        status = gt_mahalanobis_open(&in->mahalanobis, &cli->engine, in->matrix, in->inverse, in->item, in->over, err);
    return status ? status : gt_row_source_whitened(&in->row_source, in->mahalanobis, &in->ids, err);
}

static int open_array(struct pdist_input *in, struct gt_cli *cli, struct gt_input *input, struct array_view *view,
                      const struct pdist_look *look, struct gt_err *err)
{
    const struct gt_geno_info plain = {.name = input->name, .kind = "plain array"};
    int status = gt_select_check(look->select, &plain, 0, err);
    if (!status && look->n_paths > 1)
        status = gt_fail(err, GT_USAGE, "'%s' is a plain array; give one array at a time, not %d", input->name, look->n_paths);
    if (!status)
        status = open_matrix(in, cli, input, view, look, err);
    if (!status)
        status = open_row_source(in, cli, look, err);
    if (status)
        return status;
    in->name = gt_matrix_info(in->matrix)->name;
    in->kind = gt_matrix_info(in->matrix)->kind;
    return GT_OK;
}

/* --- both ----------------------------------------------------------------------------- */

static int open_genotypes(struct pdist_input *in, struct gt_cli *cli, struct gt_input *input, const struct pdist_look *look,
                          struct gt_err *err)
{
    bool variants;
    int status = pdist_axis_of_genotypes(look->axis, look->use, look->counts, &variants, err);
    const enum gt_allele_rows alleles =
        status || variants || look->beside ? GT_ALLELES_POOLED : gt_metric_alleles(look->use, look->select->haplotypes);
    const struct gt_source_opts opts = {.paths = look->paths,
                                        .n_paths = look->n_paths,
                                        .opened = input,
                                        .array = look->array,
                                        .select = look->select,
                                        .fields = GT_SITE_MULTI | (alleles ? GT_SITE_CALLS : 0) |
                                                  (variants ? GT_SITE_ID | GT_SITE_POS : 0) |
                                                  (look->beside || look->counts ? GT_SITE_POS | GT_SITE_ALLELES : 0),
                                        .again = variants || look->beside};
    if (!status)
        status = gt_source_open(&in->source, &cli->engine, &opts, err);
    if (!status)
        status = variants ? gt_row_source_variants(&in->row_source, &cli->engine, in->source, err)
                          : gt_row_source_genotypes(&in->row_source, &cli->engine, in->source, alleles, err);
    if (status)
        return status;
    in->name = gt_source_info(in->source)->name;
    in->kind = gt_source_info(in->source)->kind;
    const char *const sample = look->select->haplotypes ? "haplotype" : "sample",
                      *samples = look->select->haplotypes ? "haplotypes" : "samples";
    in->item = variants ? "variant" : sample;
    in->items = variants ? "variants" : samples;
    in->over = variants ? sample : "variant";
    in->overs = variants ? samples : "variants";
    return GT_OK;
}

int pdist_input_open(struct pdist_input *in, struct gt_cli *cli, const struct pdist_look *look, struct gt_err *err)
{
    struct gt_input input = {0};
    struct array_view view = {.compared = 0};
    memset(in, 0, sizeof *in);
    int status = gt_input_open(&input, look->paths[0], err);
    if (!status)
        status = plain_look(&view.plain, &cli->engine, &input, look->paths[0], look->array, look->as, err);
    if (!status)
        plain_say(&view.plain, cli, input.name);
    if (!status)
        status = view.plain.is ? open_array(in, cli, &input, &view, look, err) : open_genotypes(in, cli, &input, look, err);
    gt_strs_release(&view.plain.ids);
    gt_input_release(&input);
    if (status == GT_INPUT && gt_ends_with(look->paths[0], ".counts"))
        gt_hint(err, "--merge reads files of pair counts");
    if (status)
        pdist_input_release(in);
    return status;
}

int pdist_input_plan(struct pdist_input *in, struct gt_err *err)
{
    return in->mahalanobis ? gt_mahalanobis_plan(in->mahalanobis, err) : GT_OK;
}

int pdist_input_prepare(struct pdist_input *in, struct gt_err *err)
{
    return in->mahalanobis ? gt_mahalanobis_find(in->mahalanobis, err) : GT_OK;
}

bool pdist_input_widen(struct pdist_input *in, struct gt_err *err)
{
    if (!in->codes || !gt_row_source_codes_others(in->codes))
        return false;
    in->row_source->ops->free(in->row_source);
    in->row_source = in->codes = NULL;
    gt_err_clear(err);
    int status = gt_matrix_rewind(in->matrix, err);
    if (!status)
        status = gt_matrix_deliver(in->matrix, GT_F64, err);
    return !status && gt_row_source_matrix(&in->row_source, in->matrix, &in->ids, err) == GT_OK;
}

bool pdist_input_any_negative(const struct pdist_input *in)
{
    return in->codes ? gt_row_source_codes_negative(in->codes) : in->matrix && gt_matrix_any_negative(in->matrix);
}

int pdist_input_check_counts(const struct pdist_input *in, bool autosomal, struct gt_err *err)
{
    const struct gt_row_source_info *info = &in->row_source->info;
    const uint32_t flags = info->counts ? info->counts->flags : GT_COUNTS_CONTIGS;
    if (flags & GT_COUNTS_CONTIGS || autosomal == !!(flags & GT_COUNTS_AUTOSOMAL))
        return GT_OK;
    gt_fail(err, GT_USAGE, "'%s' was made %s X, Y and mitochondria, which this metric %s", info->name, autosomal ? "with" : "without",
            autosomal ? "leaves out" : "keeps");
    gt_hint(err, "make the counts with the same -m, or with --contigs");
    return GT_USAGE;
}

int pdist_input_open_counts(struct pdist_input *in, struct gt_cli *cli, enum gt_counts_sum sum, struct gt_err *err)
{
    memset(in, 0, sizeof *in);
    for (int i = 0; i < cli->n_operands; i++)
        if (strcmp(cli->operands[i], "-") == 0)
            return gt_fail(err, GT_USAGE, "--merge needs the names of files of pair counts; it does not read standard input");
    int status = gt_row_source_counts(&in->row_source, &cli->engine, cli->operands, cli->n_operands, sum, err);
    if (status) {
        pdist_input_release(in);
        return status;
    }
    in->name = in->row_source->info.name;
    in->kind = "pair counts";
    in->item = "sample";
    in->items = "samples";
    in->over = "variant";
    in->overs = "variants";
    return GT_OK;
}

void pdist_input_release(struct pdist_input *in)
{
    if (in->row_source)
        in->row_source->ops->free(in->row_source);
    gt_source_free(in->source);
    gt_mahalanobis_free(in->mahalanobis);
    gt_matrix_free(in->matrix);
    gt_matrix_free(in->inverse);
    gt_strs_release(&in->ids);
    memset(in, 0, sizeof *in);
}
