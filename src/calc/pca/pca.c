#include "calc/pca/pca.h"

#include <math.h>
#include <string.h>

#include "arrays/linalg/krylov.h"
#include "arrays/linalg/linalg.h"
#include "calc/pca/pca_memory.h"
#include "calc/pca/pca_ranks.h"
#include "core/base/size.h"

/* Samples whose pairs are as soon summed as skipped again and again. */
enum { FEW_SAMPLES = 1500 };
/* Columns beyond k: of krylov, of compressed, and those that it has at least, as dask. */
enum { OVERSAMPLE = 6, COMPRESSED_OVERSAMPLE = 10, LEAST_LEVEL = 20 };
/* Eigenvalues below this share of the largest one are 0. */
#define NO_VALUE 1e-9

/* --- plan ---------------------------------------------------------------------------- */

int64_t gt_svd_vectors_bytes(int64_t samples, int64_t k)
{
    return gt_bytes_add(gt_linalg_eigen_bytes(samples, k), gt_bytes_mul(gt_bytes_mul(samples + 1, k), (int64_t)sizeof(double)));
}

static void choose(struct gt_svd_plan *plan, const struct gt_svd_opts *opts)
{
    plan->algorithm = opts->algorithm;
    plan->why = "as --algorithm says";
    if (opts->algorithm != GT_SVD_AUTO)
        return;
    bool few = plan->samples <= FEW_SAMPLES;
    plan->algorithm = opts->power > 0 ? GT_SVD_COMPRESSED : few && !opts->tuned ? GT_SVD_GRAM : GT_SVD_KRYLOV;
    plan->why = opts->tuned ? "whose options are given" : few ? "few samples: exact" : "many samples";
}

static int64_t columns_of(struct gt_svd_plan *plan, const struct gt_svd_opts *opts)
{
    if (plan->algorithm != GT_SVD_COMPRESSED)
        return opts->k + (opts->oversample < 0 ? OVERSAMPLE : opts->oversample);
    const int64_t level = opts->k + (opts->oversample < 0 ? COMPRESSED_OVERSAMPLE : opts->oversample);
    return plan->level = gt_min_i64(level > LEAST_LEVEL ? level : LEAST_LEVEL, plan->samples);
}

/* Is one product in one digit all? */
static bool is_coarse(const struct gt_svd_plan *plan, const struct gt_svd_opts *opts)
{
    return plan->algorithm == GT_SVD_COMPRESSED && opts->power == 0 && opts->scale != GT_SVD_NONE;
}

static int plan_passes(struct gt_svd_plan *plan, const struct gt_engine *engine, const struct gt_geno_info *info,
                       const struct gt_svd_opts *opts, struct gt_err *err)
{
    plan->width = gt_svd_width(columns_of(plan, opts));
    plan->once = is_coarse(plan, opts) && plan->most >= 0;
    const int64_t block = gt_svd_block_bytes(plan->samples, plan->block_rows, plan->width), row = (plan->samples + 3) / 4, n = plan->most;
    const int64_t all = plan->once ? 0 : n < 0 ? INT64_MAX / 4 : gt_bytes_mul(gt_bytes_add(plan->own, plan->block_rows), row + 16);
    const int64_t way = plan->algorithm == GT_SVD_COMPRESSED ? gt_svd_compressed_bytes(plan) : gt_krylov_bytes(plan->samples, plan->width);
    const int64_t host = opts->device ? gt_svd_device_host_bytes(plan->block_rows, plan->width) : 0;
    const int64_t solving = gt_bytes_add(gt_bytes_add(way, host), gt_svd_pass_bytes(plan, engine->comm.size));
    plan->allotment[GT_SVD_READING] =
        (struct gt_allotment){.name = "reading", .minimum = info->read_minimum, .preferred = info->read_preferred};
    plan->allotment[GT_SVD_BLOCKS] =
        (struct gt_allotment){.name = "a block of variants", .minimum = block, .preferred = gt_memory_plan_of_flow(engine, 1, block)};
    plan->allotment[GT_SVD_SOLVING] = (struct gt_allotment){
        .name = "vectors", .minimum = gt_bytes_add(gt_bytes_add(solving, gt_svd_vectors_bytes(plan->samples, opts->k)), GT_LINALG_BYTES)};
    const int64_t made = plan->once || opts->device || n < 0
                             ? 0
                             : gt_bytes_mul(plan->own / plan->block_rows + 1, gt_svd_block_most_made(plan->samples, plan->block_rows));
    plan->allotment[GT_SVD_CACHE] =
        (struct gt_allotment){.name = "genotypes between passes", .kept = true, .preferred = gt_bytes_add(all, made)};
    int status = gt_memory_plan_fit(plan->allotment, GT_SVD_ALLOTMENTS, engine, err);
    plan->kept = plan->allotment[GT_SVD_CACHE].size >= all;
    plan->made = made ? gt_max_i64(plan->allotment[GT_SVD_CACHE].size - all, 0) : 0;
    const int64_t blocks = plan->variants < 0 ? -1 : gt_ceil_div(plan->variants, plan->block_rows);
    gt_plan_record_step(
        engine->plan,
        &(struct gt_plan_step){.flow = "look", .read = "collect", .work = "count", .tasks = blocks, .task_bytes = block, .passes = 1});
    gt_plan_record_step(engine->plan, &(struct gt_plan_step){.flow = "multiply",
                                                             .read = "collect",
                                                             .work = "multiply",
                                                             .part = "multiply transposed",
                                                             .tasks = blocks,
                                                             .task_bytes = block,
                                                             .passes = -1});
    return status;
}

struct gt_device_work gt_svd_device_work(const struct gt_geno_info *info, int64_t k, int passes, int threads)
{
    const int64_t variants = info->n_variants < 0 ? info->n_variants_max : info->n_variants;
    const double genotypes = (double)info->n_samples * (double)gt_max_i64(0, variants), cpu_rate = gt_svd_product_rate();
    const double columns = (double)gt_svd_width(k + OVERSAMPLE);
    return (struct gt_device_work){.cpu_seconds = variants < 0 ? -1 : passes * genotypes * columns / (cpu_rate * threads),
                                   .int8 = passes * genotypes * columns * 8,
                                   .memory_bytes = passes * genotypes * 4,
                                   .bus_bytes = genotypes / 4};
}

static int plan_device(struct gt_svd_plan *plan, const struct gt_svd_opts *opts, struct gt_err *err)
{
    const bool gram = plan->algorithm == GT_SVD_GRAM;
    const int64_t width = gram ? gt_svd_width(opts->k) : plan->width;
    const int64_t products = gram && !opts->loadings ? 0 : gt_svd_device_bytes(opts->device, plan->samples, plan->block_rows, width);
    plan->device_bytes = gt_max_i64(gram ? plan->sums.device_bytes : 0, products);
    return gt_device_check_room(opts->device, plan->device_bytes, err);
}

int gt_svd_plan(struct gt_svd_plan *plan, struct gt_engine *engine, struct gt_source *source, const struct gt_svd_opts *opts,
                struct gt_err *err)
{
    const struct gt_geno_info *info = gt_source_info(source);
    char a[GT_THINGS_LEN];
    *plan = (struct gt_svd_plan){.samples = info->n_samples, .ploidy = info->ploidy, .variants = info->n_variants};
    if (opts->k > plan->samples)
        return gt_fail(err, GT_USAGE, "-k %lld is more than '%s' has (%s)", (long long)opts->k, info->name,
                       gt_format_things(a, plan->samples, "sample"));
    choose(plan, opts);
    plan->block_rows = gt_svd_block_rows(plan->samples);
    plan->ranges = gt_source_is_divisible(source);
    plan->most = plan->variants < 0 ? info->n_variants_max : plan->variants;
    plan->own = gt_source_share_most(source, plan->block_rows, plan->most);
    int status =
        plan->algorithm == GT_SVD_GRAM ? gt_svd_gram_plan(plan, engine, source, opts, err) : plan_passes(plan, engine, info, opts, err);
    if (!status && opts->device)
        status = plan_device(plan, opts, err);
    return status || !opts->loadings ? status : gt_svd_loadings_plan(plan, engine, info, opts, err);
}

/* --- krylov ----------------------------------------------------------------------------- */

static int multiply(void *ctx, const double *columns, double *product, struct gt_err *err)
{
    return gt_svd_multiply(ctx, columns, product, err);
}

/* The columns that were found, seen once more with all digits: what X'X is on them alone is solved for. */
static int refine(struct gt_svd_passes *passes, const struct gt_krylov_result *found, const struct gt_svd_opts *opts,
                  struct gt_svd_result *result, struct gt_err *err)
{
    const int64_t n = passes->plan->samples, width = passes->plan->width, k = opts->k < found->found ? opts->k : found->found;
    struct gt_buf columns = {.budget = &passes->engine->budget}, small = {.budget = &passes->engine->budget};
    int status = gt_buf_zeros(&columns, (size_t)(n * width) * sizeof(double), err);
    if (!status)
        status = gt_buf_resize(&small, (size_t)(2 * width * width) * sizeof(double), err);
    if (!status) {
        memcpy(columns.data, found->vectors.data, found->vectors.len);
        status = gt_svd_project(passes, gt_buf_f64(&columns), gt_buf_f64(&small), err);
    }
    if (!status)
        status = gt_linalg_eigen(found->found, gt_buf_f64(&small), width, k, gt_buf_f64(&result->values),
                                 gt_buf_f64(&small) + width * width, &passes->engine->budget, err);
    if (!status) {
        const struct gt_matrix_ref left = {gt_buf_f64(&columns), n, false},
                                   right = {gt_buf_f64(&small) + width * width, found->found, false};
        gt_linalg_product(n, k, found->found, &left, &right, 0, gt_buf_f64(&result->vectors), n);
    }
    gt_buf_release(&columns);
    gt_buf_release(&small);
    return status;
}

static int iterate(struct gt_svd_passes *passes, const struct gt_svd_opts *opts, struct gt_svd_result *result, struct gt_err *err)
{
    const struct gt_svd_plan *plan = passes->plan;
    const struct gt_krylov problem = {.n = plan->samples,
                                      .k = opts->k,
                                      .width = plan->width,
                                      .tol = opts->tol,
                                      .zero = NO_VALUE,
                                      .steps = opts->passes > 2 ? opts->passes - 2 : 1,
                                      .seed = opts->seed,
                                      .multiply = multiply,
                                      .ctx = passes,
                                      .budget = &passes->engine->budget};
    struct gt_krylov_result found;
    int status = gt_krylov_solve(&problem, &found, err);
    if (!status)
        status = refine(passes, &found, opts, result, err);
    result->residual = found.residual;
    gt_buf_release(&found.vectors);
    gt_buf_release(&found.values);
    return status;
}

static int solve(struct gt_svd_passes *passes, const struct gt_svd_opts *opts, struct gt_svd_result *result, struct gt_err *err)
{
    const struct gt_svd_plan *plan = passes->plan;
    int status = plan->once ? GT_OK : gt_svd_look(passes, err);
    passes->coarse = is_coarse(plan, opts);
    passes->digits = gt_svd_pass_digits(plan, opts, passes->moments.used);
    if (!status && (plan->once || passes->moments.trace > 0))
        status = (plan->algorithm == GT_SVD_COMPRESSED ? gt_svd_compressed : iterate)(passes, opts, result, err);
    return status ? status : gt_svd_call(passes, GT_SVD_CALL_END, NULL, err);
}

static int run_passes(struct gt_engine *engine, struct gt_source *source, const struct gt_svd_plan *plan, const struct gt_svd_opts *opts,
                      struct gt_svd_result *result, struct gt_err *err)
{
    struct gt_svd_memory memory;
    struct gt_svd_passes passes = {.engine = engine,
                                   .source = source,
                                   .plan = plan,
                                   .scale = opts->scale,
                                   .memory = &memory,
                                   .missing.budget = &engine->budget,
                                   .terms.budget = &engine->budget};
    struct gt_reblock_opts blocks = {
        .variants = plan->block_rows, .again = !plan->once, .keep = plan->allotment[GT_SVD_CACHE].size - plan->made};
    gt_source_set_memory(source, plan->allotment[GT_SVD_READING].size);
    int status = gt_source_share(source, plan->block_rows, &blocks.part, err);
    passes.part = blocks.part;
    if (!status)
        status = gt_source_reblock(source, &blocks, err);
    if (status)
        return status;
    gt_svd_memory_init(&memory, &engine->budget, plan->made);
    status = gt_buf_zeros(&passes.missing, (size_t)plan->samples * sizeof(uint32_t), err);
    if (!status && opts->device)
        status = gt_svd_device_new(&passes.device, opts->device, &engine->budget, plan->samples, plan->block_rows, plan->width, err);
    if (!status)
        status = engine->comm.rank ? gt_svd_serve(&passes, err) : solve(&passes, opts, result, err);
    result->used = passes.moments.used;
    result->constant = passes.moments.constant;
    result->trace = passes.moments.trace;
    result->passes = passes.passes;
    if (!status)
        gt_svd_report_missing(result, gt_buf_u32(&passes.missing), plan->samples);
    gt_buf_release(&passes.missing);
    gt_buf_release(&passes.terms);
    gt_svd_memory_release(&memory);
    gt_svd_device_free(passes.device);
    gt_source_stop(source);
    return status;
}

/* --- the result --------------------------------------------------------------------------- */

/* Entries that differ by less than this proportion count as equal: those of two samples that mirror each other differ by what the
 * iteration leaves. */
#define TIED 1e-3

/* The largest entry is positive; of those that are equal to it, the first one. */
static void choose_sign(double *vector, int64_t n)
{
    double largest = 0;
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(vector[i]));
    while (at < n && fabs(vector[at]) < largest * (1 - TIED))
        at++;
    const double sign = at < n && vector[at] < 0 ? -1 : 1;
    for (int64_t i = 0; i < n; i++)
        vector[i] = vector[i] * sign + 0.0; /* 0 has no sign */
}

static void finish(struct gt_svd_result *result, int64_t n, int64_t k)
{
    double *values = gt_buf_f64(&result->values), *vectors = gt_buf_f64(&result->vectors);
    while (result->rank < k && values[result->rank] > NO_VALUE * values[0])
        result->rank++;
    memset(values + result->rank, 0, (size_t)(k - result->rank) * sizeof *values);
    memset(vectors + result->rank * n, 0, (size_t)((k - result->rank) * n) * sizeof *vectors);
    for (int64_t c = 0; c < result->rank; c++)
        choose_sign(vectors + c * n, n);
}

int gt_svd_run(struct gt_engine *engine, struct gt_source *source, const struct gt_svd_plan *plan, const struct gt_svd_opts *opts,
               struct gt_svd_result *result, struct gt_err *err)
{
    *result = (struct gt_svd_result){.vectors.budget = &engine->budget, .values.budget = &engine->budget};
    int status = gt_buf_zeros(&result->vectors, (size_t)(plan->samples * opts->k) * sizeof(double), err);
    if (!status)
        status = gt_buf_zeros(&result->values, (size_t)opts->k * sizeof(double), err);
    if (!status)
        status = (plan->algorithm == GT_SVD_GRAM ? gt_svd_gram : run_passes)(engine, source, plan, opts, result, err);
    if (!status && engine->comm.rank == 0 && !(result->trace > 0))
        status = gt_fail(err, GT_INPUT, "'%s': no variant %s", gt_source_info(source)->name,
                         gt_source_stats(source)->sites_kept ? "differs between the samples" : "is left to make components of");
    if (!status)
        status = gt_svd_ranks_share(&engine->comm, result, err);
    if (!status)
        finish(result, plan->samples, opts->k);
    return status;
}

void gt_svd_release(struct gt_svd_result *result)
{
    gt_buf_release(&result->vectors);
    gt_buf_release(&result->values);
}
