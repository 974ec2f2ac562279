/* The variants' side of a decomposition: U = X V diag(1 / s), in a pass over the variants with their sites. */
#include <math.h>

#include "calc/pca/pca_block.h"
#include "calc/pca/pca_model.h"
#include "calc/pca/pca_ranks.h"
#include "core/base/size.h"
#include "core/engine/flow.h"

struct run {
    struct gt_engine *engine;
    struct gt_source *source; /* in fixed blocks */
    const struct gt_svd_plan *plan;
    struct gt_svd_fixed vectors;     /* of the samples */
    struct gt_svd_on_device *device; /* NULL: the cpu */
    struct gt_svd_model *model;
    struct gt_names *contigs; /* numbers of the model's */
    struct gt_buf row;        /* double [k] */
};

struct item {
    struct gt_block *from; /* NULL: given back */
    struct gt_svd_block block;
};

int gt_svd_loadings_plan(struct gt_svd_plan *plan, struct gt_engine *engine, const struct gt_geno_info *info,
                         const struct gt_svd_opts *opts, struct gt_err *err)
{
    const int64_t k = opts->k, width = gt_svd_width(k), block = gt_svd_block_bytes(plan->samples, plan->block_rows, width);
    const int64_t most = plan->variants < 0 ? info->n_variants_max : plan->variants;
    const int64_t on_host = opts->device ? gt_svd_device_host_bytes(plan->block_rows, width) : 0;
    struct gt_allotment *allotment = plan->loading;
    allotment[GT_SVD_READING] = (struct gt_allotment){.name = "reading", .minimum = info->read_minimum, .preferred = info->read_preferred};
    allotment[GT_SVD_BLOCKS] =
        (struct gt_allotment){.name = "a block of variants", .minimum = block, .preferred = gt_memory_plan_of_flow(engine, 1, block)};
    allotment[GT_SVD_SOLVING] =
        (struct gt_allotment){.name = "loadings",
                              .minimum = gt_bytes_add(gt_svd_model_bytes(most < 0 ? 0 : most, k),
                                                      gt_bytes_add(gt_svd_fixed_bytes(plan->samples, width, 2) + on_host,
                                                                   gt_bytes_mul(plan->samples, 2 * width * (int64_t)sizeof(double))))};
    return gt_memory_plan_fit(allotment, GT_SVD_LOADING_ALLOTMENTS, engine, err);
}

static int read_block(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    struct item *item = it;
    (void)task;
    gt_svd_block_budget(&item->block, &run->engine->budget);
    item->block.device = run->device;
    item->block.number = GT_SVD_DEVICE_ONCE;
    item->block.lists.most = gt_svd_most_listed(run->plan->samples);
    int status = gt_source_next(run->source, &item->from, err);
    if (!status)
        gt_flow_bytes(item->from->n * (int64_t)item->from->stride);
    return status;
}

static void give_back(const struct run *run, struct item *item)
{
    if (item->from)
        gt_source_done(run->source, item->from);
    item->from = NULL;
}

static void release(void *ctx, void *it)
{
    give_back(ctx, it);
    gt_svd_block_release(&((struct item *)it)->block);
}

static int multiply(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    struct item *item = it;
    (void)task;
    return gt_svd_block_forward(&item->block, item->from, run->model->scale, run->model->ploidy, &run->vectors, err);
}

static int add_block(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    struct run *run = ctx;
    struct item *item = it;
    const struct gt_svd_block *block = &item->block;
    const double *squares = gt_buf_f64(&run->model->values);
    double *row = gt_buf_f64(&run->row);
    int status = GT_OK;
    (void)task;
    for (int64_t v = 0; v < block->rows && !status; v++) {
        const double weight = gt_buf_f64(&block->weights)[v], *values = gt_buf_f64(&block->values) + v * run->vectors.width;
        if (!(weight > 0))
            continue;
        for (int64_t c = 0; c < run->model->k; c++)
            row[c] = squares[c] > 0 ? values[c] * sqrt(weight) / sqrt(squares[c]) : 0;
        const struct gt_svd_loading loading = {gt_buf_f64(&block->means)[v], weight, row};
        status = gt_svd_model_add(run->model, run->contigs, item->from, v, &loading, err);
    }
    give_back(run, item);
    return status;
}

/* The samples' vectors, in numbers of two digits; columns after them are 0. */
static int begin(struct run *run, const struct gt_svd_result *result, struct gt_err *err)
{
    const int64_t n = run->plan->samples, k = run->model->k, width = gt_svd_width(k);
    struct gt_budget *budget = &run->engine->budget;
    struct gt_buf columns = {.budget = budget};
    gt_svd_fixed_budget(&run->vectors, budget);
    run->row.budget = budget;
    run->contigs = gt_names_new(budget, err);
    int status = run->contigs ? gt_buf_resize(&run->row, (size_t)k * sizeof(double), err) : GT_FAIL;
    if (!status)
        status = gt_svd_fixed_start(&run->vectors, n, width, 2, err);
    if (!status)
        status = gt_buf_zeros(&columns, (size_t)(n * width) * sizeof(double), err);
    if (!status) {
        memcpy(columns.data, result->vectors.data, (size_t)(n * k) * sizeof(double));
        gt_svd_fixed_columns(&run->vectors, gt_buf_f64(&columns));
    }
    gt_buf_release(&columns);
    return status;
}

static int begin_on_device(struct run *run, struct gt_device *device, struct gt_err *err)
{
    int status =
        gt_svd_device_new(&run->device, device, &run->engine->budget, run->plan->samples, run->plan->block_rows, run->vectors.width, err);
    return status ? status : gt_svd_device_begin(run->device, &run->vectors, err);
}

static int run_pass(struct run *run, struct gt_source *source, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "loadings",
                                           .read_name = "collect",
                                           .work_name = "multiply",
                                           .item_size = sizeof(struct item),
                                           .read = read_block,
                                           .work = multiply,
                                           .release = release};
    const struct gt_svd_plan *plan = run->plan;
    struct gt_reblock_opts blocks = {.variants = plan->block_rows, .sites = true};
    const struct gt_flow_opts opts = {.tasks = -1,
                                      .readers = 1,
                                      .task_bytes = (size_t)gt_svd_block_bytes(plan->samples, plan->block_rows, run->vectors.width),
                                      .memory = plan->loading[GT_SVD_BLOCKS].size};
    int status = gt_source_rewind(source, err);
    gt_source_set_memory(source, plan->loading[GT_SVD_READING].size);
    if (!status)
        status = gt_source_share(source, plan->block_rows, &blocks.part, err);
    const bool alone = blocks.part.turns > 1; /* ranks do not read ranges of their own */
    if (alone)
        blocks.part = (struct gt_block_part){0};
    if (status || (alone && run->engine->comm.rank))
        return status;
    status = gt_source_reblock(source, &blocks, err);
    run->source = source;
    if (!status)
        status = gt_flow_run(run->engine, &ops, &opts, run, add_block, err);
    gt_source_stop(source);
    return status || alone ? status : gt_svd_ranks_gather(&run->engine->comm, run->model, run->contigs, err);
}

/* Variants in X are known by now. */
static int make_room(struct gt_svd_model *model, int64_t n, struct gt_err *err)
{
    const struct {
        struct gt_buf *buf;
        int64_t each;
    } tables[] = {{&model->loadings, model->k * (int64_t)sizeof(double)},
                  {&model->means, sizeof(double)},
                  {&model->weights, sizeof(double)},
                  {&model->contig, sizeof(int32_t)},
                  {&model->position, sizeof(int64_t)}};
    int status = GT_OK;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && !status; i++)
        status = gt_buf_reserve(tables[i].buf, (size_t)(n * tables[i].each), err);
    return status;
}

int gt_svd_loadings(struct gt_engine *engine, struct gt_source *source, const struct gt_svd_plan *plan, const struct gt_svd_opts *opts,
                    const struct gt_svd_result *result, struct gt_svd_model *model, struct gt_err *err)
{
    struct run run = {.engine = engine, .plan = plan, .model = model};
    model->scale = opts->scale;
    model->ploidy = plan->ploidy;
    model->k = opts->k;
    model->variants = result->used + result->constant;
    int status = gt_buf_append(&model->values, result->values.data, (size_t)opts->k * sizeof(double), err);
    if (!status)
        status = make_room(model, engine->comm.rank ? 0 : result->used, err);
    if (!status)
        status = begin(&run, result, err);
    if (!status && opts->device)
        status = begin_on_device(&run, opts->device, err);
    if (!status)
        status = run_pass(&run, source, err);
    gt_svd_device_free(run.device);
    gt_names_free(run.contigs);
    gt_svd_fixed_release(&run.vectors);
    gt_buf_release(&run.row);
    return status;
}
