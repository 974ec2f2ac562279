/* Passes over blocks of variants: what each adds, in whole numbers or in order of blocks. */
#include <math.h>
#include <string.h>

#include "base/size.h"
#include "calc/svd_fixed.h"
#include "calc/svd_impl.h"
#include "engine/flow.h"
#include "kernels/kernels.h"

struct run {
    struct gt_svd_passes *passes;
    struct gt_svd_fixed operand; /* of the samples */
    struct gt_buf scales;        /* double [width]: of its columns */
    int digits;
    int unit;           /* sums are in 2^unit */
    int64_t stripe;     /* samples of a part */
    struct gt_buf sums; /* int64_t [samples][digits * width] */
    struct gt_buf back; /* int64_t [digits * width]: taken off the sums of all samples */
    bool unseen;        /* the variants are looked at as well */
    double *inner;      /* width x width */
};

struct item {
    const struct gt_block *block;
    struct gt_svd_survey survey;
    struct gt_buf means, weights; /* double [rows] */
    struct gt_buf y, gaps;        /* int64_t [rows][digits * width] */
    struct gt_buf values;         /* double [rows][width] */
    struct gt_buf turned;         /* packed rows, one a sample */
    size_t turned_stride;
    int64_t rows;
    bool any_gaps;
    int shift;
    struct gt_svd_fixed fixed; /* of the rows */
    struct gt_buf inner;       /* double [width][width] */
};

static double *f64(const struct gt_buf *buf)
{
    return (double *)(void *)buf->data;
}

static int64_t *i64(const struct gt_buf *buf)
{
    return (int64_t *)(void *)buf->data;
}

static int64_t turned_bytes(int64_t samples, int64_t rows)
{
    return gt_bytes_add(gt_bytes_mul(samples, (rows + 63) / 64 * 16), GT_KERNEL_PAD);
}

int64_t gt_svd_block_bytes(const struct gt_svd_plan *plan)
{
    const int64_t rows = plan->block_rows, columns = 2 * plan->width;
    int64_t packed = gt_bytes_add(gt_bytes_mul(rows, (plan->samples + 3) / 4), turned_bytes(plan->samples, rows));
    int64_t narrow = gt_bytes_mul(rows, (2 + 2 * columns + plan->width) * (int64_t)sizeof(int64_t));
    return gt_bytes_add(gt_bytes_add(packed, narrow),
                        gt_bytes_add(gt_svd_fixed_bytes(rows, plan->width, 2), plan->width * plan->width * 8 + 4096));
}

int64_t gt_svd_pass_bytes(const struct gt_svd_plan *plan)
{
    const int64_t columns = 2 * plan->width;
    return gt_bytes_add(gt_svd_fixed_bytes(plan->samples, plan->width, 2),
                        gt_bytes_mul(plan->samples + 4, columns * (int64_t)sizeof(int64_t)));
}

/* --- a block ---------------------------------------------------------------------------- */

static int read_block(void *ctx, int64_t ticket, void *it, struct gt_err *err)
{
    struct run *run = ctx;
    struct item *item = it;
    (void)ticket;
    int status = gt_regroup_next(run->passes->regroup, &item->block, err);
    if (!status)
        gt_flow_bytes(item->block->n * (int64_t)item->block->stride);
    return status;
}

static void give_back(const struct run *run, struct item *item)
{
    if (item->block)
        gt_regroup_done(run->passes->regroup, item->block);
    item->block = NULL;
}

static void release(void *ctx, void *it)
{
    struct item *item = it;
    struct gt_buf *const bufs[] = {&item->means, &item->weights, &item->y, &item->gaps, &item->values, &item->turned, &item->inner};
    give_back(ctx, item);
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        gt_buf_release(bufs[i]);
    gt_svd_fixed_release(&item->fixed);
}

static void set_budgets(struct item *item, struct gt_budget *budget)
{
    struct gt_buf *const bufs[] = {&item->means, &item->weights, &item->y, &item->gaps, &item->values, &item->turned, &item->inner};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        bufs[i]->budget = budget;
    gt_svd_fixed_budget(&item->fixed, budget);
}

/* --- the first pass ------------------------------------------------------------------------- */

/* The variant's row, of these numbers of each code. */
static struct gt_svd_site look_at(const struct run *run, const int64_t counts[4], struct gt_svd_survey *survey)
{
    struct gt_svd_site site;
    const bool used = gt_svd_site(run->passes->scale, counts, &site);
    survey->used += used;
    survey->constant += !used;
    survey->trace += site.square;
    survey->weights += site.weight;
    return site;
}

static int look_work(void *ctx, int64_t ticket, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    struct item *item = it;
    (void)ticket, (void)err;
    item->survey = (struct gt_svd_survey){0};
    for (int64_t v = 0; v < item->block->n; v++) {
        int64_t counts[4];
        gt_kernels()->count_codes(gt_block_row(item->block, v), run->passes->plan->samples, counts);
        look_at(run, counts, &item->survey);
    }
    give_back(run, item);
    return GT_OK;
}

static int look_commit(void *ctx, int64_t ticket, void *it, struct gt_err *err)
{
    struct gt_svd_survey *survey = &((const struct run *)ctx)->passes->survey;
    const struct gt_svd_survey *more = &((const struct item *)it)->survey;
    (void)ticket, (void)err;
    survey->used += more->used;
    survey->constant += more->constant;
    survey->trace += more->trace;
    survey->weights += more->weights;
    return GT_OK;
}

/* --- products ----------------------------------------------------------------------------------- */

/* Columns of the block's product with the operand, less means, each row as if of weight 1. */
static void finish_values(const struct run *run, struct item *item)
{
    const struct gt_svd_fixed *o = &run->operand;
    const int64_t columns = o->digits * o->width, *sums = i64(&o->sums), *y = i64(&item->y), *gaps = i64(&item->gaps);
    const double *scales = f64(&run->scales);
    double *values = f64(&item->values);
    for (int64_t v = 0; v < item->rows; v++, y += columns, gaps += columns, values += o->width) {
        const double mean = f64(&item->means)[v];
        for (int64_t c = 0; c < o->width; c++) {
            double value = (double)y[c] - mean * (double)(sums[c] - gaps[c]);
            if (o->digits == 2)
                value += ((double)y[o->width + c] - mean * (double)(sums[o->width + c] - gaps[o->width + c])) * (1.0 / (1 << GT_SVD_DIGIT));
            values[c] = value * scales[c];
        }
    }
}

static int make_room(const struct run *run, struct item *item, struct gt_err *err)
{
    const size_t rows = (size_t)item->rows, width = (size_t)run->operand.width, columns = (size_t)run->operand.digits * width;
    set_budgets(item, &run->passes->engine->budget);
    int status = gt_buf_resize(&item->means, rows * sizeof(double), err);
    if (!status)
        status = gt_buf_resize(&item->weights, rows * sizeof(double), err);
    if (!status)
        status = gt_buf_zeros(&item->y, rows * columns * sizeof(int64_t), err);
    if (!status)
        status = gt_buf_zeros(&item->gaps, rows * columns * sizeof(int64_t), err);
    return status ? status : gt_buf_resize(&item->values, rows * width * sizeof(double), err);
}

/* values = rows of X, but for the root of their weights, times the operand. */
static int make_values(const struct run *run, struct item *item, struct gt_err *err)
{
    const struct gt_block *block = item->block;
    const struct gt_kernels *k = gt_kernels();
    const int64_t samples = run->operand.rows, columns = run->operand.digits * run->operand.width;
    const int16_t *numbers = (const int16_t *)(const void *)run->operand.numbers.data;
    item->rows = block->n;
    item->any_gaps = false;
    item->survey = (struct gt_svd_survey){0};
    int status = make_room(run, item, err);
    if (status)
        return status;
    for (int64_t v = 0; v < block->n; v++) {
        int64_t counts[4];
        k->count_codes(gt_block_row(block, v), samples, counts);
        const struct gt_svd_site site = look_at(run, counts, &item->survey);
        f64(&item->means)[v] = site.mean;
        f64(&item->weights)[v] = site.weight;
        if (counts[3] == 0)
            continue;
        item->any_gaps = true;
        k->sketch_gaps(gt_block_row(block, v), block->stride, 1, samples, numbers, columns / GT_SKETCH, 0, i64(&item->gaps) + v * columns);
    }
    k->sketch(block->rows.data, block->stride, block->n, samples, (const int8_t *)run->operand.panels.data, columns / GT_SKETCH, 0,
              i64(&item->y));
    finish_values(run, item);
    return GT_OK;
}

static int turn(const struct run *run, struct item *item, struct gt_err *err)
{
    const int64_t samples = run->operand.rows;
    item->turned_stride = (size_t)(item->rows + 63) / 64 * 16;
    int status = gt_buf_resize(&item->turned, (size_t)turned_bytes(samples, item->rows), err);
    if (!status)
        gt_kernels()->turn_codes(item->block->rows.data, item->block->stride, item->rows, samples, item->turned.data, item->turned_stride);
    return status;
}

static int multiply_work(void *ctx, int64_t ticket, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    struct item *item = it;
    const int64_t width = run->operand.width;
    (void)ticket;
    int status = make_values(run, item, err);
    if (!status)
        status = turn(run, item, err);
    give_back(run, item);
    if (!status)
        status = gt_svd_fixed_start(&item->fixed, item->rows, width, run->digits, err);
    if (status)
        return status;
    for (int64_t v = 0; v < item->rows; v++)
        for (int64_t c = 0; c < width; c++)
            f64(&item->values)[v * width + c] *= f64(&item->weights)[v];
    item->shift = gt_svd_fixed_rows(&item->fixed, f64(&item->values), f64(&item->means), run->unit) - run->unit;
    return GT_OK;
}

static int multiply_part(void *ctx, int64_t ticket, int64_t part, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    const struct item *item = it;
    const struct gt_kernels *k = gt_kernels();
    const int64_t samples = run->operand.rows, from = part * run->stripe, n = samples - from < run->stripe ? samples - from : run->stripe;
    const int64_t columns = run->digits * run->operand.width;
    const uint8_t *rows = item->turned.data + (size_t)from * item->turned_stride;
    int64_t *sums = i64(&run->sums) + from * columns;
    (void)ticket, (void)err;
    k->sketch(rows, item->turned_stride, n, item->rows, (const int8_t *)item->fixed.panels.data, columns / GT_SKETCH, item->shift, sums);
    if (item->any_gaps)
        k->sketch_gaps(rows, item->turned_stride, n, item->rows, (const int16_t *)(const void *)item->fixed.numbers.data,
                       columns / GT_SKETCH, item->shift, sums);
    return GT_OK;
}

static int multiply_commit(void *ctx, int64_t ticket, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    const struct item *item = it;
    if (run->unseen)
        look_commit(ctx, ticket, it, err);
    for (int64_t c = 0; c < run->digits * run->operand.width; c++)
        i64(&run->back)[c] += (int64_t)((uint64_t)i64(&item->fixed.sums)[c] << item->shift);
    return GT_OK;
}

static int project_work(void *ctx, int64_t ticket, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    struct item *item = it;
    const int64_t width = run->operand.width;
    (void)ticket;
    int status = make_values(run, item, err);
    give_back(run, item);
    if (!status)
        status = gt_buf_zeros(&item->inner, (size_t)(width * width) * sizeof(double), err);
    for (int64_t v = 0; v < item->rows && !status; v++) {
        const double *values = f64(&item->values) + v * width;
        for (int64_t a = 0; a < width; a++)
            for (int64_t b = 0; b < width; b++)
                f64(&item->inner)[a * width + b] += f64(&item->weights)[v] * values[a] * values[b];
    }
    return status;
}

static int project_commit(void *ctx, int64_t ticket, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    (void)ticket, (void)err;
    for (int64_t i = 0; i < run->operand.width * run->operand.width; i++)
        run->inner[i] += f64(&((struct item *)it)->inner)[i];
    return GT_OK;
}

/* --- a pass --------------------------------------------------------------------------------------- */

static int run_pass(struct run *run, const struct gt_flow_ops *ops, int (*commit)(void *, int64_t, void *, struct gt_err *),
                    struct gt_err *err)
{
    struct gt_svd_passes *passes = run->passes;
    const struct gt_flow_opts opts = {.tickets = -1,
                                      .parts = ops->part ? gt_ceil_div(passes->plan->samples, run->stripe) : 0,
                                      .readers = 1,
                                      .ticket_bytes = (size_t)gt_svd_block_bytes(passes->plan),
                                      .memory = passes->plan->share[GT_SVD_BLOCKS].size};
    int status = passes->passes++ ? gt_regroup_rewind(passes->regroup, err) : GT_OK;
    return status ? status : gt_flow_run(passes->engine, ops, &opts, run, commit, err);
}

#define STAGES(called, ...)                                                                                                                \
    {                                                                                                                                      \
        .name = called, .read_name = "gather", .item_size = sizeof(struct item), .read = read_block, .release = release, __VA_ARGS__       \
    }

int gt_svd_look(struct gt_svd_passes *passes, struct gt_err *err)
{
    static const struct gt_flow_ops ops = STAGES("look", .work_name = "count", .work = look_work);
    struct run run = {.passes = passes};
    passes->survey = (struct gt_svd_survey){0};
    return run_pass(&run, &ops, look_commit, err);
}

/* The operand, in so many digits. */
static int begin(struct run *run, const double *columns, int digits, struct gt_err *err)
{
    const struct gt_svd_plan *plan = run->passes->plan;
    struct gt_budget *budget = &run->passes->engine->budget;
    gt_svd_fixed_budget(&run->operand, budget);
    run->scales.budget = run->sums.budget = run->back.budget = budget;
    run->digits = digits;
    run->stripe = (gt_ceil_div(plan->samples, 4 * run->passes->engine->limits.threads) + 63) / 64 * 64;
    int status = gt_svd_fixed_start(&run->operand, plan->samples, plan->width, digits, err);
    if (!status)
        status = gt_buf_resize(&run->scales, (size_t)plan->width * sizeof(double), err);
    if (!status)
        gt_svd_fixed_columns(&run->operand, columns, f64(&run->scales));
    return status;
}

static void end(struct run *run)
{
    gt_svd_fixed_release(&run->operand);
    gt_buf_release(&run->scales);
    gt_buf_release(&run->sums);
    gt_buf_release(&run->back);
}

/* No sum of a sample is larger than 2 sum |w y|, over rows of X without their scale; that is
 * 2 sqrt(trace sum w) at most (Cauchy and Schwarz), and four times as much with what is rounded. */
static int unit_of(const struct gt_svd_survey *survey)
{
    int exponent;
    frexp(8 * sqrt(survey->trace * survey->weights), &exponent);
    return exponent - 62;
}

/* With a mean, a row's squares add up to 4 a sample at most, and its weight is no more than 4 for each sample: both are
 * the most where one sample differs, and by Patterson's scale. */
static int unit_of_any(const struct gt_svd_passes *passes)
{
    const int64_t known = passes->plan->most, variants = known >= 0 ? known : passes->survey.used + passes->survey.constant;
    const double most = 4 * (double)passes->plan->samples * (double)variants;
    const struct gt_svd_survey survey = {.trace = most, .weights = most};
    return unit_of(&survey);
}

static void put_product(const struct run *run, double *product)
{
    const int64_t samples = run->operand.rows, width = run->operand.width, columns = run->digits * width;
    const int64_t *back = i64(&run->back);
    for (int64_t s = 0; s < samples; s++) {
        const int64_t *sums = i64(&run->sums) + s * columns;
        for (int64_t c = 0; c < width; c++) {
            double sum = (double)(sums[c] - back[c]);
            if (run->digits == 2)
                sum += (double)(sums[width + c] - back[width + c]) * (1.0 / (1 << GT_SVD_DIGIT));
            product[s + c * samples] = ldexp(sum, run->unit);
        }
    }
}

int gt_svd_multiply(struct gt_svd_passes *passes, const double *columns, double *product, struct gt_err *err)
{
    static const struct gt_flow_ops ops =
        STAGES("multiply", .work_name = "forward", .work = multiply_work, .part_name = "back", .part = multiply_part);
    struct run run = {
        .passes = passes, .unit = passes->coarse ? unit_of_any(passes) : unit_of(&passes->survey), .unseen = passes->passes == 0};
    const int64_t all = passes->digits * passes->plan->width;
    int status = begin(&run, columns, passes->digits, err);
    if (!status)
        status = gt_buf_zeros(&run.sums, (size_t)(passes->plan->samples * all) * sizeof(int64_t), err);
    if (!status)
        status = gt_buf_zeros(&run.back, (size_t)all * sizeof(int64_t), err);
    if (!status)
        status = run_pass(&run, &ops, multiply_commit, err);
    if (!status)
        put_product(&run, product);
    end(&run);
    return status;
}

int gt_svd_project(struct gt_svd_passes *passes, const double *columns, double *inner, struct gt_err *err)
{
    static const struct gt_flow_ops ops = STAGES("project", .work_name = "forward", .work = project_work);
    struct run run = {.passes = passes, .inner = inner};
    memset(inner, 0, (size_t)(passes->plan->width * passes->plan->width) * sizeof *inner);
    int status = begin(&run, columns, 2, err);
    if (!status)
        status = run_pass(&run, &ops, project_commit, err);
    end(&run);
    return status;
}
