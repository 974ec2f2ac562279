#include "config.h"

#include "arrays/matrix/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "arrays/matrix/matrix_impl.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/flow.h"
#include "core/engine/memory_plan.h"

/* Blocks have about that many bytes where nothing else says how many rows they have. */
#define BLOCK_BYTES ((int64_t)4 << 20)

struct gt_matrix {
    struct gt_engine *engine;
    struct gt_matrix_info info;
    struct gt_matrix_back *back;
    struct gt_matrix_view view;
    bool cast, negative_missing;
    _Atomic bool any_negative;
    int64_t memory, row_bytes; /* of a row, in all buffers */
    int64_t from, to;
    struct gt_flow *flow;
};

/* --- a block ------------------------------------------------------------------------ */

static void item_init(struct gt_matrix *m, struct gt_matrix_item *item)
{
    if (item->ready)
        return;
    item->ready = true;
    item->block.values.budget = item->stored.budget = item->hull.budget = item->scratch[0].budget = item->scratch[1].budget =
        &m->engine->budget;
}

static int on_read(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct gt_matrix *m = ctx;
    struct gt_matrix_item *item = data;
    struct gt_matrix_block *block = &item->block;
    int64_t left;
    item_init(m, item);
    block->first = m->from + task * m->info.block_rows;
    left = m->to - block->first;
    block->n = left < m->info.block_rows ? left : m->info.block_rows;
    gt_matrix_view_rows(&m->view, block->first, block->n, &item->region);
    int status = gt_buf_resize(&item->stored, (size_t)(block->n * m->info.columns) * m->back->dtype.size, err);
    return status ? status : m->back->ops->fetch(m->back, m->view.stride, item, err);
}

static int on_work(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct gt_matrix *m = ctx;
    struct gt_matrix_item *item = data;
    size_t n = (size_t)(item->block.n * m->info.columns);
    (void)task;
    int status = m->back->ops->make(m->back, m->view.stride, item, err);
    if (status)
        return status;
    if (!m->cast) {
        gt_buf_swap(&item->block.values, &item->stored);
        return 0;
    }
    status = gt_buf_resize(&item->block.values, n * gt_dtype_of(m->info.type).size, err);
    if (!status && gt_matrix_cast(m->info.stored, item->stored.data, m->info.type, item->block.values.data, n, m->negative_missing))
        m->any_negative = true;
    return status;
}

static void on_release(void *ctx, void *data)
{
    struct gt_matrix *m = ctx;
    struct gt_matrix_item *item = data;
    if (m->back->ops->drop)
        m->back->ops->drop(m->back, item);
    gt_buf_release(&item->block.values);
    gt_buf_release(&item->stored);
    gt_buf_release(&item->hull);
    gt_buf_release(&item->scratch[0]);
    gt_buf_release(&item->scratch[1]);
    free(item->held);
}

/* --- the size of blocks ---------------------------------------------------------------- */

/* Rows of the view that are read at once. */
static int64_t unit_rows(const struct gt_matrix *m)
{
    if (!m->view.ndim)
        return 1;
    int axis = m->view.axis[0];
    return gt_ceil_div(m->back->unit[axis], m->view.all.step[axis]);
}

/* Memory for blocks of that many rows, each a quarter of what remains after read chunks in flight. */
static int64_t minimum_bytes(const struct gt_matrix *m, int64_t rows)
{
    return gt_bytes_add(gt_bytes_mul(2, m->back->read_bytes), gt_bytes_add(gt_bytes_mul(4 * rows, m->row_bytes), 64 << 10));
}

/* Chunks that a block touches: no more than all. */
static int64_t chunks_bytes(const struct gt_matrix *m, int64_t unit)
{
    int64_t all = 2 * (int64_t)m->back->dtype.size, chunks = m->info.block_rows / unit + 1 + (m->info.block_rows % unit != 0);
    for (int i = 1; i < m->view.ndim; i++) {
        const int axis = m->view.axis[i];
        const int64_t span = gt_bytes_mul(m->view.all.count[axis], m->view.all.step[axis]);
        chunks = gt_bytes_mul(chunks, span / m->back->unit[axis] + 2);
    }
    for (int i = 0; i < m->back->ndim; i++)
        all = gt_bytes_mul(all, m->back->shape[i]);
    return gt_min_i64(gt_bytes_mul(chunks, m->back->read_bytes), gt_bytes_add(all, m->back->read_bytes));
}

static int64_t task_bytes(const struct gt_matrix *m)
{
    return gt_bytes_add(gt_bytes_mul(m->info.block_rows, m->row_bytes), gt_bytes_add(m->back->fetch_bytes, m->back->read_bytes));
}

static int does_not_fit(const struct gt_matrix *m, int64_t rows, struct gt_err *err)
{
    char need[GT_NUM_LEN], have[GT_NUM_LEN], columns[GT_NUM_LEN];
    gt_fail(err, GT_NOFIT, "'%s': a block of %lld rows of %s values needs %s, but only %s are available", m->info.name, (long long)rows,
            gt_format_count(columns, m->info.columns), gt_format_size(need, rows * m->row_bytes), gt_format_size(have, m->memory));
    gt_hint(err, "--memory %lldM would do", (long long)gt_memory_plan_ceiling(m->engine, minimum_bytes(m, rows)));
    return GT_NOFIT;
}

/* Is a row of chunks at most a so manieth part of memory, so that it can stay for the blocks that share it? */
static bool chunks_stay(const struct gt_matrix *m, int64_t unit, int part)
{
    int64_t bytes;
    return gt_mul_i64(unit, m->row_bytes, &bytes) && bytes <= m->memory / part;
}

/* Blocks that end where chunks do, so that each is decoded once; else a row of chunks stays, where it has room. */
static void keep_chunks(struct gt_matrix *m, int64_t unit)
{
    m->back->fetch_bytes = gt_min_i64(m->memory / 8, chunks_bytes(m, unit));
    m->back->keep = m->info.block_rows % unit != 0 && chunks_stay(m, unit, 4);
}

/* Blocks in flight at most.  Where reading takes hardly longer than a copy, a queue would only take new memory. */
static int most_items(const struct gt_matrix *m)
{
    const struct gt_limits *limits = &m->engine->limits;
    return m->info.fast ? limits->threads + limits->io_threads : gt_flow_most_items(m->engine, limits->io_threads);
}

/* As many blocks as a flow has in flight, or all of them; and what gives the same blocks and requests (choose_rows, keep_chunks). */
static int64_t preferred_bytes(const struct gt_matrix *m)
{
    const int64_t blocks = gt_ceil_div(m->info.rows, m->info.block_rows);
    const int64_t items = gt_min_i64(most_items(m), blocks > 0 ? blocks : 1);
    const int64_t flow = gt_bytes_mul(2 * items, task_bytes(m));
    return gt_max_i64(flow, gt_max_i64(gt_bytes_mul(8, m->back->fetch_bytes), minimum_bytes(m, m->info.block_rows)));
}

/* wanted: exactly that many; most: as chunks and memory have it, up to that. */
static int choose_rows(struct gt_matrix *m, int64_t wanted, int64_t most, struct gt_err *err)
{
    int64_t size = (int64_t)(m->back->dtype.size + (m->cast ? gt_dtype_of(m->info.type).size : 0)), unit = unit_rows(m), bytes;
    if (!gt_mul_i64(m->info.columns, size, &m->row_bytes) || !gt_mul_i64(wanted ? wanted : 1, m->row_bytes, &bytes))
        return gt_fail(err, GT_INPUT, "'%s': rows of %lld values are too large", m->info.name, (long long)m->info.columns);
    if (bytes > m->memory)
        return does_not_fit(m, wanted ? wanted : 1, err);
    int64_t row = m->row_bytes ? m->row_bytes : 1, about = BLOCK_BYTES / row;
    int64_t fit = (m->memory - gt_bytes_mul(2, m->back->read_bytes)) / 4 / row;
    fit = fit > 1 ? fit : 1;
    fit = fit < most ? fit : most;
    if (m->back->raw && chunks_stay(m, unit, 8) && about < fit) /* large blocks gain nothing, and need new memory */
        fit = about;
    int64_t rows = unit > fit ? fit : about > unit ? (about < fit ? about : fit) / unit * unit : unit;
    rows = wanted ? wanted : rows < m->info.rows ? rows : m->info.rows;
    m->info.block_rows = rows > 0 ? rows : 1;
    m->info.block_bytes = m->info.block_rows * m->row_bytes;
    keep_chunks(m, unit);
    m->info.read_minimum = minimum_bytes(m, wanted ? wanted : 1);
    m->info.read_preferred = preferred_bytes(m);
    return 0;
}

/* --- verbs -------------------------------------------------------------------------- */

static int start(struct gt_matrix *m, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "matrix",
                                           .read_name = "read",
                                           .work_name = "decode",
                                           .item_size = sizeof(struct gt_matrix_item),
                                           .read = on_read,
                                           .work = on_work,
                                           .release = on_release};
    struct gt_flow_opts opts = {.tasks = gt_ceil_div(m->to - m->from, m->info.block_rows),
                                .readers = m->engine->limits.io_threads,
                                .task_bytes = (size_t)task_bytes(m),
                                .max_items = most_items(m),
                                .memory = m->memory};
    int status = m->back->ops->start ? m->back->ops->start(m->back, err) : 0;
    return status ? status : gt_flow_start(&m->flow, m->engine, &ops, &opts, m, err);
}

int gt_matrix_next(struct gt_matrix *m, const struct gt_matrix_block **block, struct gt_err *err)
{
    void *item;
    int64_t task;
    int status = m->flow ? 0 : start(m, err);
    if (!status)
        status = gt_flow_next(m->flow, &item, &task, err);
    if (!status)
        *block = item;
    return status;
}

void gt_matrix_done(struct gt_matrix *m, const struct gt_matrix_block *block)
{
    gt_flow_done(m->flow, (void *)block);
}

int gt_matrix_range(struct gt_matrix *m, int64_t from, int64_t to, struct gt_err *err)
{
    if (from < 0 || to < from || to > m->info.rows)
        return gt_fail(err, GT_USAGE, "'%s' has %lld rows; %lld to %lld is not a range of them", m->info.name, (long long)m->info.rows,
                       (long long)from, (long long)to);
    m->from = from;
    m->to = to;
    return 0;
}

void gt_matrix_set_memory(struct gt_matrix *m, int64_t memory)
{
    m->memory = memory;
}

int gt_matrix_reblock(struct gt_matrix *m, int64_t most, struct gt_err *err)
{
    return most > 0 ? choose_rows(m, 0, most, err) : gt_fail(err, GT_USAGE, "blocks of %lld rows cannot be made", (long long)most);
}

int gt_matrix_rewind(struct gt_matrix *m, struct gt_err *err)
{
    (void)err;
    gt_flow_free(m->flow);
    m->flow = NULL;
    return 0;
}

bool gt_matrix_any_negative(const struct gt_matrix *matrix)
{
    return matrix->any_negative;
}

const struct gt_matrix_info *gt_matrix_info(const struct gt_matrix *m)
{
    return &m->info;
}

static void release_axes(struct gt_matrix_info *info)
{
    while (info->ndim > 0) {
        info->ndim--;
        free(info->axis[info->ndim]);
        info->axis[info->ndim] = NULL;
    }
}

void gt_matrix_free(struct gt_matrix *m)
{
    if (!m)
        return;
    gt_flow_free(m->flow);
    if (m->back)
        m->back->ops->free(m->back);
    release_axes(&m->info);
    free(m->info.name);
    free(m);
}

/* --- opening ------------------------------------------------------------------------ */

static int describe(struct gt_matrix *m, struct gt_err *err)
{
    struct gt_matrix_info *info = &m->info;
    const struct gt_matrix_view *view = &m->view;
    release_axes(info);
    info->rows = info->columns = 1;
    for (int i = 0; i < view->ndim; i++) {
        const char *name = m->back->axis[view->axis[i]];
        info->shape[i] = view->all.count[view->axis[i]];
        info->start[i] = view->all.start[view->axis[i]];
        info->step[i] = view->all.step[view->axis[i]];
        info->ndim++;
        if (name && !(info->axis[i] = gt_strdup(name, err)))
            return GT_FAIL;
        if (!gt_mul_i64(i ? info->columns : info->rows, info->shape[i], i ? &info->columns : &info->rows))
            return gt_fail(err, GT_INPUT, "'%s' is too large", info->name);
    }
    m->from = 0;
    m->to = info->rows;
    m->back->row_axis = view->ndim ? view->axis[0] : 0;
    info->kind = m->back->kind;
    info->fast = m->back->fast;
    for (int i = 0; i < info->ndim; i++)
        info->fast &= info->step[i] == 1;
    info->raw = m->back->raw && info->fast && m->back->row_axis == m->back->outer_axis;
    info->stored = m->back->dtype.type;
    info->type = m->cast ? info->type : info->stored;
    m->cast = info->type != info->stored; /* then there is nothing to make of integers below 0 */
    return 0;
}

static int open_back(struct gt_matrix *m, struct gt_input *input, const struct gt_matrix_opts *opts, struct gt_err *err)
{
    switch (input->kind) {
    case GT_KIND_NPY:
        if (opts->array)
            return gt_fail(err, GT_USAGE, "--array needs a store; '%s' is %s", input->name, gt_input_kind_name(input->kind));
        return gt_matrix_open_npy(&m->back, m->engine, input, err);
    case GT_KIND_ZARR_DIR:
    case GT_KIND_ZIP:
    case GT_KIND_TAR:
        return gt_matrix_open_zarr(&m->back, m->engine, input, opts->array, err);
    default:
        return gt_fail(err, GT_INPUT, "'%s' is %s; an array of numbers is needed", input->name, gt_input_kind_name(input->kind));
    }
}

static struct gt_matrix *new_matrix(struct gt_engine *engine, const char *name, const struct gt_matrix_opts *opts, struct gt_err *err)
{
    struct gt_matrix *m = gt_alloc(1, sizeof *m, err);
    if (!m)
        return NULL;
    m->engine = engine;
    m->memory = opts->memory > 0 ? opts->memory : engine->budget.limit / 3;
    m->cast = opts->cast;
    m->info.type = opts->type;
    m->negative_missing = opts->cast && opts->negative_missing;
    if (!(m->info.name = gt_strdup(name, err))) {
        free(m);
        return NULL;
    }
    return m;
}

/* What is after it is open, or status says why not. */
static int finish_open(struct gt_matrix **out, struct gt_matrix *m, const struct gt_matrix_opts *opts, int status, struct gt_err *err)
{
    if (!status)
        status = gt_matrix_view_make(&m->view, m->back->ndim, m->back->shape, opts->slice, err);
    if (!status && opts->transpose)
        gt_matrix_view_transpose(&m->view);
    if (!status)
        status = describe(m, err);
    if (!status)
        status = choose_rows(m, opts->block_rows, INT64_MAX, err);
    if (status)
        gt_matrix_free(m);
    else
        *out = m;
    return status;
}

int gt_matrix_open(struct gt_matrix **out, struct gt_engine *engine, struct gt_input *input, const struct gt_matrix_opts *opts,
                   struct gt_err *err)
{
    struct gt_matrix *m = new_matrix(engine, input->name, opts, err);
    if (!m)
        return GT_FAIL;
    int status = open_back(m, input, opts, err);
    if (m->back)
        *input = (struct gt_input){.fd = -1}; /* it is the array's now */
    return finish_open(out, m, opts, status, err);
}

int gt_matrix_open_array(struct gt_matrix **out, struct gt_engine *engine, struct gt_array *array, const struct gt_matrix_opts *opts,
                         struct gt_err *err)
{
    struct gt_matrix *m = new_matrix(engine, *array->path ? array->path : "/", opts, err);
    return m ? finish_open(out, m, opts, gt_matrix_of_array(&m->back, engine, array, err), err) : GT_FAIL;
}

int gt_matrix_deliver(struct gt_matrix *m, enum gt_type type, struct gt_err *err)
{
    m->info.type = type;
    m->cast = type != m->info.stored;
    return choose_rows(m, 0, INT64_MAX, err);
}

int gt_matrix_transpose(struct gt_matrix *m, struct gt_err *err)
{
    gt_matrix_view_transpose(&m->view);
    int status = describe(m, err);
    return status ? status : choose_rows(m, 0, INT64_MAX, err);
}
