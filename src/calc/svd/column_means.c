/* Means of the columns of an array: of the values that are not missing. */
#include <math.h>
#include <string.h>

#include "calc/svd/matmul_pass.h"
#include "core/base/size.h"
#include "core/engine/flow.h"

struct run {
    struct gt_array_pass *pass;
    int64_t rows, columns, row_group;
    double *sums;   /* of the named array's columns: those of the view, or its rows */
    double *rest;   /* what rounding lost of them (Neumaier 1974) */
    int64_t *known; /* values that are not missing */
};

struct item {
    const struct gt_matrix_block *block;
};

static bool is_real(const struct gt_array_pass *pass)
{
    return gt_matrix_info(pass->matrix)->type >= GT_F16;
}

static int64_t means_of(const struct gt_array_pass *pass)
{
    const struct gt_matrix_info *info = gt_matrix_info(pass->matrix);
    return pass->turned ? info->rows : info->columns;
}

static bool is_wanted(const struct gt_array_pass *pass)
{
    return pass->center || (pass->mean && is_real(pass));
}

int64_t gt_array_means_bytes(const struct gt_array_pass *pass)
{
    return is_wanted(pass) ? gt_bytes_mul(3 * (int64_t)sizeof(double), means_of(pass)) : 0; /* sums, rest, known */
}

static int read_block(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    (void)task;
    return gt_matrix_next(((struct run *)ctx)->pass->matrix, &((struct item *)it)->block, err);
}

static void release(void *ctx, void *it)
{
    struct item *item = it;
    if (item->block)
        gt_matrix_done(((struct run *)ctx)->pass->matrix, item->block);
    item->block = NULL;
}

/* Columns from..from + n of the view, n at most STEP. */
enum { STEP = 256 };

static inline void add(double *sum, double *rest, double value)
{
    const double next = *sum + value;
    *rest += fabs(*sum) >= fabs(value) ? *sum - next + value : value - next + *sum;
    *sum = next;
}

static void add_row(const struct run *run, int64_t row, int64_t from, int64_t n, const double *values)
{
    for (int64_t j = 0; j < n; j++) {
        const int64_t at = run->pass->turned ? row : from + j;
        if (isnan(values[j]))
            continue;
        add(&run->sums[at], &run->rest[at], values[j]);
        run->known[at]++;
    }
}

/* A row group of the view's columns; all of them where its rows are what is added up. */
static int add_up(void *ctx, int64_t task, int64_t part, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    const struct gt_matrix_block *block = ((const struct item *)it)->block;
    const struct gt_matrix_info *info = gt_matrix_info(run->pass->matrix);
    const int64_t size = (int64_t)gt_dtype_of(info->type).size, first = part * run->row_group, end = first + run->row_group;
    (void)task, (void)err;
    for (int64_t i = 0; i < block->n; i++)
        for (int64_t j = first; j < end && j < run->columns; j += STEP) {
            double values[STEP];
            const int64_t left = (end < run->columns ? end : run->columns) - j, n = left < STEP ? left : STEP;
            gt_kernels()->cast((enum gt_number)info->type, block->values.data + (i * run->columns + j) * size, GT_NUMBER_F64, values, n);
            add_row(run, block->first + i, j, n, values);
        }
    return GT_OK;
}

static int give_back(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    (void)task, (void)err;
    release(ctx, it);
    return GT_OK;
}

/* sum + rest becomes the mean, and what rounding lost of that.  Sums beyond doubles are infinite. */
static void divide(double *sum, double *rest, double n)
{
    const double all = *sum + *rest, lost = fabs(*sum) >= fabs(*rest) ? *sum - all + *rest : *rest - all + *sum, mean = all / n;
    *sum = isfinite(mean) ? mean : INFINITY;
    *rest = isfinite(mean) ? (fma(-mean, n, all) + lost) / n : 0;
}

static int finish(struct run *run, struct gt_err *err)
{
    const int64_t n = means_of(run->pass), of = run->rows * run->columns / n;
    for (int64_t i = 0; i < n; i++) {
        if (!run->known[i] && run->pass->mean)
            return gt_fail(err, GT_INPUT, "'%s': all values of column %lld are missing (NaN)", gt_matrix_info(run->pass->matrix)->name,
                           (long long)i);
        divide(&run->sums[i], &run->rest[i], (double)run->known[i]);
        run->pass->missing += run->pass->mean ? of - run->known[i] : 0;
    }
    return GT_OK;
}

static int run_pass(struct run *run, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "means",
                                           .read_name = "collect",
                                           .part_name = "add up",
                                           .item_size = sizeof(struct item),
                                           .read = read_block,
                                           .part = add_up,
                                           .release = release};
    struct gt_array_pass *pass = run->pass;
    const struct gt_flow_opts opts = {
        .tasks = -1, .parts = gt_ceil_div(run->columns, run->row_group), .readers = 1, .task_bytes = 1, .memory = pass->memory};
    int status = pass->passes++ ? gt_matrix_rewind(pass->matrix, err) : GT_OK;
    if (!status)
        status = gt_matrix_reblock(pass->matrix, INT64_MAX, err);
    return status ? status : gt_flow_run(pass->engine, &ops, &opts, run, give_back, err);
}

int gt_array_means(struct gt_array_pass *pass, struct gt_err *err)
{
    const struct gt_matrix_info *info = gt_matrix_info(pass->matrix);
    const size_t n = (size_t)means_of(pass);
    struct gt_buf known = {.budget = &pass->engine->budget};
    if (!is_wanted(pass) || pass->means.len)
        return GT_OK;
    pass->means.budget = &pass->engine->budget;
    int status = gt_buf_zeros(&pass->means, 2 * n * sizeof(double), err);
    if (!status)
        status = gt_buf_zeros(&known, n * sizeof(int64_t), err);
    if (!status) {
        struct run run = {.pass = pass,
                          .rows = info->rows,
                          .columns = info->columns,
                          .row_group = pass->turned ? info->columns : gt_ceil_div(info->columns, 4 * pass->engine->limits.threads),
                          .sums = gt_buf_f64(&pass->means),
                          .rest = gt_buf_f64(&pass->means) + n,
                          .known = gt_buf_i64(&known)};
        status = run_pass(&run, err);
        status = status ? status : finish(&run, err);
    }
    gt_buf_release(&known);
    return status;
}
