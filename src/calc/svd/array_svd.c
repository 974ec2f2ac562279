#include "calc/svd/array_svd.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "arrays/linalg/krylov.h"
#include "arrays/linalg/linalg.h"
#include "arrays/linalg/tall_qr.h"
#include "calc/svd/array_svd_internal.h"
#include "calc/svd/matmul_pass_device.h"
#include "calc/svd/matmul_pass_int.h"
#include "calc/svd/svd_qr_device.h"
#include "core/base/size.h"

enum { USUAL_K = 10, USUAL_OVERSAMPLE = 10, LEAST_LEVEL = 20, KRYLOV_OVERSAMPLE = 6 };
/* Columns of which a QR is as soon made as passes are. */
enum { FEW_COLUMNS = 256 };
/* Residuals that numbers of 28 bits lead to in any case. */
#define ROUNDED 1e-6

/* --- plan ---------------------------------------------------------------------------- */

static int check_shape(const struct gt_matrix_info *info, const struct gt_svd_array_opts *opts, struct gt_err *err)
{
    const int64_t few = gt_min_i64(info->rows, info->columns);
    if (few == 0)
        return gt_fail(err, GT_INPUT, "'%s' is %lld x %lld: there is nothing to decompose", info->name, (long long)info->rows,
                       (long long)info->columns);
    if (opts->k > few)
        return gt_fail(err, GT_USAGE, "-k %lld: '%s' is %lld x %lld and has at most %lld singular values", (long long)opts->k, info->name,
                       (long long)info->rows, (long long)info->columns, (long long)few);
    return GT_OK;
}

static void choose(struct gt_svd_array_plan *plan, const struct gt_svd_array_opts *opts)
{
    plan->way = opts->way;
    plan->why = "as --algorithm says";
    if (opts->way != GT_SVD_ARRAY_AUTO)
        return;
    const bool few = gt_svd_array_short(plan) <= FEW_COLUMNS;
    plan->way = opts->tuned ? opts->tuned : few ? GT_SVD_ARRAY_TSQR : GT_SVD_ARRAY_KRYLOV;
    plan->why = opts->tuned ? "whose options are given" : few ? "one side is short: exact" : "both sides are long";
}

/* Narrow matrices have k columns and more. */
static void choose_width(struct gt_svd_array_plan *plan, const struct gt_svd_array_opts *opts)
{
    const int64_t few = gt_svd_array_short(plan), q = opts->power;
    const bool all = plan->way == GT_SVD_ARRAY_TSQR;
    const int64_t beyond = opts->oversample >= 0              ? opts->oversample
                           : plan->way == GT_SVD_ARRAY_KRYLOV ? KRYLOV_OVERSAMPLE
                                                              : USUAL_OVERSAMPLE;
    plan->k = opts->k ? opts->k : all ? few : gt_min_i64(USUAL_K, few);
    plan->level = plan->way == GT_SVD_ARRAY_TSQR         ? plan->k
                  : plan->way == GT_SVD_ARRAY_COMPRESSED ? gt_min_i64(gt_max_i64(LEAST_LEVEL, plan->k + beyond), few)
                                                         : plan->k + beyond;
    plan->width = gt_ceil_div(plan->level, GT_NARROW) * GT_NARROW;
    plan->passes = plan->way == GT_SVD_ARRAY_TSQR     ? 7
                   : plan->way == GT_SVD_ARRAY_KRYLOV ? opts->passes
                                                      : (opts->qr ? 2 + 2 * q : 2 + q) + opts->verify;
}

/* With a sketch dask's numbers are asked for, to the last bits of doubles. */
static bool may_be_whole(const struct gt_svd_array_plan *plan, const struct gt_matrix_info *info, const struct gt_svd_array_opts *opts)
{
    const bool rounded =
        (plan->way == GT_SVD_ARRAY_COMPRESSED && !opts->sketch) || (plan->way == GT_SVD_ARRAY_KRYLOV && opts->tol >= ROUNDED);
    return rounded && !opts->center && gt_matmul_int_possible(info);
}

static int too_wide(const struct gt_svd_array_plan *plan, const struct gt_matrix_info *info, struct gt_err *err)
{
    return gt_fail(err, GT_NOFIT, "'%s' is %lld x %lld: its shorter side is too long", info->name, (long long)plan->rows,
                   (long long)plan->columns);
}

static int64_t narrow_bytes(const struct gt_svd_array_plan *plan)
{
    return plan->way == GT_SVD_ARRAY_TSQR     ? gt_svd_array_tsqr_bytes(plan)
           : plan->way == GT_SVD_ARRAY_KRYLOV ? gt_svd_array_krylov_bytes(plan)
                                              : gt_svd_array_compressed_bytes(plan);
}

/* tsqr multiplies once, and a random projection of rows without power iterations too. */
static bool reads_once(const struct gt_svd_array_plan *plan, const struct gt_svd_array_opts *opts)
{
    return plan->way == GT_SVD_ARRAY_TSQR ||
           (plan->way == GT_SVD_ARRAY_COMPRESSED && !opts->power && !opts->qr && !plan->turned && !opts->verify);
}

/* Is a copy in memory worth its time?  What stands uncompressed in files is read again as fast as a copy; LZ4 is decoded as fast as
 * fresh pages are taken and filled, so that a pass or two more do not pay for them. */
static bool is_copied(const struct gt_svd_array_plan *plan, const struct gt_matrix_info *info, const struct gt_svd_array_opts *opts)
{
    enum { FEW_PASSES = 3 };
    return !reads_once(plan, opts) && !info->raw && !(info->fast && plan->passes <= FEW_PASSES);
}

/* Of what later passes read again, in stored form or as codes of two bits. */
static int64_t values_bytes(const struct gt_svd_array_plan *plan, const struct gt_matrix_info *info, const struct gt_svd_array_opts *opts)
{
    const int64_t items = gt_bytes_mul(plan->rows, plan->columns);
    const int64_t all = plan->copied                             ? gt_bytes_mul(items, (int64_t)gt_dtype_of(info->stored).size)
                        : plan->whole && !reads_once(plan, opts) ? items
                                                                 : 0;
    return all ? gt_bytes_add(all, all / 64 + (1 << 20)) : 0; /* what blocks have after them, too */
}

/* Of the host's memory, what passes have in addition to blocks. */
static int64_t fixed_bytes(const struct gt_svd_array_plan *plan, const struct gt_matrix_info *info)
{
    const int64_t floats = plan->device ? gt_matmul_device_host_bytes(info, plan->width) : 0;
    const int64_t codes = plan->whole ? gt_matmul_int_fixed_bytes(info->columns, plan->width) : 0;
    const int64_t codes_on_device = plan->whole && plan->device ? gt_matmul_int_device_host_bytes(info->columns, plan->width) : 0;
    return gt_max_i64(floats, gt_bytes_add(codes, codes_on_device));
}

static int plan_device(struct gt_svd_array_plan *plan, const struct gt_matrix_info *info, struct gt_err *err)
{
    const int64_t codes = plan->whole ? gt_matmul_int_device_bytes(plan->device, info->columns, plan->width) : 0;
    const int64_t qr = plan->way == GT_SVD_ARRAY_TSQR ? gt_qr_device_bytes(info->columns) : 0;
    plan->device_bytes = gt_max_i64(codes, gt_bytes_add(gt_matmul_device_bytes(plan->device, info, plan->width), qr));
    return gt_device_check_room(plan->device, plan->device_bytes, err);
}

static int settle(struct gt_svd_array_plan *plan, struct gt_engine *engine, struct gt_matrix *matrix, const struct gt_svd_array_opts *opts,
                  struct gt_err *err)
{
    const struct gt_matrix_info *info = gt_matrix_info(matrix);
    const struct gt_array_pass pass = {.engine = engine,
                                       .matrix = matrix,
                                       .turned = plan->turned,
                                       .mean = opts->mean,
                                       .center = opts->center,
                                       .whole = plan->whole,
                                       .device = plan->device};
    const int64_t fixed = fixed_bytes(plan, info);
    const int64_t block = gt_array_pass_bytes(&pass, plan->width);
    plan->allotment[GT_SVD_ARRAY_READING] =
        (struct gt_allotment){.name = "reading", .minimum = info->read_minimum, .preferred = info->read_preferred};
    plan->allotment[GT_SVD_ARRAY_BLOCKS] =
        (struct gt_allotment){.name = "a block of rows", .minimum = block, .preferred = gt_memory_plan_of_flow(engine, 1, block)};
    plan->allotment[GT_SVD_ARRAY_NARROW] =
        (struct gt_allotment){.name = plan->way == GT_SVD_ARRAY_TSQR ? "QR of blocks of rows" : "vectors",
                              .minimum = gt_bytes_add(gt_bytes_add(gt_bytes_add(narrow_bytes(plan), fixed), gt_array_means_bytes(&pass)),
                                                      gt_bytes_add(GT_LINALG_BYTES, gt_bytes_mul(plan->k, (int64_t)sizeof(double))))};
    plan->copied = is_copied(plan, info, opts);
    const int64_t values = values_bytes(plan, info, opts);
    plan->allotment[GT_SVD_ARRAY_VALUES] = (struct gt_allotment){.name = "values between passes", .kept = true, .preferred = values};
    int status = gt_memory_plan_fit(plan->allotment, GT_SVD_ARRAY_ALLOTMENTS, engine, err);
    gt_plan_record_step(engine->plan, &(struct gt_plan_step){.flow = "multiply",
                                                             .read = "collect",
                                                             .work = "multiply",
                                                             .part = "multiply transposed",
                                                             .tasks = -1,
                                                             .task_bytes = block,
                                                             .passes = plan->passes ? plan->passes : -1});
    plan->kept = values > 0 && plan->allotment[GT_SVD_ARRAY_VALUES].size >= values;
    if (status == GT_NOFIT && plan->way == GT_SVD_ARRAY_TSQR && narrow_bytes(plan) > GT_LINALG_BYTES)
        gt_fail_prefix(err, "tsqr needs an array with a short side; '%s' is %lld x %lld", info->name, (long long)plan->rows,
                       (long long)plan->columns);
    return status;
}

int gt_svd_array_plan(struct gt_svd_array_plan *plan, struct gt_engine *engine, struct gt_matrix *matrix,
                      const struct gt_svd_array_opts *opts, struct gt_err *err)
{
    const struct gt_matrix_info *info = gt_matrix_info(matrix);
    int status = check_shape(info, opts, err);
    if (status)
        return status;
    *plan = (struct gt_svd_array_plan){
        .rows = info->rows, .columns = info->columns, .turned = info->rows < info->columns, .device = opts->device};
    choose(plan, opts);
    if (plan->way == GT_SVD_ARRAY_KRYLOV && opts->center && opts->passes < 4)
        return gt_fail(err, GT_USAGE, "--passes %lld: krylov with --center needs at least 4, one of them for the means of the columns",
                       (long long)opts->passes);
    choose_width(plan, opts);
    if (gt_svd_array_short(plan) > INT32_MAX / 8)
        return too_wide(plan, info, err);
    if (plan->turned)
        status = gt_matrix_transpose(matrix, err);
    plan->whole = may_be_whole(plan, gt_matrix_info(matrix), opts);
    if (!status)
        status = settle(plan, engine, matrix, opts, err);
    if (!status && plan->device)
        status = plan_device(plan, gt_matrix_info(matrix), err);
    struct gt_err ignored;
    if (status == GT_NOFIT && plan->turned) /* it may be planned again, without a device */
        (void)gt_matrix_transpose(matrix, &ignored);
    return status;
}

/* Of a number of passes that is not known, some. */
struct gt_device_work gt_svd_array_device_work(const struct gt_matrix_info *info, const struct gt_svd_array_opts *opts, int threads)
{
    enum { SOME_PASSES = 20 };
    struct gt_svd_array_plan plan = {.rows = info->rows, .columns = info->columns, .turned = info->rows < info->columns};
    choose(&plan, opts);
    choose_width(&plan, opts);
    const double values = (double)info->rows * (double)info->columns, cpu_rate = 1e10;
    const double products = 2 * values * (double)gt_min_i64(plan.passes, SOME_PASSES) * (double)plan.width;
    const double qr = plan.way == GT_SVD_ARRAY_TSQR ? values * (double)gt_svd_array_short(&plan) : 0;
    return (struct gt_device_work){.cpu_seconds = (products + qr) / (cpu_rate * threads),
                                   .f64 = products + qr,
                                   .memory_bytes = 2 * values * (double)gt_min_i64(plan.passes, SOME_PASSES) * sizeof(double),
                                   .bus_bytes = values * sizeof(double)};
}

/* --- the result ------------------------------------------------------------------------ */

int gt_svd_array_values(struct gt_svd_array_work *work, const double *values, int64_t n, struct gt_err *err)
{
    const double floor = DBL_EPSILON * (double)work->rows * values[0];
    struct gt_svd_array_result *result = work->result;
    result->rank = 0;
    for (int64_t i = 0; i < n && i < work->plan->k; i++) {
        const double value = ldexp(values[i], work->pass.exponent);
        if (!isfinite(value))
            return gt_fail(err, GT_INPUT, "singular values of '%s' are not finite", gt_matrix_info(work->pass.matrix)->name);
        gt_buf_f64(&result->values)[i] = value;
        result->rank += values[i] > floor;
    }
    return GT_OK;
}

int64_t gt_svd_array_finish_bytes(const struct gt_svd_array_plan *plan, int64_t n)
{
    const int64_t small = gt_bytes_mul(gt_bytes_mul(4 * n + 1, n), (int64_t)sizeof(double));
    const int64_t more = gt_max_i64(gt_tall_qr_bytes(gt_svd_array_long(plan), n), gt_linalg_svd_bytes(n));
    return gt_bytes_add(small, more);
}

/* The sum of each of V's rows is not below 0; and 0 has no sign. */
static void choose_signs(double *v, int64_t n_v, double *u, int64_t n_u, int64_t k, int64_t lead)
{
    for (int64_t c = 0; c < k; c++) {
        double sum = 0;
        for (int64_t i = 0; i < n_v; i++)
            sum += v[i * lead + c];
        const double sign = sum < 0 ? -1 : 1;
        for (int64_t i = 0; i < n_v; i++)
            v[i * lead + c] = v[i * lead + c] * sign + 0.0;
        for (int64_t i = 0; i < n_u; i++)
            u[i * lead + c] = u[i * lead + c] * sign + 0.0;
    }
}

static int64_t length_q(const struct gt_svd_array_work *work, const struct gt_svd_array_factors *of)
{
    return of->rows ? work->rows : work->columns;
}

static int64_t length_b(const struct gt_svd_array_work *work, const struct gt_svd_array_factors *of)
{
    return of->rows ? work->columns : work->rows;
}

int gt_svd_array_hand_out(struct gt_svd_array_work *work, const struct gt_svd_array_factors *of, struct gt_err *err)
{
    const struct gt_svd_array_plan *plan = work->plan;
    const int64_t lead = plan->width;
    double *u = plan->turned == of->rows ? of->b : of->q, *v = plan->turned == of->rows ? of->q : of->b;
    choose_signs(v, plan->columns, u, plan->rows, plan->k, lead);
    int status = work->sink->rows(work->sink, true, 0, plan->rows, u, lead, err);
    return status ? status : work->sink->rows(work->sink, false, 0, plan->columns, v, lead, err);
}

/* B = Qb R, R = x diag(s) y, so that A = (Q y') diag(s) (Qb x)'. */
static int solve(struct gt_svd_array_work *work, const struct gt_svd_array_factors *of, double *small, struct gt_err *err)
{
    struct gt_budget *budget = &work->engine->budget;
    const int64_t lead = work->plan->width, n = of->n, n_q = length_q(work, of), n_b = length_b(work, of);
    double *x = small + n * n, *yt = x + n * n, *y = yt + n * n, *values = y + n * n;
    int status = gt_tall_qr(n_b, n, of->b, lead, small, budget, err);
    if (!status)
        status = gt_linalg_svd(n, small, values, x, yt, budget, err);
    for (int64_t i = 0; i < n * n && !status; i++)
        y[i] = yt[i / n + i % n * n];
    if (!status)
        status = gt_tall_times(n_b, n, of->b, lead, x, budget, err);
    if (!status)
        status = gt_tall_times(n_q, n, of->q, lead, y, budget, err);
    return status ? status : gt_svd_array_values(work, values, n, err);
}

int gt_svd_array_solve(struct gt_svd_array_work *work, const struct gt_svd_array_factors *of, struct gt_err *err)
{
    struct gt_buf small = {.budget = &work->engine->budget};
    int status = gt_buf_resize(&small, (size_t)((4 * of->n + 1) * of->n) * sizeof(double), err);
    if (!status)
        status = solve(work, of, gt_buf_f64(&small), err);
    gt_buf_release(&small);
    return status;
}

int gt_svd_array_mend(struct gt_svd_array_work *work, const struct gt_svd_array_factors *of, struct gt_err *err)
{
    const int64_t n = of->n, lead = work->plan->width;
    struct gt_buf r = {.budget = &work->engine->budget};
    int status = work->pass.whole ? gt_buf_resize(&r, (size_t)(n * n) * sizeof(double), err) : GT_OK;
    if (!status && work->pass.whole) {
        status = gt_tall_qr(length_q(work, of), n, of->q, lead, gt_buf_f64(&r), &work->engine->budget, err);
        if (!status)
            gt_linalg_solve_upper_turned(length_b(work, of), n, gt_buf_f64(&r), n, of->b, lead);
    }
    gt_buf_release(&r);
    return status;
}

static int run_way(struct gt_svd_array_work *work, struct gt_err *err)
{
    const enum gt_svd_array_way way = work->plan->way;
    return (way == GT_SVD_ARRAY_TSQR     ? gt_svd_array_tsqr
            : way == GT_SVD_ARRAY_KRYLOV ? gt_svd_array_krylov
                                         : gt_svd_array_compressed)(work, err);
}

/* All over: what was read has another number than 0, 1 and 2, or numbers far from 1. */
static int run_again(struct gt_svd_array_work *work, struct gt_err *err)
{
    struct gt_matrix *sketch = work->opts->sketch;
    if (!work->pass.rescaled)
        work->pass.passes = 0;
    gt_array_pass_leave_codes(&work->pass);
    gt_err_clear(err);
    work->pass.rescaled = false;
    int status = gt_matrix_rewind(work->pass.matrix, err);
    if (!status && sketch)
        status = gt_matrix_rewind(sketch, err);
    return status ? status : run_way(work, err);
}

int gt_svd_array_run(struct gt_engine *engine, struct gt_matrix *matrix, const struct gt_svd_array_plan *plan,
                     const struct gt_svd_array_opts *opts, struct gt_svd_array_sink *sink, struct gt_svd_array_result *result,
                     struct gt_err *err)
{
    struct gt_svd_array_work work = {.engine = engine,
                                     .plan = plan,
                                     .opts = opts,
                                     .rows = gt_svd_array_long(plan),
                                     .columns = gt_svd_array_short(plan),
                                     .pass = {.engine = engine,
                                              .matrix = matrix,
                                              .turned = plan->turned,
                                              .mean = opts->mean,
                                              .center = opts->center,
                                              .largest = INT_MIN,
                                              .memory = plan->allotment[GT_SVD_ARRAY_BLOCKS].size,
                                              .kept.memory = plan->copied ? plan->allotment[GT_SVD_ARRAY_VALUES].size : 0,
                                              .codes.memory = plan->allotment[GT_SVD_ARRAY_VALUES].size,
                                              .whole = plan->whole,
                                              .device = plan->device},
                                     .sink = sink,
                                     .result = result};
    *result = (struct gt_svd_array_result){.values.budget = &engine->budget, .residuals.budget = &engine->budget};
    gt_matrix_set_memory(matrix, plan->allotment[GT_SVD_ARRAY_READING].size);
    int status = gt_buf_zeros(&result->values, (size_t)plan->k * sizeof(double), err);
    if (!status)
        status = gt_array_means(&work.pass, err);
    if (!status)
        status = run_way(&work, err);
    if (status && (work.pass.codes.others || work.pass.rescaled))
        status = run_again(&work, err);
    if (status == GT_INPUT && work.pass.looked)
        gt_hint(err, "products of the values of '%s' overflow", gt_matrix_info(matrix)->name);
    result->passes = work.pass.passes;
    result->missing = work.pass.missing;
    gt_array_pass_release(&work.pass);
    return status;
}

int gt_svd_array_exponent(const double *values, int64_t n)
{
    double largest = 0;
    int exponent = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(values[i]));
    if (largest > 0 && isfinite(largest))
        frexp(largest, &exponent);
    return exponent;
}

void gt_svd_array_scale(double *values, int64_t n, int exponent)
{
    for (int64_t i = 0; i < n && exponent; i++)
        values[i] = ldexp(values[i], exponent);
}

void gt_svd_array_release(struct gt_svd_array_result *result)
{
    gt_buf_release(&result->values);
    gt_buf_release(&result->residuals);
}
