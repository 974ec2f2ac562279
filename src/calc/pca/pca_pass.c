/* Passes over blocks of variants: what each adds, in whole numbers or in order of blocks. */
#include <math.h>
#include <string.h>

#include "calc/pca/pca_memory.h"
#include "calc/pca/pca_ranks.h"
#include "core/base/size.h"
#include "core/engine/flow.h"

struct run {
    struct gt_svd_passes *passes;
    struct gt_svd_fixed *operand; /* of the samples; passes->memory has it, and: */
    struct gt_buf *sums;          /* int64_t [samples][digits * width] */
    int digits;
    int unit;            /* sums are in 2^unit */
    int64_t row_group;   /* samples of a part */
    struct gt_buf back;  /* int64_t [digits * width]: taken off the sums of all samples */
    bool unseen;         /* the variants are looked at as well */
    struct gt_buf inner; /* int64_t [width][width], in 2^unit */
};

struct item {
    struct gt_block *from; /* NULL: given back */
    struct gt_svd_block block;
    struct gt_buf inner; /* double [width][width] */
};

int64_t gt_svd_pass_bytes(const struct gt_svd_plan *plan, int ranks)
{
    enum { TERM = 48 }; /* of a block, of several ranks */
    const int64_t columns = 2 * plan->width, sums = gt_bytes_mul(plan->samples + 4, (columns + 1) * (int64_t)sizeof(int64_t));
    const int64_t terms = ranks > 1 && plan->most > 0 ? gt_bytes_mul(gt_ceil_div(plan->most, plan->block_rows), TERM) : 0;
    return gt_bytes_add(gt_svd_fixed_bytes(plan->samples, plan->width, 2), gt_bytes_add(sums, terms));
}

/* --- a block ---------------------------------------------------------------------------- */

static int read_block(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    struct run *run = ctx;
    struct item *item = it;
    if (!item->block.means.budget)
        gt_svd_memory_take(run->passes->memory, &item->block);
    item->block.device = run->passes->device;
    item->block.lists.most = gt_svd_most_listed(run->passes->plan->samples);
    item->block.number = task;
    if (!item->block.device)
        gt_svd_memory_prepare(run->passes->memory, task, &item->block);
    item->inner.budget = &run->passes->engine->budget;
    int status = gt_source_next(run->passes->source, &item->from, err);
    if (!status)
        gt_flow_bytes(item->from->n * (int64_t)item->from->stride);
    return status;
}

static void give_back(const struct run *run, struct item *item)
{
    if (item->from)
        gt_source_done(run->passes->source, item->from);
    item->from = NULL;
}

static void release(void *ctx, void *it)
{
    struct item *item = it;
    give_back(ctx, item);
    gt_svd_block_release(&item->block);
    gt_buf_release(&item->inner);
}

/* At the end of a pass the next one gets the block. */
static void end_item(void *ctx, void *it)
{
    const struct run *run = ctx;
    struct item *item = it;
    if (item->block.means.budget)
        gt_svd_memory_put(run->passes->memory, &item->block);
    release(ctx, it);
}

/* --- the first pass ------------------------------------------------------------------------- */

static int look_work(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    struct item *item = it;
    (void)task;
    int status =
        gt_svd_block_look(&item->block, item->from, run->passes->plan->samples, run->passes->scale, run->passes->plan->ploidy, err);
    give_back(run, item);
    return status;
}

static int look_commit(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    const struct item *item = it;
    struct gt_svd_moments *moments = &run->passes->moments;
    const struct gt_svd_moments *more = &item->block.moments;
    moments->used += more->used;
    moments->constant += more->constant;
    for (int64_t s = 0; s < run->passes->plan->samples; s++)
        gt_buf_u32(&run->passes->missing)[s] += gt_buf_u32(&item->block.missing)[s];
    if (run->passes->engine->comm.size > 1)
        return gt_svd_ranks_note(run->passes, task, more, err);
    moments->trace += more->trace;
    moments->weights += more->weights;
    return GT_OK;
}

/* --- products ----------------------------------------------------------------------------------- */

static int multiply_work(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    struct item *item = it;
    (void)task;
    int status = gt_svd_block_forward(&item->block, item->from, run->passes->scale, run->passes->plan->ploidy, run->operand, err);
    if (!status && !item->block.device)
        status = gt_svd_block_turn(&item->block, item->from->rows.data, item->from->stride, run->operand->rows, err);
    if (!status && run->unseen)
        status = gt_svd_block_missing(&item->block, item->from, run->operand->rows, err);
    if (!item->block.device)
        give_back(run, item);
    if (!status)
        status = gt_svd_block_weigh(&item->block, run->operand->width, run->digits, run->unit, err);
    if (!status && item->block.device)
        status = gt_svd_block_back_on_device(&item->block, item->from, err);
    give_back(run, item);
    return status;
}

static int multiply_part(void *ctx, int64_t task, int64_t part, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    const struct item *item = it;
    if (item->block.device)
        return GT_OK;
    const int64_t left = run->operand->rows - part * run->row_group, n = left < run->row_group ? left : run->row_group;
    (void)task, (void)err;
    gt_svd_block_back(&item->block, part * run->row_group, n,
                      gt_buf_i64(run->sums) + part * run->row_group * run->digits * run->operand->width);
    return GT_OK;
}

static int multiply_commit(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    struct gt_svd_block *block = &((struct item *)it)->block;
    gt_svd_block_means(block, gt_buf_i64(&run->back));
    int status = run->unseen ? look_commit(ctx, task, it, err) : GT_OK;
    if (!block->device)
        gt_svd_memory_keep(run->passes->memory, task, block);
    return status;
}

static int project_work(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    struct item *item = it;
    const int64_t width = run->operand->width;
    (void)task;
    int status = gt_svd_block_forward(&item->block, item->from, run->passes->scale, run->passes->plan->ploidy, run->operand, err);
    give_back(run, item);
    if (!status)
        status = gt_buf_zeros(&item->inner, (size_t)(width * width) * sizeof(double), err);
    for (int64_t v = 0; v < item->block.rows && !status; v++) {
        const double *values = gt_buf_f64(&item->block.values) + v * width, weight = gt_buf_f64(&item->block.weights)[v];
        for (int64_t a = 0; a < width; a++)
            for (int64_t b = 0; b < width; b++)
                gt_buf_f64(&item->inner)[a * width + b] += weight * values[a] * values[b];
    }
    return status;
}

static int project_commit(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    struct item *item = it;
    (void)err;
    for (int64_t i = 0; i < run->operand->width * run->operand->width; i++)
        gt_buf_i64(&run->inner)[i] += (int64_t)rint(ldexp(gt_buf_f64(&item->inner)[i], -run->unit));
    if (item->block.prepared)
        gt_svd_memory_keep(run->passes->memory, task, &item->block);
    return GT_OK;
}

/* --- a pass --------------------------------------------------------------------------------------- */

static int run_pass(struct run *run, const struct gt_flow_ops *ops, int (*commit)(void *, int64_t, void *, struct gt_err *),
                    struct gt_err *err)
{
    struct gt_svd_passes *passes = run->passes;
    const struct gt_flow_opts opts = {.tasks = -1,
                                      .parts = ops->part ? gt_ceil_div(passes->plan->samples, run->row_group) : 0,
                                      .readers = 1,
                                      .task_bytes =
                                          (size_t)gt_svd_block_bytes(passes->plan->samples, passes->plan->block_rows, passes->plan->width),
                                      .memory = passes->plan->allotment[GT_SVD_BLOCKS].size};
    int status = passes->passes++ ? gt_source_rewind(passes->source, err) : GT_OK;
    return status ? status : gt_flow_run(passes->engine, ops, &opts, run, commit, err);
}

#define STAGES(called, ...)                                                                                                                \
    {                                                                                                                                      \
        .name = called, .read_name = "collect", .item_size = sizeof(struct item), .read = read_block, .release = release, .end = end_item, \
        __VA_ARGS__                                                                                                                        \
    }

int gt_svd_look(struct gt_svd_passes *passes, struct gt_err *err)
{
    static const struct gt_flow_ops ops = STAGES("look", .work_name = "count", .work = look_work);
    struct run run = {.passes = passes};
    passes->moments = (struct gt_svd_moments){0};
    int status = gt_svd_call(passes, GT_SVD_CALL_LOOK, NULL, err);
    if (!status)
        status = run_pass(&run, &ops, look_commit, err);
    return status ? status : gt_svd_ranks_sum_look(passes, err);
}

/* The operand, in that many digits. */
static int begin(struct run *run, const double *columns, int digits, struct gt_err *err)
{
    const struct gt_svd_plan *plan = run->passes->plan;
    struct gt_budget *budget = &run->passes->engine->budget;
    run->operand = &run->passes->memory->operand;
    run->sums = &run->passes->memory->sums;
    run->back.budget = run->inner.budget = budget;
    run->digits = digits;
    run->row_group = (gt_ceil_div(plan->samples, 4 * run->passes->engine->limits.threads) + 63) / 64 * 64;
    int status = gt_svd_fixed_start(run->operand, plan->samples, plan->width, digits, err);
    if (!status)
        gt_svd_fixed_columns(run->operand, columns);
    if (!status && run->passes->device)
        status = gt_svd_device_begin(run->passes->device, run->operand, err);
    return status;
}

static void end(struct run *run)
{
    gt_buf_release(&run->back);
    gt_buf_release(&run->inner);
}

/* No sum of a sample is larger than 2 sum |w y|, over rows of X without their scale; that is
 * 2 sqrt(trace sum w) at most (Cauchy and Schwarz), and four times as much with what is rounded. */
static int unit_of(const struct gt_svd_moments *moments)
{
    int exponent;
    frexp(8 * sqrt(moments->trace * moments->weights), &exponent);
    return exponent - 62;
}

/* With a mean, a row's squares add up to 4 a sample at most, and its weight is no more than 4 for each sample: both are
 * the most where one sample differs, and by Patterson's scale. */
static int unit_of_any(const struct gt_svd_passes *passes)
{
    const int64_t known = passes->plan->most, variants = known >= 0 ? known : passes->moments.used + passes->moments.constant;
    const double most = 4 * (double)passes->plan->samples * (double)variants;
    const struct gt_svd_moments moments = {.trace = most, .weights = most};
    return unit_of(&moments);
}

/* What blocks add to a sum of gt_svd_project comes to no more than the trace, up to rounding: the columns have length 1. */
static int unit_of_inner(const struct gt_svd_moments *moments)
{
    int exponent;
    frexp(2 * moments->trace, &exponent);
    return exponent - 61;
}

int gt_svd_multiply(struct gt_svd_passes *passes, const double *columns, double *product, struct gt_err *err)
{
    static const struct gt_flow_ops ops =
        STAGES("multiply", .work_name = "multiply", .work = multiply_work, .part_name = "multiply transposed", .part = multiply_part);
    struct run run = {
        .passes = passes, .unit = passes->coarse ? unit_of_any(passes) : unit_of(&passes->moments), .unseen = passes->passes == 0};
    const int64_t all = passes->digits * passes->plan->width;
    const size_t sums = (size_t)(passes->plan->samples * all) * sizeof(int64_t);
    struct gt_comm *comm = &passes->engine->comm;
    int status = gt_svd_call(passes, GT_SVD_CALL_MULTIPLY, columns, err);
    if (!status)
        status = begin(&run, columns, passes->digits, err);
    if (!status)
        status = gt_buf_resize(run.sums, sums, err);
    if (!status && sums)
        memset(run.sums->data, 0, sums);
    if (!status)
        status = gt_buf_zeros(&run.back, (size_t)all * sizeof(int64_t), err);
    if (!status)
        status = run_pass(&run, &ops, multiply_commit, err);
    if (!status && run.unseen)
        status = gt_svd_ranks_sum_look(passes, err);
    if (!status && passes->device)
        status = gt_svd_device_sums(passes->device, gt_buf_i64(run.sums), err);
    if (!status)
        status = gt_comm_reduce_i64(comm, gt_buf_i64(run.sums), (size_t)(passes->plan->samples * all), 0, err);
    if (!status)
        status = gt_comm_reduce_i64(comm, gt_buf_i64(&run.back), (size_t)all, 0, err);
    if (!status && comm->rank == 0)
        gt_svd_block_product(gt_buf_i64(run.sums), gt_buf_i64(&run.back), passes->plan->samples, passes->plan->width, run.digits, run.unit,
                             product);
    end(&run);
    return status;
}

int gt_svd_project(struct gt_svd_passes *passes, const double *columns, double *inner, struct gt_err *err)
{
    static const struct gt_flow_ops ops = STAGES("project", .work_name = "multiply", .work = project_work);
    const size_t n = (size_t)(passes->plan->width * passes->plan->width);
    struct gt_comm *comm = &passes->engine->comm;
    struct run run = {.passes = passes, .unit = unit_of_inner(&passes->moments)};
    int status = gt_svd_call(passes, GT_SVD_CALL_PROJECT, columns, err);
    if (!status)
        status = begin(&run, columns, 2, err);
    if (!status)
        status = gt_buf_zeros(&run.inner, n * sizeof(int64_t), err);
    if (!status)
        status = run_pass(&run, &ops, project_commit, err);
    if (!status)
        status = gt_comm_reduce_i64(comm, gt_buf_i64(&run.inner), n, 0, err);
    for (size_t i = 0; i < n && !status && comm->rank == 0; i++)
        inner[i] = ldexp((double)gt_buf_i64(&run.inner)[i], run.unit);
    end(&run);
    return status;
}
