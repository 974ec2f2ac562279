#include "calc/pairs/dense_square.h"

#include <string.h>

static const char *const distance[] = {"distance", NULL};
const struct gt_sink_wants gt_square_wants = {.part = GT_PART_SQUARE, .planes = distance};

static int begin(struct gt_sink *sink, const struct gt_sink_subject *subject, struct gt_err *err)
{
    (void)sink, (void)subject, (void)err;
    return GT_OK;
}

static int write_tile(struct gt_sink *sink, const struct gt_tile *tile, const struct gt_buf *bytes, struct gt_err *err)
{
    const struct gt_square *square = (const struct gt_square *)sink;
    (void)bytes, (void)err;
    for (int64_t i = 0; i < tile->rows; i++)
        memcpy(square->values + (tile->row + i) * square->side + tile->column, tile->planes[0] + i * tile->columns,
               (size_t)tile->columns * sizeof(double));
    return GT_OK;
}

static int finish(struct gt_sink *sink, struct gt_err *err)
{
    (void)sink, (void)err;
    return GT_OK;
}

struct gt_square gt_square_sink(const struct gt_sink_wants *wants, double *values, int64_t side)
{
    static const struct gt_sink_ops ops = {.begin = begin, .write = write_tile, .finish = finish};
    return (struct gt_square){{.ops = &ops, .order = GT_TILES_ANY, .wants = *wants, .cell_bytes = 1}, values, side};
}
