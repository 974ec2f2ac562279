#include "calc/pdist/row_source_transposed.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"

struct slab {
    struct gt_row_source base;
    struct gt_engine *engine;
    const struct gt_slab_ops *ops;
    void *ctx;
    struct gt_buf rows;      /* [first, first + n) */
    int64_t first, n, most;  /* most: that there is room for */
    int64_t at, block_sites; /* the next row that is handed on */
};

/* --- memory ------------------------------------------------------------------------ */

static int64_t minimum_bytes(const struct gt_row_source_info *info)
{
    int64_t rows = info->sites < GT_SLAB_STEP ? info->sites : GT_SLAB_STEP;
    return gt_bytes_mul(rows, info->slab_row) + GT_KERNEL_PAD;
}

/* What reading asks for holds a slab in addition to the input's own; what is left is shared evenly. */
static int64_t rows_of(const struct gt_row_source_info *info, int64_t memory)
{
    int64_t input = info->read_minimum - minimum_bytes(info), room = memory - input - GT_KERNEL_PAD;
    if (!info->slab_row || gt_bytes_mul(info->sites, info->slab_row) <= room)
        return info->sites;
    int64_t rows = room / info->slab_row / GT_SLAB_STEP * GT_SLAB_STEP;
    return rows > GT_SLAB_STEP ? rows : GT_SLAB_STEP;
}

int64_t gt_row_source_reads(const struct gt_row_source_info *info, int64_t memory)
{
    int64_t rows = info->slab_row ? rows_of(info, memory) : 0;
    return rows ? gt_ceil_div(info->sites, rows) : 1;
}

/* --- verbs ------------------------------------------------------------------------- */

static int start(struct gt_row_source *base, const struct gt_row_source_opts *opts, struct gt_err *err)
{
    struct slab *slab = (struct slab *)base;
    slab->most = rows_of(&base->info, opts->memory);
    slab->block_sites = opts->block_sites;
    int64_t bytes = slab->most * base->info.slab_row + GT_KERNEL_PAD;
    int status = gt_buf_resize(&slab->rows, (size_t)bytes, err);
    return status ? status : slab->ops->start(slab->ctx, opts->memory - bytes, err);
}

/* Rows are handed on as copies: the slab is made anew while they are looked at. */
static int copy_rows(struct slab *slab, int64_t n, struct gt_buf **out, struct gt_err *err)
{
    const size_t row = (size_t)slab->base.info.slab_row;
    int status = gt_row_source_rows_new(out, &slab->engine->budget, (size_t)n * row, err);
    if (!status)
        memcpy((*out)->data, slab->rows.data + (size_t)(slab->at - slab->first) * row, (size_t)n * row);
    return status;
}

static int next(struct gt_row_source *base, struct gt_rows *rows, const void **held, struct gt_err *err)
{
    struct slab *slab = (struct slab *)base;
    struct gt_buf *copy;
    int status = GT_OK;
    if (slab->at == base->info.sites)
        return GT_END;
    if (slab->at >= slab->first + slab->n || slab->at < slab->first) {
        slab->first = slab->at;
        slab->n = 0;
        int64_t n = gt_min_i64(slab->most, base->info.sites - slab->at);
        status = slab->ops->make(slab->ctx, slab->first, n, slab->rows.data, err);
        slab->n = status ? 0 : n;
    }
    int64_t n = gt_min_i64(slab->block_sites, slab->first + slab->n - slab->at);
    if (!status)
        status = copy_rows(slab, n, &copy, err);
    if (status)
        return status;
    *rows = (struct gt_rows){.data = copy->data, .stride = (size_t)base->info.slab_row, .n = n, .first = slab->at};
    *held = copy;
    slab->at += n;
    return GT_OK;
}

static int rewind_row_source(struct gt_row_source *base, struct gt_err *err)
{
    (void)err;
    ((struct slab *)base)->at = 0;
    return GT_OK;
}

static void free_row_source(struct gt_row_source *base)
{
    struct slab *slab = (struct slab *)base;
    slab->ops->free(slab->ctx);
    gt_buf_release(&slab->rows);
    free(slab);
}

int gt_row_source_slab(struct gt_row_source **out, struct gt_engine *engine, const struct gt_slab_ops *ops, void *ctx,
                       const struct gt_row_source_info *info, struct gt_err *err)
{
    static const struct gt_row_source_ops row_source_ops = {start, next, gt_row_source_rows_done, rewind_row_source, free_row_source};
    struct slab *slab = gt_alloc(1, sizeof *slab, err);
    if (!slab)
        return GT_FAIL;
    slab->base.ops = &row_source_ops;
    slab->base.info = *info;
    slab->engine = engine;
    slab->ops = ops;
    slab->ctx = ctx;
    slab->rows.budget = &engine->budget;
    slab->base.info.row_bytes = (size_t)info->slab_row;
    slab->base.info.read_minimum = gt_bytes_add(info->read_minimum, minimum_bytes(info));
    slab->base.info.read_preferred = gt_bytes_add(info->read_preferred, gt_bytes_mul(info->sites, info->slab_row) + GT_KERNEL_PAD);
    *out = &slab->base;
    return GT_OK;
}
