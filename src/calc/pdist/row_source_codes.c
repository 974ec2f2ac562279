/* A plain array of integers as packed rows, as long as its values are 0, 1, 2 or missing. */
#include <stdlib.h>

#include "calc/pdist/row_source.h"
#include "core/base/mem.h"
#include "geno/model/ploidy.h"
#include "kernels/kernels.h"

struct codes {
    struct gt_row_source base;
    struct gt_engine *engine;
    struct gt_matrix *matrix;
    bool literal;
    bool others, negative; /* values that were met */
    struct gt_buf line;    /* int8_t: a row of other integers than int8 */
};

static int start(struct gt_row_source *base, const struct gt_row_source_opts *opts, struct gt_err *err)
{
    struct gt_matrix *matrix = ((struct codes *)base)->matrix;
    gt_matrix_set_memory(matrix, opts->memory);
    return gt_matrix_reblock(matrix, opts->block_sites, err);
}

/* Numbers that an int8 does not hold become 3, or are below -1 and stay so. */
#define NARROW(type)                                                                                                                       \
    static void narrow_##type(const void *from, int64_t n, int8_t *out)                                                                    \
    {                                                                                                                                      \
        const type *values = from;                                                                                                         \
        for (int64_t i = 0; i < n; i++)                                                                                                    \
            out[i] = (int8_t)(values[i] > 2 ? 3 : (int64_t)values[i] < -2 ? -2 : (int64_t)values[i]);                                      \
    }
NARROW(uint8_t)
NARROW(int16_t)
NARROW(uint16_t)
NARROW(int32_t)
NARROW(uint32_t)
NARROW(int64_t)
NARROW(uint64_t)

typedef void narrow_fn(const void *from, int64_t n, int8_t *out);

static narrow_fn *narrow_of(enum gt_type type)
{
    switch (type) {
    case GT_U8:
        return narrow_uint8_t;
    case GT_I16:
        return narrow_int16_t;
    case GT_U16:
        return narrow_uint16_t;
    case GT_I32:
        return narrow_int32_t;
    case GT_U32:
        return narrow_uint32_t;
    case GT_I64:
        return narrow_int64_t;
    case GT_U64:
        return narrow_uint64_t;
    default:
        return NULL; /* int8_t or bool as it is */
    }
}

static bool any_below(const int8_t *values, int64_t n, int8_t least)
{
    bool any = false;
    for (int64_t i = 0; i < n; i++)
        any |= values[i] < least;
    return any;
}

static int pack_row(struct codes *codes, const void *values, uint8_t *row, struct gt_err *err)
{
    const struct gt_matrix_info *info = gt_matrix_info(codes->matrix);
    narrow_fn *const narrow = narrow_of(info->stored);
    const int8_t *line = narrow ? (const int8_t *)codes->line.data : values;
    int64_t counts[4];
    if (narrow)
        narrow(values, info->columns, (int8_t *)codes->line.data);
    codes->others = gt_kernels()->pack_i8(line, info->columns, row) != 0;
    gt_kernels()->count_codes(row, info->columns, counts);
    codes->negative |= counts[3] > 0;
    codes->others |= codes->literal && counts[3] > 0 && any_below(line, info->columns, -1);
    return codes->others ? gt_fail(err, GT_INPUT, "'%s' has values other than 0, 1 and 2", info->name) : GT_OK;
}

static int pack_block(struct codes *codes, const struct gt_matrix_block *block, struct gt_buf *rows, struct gt_err *err)
{
    const struct gt_matrix_info *info = gt_matrix_info(codes->matrix);
    const size_t size = gt_dtype_of(info->stored).size, stride = codes->base.info.row_bytes;
    int status = gt_buf_resize(&codes->line, narrow_of(info->stored) ? (size_t)info->columns : 0, err);
    for (int64_t i = 0; i < block->n && !status; i++)
        status = pack_row(codes, block->values.data + (size_t)(i * info->columns) * size, rows->data + (size_t)i * stride, err);
    return status;
}

static int next(struct gt_row_source *base, struct gt_rows *rows, const void **held, struct gt_err *err)
{
    struct codes *codes = (struct codes *)base;
    const struct gt_matrix_block *block;
    int status = gt_matrix_next(codes->matrix, &block, err);
    if (status)
        return status;
    struct gt_buf *packed;
    status = gt_row_source_rows_new(&packed, &codes->engine->budget, (size_t)block->n * base->info.row_bytes, err);
    if (!status)
        status = pack_block(codes, block, packed, err);
    if (!status)
        *rows = (struct gt_rows){.data = packed->data, .stride = base->info.row_bytes, .n = block->n, .first = block->first};
    gt_matrix_done(codes->matrix, block);
    if (status && packed)
        gt_row_source_rows_done(base, packed);
    else
        *held = packed;
    return status;
}

static int rewind_row_source(struct gt_row_source *base, struct gt_err *err)
{
    return gt_matrix_rewind(((struct codes *)base)->matrix, err);
}

static void free_row_source(struct gt_row_source *base)
{
    struct codes *codes = (struct codes *)base;
    gt_buf_release(&codes->line);
    free(codes);
}

int gt_row_source_codes(struct gt_row_source **out, struct gt_engine *engine, struct gt_matrix *matrix, const struct gt_strs *ids,
                        bool literal, struct gt_err *err)
{
    static const struct gt_row_source_ops ops = {start, next, gt_row_source_rows_done, rewind_row_source, free_row_source};
    const struct gt_matrix_info *info = gt_matrix_info(matrix);
    struct codes *codes = gt_alloc(1, sizeof *codes, err);
    if (!codes)
        return GT_FAIL;
    int status = gt_matrix_deliver(matrix, info->stored, err);
    if (status) {
        free(codes);
        return status;
    }
    codes->base.ops = &ops;
    codes->base.info = (struct gt_row_source_info){.rows = GT_ROWS_PACKED,
                                                   .ploidy = GT_DIPLOID,
                                                   .plain = true,
                                                   .samples = info->columns,
                                                   .sites = info->rows,
                                                   .row_bytes = ((size_t)info->columns + 3) / 4,
                                                   .read_minimum = info->read_minimum,
                                                   .read_preferred = info->read_preferred,
                                                   .ids = ids,
                                                   .name = info->name};
    codes->engine = engine;
    codes->matrix = matrix;
    codes->literal = literal;
    codes->line.budget = &engine->budget;
    *out = &codes->base;
    return GT_OK;
}

bool gt_row_source_codes_others(const struct gt_row_source *base)
{
    return ((const struct codes *)base)->others;
}

bool gt_row_source_codes_negative(const struct gt_row_source *base)
{
    return ((const struct codes *)base)->negative;
}
