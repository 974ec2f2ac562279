#include "calc/pdist/sample_rows.h"

#include "core/base/size.h"
#include "core/engine/flow.h"
#include "core/engine/memory_plan.h"
#include "kernels/kernels.h"

/* Samples of a task that counts. */
enum { SAMPLES = 256 };

/* An odd number of cache lines: the same site of all samples is not in one set of the cache. */
static int64_t stride_of(int64_t most)
{
    return (gt_ceil_div(gt_max_i64(most, 1), 256) | 1) * 64;
}

int64_t gt_sample_rows_bytes(int64_t samples, int64_t most)
{
    const int64_t codes = gt_bytes_add(gt_bytes_mul(samples, stride_of(most)), GT_KERNEL_PAD);
    return gt_bytes_add(codes, gt_bytes_add(gt_bytes_mul(most, sizeof(uint32_t)), gt_bytes_mul(samples, 4 * sizeof(int64_t))) + 4 * 64);
}

struct reading {
    struct gt_sample_rows *rows;
    struct gt_row_source *row_source;
    int64_t sites; /* read so far */
};

struct item {
    struct gt_rows rows;
    const void *held;
    int64_t first;
};

static int collect(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    struct reading *reading = ctx;
    struct item *item = it;
    (void)task;
    int status = reading->row_source->ops->next(reading->row_source, &item->rows, &item->held, err);
    if (status)
        return status;
    item->first = reading->sites;
    reading->sites += item->rows.n;
    if (item->first % 64 || reading->sites > reading->rows->most)
        return gt_fail(err, GT_INPUT, "'%s' has other variants than when it was opened", reading->row_source->info.name);
    gt_flow_bytes(item->rows.n * (int64_t)item->rows.stride);
    return GT_OK;
}

static int turn(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    struct reading *reading = ctx;
    struct gt_sample_rows *rows = reading->rows;
    struct item *item = it;
    const uint8_t *data = item->rows.data;
    int64_t counts[4];
    (void)task, (void)err;
    gt_kernels()->turn_codes(data, item->rows.stride, item->rows.n, rows->samples, rows->codes.data + item->first / 4, rows->stride);
    for (int64_t r = 0; r < item->rows.n; r++) {
        gt_kernels()->count_codes(data + (size_t)r * item->rows.stride, rows->samples, counts);
        gt_buf_u32(&rows->hets)[item->first + r] = (uint32_t)counts[1];
    }
    reading->row_source->ops->done(reading->row_source, item->held);
    item->held = NULL;
    return GT_OK;
}

static void release(void *ctx, void *it)
{
    struct reading *reading = ctx;
    struct item *item = it;
    if (item->held)
        reading->row_source->ops->done(reading->row_source, item->held);
}

static int count(void *ctx, int64_t task, void *item, struct gt_err *err)
{
    struct gt_sample_rows *rows = ctx;
    (void)item, (void)err;
    for (int64_t s = task * SAMPLES; s < gt_min_i64((task + 1) * SAMPLES, rows->samples); s++)
        gt_kernels()->count_codes(gt_sample_row(rows, s), rows->sites, gt_buf_i64(&rows->counts) + 4 * s);
    return GT_OK;
}

static int make_room(struct gt_sample_rows *rows, struct gt_engine *engine, int64_t samples, int64_t most, struct gt_err *err)
{
    *rows = (struct gt_sample_rows){.samples = samples, .most = most, .stride = (size_t)stride_of(most)};
    rows->codes.budget = rows->hets.budget = rows->counts.budget = &engine->budget;
    int status = gt_buf_resize(&rows->codes, (size_t)samples * rows->stride + GT_KERNEL_PAD, err);
    if (!status)
        status = gt_buf_resize(&rows->hets, (size_t)most * sizeof(uint32_t), err);
    return status ? status : gt_buf_resize(&rows->counts, (size_t)samples * 4 * sizeof(int64_t), err);
}

int gt_sample_rows_read(struct gt_sample_rows *rows, struct gt_engine *engine, struct gt_row_source *row_source, int64_t most,
                        int64_t block_bytes, int64_t memory, struct gt_err *err)
{
    static const struct gt_flow_ops read_ops = {.name = "pdist",
                                                .read_name = "collect",
                                                .work_name = "turn",
                                                .item_size = sizeof(struct item),
                                                .read = collect,
                                                .work = turn,
                                                .release = release};
    static const struct gt_flow_ops count_ops = {.name = "pdist", .work_name = "count", .item_size = 1, .work = count};
    struct reading reading = {.rows = rows, .row_source = row_source};
    const struct gt_flow_opts opts = {.tasks = -1, .readers = 1, .task_bytes = (size_t)block_bytes, .memory = memory};
    int status = make_room(rows, engine, row_source->info.samples, most, err);
    if (!status)
        status = gt_flow_run(engine, &read_ops, &opts, &reading, NULL, err);
    rows->sites = reading.sites;
    const struct gt_flow_opts all = {.tasks = gt_ceil_div(rows->samples, SAMPLES), .task_bytes = 1, .memory = 1 << 20};
    return status || !all.tasks ? status : gt_flow_run(engine, &count_ops, &all, rows, NULL, err);
}

void gt_sample_rows_release(struct gt_sample_rows *rows)
{
    gt_buf_release(&rows->codes);
    gt_buf_release(&rows->hets);
    gt_buf_release(&rows->counts);
}
