#include "calc/sim/sim_array.h"

#include <math.h>
#include <string.h>

#include "arrays/zarr/group.h"
#include "arrays/zarr/shard_length.h"
#include "calc/sim/sim.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/base/philox.h"
#include "core/base/size.h"
#include "core/engine/flow_deal.h"
#include "core/engine/memory_plan.h"
#include "kernels/kernels.h"

#include <json-c/json.h>

struct job {
    const struct gt_sim_array *a;
    struct gt_engine *engine;
    struct gt_array *out;
    int64_t grid[2];
};

struct item {
    struct gt_buf raw, stored, scratch[2];
    struct gt_buf words, values, left, right; /* of a row: u32, double; singular vectors of the chunk */
    bool ready;
};

static bool is_whole(enum gt_type type)
{
    return type <= GT_U64;
}

double gt_sim_array_singular(const struct gt_sim_array *a, int64_t r)
{
    return sqrt((double)a->rows * (double)a->columns) / (double)(r + 1);
}

/* --- checks -------------------------------------------------------------------- */

static int check_range(const struct gt_sim_array *a, struct gt_err *err)
{
    static const double most[] = {1, INT8_MAX, INT16_MAX, INT32_MAX, 0x1p53, UINT8_MAX, UINT16_MAX, UINT32_MAX, 0x1p53};
    static const double minimum[] = {0, INT8_MIN, INT16_MIN, INT32_MIN, -0x1p53, 0, 0, 0, 0};

    if (!(a->low <= a->high) || !isfinite(a->low) || !isfinite(a->high))
        return gt_fail(err, GT_USAGE, "--uniform: the range is empty");
    if (!is_whole(a->type))
        return 0;
    if (a->low != floor(a->low) || a->high != floor(a->high))
        return gt_fail(err, GT_USAGE, "--uniform: an integer --dtype needs integer limits");
    if (a->high - a->low >= 0x1p32)
        return gt_fail(err, GT_USAGE, "--uniform: at most 2^32 different integers");
    if (a->low < minimum[a->type] || a->high > most[a->type])
        return gt_fail(err, GT_USAGE, "--uniform: the range does not fit the --dtype");
    return 0;
}

/* The chunks that were chosen become those in shards. */
static int choose_shards(struct gt_sim_array *a, const bool chosen[2], struct gt_err *err)
{
    static const char *const axes[] = {"variants", "samples"};
    int status = GT_OK;
    if (!a->shard[0] && !a->shard[1])
        return GT_OK;
    for (int i = 0; i < 2 && !status; i++) {
        a->inner[i] = a->chunk[i];
        status = gt_shard_length(&a->chunk[i], axes[i], a->shard[i], i ? a->columns : a->rows, chosen[i], &a->inner[i], err);
    }
    return status;
}

static int choose_chunks(struct gt_sim_array *a, struct gt_err *err)
{
    const bool chosen[] = {a->chunk[0] == 0, a->chunk[1] == 0};
    int64_t size = (int64_t)gt_dtype_of(a->type).size;

    if (a->chunk[1] == 0)
        a->chunk[1] = a->columns < 16384 ? a->columns : 16384;
    if (a->chunk[0] == 0) {
        int64_t fit = ((int64_t)4 << 20) / (a->chunk[1] * size);
        a->chunk[0] = fit < 1 ? 1 : fit > a->rows ? a->rows : fit;
    }
    for (int axis = 0; axis < 2; axis++) {
        int64_t n = axis ? a->columns : a->rows;
        if (a->chunk[axis] > n)
            a->chunk[axis] = n;
    }
    return choose_shards(a, chosen, err);
}

int gt_sim_array_check(struct gt_sim_array *a, struct gt_err *err)
{
    int64_t items;
    int status;

    if (a->rows < 1 || a->columns < 1)
        return gt_fail(err, GT_USAGE, "--%s must be at least 1", a->rows < 1 ? "variants" : "samples");
    if (a->rows > GT_SIM_MAX_VARIANTS || a->columns > GT_SIM_MAX_SAMPLES)
        return gt_fail(err, GT_USAGE, "--%s is too large: at most %lld", a->rows > GT_SIM_MAX_VARIANTS ? "variants" : "samples",
                       (long long)(a->rows > GT_SIM_MAX_VARIANTS ? GT_SIM_MAX_VARIANTS : GT_SIM_MAX_SAMPLES));
    if (a->kind == GT_SIM_UNIFORM && (status = check_range(a, err)))
        return status;
    if (a->kind != GT_SIM_UNIFORM && a->type != GT_F32 && a->type != GT_F64)
        return gt_fail(err, GT_USAGE, "--%s needs --dtype float32 or float64", a->kind == GT_SIM_NORMAL ? "normal" : "rank");
    if (a->type == GT_BOOL || a->type == GT_F16 || a->type > GT_F64)
        return gt_fail(err, GT_USAGE, "--dtype must be an integer type, float32 or float64");
    if (a->kind == GT_SIM_RANK && (a->rank < 1 || a->rank > a->rows || a->rank > a->columns || a->rank > GT_SIM_MAX_RANK))
        return gt_fail(err, GT_USAGE, "--rank must be at least 1, and at most the smaller side of the matrix and %d", GT_SIM_MAX_RANK);
    if (!(a->noise >= 0) || !isfinite(a->noise))
        return gt_fail(err, GT_USAGE, "--noise must be at least 0");
    if ((status = choose_chunks(a, err)))
        return status;
    if (!gt_mul_i64(a->chunk[0], a->chunk[1], &items) || items > INT32_MAX / 8)
        return gt_fail(err, GT_USAGE, "chunks of %lld x %lld are too large", (long long)a->chunk[0], (long long)a->chunk[1]);
    return 0;
}

/* --- values ---------------------------------------------------------------------- */

static void row_words(const struct gt_sim_array *a, int64_t row, int64_t column, int64_t n, uint32_t *words)
{
    const uint32_t key[2] = {(uint32_t)a->seed, (uint32_t)(a->seed >> 32)};
    const uint32_t counter[3] = {(uint32_t)row, (uint32_t)((uint64_t)row >> 32), GT_SIM_VALUE};
    gt_kernels()->sim_words(key, counter, (uint32_t)(column / 4), n, words);
}

/* n normal values for words of whole groups (n % 4 == 0). */
static void normals(const uint32_t *words, int64_t n, double *to)
{
    for (int64_t i = 0; i < n; i += 2) {
        double r = sqrt(-2 * log(gt_unit32(words[i]))), angle = 2 * M_PI * gt_unit32(words[i + 1]);
        to[i] = r * cos(angle);
        to[i + 1] = r * sin(angle);
    }
}

/* Rows [from, from + n) of the r-th singular vectors of a side of length `side`: to[i * rank + r]. */
static void vectors(const struct gt_sim_array *a, bool right, int64_t from, int64_t n, double *to)
{
    const uint32_t key[2] = {(uint32_t)a->seed, (uint32_t)(a->seed >> 32)};
    const uint32_t counter[3] = {right, 0, GT_SIM_SIGN};
    int64_t side = right ? a->columns : a->rows;
    uint32_t w[4];

    for (int64_t i = 0; i < n; i++) {
        gt_kernels()->sim_words(key, counter, (uint32_t)((from + i) / 4), 1, w);
        double sign = w[(from + i) % 4] >> 31 ? -1 : 1;
        for (int64_t r = 0; r < a->rank; r++) {
            /* cos(pi x / 2 side) with x reduced exactly to one turn */
            int64_t x = (int64_t)((__int128)r * (2 * (from + i) + 1) % (4 * side));
            double value = sign * sqrt((r ? 2.0 : 1.0) / (double)side) * cos(M_PI / 2 * (double)x / (double)side);
            to[i * a->rank + r] = right ? value : value * gt_sim_array_singular(a, r);
        }
    }
}

static void whole_row(const struct gt_sim_array *a, const uint32_t *words, int64_t n, void *to)
{
    uint64_t span = (uint64_t)(a->high - a->low) + 1;
    int64_t low = (int64_t)a->low;
    size_t size = gt_dtype_of(a->type).size;

    if (size == 1) {
        for (int64_t i = 0; i < n; i++)
            ((uint8_t *)to)[i] = (uint8_t)(low + (int64_t)(words[i] * span >> 32));
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t value = low + (int64_t)(words[i] * span >> 32);
        memcpy((uint8_t *)to + (size_t)i * size, &value, size);
    }
}

static void float_row(const struct gt_sim_array *a, const struct item *item, int64_t i, const uint32_t *words, int64_t skip, int64_t n,
                      double *values)
{
    if (a->kind == GT_SIM_UNIFORM) {
        for (int64_t j = 0; j < n; j++)
            values[skip + j] = a->low + (a->high - a->low) * gt_unit32(words[skip + j]);
        return;
    }
    if (a->kind == GT_SIM_NORMAL || a->noise > 0)
        normals(words, gt_ceil_div(skip + n, 4) * 4, values);
    if (a->kind == GT_SIM_NORMAL)
        return;
    const double *left = (const double *)item->left.data + i * a->rank, *right = (const double *)item->right.data;
    for (int64_t j = 0; j < n; j++) {
        double sum = a->noise > 0 ? a->noise * values[skip + j] : 0;
        for (int64_t r = 0; r < a->rank; r++)
            sum += left[r] * right[j * a->rank + r];
        values[skip + j] = sum;
    }
}

static void count_buffers(const struct job *job, struct item *item)
{
    struct gt_buf *all[] = {&item->raw,   &item->stored, item->scratch, item->scratch + 1,
                            &item->words, &item->values, &item->left,   &item->right};
    for (size_t i = 0; i < sizeof all / sizeof *all && !item->ready; i++)
        all[i]->budget = &job->engine->budget;
    item->ready = true;
}

static int prepare(const struct job *job, struct item *item, int64_t row, int64_t column, int64_t rows, int64_t columns, struct gt_err *err)
{
    const struct gt_sim_array *a = job->a;
    size_t groups = (size_t)(gt_ceil_div(columns, 4) + 1), rank = a->kind == GT_SIM_RANK ? (size_t)a->rank : 0;
    int status;

    count_buffers(job, item);
    if ((status = gt_buf_resize(&item->raw, (size_t)(a->chunk[0] * a->chunk[1]) * gt_dtype_of(a->type).size, err)) ||
        (status = gt_buf_resize(&item->words, groups * 16, err)) || (status = gt_buf_resize(&item->values, groups * 32, err)) ||
        (status = gt_buf_resize(&item->left, (size_t)rows * rank * sizeof(double), err)) ||
        (status = gt_buf_resize(&item->right, (size_t)columns * rank * sizeof(double), err)))
        return status;
    if (rank) {
        vectors(a, false, row, rows, (double *)item->left.data);
        vectors(a, true, column, columns, (double *)item->right.data);
    }
    memset(item->raw.data, 0, item->raw.len);
    return 0;
}

static int work(void *ctx, int64_t task, void *p, struct gt_err *err)
{
    const struct job *job = ctx;
    const struct gt_sim_array *a = job->a;
    struct item *item = p;
    int64_t index[2] = {task / job->grid[1], task % job->grid[1]};
    int64_t row = index[0] * a->chunk[0], column = index[1] * a->chunk[1], skip = column % 4;
    int64_t rows = a->rows - row < a->chunk[0] ? a->rows - row : a->chunk[0];
    int64_t columns = a->columns - column < a->chunk[1] ? a->columns - column : a->chunk[1];
    size_t size = gt_dtype_of(a->type).size;
    int status = prepare(job, item, row, column, rows, columns, err);

    if (status)
        return status;
    uint32_t *words = (uint32_t *)item->words.data;
    double *values = (double *)item->values.data;
    for (int64_t i = 0; i < rows; i++) {
        uint8_t *to = item->raw.data + (size_t)(i * a->chunk[1]) * size;
        row_words(a, row + i, column, gt_ceil_div(skip + columns, 4), words);
        if (is_whole(a->type)) {
            whole_row(a, words + skip, columns, to);
            continue;
        }
        float_row(a, item, i, words, skip, columns, values);
        if (a->type == GT_F64)
            memcpy(to, values + skip, (size_t)columns * sizeof *values);
        else
            for (int64_t j = 0; j < columns; j++)
                ((float *)to)[j] = (float)values[skip + j];
    }
    return gt_array_encode(job->out, &item->raw, &item->stored, item->scratch, err);
}

static int results(void *ctx, void *p, struct gt_buf *list[GT_DEAL_RESULTS])
{
    struct item *item = p;
    count_buffers(ctx, item);
    list[0] = &item->stored;
    return 1;
}

static int commit(void *ctx, int64_t task, void *p, struct gt_err *err)
{
    struct job *job = ctx;
    int64_t index[2] = {task / job->grid[1], task % job->grid[1]};
    return gt_array_put(job->out, index, &((struct item *)p)->stored, err);
}

static void release(void *ctx, void *p)
{
    struct item *item = p;
    (void)ctx;
    gt_buf_release(&item->raw);
    gt_buf_release(&item->stored);
    gt_buf_release(&item->scratch[0]);
    gt_buf_release(&item->scratch[1]);
    gt_buf_release(&item->words);
    gt_buf_release(&item->values);
    gt_buf_release(&item->left);
    gt_buf_release(&item->right);
}

/* store: NULL for an array that is only planned. */
static int new_array(const struct gt_sim_array *a, struct gt_store *store, struct gt_array **array, struct gt_err *err)
{
    struct gt_array_spec spec = {.path = "",
                                 .type = a->type,
                                 .ndim = 2,
                                 .shape = {a->rows, a->columns},
                                 .chunk = {a->chunk[0], a->chunk[1]},
                                 .inner = {a->inner[0], a->inner[1]},
                                 .dim_names = {"variants", "samples"},
                                 .codec = a->codec            ? a->codec
                                          : is_whole(a->type) ? "zstd:1"
                                                              : "blosc:lz4:1:shuffle"};
    struct json_object *attrs = spec.attrs = json_object_new_object();
    int status = attrs ? gt_attrs_add_history(attrs, a->history, err) : gt_no_memory(err);

    status = status ? status : gt_array_new(array, store, &spec, a->zarr_format ? a->zarr_format : 2, err);
    json_object_put(attrs);
    return status;
}

/* Of a chunk on its way. */
static int64_t task_bytes(const struct gt_sim_array *a, const struct gt_array *array)
{
    int64_t chunk = gt_bytes_mul(gt_bytes_mul(a->chunk[0], a->chunk[1]), (int64_t)gt_dtype_of(a->type).size);
    int64_t vectors = a->kind == GT_SIM_RANK ? gt_bytes_mul(a->chunk[0] + a->chunk[1], a->rank * 8) : 0;

    chunk = gt_bytes_add(gt_bytes_mul(3, chunk), gt_codec_encode_bytes(array->codecs, array->chunk_bytes));
    return gt_bytes_add(gt_bytes_add(chunk, vectors), gt_bytes_mul(a->chunk[1], 12) + 4096);
}

static int settle(int64_t bytes, const struct gt_engine *engine, int64_t *memory, struct gt_err *err)
{
    struct gt_allotment allotment = {.name = "a chunk", .minimum = bytes, .preferred = gt_memory_plan_of_flow(engine, 0, bytes)};
    gt_plan_record_step(engine->plan,
                        &(struct gt_plan_step){.flow = "sim", .work = "generate", .tasks = -1, .task_bytes = bytes, .passes = 1});
    int status = gt_memory_plan_fit(&allotment, 1, engine, err);
    *memory = allotment.size;
    return status;
}

int gt_sim_array_fit_memory(const struct gt_sim_array *a, const struct gt_engine *engine, int64_t *memory, struct gt_err *err)
{
    struct gt_array *array;
    int status = new_array(a, NULL, &array, err);

    if (status)
        return status;
    status = settle(task_bytes(a, array), engine, memory, err);
    gt_array_free(array);
    return status;
}

int gt_sim_array_run(const struct gt_sim_array *a, struct gt_engine *engine, struct gt_store *out, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {
        .name = "sim", .work_name = "generate", .item_size = sizeof(struct item), .work = work, .release = release};
    struct job job = {.a = a, .engine = engine, .grid = {gt_ceil_div(a->rows, a->chunk[0]), gt_ceil_div(a->columns, a->chunk[1])}};
    const struct gt_deal deal = {.unit = 1, .results = results};
    struct gt_flow_opts opts = {0};

    if (!gt_mul_i64(job.grid[0], job.grid[1], &opts.tasks))
        return gt_fail(err, GT_USAGE, "too many chunks");
    int status = new_array(a, out, &job.out, err);
    if (!status && engine->comm.rank == 0)
        status = gt_array_put_meta(job.out, err);
    if (!status) {
        opts.task_bytes = (size_t)task_bytes(a, job.out);
        status = settle((int64_t)opts.task_bytes, engine, &opts.memory, err);
    }
    status = status ? status : gt_flow_run_dealt(engine, &ops, &opts, &deal, &job, commit, err);
    gt_array_free(job.out);
    return status;
}
