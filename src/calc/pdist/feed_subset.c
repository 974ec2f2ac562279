/* Some samples of another feed, in any order: those of a list, or rows and columns of a rectangle. */
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "calc/pdist/feed.h"
#include "kernels/kernels.h"

struct gather {
    struct gt_feed base;
    struct gt_engine *engine;
    struct gt_feed *from;
    struct gt_buf index; /* uint32_t [samples] */
    struct gt_strs ids, column_ids;
};

static int start(struct gt_feed *base, const struct gt_feed_opts *opts, struct gt_err *err)
{
    struct gt_feed *from = ((struct gather *)base)->from;
    return from->ops->start(from, opts, err);
}

static void done(struct gt_feed *base, const void *held)
{
    struct gt_buf *rows = (struct gt_buf *)held;
    (void)base;
    gt_buf_release(rows);
    free(rows);
}

static void gather_row(const struct gather *feed, const void *from, uint8_t *to)
{
    const uint32_t *index = (const uint32_t *)(const void *)feed->index.data;
    if (feed->base.info.rows == GT_ROWS_PACKED)
        gt_kernels()->gather_samples(from, index, feed->base.info.samples, to);
    else
        for (int64_t s = 0; s < feed->base.info.samples; s++)
            memcpy(to + (size_t)s * sizeof(double), (const char *)from + (size_t)index[s] * sizeof(double), sizeof(double));
}

static size_t stride_of(const struct gather *feed)
{
    const struct gt_feed_info *info = &feed->base.info;
    return info->rows == GT_ROWS_PACKED ? (size_t)gt_ceil_div(info->samples, 4) : (size_t)info->samples * sizeof(double);
}

static int next(struct gt_feed *base, struct gt_rows *rows, const void **held, struct gt_err *err)
{
    struct gather *feed = (struct gather *)base;
    const size_t stride = stride_of(feed);
    struct gt_rows all;
    const void *whole;
    int status = feed->from->ops->next(feed->from, &all, &whole, err);
    if (status)
        return status;
    struct gt_buf *some = gt_alloc(1, sizeof *some, err);
    status = some ? GT_OK : GT_FAIL;
    if (some)
        some->budget = &feed->engine->budget;
    if (!status)
        status = gt_buf_resize(some, (size_t)all.n * stride + GT_KERNEL_PAD, err);
    for (int64_t k = 0; k < all.n && !status; k++)
        gather_row(feed, (const char *)all.data + (size_t)k * all.stride, some->data + (size_t)k * stride);
    feed->from->ops->done(feed->from, whole);
    if (status) {
        if (some)
            done(base, some);
        return status;
    }
    *rows = all;
    rows->data = some->data;
    rows->stride = stride;
    *held = some;
    return GT_OK;
}

static int rewind_feed(struct gt_feed *base, struct gt_err *err)
{
    struct gt_feed *from = ((struct gather *)base)->from;
    return from->ops->rewind(from, err);
}

static void free_feed(struct gt_feed *base)
{
    struct gather *feed = (struct gather *)base;
    if (feed->from)
        feed->from->ops->free(feed->from);
    gt_buf_release(&feed->index);
    gt_strs_release(&feed->ids);
    gt_strs_release(&feed->column_ids);
    free(feed);
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
static int place(struct gather *feed, const uint32_t *rows, int64_t n_rows, const uint32_t *columns, int64_t n_columns, struct gt_err *err)
{
    int64_t at = columns ? gt_ceil_div(n_rows, GT_PAIR_STEP) * GT_PAIR_STEP : n_rows;
    int status = gt_buf_resize(&feed->index, (size_t)(at + n_columns) * sizeof(uint32_t), err);
    if (status)
        return status;
    uint32_t *index = (uint32_t *)(void *)feed->index.data;
    memcpy(index, rows, (size_t)n_rows * sizeof *rows);
    for (int64_t i = n_rows; i < at; i++)
        index[i] = rows[0];
    if (columns)
        memcpy(index + at, columns, (size_t)n_columns * sizeof *columns);
    feed->base.info.samples = at + n_columns;
    feed->base.info.rectangle = columns ? n_rows : 0;
    return GT_OK;
}

int gt_feed_gather(struct gt_feed **out, struct gt_engine *engine, struct gt_feed *from, const uint32_t *rows, int64_t n_rows,
                   const uint32_t *columns, int64_t n_columns, struct gt_err *err)
{
    static const struct gt_feed_ops ops = {start, next, done, rewind_feed, free_feed};
    struct gather *feed = gt_alloc(1, sizeof *feed, err);
    if (!feed)
        return GT_FAIL;
    feed->base.ops = &ops;
    feed->base.info = from->info;
    feed->engine = engine;
    feed->index.budget = feed->ids.budget = feed->column_ids.budget = &engine->budget;
    int status = place(feed, rows, n_rows, columns, n_columns, err);
    if (!status)
        status = take_ids(&feed->ids, from->info.ids, rows, n_rows, err);
    if (!status && columns)
        status = take_ids(&feed->column_ids, from->info.ids, columns, n_columns, err);
    if (status) {
        free_feed(&feed->base);
        return status;
    }
    feed->from = from;
    feed->base.info.ids = &feed->ids;
    feed->base.info.plink_ids = NULL;
    feed->base.info.column_ids = columns ? &feed->column_ids : NULL;
    feed->base.info.row_samples = columns ? (const uint32_t *)(const void *)feed->index.data : NULL;
    feed->base.info.column_samples = columns ? feed->base.info.row_samples + feed->base.info.samples - n_columns : NULL;
    feed->base.info.row_bytes = from->info.row_bytes + stride_of(feed);
    *out = &feed->base;
    return GT_OK;
}
