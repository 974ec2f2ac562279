/* Some samples of another row source, in any order: those of a list, or rows and columns of a rectangle. */
#include <stdlib.h>
#include <string.h>

#include "calc/pdist/row_source.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "kernels/kernels.h"

struct gather {
    struct gt_row_source base;
    struct gt_engine *engine;
    struct gt_row_source *from;
    struct gt_buf index; /* uint32_t [samples] */
    struct gt_strs ids, column_ids;
};

static int start(struct gt_row_source *base, const struct gt_row_source_opts *opts, struct gt_err *err)
{
    struct gt_row_source *from = ((struct gather *)base)->from;
    return from->ops->start(from, opts, err);
}

int gt_row_source_rows_new(struct gt_buf **out, struct gt_budget *budget, size_t bytes, struct gt_err *err)
{
    struct gt_buf *rows = gt_alloc(1, sizeof *rows, err);
    *out = NULL;
    if (!rows)
        return GT_FAIL;
    rows->budget = budget;
    int status = gt_buf_resize(rows, bytes + GT_KERNEL_PAD, err);
    if (status)
        free(rows);
    else
        *out = rows;
    return status;
}

void gt_row_source_rows_done(struct gt_row_source *base, const void *held)
{
    struct gt_buf *rows = (struct gt_buf *)held;
    (void)base;
    gt_buf_release(rows);
    free(rows);
}

static void gather_row(const struct gather *row_source, const void *from, uint8_t *to)
{
    const uint32_t *index = (const uint32_t *)(const void *)row_source->index.data;
    if (row_source->base.info.rows == GT_ROWS_PACKED)
        gt_kernels()->gather_samples(from, index, row_source->base.info.samples, to);
    else
        for (int64_t s = 0; s < row_source->base.info.samples; s++)
            memcpy(to + (size_t)s * sizeof(double), (const char *)from + (size_t)index[s] * sizeof(double), sizeof(double));
}

static size_t stride_of(const struct gather *row_source)
{
    const struct gt_row_source_info *info = &row_source->base.info;
    return info->rows == GT_ROWS_PACKED ? (size_t)gt_ceil_div(info->samples, 4) : (size_t)info->samples * sizeof(double);
}

static int next(struct gt_row_source *base, struct gt_rows *rows, const void **held, struct gt_err *err)
{
    struct gather *row_source = (struct gather *)base;
    struct gt_rows all;
    const void *whole;
    int status = row_source->from->ops->next(row_source->from, &all, &whole, err);
    if (status)
        return status;
    const size_t stride = stride_of(row_source) + all.marked;
    struct gt_buf *some;
    status = gt_row_source_rows_new(&some, &row_source->engine->budget, (size_t)all.n * stride, err);
    for (int64_t k = 0; k < all.n && !status; k++) {
        const uint8_t *row = (const uint8_t *)all.data + (size_t)k * all.stride;
        gather_row(row_source, row, some->data + (size_t)k * stride);
        if (all.marked)
            some->data[(size_t)(k + 1) * stride - 1] = row[all.stride - 1];
    }
    row_source->from->ops->done(row_source->from, whole);
    if (status)
        return status;
    *rows = all;
    rows->data = some->data;
    rows->stride = stride;
    *held = some;
    return GT_OK;
}

static int rewind_row_source(struct gt_row_source *base, struct gt_err *err)
{
    struct gt_row_source *from = ((struct gather *)base)->from;
    return from->ops->rewind(from, err);
}

static void free_row_source(struct gt_row_source *base)
{
    struct gather *row_source = (struct gather *)base;
    if (row_source->from)
        row_source->from->ops->free(row_source->from);
    gt_buf_release(&row_source->index);
    gt_strs_release(&row_source->ids);
    gt_strs_release(&row_source->column_ids);
    free(row_source);
}

static int take_ids(struct gt_strs *to, const struct gt_strs *from, const uint32_t *index, int64_t n, struct gt_err *err)
{
    int status = GT_OK;
    for (int64_t i = 0; i < n && !status; i++) {
        const char *id = gt_strs_get(from, index[i]);
        status = gt_strs_add(to, id, strlen(id), err);
    }
    return status;
}

/* Samples between rows and columns, which begin where accumulators can, are of no interest: any will do. */
static int place(struct gather *row_source, const struct gt_samples_picked *picked, struct gt_err *err)
{
    const uint32_t *rows = picked->rows, *columns = picked->columns;
    const int64_t n_rows = picked->n_rows, n_columns = picked->n_columns;
    int64_t at = columns ? gt_ceil_div(n_rows, GT_PAIR_STEP) * GT_PAIR_STEP : n_rows;
    int status = gt_buf_resize(&row_source->index, (size_t)(at + n_columns) * sizeof(uint32_t), err);
    if (status)
        return status;
    uint32_t *index = (uint32_t *)(void *)row_source->index.data;
    memcpy(index, rows, (size_t)n_rows * sizeof *rows);
    for (int64_t i = n_rows; i < at; i++)
        index[i] = rows[0];
    if (columns)
        memcpy(index + at, columns, (size_t)n_columns * sizeof *columns);
    row_source->base.info.samples = at + n_columns;
    row_source->base.info.rectangle = columns ? n_rows : 0;
    return GT_OK;
}

static int join(struct gt_row_source *base, struct gt_err *err)
{
    struct gt_row_source *from = ((struct gather *)base)->from;
    return from->join(from, err);
}

int gt_row_source_gather(struct gt_row_source **out, struct gt_engine *engine, struct gt_row_source *from,
                         const struct gt_samples_picked *picked, struct gt_err *err)
{
    const uint32_t *columns = picked->columns;
    static const struct gt_row_source_ops ops = {start, next, gt_row_source_rows_done, rewind_row_source, free_row_source};
    struct gather *row_source = gt_alloc(1, sizeof *row_source, err);
    if (!row_source)
        return GT_FAIL;
    row_source->base.ops = &ops;
    row_source->base.info = from->info;
    row_source->base.join = join;
    row_source->engine = engine;
    row_source->index.budget = row_source->ids.budget = row_source->column_ids.budget = &engine->budget;
    int status = place(row_source, picked, err);
    if (!status)
        status = take_ids(&row_source->ids, from->info.ids, picked->rows, picked->n_rows, err);
    if (!status && columns)
        status = take_ids(&row_source->column_ids, from->info.ids, columns, picked->n_columns, err);
    if (status) {
        free_row_source(&row_source->base);
        return status;
    }
    row_source->from = from;
    row_source->base.info.ids = &row_source->ids;
    row_source->base.info.plink_ids = NULL;
    row_source->base.info.column_ids = columns ? &row_source->column_ids : NULL;
    row_source->base.info.row_samples = columns ? (const uint32_t *)(const void *)row_source->index.data : NULL;
    row_source->base.info.column_samples =
        columns ? row_source->base.info.row_samples + row_source->base.info.samples - picked->n_columns : NULL;
    row_source->base.info.row_bytes = from->info.row_bytes + stride_of(row_source) + from->info.alleles;
    *out = &row_source->base;
    return GT_OK;
}
