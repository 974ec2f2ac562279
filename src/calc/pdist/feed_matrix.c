/* A plain array as a feed: its rows are sites, its columns samples. */
#include <stdlib.h>

#include "calc/pdist/feed.h"
#include "core/base/mem.h"

struct feed_matrix {
    struct gt_feed base;
    struct gt_matrix *matrix;
};

/* It can always be read again. */
static int start(struct gt_feed *base, const struct gt_feed_opts *opts, struct gt_err *err)
{
    struct gt_matrix *matrix = ((struct feed_matrix *)base)->matrix;
    gt_matrix_set_memory(matrix, opts->memory);
    return gt_matrix_regroup(matrix, opts->block_sites, err);
}

static int next(struct gt_feed *base, struct gt_rows *rows, const void **held, struct gt_err *err)
{
    const struct gt_matrix_block *block;
    int status = gt_matrix_next(((struct feed_matrix *)base)->matrix, &block, err);
    if (status)
        return status;
    *rows = (struct gt_rows){block->values.data, base->info.row_bytes, block->n, block->first};
    *held = block;
    return 0;
}

static void done(struct gt_feed *base, const void *held)
{
    gt_matrix_done(((struct feed_matrix *)base)->matrix, held);
}

static int rewind_feed(struct gt_feed *base, struct gt_err *err)
{
    return gt_matrix_rewind(((struct feed_matrix *)base)->matrix, err);
}

static void free_feed(struct gt_feed *base)
{
    free(base);
}

int gt_feed_matrix(struct gt_feed **out, struct gt_matrix *matrix, const struct gt_strs *ids, struct gt_err *err)
{
    static const struct gt_feed_ops ops = {start, next, done, rewind_feed, free_feed};
    const struct gt_matrix_info *info = gt_matrix_info(matrix);
    struct feed_matrix *feed = gt_alloc(1, sizeof *feed, err);
    if (!feed)
        return GT_FAIL;
    feed->base.ops = &ops;
    feed->base.info = (struct gt_feed_info){.rows = GT_ROWS_F64,
                                            .samples = info->columns,
                                            .sites = info->rows,
                                            .row_bytes = (size_t)info->columns * sizeof(double),
                                            .whole = gt_dtype_of(info->stored).size == 1,
                                            .read_minimum = info->read_minimum,
                                            .read_preferred = info->read_preferred,
                                            .ids = ids,
                                            .name = info->name};
    feed->matrix = matrix;
    *out = &feed->base;
    return 0;
}
