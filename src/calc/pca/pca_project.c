#include "calc/pca/pca_project.h"

#include <math.h>
#include <string.h>

#include "calc/pca/pca_block.h"
#include "core/base/size.h"
#include "core/device/device_work.h"
#include "core/engine/flow.h"
#include "geno/model/ploidy.h"

enum { DIGITS = 2 };

struct run {
    struct gt_engine *engine;
    struct gt_source *source; /* in fixed blocks */
    const struct gt_svd_scores_plan *plan;
    const struct gt_svd_model *model;
    struct gt_svd_match *match;
    struct gt_svd_on_device *device; /* NULL: the cpu */
    int unit;                        /* sums are in 2^unit */
    int64_t row_group;               /* samples of a part */
    struct gt_buf sums;              /* int64_t [samples][DIGITS * width] */
    struct gt_buf back;              /* int64_t [DIGITS * width]: taken off the sums of all samples */
    struct gt_buf missing;           /* int64_t [samples]: calls, of the variants found */
};

struct item {
    struct gt_svd_block block;
    struct gt_buf rows;    /* packed, of the variants found, `stride` apart */
    struct gt_buf variant; /* int64_t [block.rows]: of the model; ~number where alleles are swapped */
    size_t stride;
};

/* --- plan ---------------------------------------------------------------------------------- */

int gt_svd_scores_plan(struct gt_svd_scores_plan *plan, struct gt_engine *engine, struct gt_source *source,
                       const struct gt_svd_model *model, const struct gt_svd_scores_opts *opts, struct gt_err *err)
{
    const int64_t k = opts->k;
    const struct gt_geno_info *info = gt_source_info(source);
    char a[GT_THINGS_LEN];
    if (k > model->k)
        return gt_fail(err, GT_USAGE, "-k %lld: the model has %s", (long long)k, gt_format_things(a, model->k, "component"));
    if (model->ploidy != info->ploidy) {
        gt_fail(err, GT_INPUT, "the model is of %s data, and '%s' is %s", model->ploidy == GT_HAPLOID ? "haploid" : "diploid", info->name,
                info->ploidy == GT_HAPLOID ? "haploid" : "diploid");
        gt_hint(err, "--ploidy %d reads the data as the model needs it", model->ploidy);
        return GT_INPUT;
    }
    *plan = (struct gt_svd_scores_plan){.opts = *opts,
                                        .samples = info->n_samples,
                                        .variants = info->n_variants,
                                        .k = k,
                                        .width = gt_svd_width(k),
                                        .block_rows = gt_svd_block_rows(info->n_samples)};
    const int64_t row = (plan->samples + 3) / 4 + 16, number = (int64_t)sizeof(int64_t);
    const int64_t block =
        gt_bytes_add(gt_svd_block_bytes(plan->samples, plan->block_rows, plan->width), gt_bytes_mul(plan->block_rows, row + number));
    const int64_t sums = gt_bytes_mul(plan->samples + 1, (DIGITS * plan->width + plan->width + plan->k + 1) * number);
    const int64_t on_host = opts->device ? gt_svd_device_host_bytes(plan->block_rows, plan->width) : 0;
    plan->allotment[GT_SVD_SCORES_READING] =
        (struct gt_allotment){.name = "reading", .minimum = info->read_minimum, .preferred = info->read_preferred};
    plan->allotment[GT_SVD_SCORES_BLOCKS] =
        (struct gt_allotment){.name = "a block of variants", .minimum = block, .preferred = gt_memory_plan_of_flow(engine, 1, block)};
    plan->allotment[GT_SVD_SCORES_SUMS] =
        (struct gt_allotment){.name = "sums of samples", .minimum = gt_bytes_add(sums + on_host, gt_svd_match_bytes(model->n))};
    plan->allotment[GT_SVD_SCORES_MODEL] = (struct gt_allotment){.name = "PCs and their loadings", .minimum = opts->to_come};
    int status = gt_memory_plan_fit(plan->allotment, GT_SVD_SCORES_ALLOTMENTS, engine, err);
    if (status || !opts->device)
        return status;
    plan->device_bytes = gt_svd_device_bytes(opts->device, plan->samples, plan->block_rows, plan->width);
    return gt_device_check_room(opts->device, plan->device_bytes, err);
}

/* --- a block ------------------------------------------------------------------------------- */

/* The rows that the model has, one after another. */
static int gather(const struct run *run, const struct gt_block *from, struct item *item, struct gt_err *err)
{
    const size_t row = ((size_t)run->plan->samples + 3) / 4;
    int64_t n = 0;
    item->stride = row;
    int status = gt_buf_resize(&item->rows, (size_t)from->n * row + GT_KERNEL_PAD, err);
    if (!status)
        status = gt_buf_resize(&item->variant, (size_t)from->n * sizeof(int64_t), err);
    for (int64_t v = 0; v < from->n && !status; v++) {
        bool swapped;
        const int64_t found = gt_svd_match_site(run->match, from, v, &swapped);
        if (found < 0)
            continue;
        gt_buf_i64(&item->variant)[n] = swapped ? ~found : found;
        memcpy(item->rows.data + (size_t)n++ * row, gt_block_row(from, v), row);
    }
    item->block.rows = n;
    return status;
}

static int read_block(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    struct item *item = it;
    struct gt_block *from;
    (void)task;
    gt_svd_block_budget(&item->block, &run->engine->budget);
    item->rows.budget = item->variant.budget = &run->engine->budget;
    int status = gt_source_next(run->source, &from, err);
    if (status)
        return status;
    gt_flow_bytes(from->n * (int64_t)from->stride);
    status = from->sites.len || !from->n ? gather(run, from, item, err)
                                         : gt_fail(err, GT_INPUT, "the input has no positions, so the model's variants cannot be found");
    gt_source_done(run->source, from);
    return status;
}

static void release(void *ctx, void *it)
{
    struct item *item = it;
    (void)ctx;
    gt_svd_block_release(&item->block);
    gt_buf_release(&item->rows);
    gt_buf_release(&item->variant);
}

/* What the dosage less its mean is multiplied with, for component c. */
static double factor(const struct gt_svd_model *model, int64_t variant, int64_t c)
{
    const double square = gt_buf_f64(&model->values)[c];
    return square > 0 ? gt_buf_f64(&model->loadings)[variant * model->k + c] * sqrt(gt_buf_f64(&model->weights)[variant] / square) : 0;
}

/* If the alleles are swapped, the allele count is k minus the stored one, with k the ploidy; minus its mean it is -(stored - (k - mean)).
 */
static void fill(const struct run *run, struct item *item)
{
    const struct gt_svd_model *model = run->model;
    const int64_t width = run->plan->width;
    for (int64_t v = 0; v < item->block.rows; v++) {
        const int64_t at = gt_buf_i64(&item->variant)[v], variant = at < 0 ? ~at : at;
        double *values = gt_buf_f64(&item->block.values) + v * width;
        gt_buf_f64(&item->block.weights)[v] = 1;
        gt_buf_f64(&item->block.means)[v] =
            at < 0 ? model->ploidy - gt_buf_f64(&model->means)[variant] : gt_buf_f64(&model->means)[variant];
        for (int64_t c = 0; c < width; c++)
            values[c] = c < run->plan->k ? (at < 0 ? -1 : 1) * factor(model, variant, c) : 0;
    }
}

static int prepare(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    struct item *item = it;
    (void)task;
    int status = gt_svd_block_room(&item->block, item->block.rows, run->plan->width, err);
    if (status || !item->block.rows)
        return status;
    memset(item->rows.data + (size_t)item->block.rows * item->stride, 0, GT_KERNEL_PAD);
    fill(run, item);
    item->block.any_gaps = true;
    item->block.device = run->device;
    status = gt_svd_block_turn(&item->block, item->rows.data, item->stride, run->plan->samples, err);
    if (!status)
        status = gt_svd_block_weigh(&item->block, run->plan->width, DIGITS, run->unit, err);
    if (status || !run->device)
        return status;
    const struct gt_svd_device_rows rows = {GT_SVD_DEVICE_ONCE, item->block.rows, item->rows.data, item->stride};
    return gt_svd_device_back(run->device, &rows, &item->block.fixed, true, item->block.shift, err);
}

static int add_up(void *ctx, int64_t task, int64_t part, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    const struct gt_svd_block *block = &((const struct item *)it)->block;
    const int64_t from = part * run->row_group, left = run->plan->samples - from, n = left < run->row_group ? left : run->row_group;
    (void)task, (void)err;
    if (!block->rows)
        return GT_OK;
    if (!block->device)
        gt_svd_block_back(block, from, n, gt_buf_i64(&run->sums) + from * DIGITS * run->plan->width);
    for (int64_t s = from; s < from + n; s++) {
        int64_t counts[4];
        gt_kernels()->count_codes(block->turned.data + (size_t)s * block->turned_stride, block->rows, counts);
        gt_buf_i64(&run->missing)[s] += counts[3];
    }
    return GT_OK;
}

static int commit(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    const struct gt_svd_block *block = &((const struct item *)it)->block;
    (void)task, (void)err;
    if (block->rows)
        gt_svd_block_means(block, gt_buf_i64(&run->back));
    return GT_OK;
}

/* --- all ------------------------------------------------------------------------------------- */

/* No sum of first digits is larger than 2 sum |factor|, in its column, and four times that with what is rounded; those of
 * second ones are, of each variant, up to as large as the largest first one. */
static int unit_of(const struct gt_svd_model *model, int64_t k)
{
    double most = 0;
    int exponent;
    for (int64_t c = 0; c < k; c++) {
        double sum = 0, largest = 0;
        for (int64_t v = 0; v < model->n; v++) {
            sum += fabs(factor(model, v, c));
            largest = fmax(largest, fabs(factor(model, v, c)));
        }
        most = fmax(most, fmax(sum, largest * (double)model->n));
    }
    frexp(8 * most, &exponent);
    return exponent - 62;
}

static int begin(struct run *run, struct gt_svd_scores_result *result, struct gt_err *err)
{
    const struct gt_svd_scores_plan *plan = run->plan;
    struct gt_budget *budget = &run->engine->budget;
    const size_t samples = (size_t)plan->samples, columns = (size_t)(DIGITS * plan->width);
    run->sums.budget = run->back.budget = run->missing.budget = result->vectors.budget = budget;
    run->row_group = (gt_ceil_div(plan->samples, 4 * run->engine->limits.threads) + 63) / 64 * 64;
    run->unit = unit_of(run->model, plan->k);
    int status = gt_buf_zeros(&run->sums, samples * columns * sizeof(int64_t), err);
    if (!status)
        status = gt_buf_zeros(&run->back, columns * sizeof(int64_t), err);
    if (!status)
        status = gt_buf_zeros(&run->missing, samples * sizeof(int64_t), err);
    return status ? status : gt_buf_zeros(&result->vectors, samples * (size_t)plan->k * sizeof(double), err);
}

static int begin_on_device(struct run *run, struct gt_err *err)
{
    const struct gt_svd_scores_plan *plan = run->plan;
    int status =
        gt_svd_device_new(&run->device, plan->opts.device, &run->engine->budget, plan->samples, plan->block_rows, plan->width, err);
    return status ? status : gt_svd_device_begin_back(run->device, DIGITS * plan->width, err);
}

static int run_pass(struct run *run, struct gt_source *source, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "project",
                                           .read_name = "collect",
                                           .work_name = "transpose",
                                           .part_name = "multiply",
                                           .item_size = sizeof(struct item),
                                           .read = read_block,
                                           .work = prepare,
                                           .part = add_up,
                                           .release = release};
    const struct gt_svd_scores_plan *plan = run->plan;
    const struct gt_reblock_opts blocks = {.variants = plan->block_rows, .sites = true};
    const struct gt_flow_opts opts = {.tasks = -1,
                                      .parts = gt_ceil_div(plan->samples, run->row_group),
                                      .readers = 1,
                                      .task_bytes = (size_t)gt_svd_block_bytes(plan->samples, plan->block_rows, plan->width),
                                      .memory = plan->allotment[GT_SVD_SCORES_BLOCKS].size};
    gt_source_set_memory(source, plan->allotment[GT_SVD_SCORES_READING].size);
    int status = gt_source_reblock(source, &blocks, err);
    run->source = source;
    if (!status)
        status = gt_flow_run(run->engine, &ops, &opts, run, commit, err);
    gt_source_stop(source);
    return status;
}

/* Sums over the calls that a sample has stand for all of the model's variants. */
static int finish(const struct run *run, struct gt_svd_scores_result *result, struct gt_err *err)
{
    const struct gt_svd_scores_plan *plan = run->plan;
    const int64_t found = result->match.same + result->match.swapped, n = plan->samples;
    struct gt_buf product = {.budget = &run->engine->budget};
    int status = gt_buf_resize(&product, (size_t)(n * plan->width) * sizeof(double), err);
    if (!status)
        gt_svd_block_product(gt_buf_i64(&run->sums), gt_buf_i64(&run->back), n, plan->width, DIGITS, run->unit, gt_buf_f64(&product));
    for (int64_t s = 0; s < n && !status; s++) {
        const int64_t known = found - gt_buf_i64(&run->missing)[s];
        result->empty += known == 0;
        result->missing += gt_buf_i64(&run->missing)[s];
        for (int64_t c = 0; c < plan->k; c++)
            gt_buf_f64(&result->vectors)[c * n + s] =
                known ? gt_buf_f64(&product)[c * n + s] * ((double)run->model->n / (double)known) + 0.0 : 0;
    }
    gt_buf_release(&product);
    return status;
}

/* Counts the model's variants that the source has when they are matched the other way. */
static int count_other_way(const struct run *run, struct gt_source *source, int64_t *found, struct gt_err *err)
{
    struct gt_svd_match *match = NULL;
    struct gt_block *block;
    int status = gt_source_rewind(source, err);
    if (!status)
        status = gt_svd_match_open(&match, run->model, !run->plan->opts.by_id, &run->engine->budget, err);
    while (!status && !(status = gt_source_next(source, &block, err))) {
        bool swapped;
        for (int64_t v = 0; v < block->n && block->sites.len; v++)
            gt_svd_match_site(match, block, v, &swapped);
        gt_source_done(source, block);
    }
    if (match)
        *found = gt_svd_match_counts(match)->same + gt_svd_match_counts(match)->swapped;
    gt_svd_match_free(match);
    return status == GT_END ? GT_OK : status;
}

/* A hint for too few variants, from what the data shows. */
static void hint_at_match(const struct run *run, struct gt_source *source, const struct gt_svd_match_stats *match, struct gt_err *err)
{
    const bool by_id = run->plan->opts.by_id;
    struct gt_err ignored = {0};
    int64_t other = 0;
    char a[GT_NUM_LEN], b[GT_THINGS_LEN];
    if (gt_source_can_rewind(source) && count_other_way(run, source, &other, &ignored))
        other = 0;
    if (other > match->same + match->swapped)
        gt_hint(err, "--match %s would find %s", by_id ? "position" : "id", gt_format_count(a, other));
    else if (match->others > match->same + match->swapped)
        gt_hint(err, "%s in the data with a model variant's %s but other alleles: is the data of the other strand?",
                gt_format_things(b, match->others, "variant"), by_id ? "id" : "position");
    else if (!gt_source_can_rewind(source))
        gt_hint(err, "try --match %s", by_id ? "position" : "id");
    else
        gt_hint(err, "--match %s would find %s; are the model and the data of the same %s?", by_id ? "position" : "id",
                gt_format_count(a, other), by_id ? "variants" : "genome build");
}

static int check_match(const struct run *run, struct gt_source *source, const struct gt_svd_match_stats *match, struct gt_err *err)
{
    const double minimum = run->plan->opts.min_match;
    const int64_t found = match->same + match->swapped;
    const char *how = run->plan->opts.by_id ? "id" : "position", *name = gt_source_info(source)->name;
    char a[GT_NUM_LEN], b[GT_NUM_LEN];
    if (found && (double)found >= minimum * (double)run->model->n)
        return GT_OK;
    if (found)
        gt_fail(err, GT_INPUT, "only %s of %s model variants found in '%s' by %s (--min-match %g)", gt_format_count(a, found),
                gt_format_count(b, run->model->n), name, how, minimum);
    else
        gt_fail(err, GT_INPUT, "none of %s model variants found in '%s' by %s", gt_format_count(b, run->model->n), name, how);
    hint_at_match(run, source, match, err);
    return GT_INPUT;
}

int gt_svd_scores(struct gt_engine *engine, struct gt_source *source, const struct gt_svd_scores_plan *plan,
                  const struct gt_svd_model *model, struct gt_svd_scores_result *result, struct gt_err *err)
{
    struct run run = {.engine = engine, .plan = plan, .model = model};
    *result = (struct gt_svd_scores_result){.absent = 0};
    int status = gt_svd_match_open(&run.match, model, plan->opts.by_id, &engine->budget, err);
    if (!status)
        status = begin(&run, result, err);
    if (!status && plan->opts.device)
        status = begin_on_device(&run, err);
    if (!status)
        status = run_pass(&run, source, err);
    if (!status && run.device)
        status = gt_svd_device_sums(run.device, gt_buf_i64(&run.sums), err);
    gt_svd_device_free(run.device);
    if (run.match)
        result->match = *gt_svd_match_counts(run.match);
    result->absent = model->n - result->match.same - result->match.swapped;
    gt_svd_match_free(run.match);
    if (!status)
        status = check_match(&run, source, &result->match, err);
    if (!status)
        status = finish(&run, result, err);
    gt_buf_release(&run.sums);
    gt_buf_release(&run.back);
    gt_buf_release(&run.missing);
    return status;
}

void gt_svd_scores_release(struct gt_svd_scores_result *result)
{
    gt_buf_release(&result->vectors);
}
