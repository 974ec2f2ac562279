#include "calc/tiles.h"

#include <string.h>

#include "base/size.h"
#include "engine/flow.h"

int gt_tiles_begin(struct gt_tiles *tiles, struct gt_engine *engine, struct gt_sink *sink, const struct gt_tile_maker *maker, int64_t n,
                   int64_t memory, struct gt_err *err)
{
    *tiles = (struct gt_tiles){
        .engine = engine, .sink = sink, .maker = maker, .n = n, .memory = memory, .spool = {.fd = -1, .tmpdir = engine->tmpdir}};
    for (const char *const *want = sink->planes; *want; want++) {
        int k = 0;
        while (maker->names[k] && strcmp(maker->names[k], *want) != 0)
            k++;
        if (!maker->names[k])
            return gt_fail(err, GT_USAGE, "this metric has no '%s' to write", *want);
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
    struct gt_pair_box band;
    int64_t rows, mirror_rows; /* of a ticket */
    int64_t straight, mirrors; /* tickets: bands of rows from row0 on, then mirror images */
};

struct item {
    struct gt_buf counts; /* [planes of the accumulator][rows][columns], results at the end */
    struct gt_buf whole;  /* [wanted][rows][all columns], when columns come from the file too */
    struct gt_buf bytes;
    struct gt_tile tile;
    const double *planes[GT_SINK_PLANES];
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Behind the last column that is wanted of rows up to `row1`. */
static int64_t last_column(const struct pass *pass, int64_t row1)
{
    return pass->tiles->sink->part == GT_PART_SQUARE ? pass->tiles->n : row1;
}

static struct gt_pair_box box_of(const struct pass *pass, int64_t ticket)
{
    const struct gt_pair_box *band = &pass->band;
    if (ticket < pass->straight) {
        int64_t row = band->row0 + ticket * pass->rows, end = least(row + pass->rows, band->row1);
        return (struct gt_pair_box){row, end, band->col0, last_column(pass, end)};
    }
    int64_t row = band->row1 + (ticket - pass->straight) * pass->mirror_rows;
    return (struct gt_pair_box){row, least(row + pass->mirror_rows, pass->tiles->n), band->row0, band->row1};
}

static bool mirrored(const struct pass *pass, const struct gt_pair_box *box)
{
    return box->row0 >= pass->band.row1;
}

static int64_t spool_at(const struct pass *pass, int plane, int64_t row, int64_t column)
{
    int64_t n = pass->tiles->n;
    return ((plane * n + row) * n + column) * (int64_t)sizeof(double);
}

static int make_results(const struct pass *pass, const struct gt_pair_box *box, struct item *item, struct gt_err *err)
{
    double *planes[GT_MAX_PLANES];
    size_t cells = (size_t)((box->row1 - box->row0) * (box->col1 - box->col0));
    int n = pass->acc->setup.n_planes;
    item->counts.budget = item->whole.budget = item->bytes.budget = &pass->tiles->engine->budget;
    int status = gt_buf_resize(&item->counts, cells * (size_t)n * sizeof(double), err);
    if (status)
        return status;
    for (int k = 0; k < n; k++)
        planes[k] = (double *)(void *)item->counts.data + (size_t)k * cells;
    pass->acc->ops->tile(pass->acc, box, planes);
    pass->tiles->maker->make(pass->tiles->maker->ctx, box, planes);
    for (int k = 0; k < pass->tiles->n_wanted; k++)
        item->planes[k] = planes[pass->tiles->wanted[k]];
    item->tile = (struct gt_tile){box->row0, box->row1 - box->row0, box->col0, box->col1 - box->col0, item->planes};
    return GT_OK;
}

/* Rows from column 0 on: the first ones from the file. */
static int widen(const struct pass *pass, struct item *item, struct gt_err *err)
{
    struct gt_tile *tile = &item->tile;
    const int64_t width = tile->column + tile->columns;
    int status = gt_buf_resize(&item->whole, (size_t)(pass->tiles->n_wanted * tile->rows * width) * sizeof(double), err);
    for (int k = 0; k < pass->tiles->n_wanted && !status; k++) {
        double *to = (double *)(void *)item->whole.data + k * tile->rows * width;
        for (int64_t i = 0; i < tile->rows && !status; i++) {
            status = gt_spoolfile_read(&pass->tiles->spool, to + i * width, (size_t)tile->column * sizeof *to,
                                       spool_at(pass, k, tile->row + i, 0), err);
            memcpy(to + i * width + tile->column, item->planes[k] + i * tile->columns, (size_t)tile->columns * sizeof *to);
        }
        item->planes[k] = to;
    }
    tile->column = 0;
    tile->columns = width;
    return status;
}

static int make(void *ctx, int64_t ticket, void *it, struct gt_err *err)
{
    struct pass *pass = ctx;
    struct item *item = it;
    struct gt_sink *sink = pass->tiles->sink;
    struct gt_pair_box box = box_of(pass, ticket);
    int status = make_results(pass, &box, item, err);
    if (status || (sink->order == GT_TILES_IN_ROWS && mirrored(pass, &box)))
        return status;
    if (sink->order == GT_TILES_IN_ROWS && box.col0 > 0)
        status = widen(pass, item, err);
    if (!status && sink->ops->format)
        status = sink->ops->format(sink, &item->tile, &item->bytes, err);
    return !status && sink->order == GT_TILES_ANY ? sink->ops->write(sink, &item->tile, &item->bytes, err) : status;
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

static int put(void *ctx, int64_t ticket, void *it, struct gt_err *err)
{
    struct pass *pass = ctx;
    struct item *item = it;
    struct gt_sink *sink = pass->tiles->sink;
    if (sink->order == GT_TILES_ANY)
        return GT_OK;
    return ticket < pass->straight ? sink->ops->write(sink, &item->tile, &item->bytes, err) : keep_mirror(pass, &item->tile, err);
}

static void release(void *ctx, void *it)
{
    struct item *item = it;
    (void)ctx;
    gt_buf_release(&item->counts);
    gt_buf_release(&item->whole);
    gt_buf_release(&item->bytes);
}

/* Rows of a ticket, so that several fit the share. */
static int64_t ticket_rows(int64_t share, int64_t row_bytes)
{
    int64_t rows = share / 4 / (row_bytes > 0 ? row_bytes : 1);
    return rows < 1 ? 1 : least(rows, GT_TILE_ROWS);
}

int gt_tiles_pass(struct gt_tiles *tiles, const struct gt_acc *acc, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {
        .name = "distances", .work_name = "format", .item_size = sizeof(struct item), .work = make, .release = release};
    struct pass pass = {.tiles = tiles, .acc = acc, .band = acc->setup.box};
    const int64_t share = tiles->memory, height = pass.band.row1 - pass.band.row0;
    const int64_t value = (acc->setup.n_planes + tiles->n_wanted) * (int64_t)sizeof(double);
    const int64_t row_bytes = tiles->n * (value + tiles->sink->value_bytes);
    pass.rows = ticket_rows(share, row_bytes);
    pass.mirror_rows = ticket_rows(share, height * value);
    pass.straight = gt_ceil_div(height, pass.rows);
    pass.mirrors = gt_ceil_div(tiles->n - pass.band.row1, pass.mirror_rows);
    struct gt_flow_opts opts = {.tickets = pass.straight + pass.mirrors, .ticket_bytes = (size_t)(pass.rows * row_bytes), .memory = share};
    return opts.tickets ? gt_flow_run(tiles->engine, &ops, &opts, &pass, put, err) : GT_OK;
}
