#include "calc/pairs/tile_writer.h"

#include <string.h>

#include "core/base/size.h"
#include "core/engine/flow.h"

int gt_tiles_begin(struct gt_tiles *tiles, struct gt_engine *engine, struct gt_sink *sink, const struct gt_tile_maker *maker,
                   const struct gt_tiles_frame *frame, int64_t memory, struct gt_err *err)
{
    *tiles = (struct gt_tiles){
        .engine = engine, .sink = sink, .maker = maker, .frame = *frame, .memory = memory, .spool = {.fd = -1, .tmpdir = engine->tmpdir}};
    for (const char *const *want = sink->wants.counts ? maker->names : sink->wants.planes; *want; want++) {
        int k = 0;
        while (maker->names[k] && strcmp(maker->names[k], *want) != 0)
            k++;
        if (!maker->names[k])
            return gt_fail(err, GT_USAGE, "this metric has no '%s'", *want);
        tiles->wanted[tiles->n_wanted++] = k;
    }
    return GT_OK;
}

void gt_tiles_release(struct gt_tiles *tiles)
{
    gt_spoolfile_release(&tiles->spool);
}

/* --- one pass as a flow of boxes ------------------------------------------------- */

struct pass {
    struct gt_tiles *tiles;
    const struct gt_acc *acc;
    struct rows {
        int64_t from, to, each; /* rows, and those of a task */
        int64_t tasks;
    } straight, mirror; /* mirror images come last */
};

struct item {
    struct gt_buf counts;  /* [planes of the accumulator][rows][some columns] */
    struct gt_buf results; /* [wanted][rows][columns], those from the file first */
    struct gt_buf bytes;
    struct gt_tile tile;
    const double *planes[GT_SINK_PLANES];
};

static bool is_lower(const struct gt_tiles *tiles)
{
    return tiles->sink->wants.part == GT_PART_LOWER || tiles->sink->wants.part == GT_PART_LOWER_DIAGONAL;
}

static struct gt_pair_box box_of(const struct pass *pass, int64_t task)
{
    const struct gt_pair_box *counted = &pass->acc->setup.box;
    const bool mirrored = task >= pass->straight.tasks;
    const struct rows *rows = mirrored ? &pass->mirror : &pass->straight;
    int64_t row = rows->from + (task - (mirrored ? pass->straight.tasks : 0)) * rows->each, end = gt_min_i64(row + rows->each, rows->to);
    if (mirrored)
        return (struct gt_pair_box){row, end, counted->row0, counted->row1};
    if (is_lower(pass->tiles))
        return (struct gt_pair_box){row, end, 0, end};
    return (struct gt_pair_box){row, end, pass->tiles->sink->wants.part == GT_PART_UPPER ? row : counted->col0, counted->col1};
}

static int64_t spool_at(const struct pass *pass, int plane, int64_t row, int64_t column)
{
    const struct gt_tiles_frame *frame = &pass->tiles->frame;
    return ((plane * frame->last + row) * frame->columns + column) * (int64_t)sizeof(double);
}

/* Columns of counts processed at once: they stay in the second-level cache until results are computed. */
enum { COLUMNS_AT_ONCE = 128 };

/* The columns of `part`: results[wanted][rows][width], from their place in the first row on. */
static void make_columns(const struct pass *pass, const struct gt_pair_box *part, double *counts, double *results, int64_t width)
{
    const struct gt_tiles *tiles = pass->tiles;
    const int64_t rows = part->row1 - part->row0, columns = part->col1 - part->col0;
    double *planes[GT_MAX_PLANES];
    for (int k = 0; k < pass->acc->setup.n_planes; k++)
        planes[k] = counts + k * rows * columns;
    pass->acc->ops->tile(pass->acc, part, planes);
    tiles->maker->make(tiles->maker->ctx, part, planes);
    for (int k = 0; k < tiles->n_wanted; k++)
        for (int64_t i = 0; i < rows; i++, results += width)
            memcpy(results, planes[tiles->wanted[k]] + i * columns, (size_t)columns * sizeof *results);
}

/* Rows of a lower triangle grow: room for the longest is there from the first on, so that it is not taken anew by each tile. */
static int64_t most_cells(const struct pass *pass, int64_t cells)
{
    return is_lower(pass->tiles) ? gt_max_i64(cells, pass->straight.each * pass->straight.to) : cells;
}

/* The results of a box, after `before` columns of them, by columns that are counted together. */
static int make_of_counts(const struct pass *pass, const struct gt_pair_box *box, int64_t before, struct item *item, struct gt_err *err)
{
    const int64_t width = before + box->col1 - box->col0, most = gt_min_i64(width, COLUMNS_AT_ONCE);
    double *results = gt_buf_f64(&item->results);
    int status = gt_buf_resize(&item->counts, (size_t)(pass->acc->setup.n_planes * (box->row1 - box->row0) * most) * sizeof(double), err);
    for (int64_t column = box->col0; column < box->col1 && !status; column += COLUMNS_AT_ONCE) {
        const struct gt_pair_box part = {box->row0, box->row1, column, gt_min_i64(column + COLUMNS_AT_ONCE, box->col1)};
        make_columns(pass, &part, gt_buf_f64(&item->counts), results + before + column - box->col0, width);
    }
    return status;
}

/* The results of a box, after room for `before` columns. */
static int make_results(const struct pass *pass, const struct gt_pair_box *box, int64_t before, struct item *item, struct gt_err *err)
{
    const int64_t rows = box->row1 - box->row0, width = before + box->col1 - box->col0;
    const struct gt_tile_maker *maker = pass->tiles->maker;
    const int wanted = pass->tiles->n_wanted;
    item->counts.budget = item->results.budget = item->bytes.budget = &pass->tiles->engine->budget;
    int status = gt_buf_reserve(&item->results, (size_t)(wanted * most_cells(pass, rows * width)) * sizeof(double), err);
    if (!status)
        status = gt_buf_resize(&item->results, (size_t)(wanted * rows * width) * sizeof(double), err);
    double *results = gt_buf_f64(&item->results);
    if (!status)
        status = maker->fill ? maker->fill(maker->ctx, box, pass->tiles->wanted, wanted, results, err)
                             : make_of_counts(pass, box, before, item, err);
    for (int k = 0; k < wanted; k++)
        item->planes[k] = results + k * rows * width;
    item->tile = (struct gt_tile){box->row0, rows, box->col0 - pass->tiles->frame.column_at - before, width, item->planes};
    return status;
}

/* The first columns of a tile, from the file. */
static int read_before(const struct pass *pass, const struct gt_tile *tile, int64_t before, double *results, struct gt_err *err)
{
    int status = GT_OK;
    for (int k = 0; k < pass->tiles->n_wanted; k++)
        for (int64_t i = 0; i < tile->rows && !status; i++, results += tile->columns)
            status =
                gt_spoolfile_read(&pass->tiles->spool, results, (size_t)before * sizeof *results, spool_at(pass, k, tile->row + i, 0), err);
    return status;
}

static int write_tile(struct gt_sink *sink, struct item *item, struct gt_err *err)
{
    gt_flow_bytes((int64_t)item->bytes.len); /* text; what is written as it is counts itself */
    return sink->ops->write(sink, &item->tile, &item->bytes, err);
}

static int make(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    struct pass *pass = ctx;
    struct item *item = it;
    struct gt_sink *sink = pass->tiles->sink;
    struct gt_pair_box box = box_of(pass, task);
    const bool in_rows = sink->order == GT_TILES_IN_ROWS, mirrored = task >= pass->straight.tasks;
    const bool whole_rows = in_rows && !mirrored && sink->wants.part == GT_PART_SQUARE;
    const int64_t before = whole_rows ? box.col0 - pass->tiles->frame.column_at : 0;
    int status = make_results(pass, &box, before, item, err);
    if (status || (in_rows && mirrored))
        return status;
    if (before)
        status = read_before(pass, &item->tile, before, (double *)(void *)item->results.data, err);
    if (!status && sink->ops->format)
        status = sink->ops->format(sink, &item->tile, &item->bytes, err);
    return !status && sink->order == GT_TILES_ANY ? write_tile(sink, item, err) : status;
}

static int keep_mirror(const struct pass *pass, const struct gt_tile *tile, struct gt_err *err)
{
    int status = gt_spoolfile_open(&pass->tiles->spool, err);
    for (int k = 0; k < pass->tiles->n_wanted; k++)
        for (int64_t i = 0; i < tile->rows && !status; i++)
            status = gt_spoolfile_write(&pass->tiles->spool, tile->planes[k] + i * tile->columns, (size_t)tile->columns * sizeof(double),
                                        spool_at(pass, k, tile->row + i, tile->column), err);
    return status;
}

static int put(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    struct pass *pass = ctx;
    struct item *item = it;
    struct gt_sink *sink = pass->tiles->sink;
    if (sink->order == GT_TILES_ANY)
        return GT_OK;
    return task < pass->straight.tasks ? write_tile(sink, item, err) : keep_mirror(pass, &item->tile, err);
}

static void release(void *ctx, void *it)
{
    struct item *item = it;
    (void)ctx;
    gt_buf_release(&item->counts);
    gt_buf_release(&item->results);
    gt_buf_release(&item->bytes);
}

/* As many to a task as several of which fit the share. */
static struct rows cut_rows(const struct pass *pass, int64_t from, int64_t to, int64_t row_bytes)
{
    const struct gt_tiles_frame *frame = &pass->tiles->frame;
    struct rows rows = {.from = gt_max_i64(from, frame->first), .to = gt_min_i64(to, frame->last)};
    rows.each = gt_min_i64(gt_max_i64(1, pass->tiles->memory / 4 / gt_max_i64(row_bytes, 1)), GT_TILE_ROWS);
    rows.tasks = gt_ceil_div(gt_max_i64(0, rows.to - rows.from), rows.each);
    return rows;
}

int gt_tiles_pass(struct gt_tiles *tiles, const struct gt_acc *acc, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {
        .name = "distances", .work_name = "format", .item_size = sizeof(struct item), .work = make, .release = release};
    struct pass pass = {.tiles = tiles, .acc = acc};
    const struct gt_pair_box *box = &acc->setup.box;
    const int64_t value = (acc->setup.n_planes + tiles->n_wanted) * (int64_t)sizeof(double);
    const int64_t row_bytes = tiles->frame.columns * (value + tiles->sink->cell_bytes);
    pass.straight = is_lower(tiles) ? cut_rows(&pass, box->col0, box->col1, row_bytes) : cut_rows(&pass, box->row0, box->row1, row_bytes);
    if (tiles->sink->wants.part == GT_PART_SQUARE && !tiles->frame.column_at)
        pass.mirror = cut_rows(&pass, gt_max_i64(box->row1, box->col0), box->col1, (box->row1 - box->row0) * value);
    struct gt_flow_opts opts = {
        .tasks = pass.straight.tasks + pass.mirror.tasks, .task_bytes = (size_t)(pass.straight.each * row_bytes), .memory = tiles->memory};
    if (tiles->maker->fill)
        opts.max_items = tiles->engine->limits.threads + 1;
    return opts.tasks ? gt_flow_run(tiles->engine, &ops, &opts, &pass, put, err) : GT_OK;
}
