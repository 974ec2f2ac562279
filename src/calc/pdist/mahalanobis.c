#include "calc/pdist/mahalanobis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc/pdist/mahalanobis_internal.h"
#include "calc/pdist/row_source_transposed.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/flow.h"
#include "core/engine/memory_plan.h"

/* --- opening ------------------------------------------------------------------------ */

static int64_t square_bytes(const struct gt_mahalanobis *mahalanobis)
{
    return gt_bytes_mul(gt_mahalanobis_panels(mahalanobis) * GT_PANEL, gt_bytes_mul(mahalanobis->sites, (int64_t)sizeof(double)));
}

static int64_t factor_bytes(const struct gt_mahalanobis *mahalanobis)
{
    return gt_bytes_mul(2, gt_bytes_add(square_bytes(mahalanobis), gt_bytes_mul(mahalanobis->sites, (int64_t)sizeof(double))));
}

static int take_memory(struct gt_mahalanobis *mahalanobis, struct gt_err *err)
{
    const size_t column = (size_t)mahalanobis->sites * sizeof(double), square = (size_t)square_bytes(mahalanobis);
    mahalanobis->square.budget = mahalanobis->scale.budget = mahalanobis->factor.budget = mahalanobis->origin.budget =
        &mahalanobis->engine->budget;
    int status = gt_buf_resize(&mahalanobis->square, square, err);
    if (!status)
        status = gt_buf_resize(&mahalanobis->factor, square, err);
    if (!status)
        status = gt_buf_resize(&mahalanobis->scale, column, err);
    if (!status)
        status = gt_buf_resize(&mahalanobis->origin, column, err);
    return status;
}

static int check_shapes(const struct gt_mahalanobis *mahalanobis, struct gt_err *err)
{
    const struct gt_matrix_info *matrix = gt_matrix_info(mahalanobis->matrix);
    if (mahalanobis->sites > INT32_MAX)
        return gt_fail(err, GT_NOFIT, "'%s' has too many %ss for a covariance matrix", matrix->name, mahalanobis->over);
    if (mahalanobis->inverse) {
        const struct gt_matrix_info *info = gt_matrix_info(mahalanobis->inverse);
        if (info->ndim == 2 && info->rows == mahalanobis->sites && info->columns == mahalanobis->sites)
            return GT_OK;
        return gt_fail(err, GT_INPUT, "'%s' has %d axes (%lld, %lld); the inverse covariance of '%s' must be %lld x %lld", info->name,
                       info->ndim, (long long)info->rows, (long long)info->columns, matrix->name, (long long)mahalanobis->sites,
                       (long long)mahalanobis->sites);
    }
    if (mahalanobis->samples > mahalanobis->sites)
        return GT_OK;
    gt_fail(err, GT_INPUT, "'%s': the covariance of %lld %ss needs at least %lld %ss; there are %lld", matrix->name,
            (long long)mahalanobis->sites, mahalanobis->over, (long long)mahalanobis->sites + 1, mahalanobis->item,
            (long long)mahalanobis->samples);
    gt_hint(err, "give an inverse covariance with --vi");
    return GT_INPUT;
}

int gt_mahalanobis_open(struct gt_mahalanobis **out, struct gt_engine *engine, struct gt_matrix *matrix, struct gt_matrix *inverse,
                        const char *item, const char *over, struct gt_err *err)
{
    struct gt_mahalanobis *mahalanobis = gt_alloc(1, sizeof *mahalanobis, err);
    if (!mahalanobis)
        return GT_FAIL;
    mahalanobis->engine = engine;
    mahalanobis->matrix = matrix;
    mahalanobis->inverse = inverse;
    mahalanobis->item = item;
    mahalanobis->over = over;
    mahalanobis->upper = inverse != NULL;
    mahalanobis->samples = gt_matrix_info(matrix)->rows;
    mahalanobis->sites = gt_matrix_info(matrix)->columns;
    int status = check_shapes(mahalanobis, err);
    if (status)
        gt_mahalanobis_free(mahalanobis);
    else
        *out = mahalanobis;
    return status;
}

int gt_mahalanobis_plan(struct gt_mahalanobis *mahalanobis, struct gt_err *err)
{
    int status = take_memory(mahalanobis, err);
    return status || mahalanobis->inverse ? status : gt_mahalanobis_plan_qr(mahalanobis, err);
}

int64_t gt_mahalanobis_passes(const struct gt_mahalanobis *mahalanobis)
{
    return mahalanobis->inverse ? 0 : 1;
}

void gt_mahalanobis_free(struct gt_mahalanobis *mahalanobis)
{
    if (!mahalanobis)
        return;
    gt_buf_release(&mahalanobis->square);
    gt_buf_release(&mahalanobis->scale);
    gt_buf_release(&mahalanobis->factor);
    gt_buf_release(&mahalanobis->origin);
    free(mahalanobis);
}

/* --- the inverse that was given ------------------------------------------------------------ */

/* Only what is symmetric of it counts in a distance. */
static void make_symmetric(struct gt_mahalanobis *mahalanobis)
{
    double *a = (double *)(void *)mahalanobis->square.data;
    const int64_t d = mahalanobis->sites;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < i; j++)
            a[i * d + j] = a[j * d + i] = a[i * d + j] / 2 + a[j * d + i] / 2;
}

static int read_inverse(struct gt_mahalanobis *mahalanobis, struct gt_err *err)
{
    const struct gt_matrix_block *block;
    int status;
    while (!(status = gt_matrix_next(mahalanobis->inverse, &block, err))) {
        const size_t row = (size_t)mahalanobis->sites * sizeof(double);
        memcpy(mahalanobis->square.data + (size_t)block->first * row, block->values.data, (size_t)block->n * row);
        gt_matrix_done(mahalanobis->inverse, block);
    }
    make_symmetric(mahalanobis);
    return status == GT_END ? GT_OK : status;
}

int gt_mahalanobis_find(struct gt_mahalanobis *mahalanobis, struct gt_err *err)
{
    int status = mahalanobis->inverse ? read_inverse(mahalanobis, err) : gt_mahalanobis_find_qr(mahalanobis, err);
    return status ? status : gt_mahalanobis_factor(mahalanobis, err);
}

/* --- W times the samples --------------------------------------------------------------------- */

/* Panels of W that are multiplied at once, and sites of samples that are turned for them. */
enum { PANELS_AT_ONCE = 4, SITES_AT_ONCE = 64 };

struct making {
    struct gt_mahalanobis *mahalanobis;
    int64_t first, n; /* rows of the slab */
    double *out;
};

struct item {
    const struct gt_matrix_block *block;
};

static int read_block(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    struct gt_mahalanobis *mahalanobis = ((struct making *)ctx)->mahalanobis;
    struct item *item = it;
    (void)task;
    int status = gt_matrix_next(mahalanobis->matrix, &item->block, err);
    if (!status && !item->block->first)
        memcpy(mahalanobis->origin.data, item->block->values.data, mahalanobis->origin.len);
    return status;
}

static void turn(const struct gt_mahalanobis *mahalanobis, const double *rows, int64_t n_rows, int64_t from, int64_t to,
                 double out[SITES_AT_ONCE][GT_PANEL])
{
    const double *origin = (const double *)(const void *)mahalanobis->origin.data;
    for (int64_t i = 0; i < GT_PANEL; i++)
        for (int64_t j = from; j < to; j++)
            out[j - from][i] = i < n_rows ? rows[i * mahalanobis->sites + j] - origin[j] : 0;
}

/* Sites in which a panel of W is not all zeros. */
static void bounds(const struct gt_mahalanobis *mahalanobis, int64_t panel, int64_t *from, int64_t *to)
{
    int64_t end = (panel + 1) * GT_PANEL;
    *from = mahalanobis->upper ? panel * GT_PANEL : 0;
    *to = mahalanobis->upper || end > mahalanobis->sites ? mahalanobis->sites : end;
}

static void multiply(const struct gt_mahalanobis *mahalanobis, const double *rows, int64_t n_rows, int64_t panel, int64_t panels,
                     double sums[PANELS_AT_ONCE][GT_PANEL][GT_PANEL])
{
    _Alignas(64) double turned[SITES_AT_ONCE][GT_PANEL];
    const double *factor = (const double *)(const void *)mahalanobis->factor.data;
    memset(sums, 0, (size_t)panels * sizeof *sums);
    for (int64_t at = 0, next; at < mahalanobis->sites; at = next) {
        next = at + SITES_AT_ONCE < mahalanobis->sites ? at + SITES_AT_ONCE : mahalanobis->sites;
        turn(mahalanobis, rows, n_rows, at, next, turned);
        for (int64_t p = 0; p < panels; p++) {
            int64_t from, to;
            bounds(mahalanobis, panel + p, &from, &to);
            from = from > at ? from : at;
            const struct gt_float_sites sites = {.n = (to < next ? to : next) - from};
            if (sites.n > 0)
                gt_kernels()->float_tile(GT_FLOAT_XY, &sites, turned[from - at],
                                         factor + ((panel + p) * mahalanobis->sites + from) * GT_PANEL, &sums[p][0][0]);
        }
    }
}

/* Panel number `part` of a block's samples. */
static int make_part(void *ctx, int64_t task, int64_t part, void *it, struct gt_err *err)
{
    const struct making *making = ctx;
    const struct gt_mahalanobis *mahalanobis = making->mahalanobis;
    const struct gt_matrix_block *block = ((const struct item *)it)->block;
    const double *rows = (const double *)(const void *)block->values.data + part * GT_PANEL * mahalanobis->sites;
    const int64_t left = block->n - part * GT_PANEL, n = left < GT_PANEL ? left : GT_PANEL, end = making->first + making->n;
    double *out = making->out + block->first + part * GT_PANEL;
    _Alignas(64) double sums[PANELS_AT_ONCE][GT_PANEL][GT_PANEL];
    (void)task, (void)err;
    for (int64_t k = making->first; n > 0 && k < end; k += PANELS_AT_ONCE * GT_PANEL) {
        int64_t some = end - k < PANELS_AT_ONCE * GT_PANEL ? end - k : PANELS_AT_ONCE * GT_PANEL;
        multiply(mahalanobis, rows, n, k / GT_PANEL, gt_ceil_div(some, GT_PANEL), sums);
        for (int64_t row = 0; row < some; row++)
            for (int64_t i = 0; i < n; i++)
                out[(k - making->first + row) * mahalanobis->samples + i] = sums[row / GT_PANEL][i][row % GT_PANEL];
    }
    return GT_OK;
}

static void give_back(void *ctx, void *it)
{
    struct item *item = it;
    if (item->block)
        gt_matrix_done(((struct making *)ctx)->mahalanobis->matrix, item->block);
    item->block = NULL;
}

static int end_block(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    (void)task, (void)err;
    give_back(ctx, it);
    return GT_OK;
}

static int make_rows(void *ctx, int64_t first, int64_t n, uint8_t *out, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "whiten",
                                           .read_name = "collect",
                                           .part_name = "multiply",
                                           .item_size = sizeof(struct item),
                                           .read = read_block,
                                           .part = make_part,
                                           .release = give_back};
    struct making making = {ctx, first, n, (double *)(void *)out};
    const struct gt_matrix_info *info = gt_matrix_info(making.mahalanobis->matrix);
    const struct gt_flow_opts opts = {.tasks = -1, .parts = gt_ceil_div(info->block_rows, GT_PANEL), .readers = 1, .max_items = 2};
    int status = gt_matrix_rewind(making.mahalanobis->matrix, err);
    return status ? status : gt_flow_run(making.mahalanobis->engine, &ops, &opts, &making, end_block, err);
}

static int start(void *ctx, int64_t memory, struct gt_err *err)
{
    struct gt_mahalanobis *mahalanobis = ctx;
    gt_matrix_set_memory(mahalanobis->matrix, memory - factor_bytes(mahalanobis));
    int status = gt_matrix_rewind(mahalanobis->matrix, err);
    return status ? status : gt_matrix_reblock(mahalanobis->matrix, INT64_MAX, err);
}

/* It is not the row source's. */
static void leave(void *ctx)
{
    (void)ctx;
}

int gt_row_source_whitened(struct gt_row_source **out, struct gt_mahalanobis *mahalanobis, const struct gt_strs *ids, struct gt_err *err)
{
    static const struct gt_slab_ops ops = {start, make_rows, leave};
    const struct gt_matrix_info *matrix = gt_matrix_info(mahalanobis->matrix);
    const struct gt_row_source_info info = {.rows = GT_ROWS_F64,
                                            .samples = mahalanobis->samples,
                                            .sites = mahalanobis->sites,
                                            .read_minimum = gt_bytes_add(matrix->read_minimum, factor_bytes(mahalanobis)),
                                            .read_preferred = gt_bytes_add(matrix->read_preferred, factor_bytes(mahalanobis)),
                                            .ids = ids,
                                            .name = matrix->name,
                                            .slab_row = gt_bytes_mul(mahalanobis->samples, (int64_t)sizeof(double))};
    return gt_row_source_slab(out, mahalanobis->engine, &ops, mahalanobis, &info, err);
}
