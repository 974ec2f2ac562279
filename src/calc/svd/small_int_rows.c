#include "calc/svd/small_int_rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "kernels/kernels.h"

/* Numbers of a block, about; and its rows, which are whole words of turned rows. */
enum { BLOCK_NUMBERS = 1 << 24, FEWEST_ROWS = 64, MOST_ROWS = 4096 };

int64_t gt_array_code_rows(int64_t columns)
{
    const int64_t rows = BLOCK_NUMBERS / (columns > 0 ? columns : 1) / 64 * 64;
    return rows < FEWEST_ROWS ? FEWEST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
}

size_t gt_array_code_stride(int64_t columns)
{
    return ((size_t)columns + 3) / 4;
}

int64_t gt_array_code_bytes(int64_t columns)
{
    return gt_bytes_add(gt_bytes_mul(gt_array_code_rows(columns), (int64_t)gt_array_code_stride(columns)), GT_KERNEL_PAD);
}

int gt_array_codes_begin(struct gt_array_codes *codes, struct gt_engine *engine, int64_t most, struct gt_err *err)
{
    int status = GT_OK;
    if (!codes->begun && codes->memory > 0)
        status = gt_budget_part(&codes->part, &engine->budget, codes->memory, err);
    if (status)
        return status;
    const struct gt_matrix_info *info = gt_matrix_info(codes->matrix);
    const int64_t kept = (int64_t)codes->n * gt_array_code_rows(info->columns);
    codes->line.budget = &engine->budget;
    codes->full = codes->begun || codes->memory <= 0;
    codes->begun = true;
    codes->next = 0;
    codes->at = 0;
    codes->row = kept < info->rows ? kept : info->rows;
    status = gt_matrix_range(codes->matrix, codes->row, info->rows, err);
    return status ? status : gt_matrix_reblock(codes->matrix, most, err);
}

/* --- numbers ---------------------------------------------------------------------------- */

/* Are all of n numbers, of any sign, from 0 to 2?  They become bytes. */
#define NARROW(type)                                                                                                                       \
    static bool narrow_##type(const uint8_t *from, int64_t n, int8_t *out)                                                                 \
    {                                                                                                                                      \
        type most = 0;                                                                                                                     \
        for (int64_t i = 0; i < n; i++) {                                                                                                  \
            type value;                                                                                                                    \
            memcpy(&value, from + (size_t)i * sizeof value, sizeof value);                                                                 \
            most = value > most ? value : most;                                                                                            \
            out[i] = (int8_t)value;                                                                                                        \
        }                                                                                                                                  \
        return most <= 2;                                                                                                                  \
    }
NARROW(uint16_t)
NARROW(uint32_t)
NARROW(uint64_t)

static int pack_row(struct gt_array_codes *codes, const struct gt_matrix_info *info, const uint8_t *values, uint8_t *row,
                    struct gt_err *err)
{
    const size_t size = gt_dtype_of(info->type).size;
    int8_t *line = (int8_t *)codes->line.data;
    const bool bytes = size == 1;
    int64_t counts[4] = {0};
    if (!bytes)
        codes->others = !(size == 2 ? narrow_uint16_t : size == 4 ? narrow_uint32_t : narrow_uint64_t)(values, info->columns, line);
    if (!codes->others)
        codes->others = gt_kernels()->pack_i8(bytes ? (const int8_t *)values : line, info->columns, row) != 0;
    if (bytes && !codes->others) /* below 0, or 128 and more */
        gt_kernels()->count_codes(row, info->columns, counts);
    codes->others = codes->others || counts[3] > 0;
    return codes->others ? gt_fail(err, GT_INPUT, "'%s' has values other than 0, 1 and 2", info->name) : GT_OK;
}

/* --- blocks ------------------------------------------------------------------------------- */

static int next_rows(struct gt_array_codes *codes, struct gt_err *err)
{
    if (codes->from && codes->at < codes->from->n)
        return GT_OK;
    if (codes->from)
        gt_matrix_done(codes->matrix, codes->from);
    codes->from = NULL;
    codes->at = 0;
    return gt_matrix_next(codes->matrix, &codes->from, err);
}

static int read_rows(struct gt_array_codes *codes, int64_t n, uint8_t *rows, struct gt_err *err)
{
    const struct gt_matrix_info *info = gt_matrix_info(codes->matrix);
    const size_t width = (size_t)info->columns * gt_dtype_of(info->type).size, stride = gt_array_code_stride(info->columns);
    int status = gt_buf_resize(&codes->line, (size_t)info->columns + GT_KERNEL_PAD, err);
    for (int64_t r = 0; r < n && !status; r++) {
        status = next_rows(codes, err);
        if (!status)
            status = pack_row(codes, info, codes->from->values.data + (size_t)codes->at++ * width, rows + (size_t)r * stride, err);
    }
    codes->row += status ? 0 : n;
    return status == GT_END ? gt_fail(err, GT_FAIL, "'%s' ends too early", info->name) : status;
}

/* Room of the share for a block of the first pass, or none: then none that follows is kept. */
static struct gt_buf *room(struct gt_array_codes *codes, size_t bytes)
{
    if (codes->full)
        return NULL;
    struct gt_buf block = {.budget = &codes->part};
    if (gt_grow(&codes->block, &codes->cap, codes->n + 1, sizeof block, NULL) || !gt_buf_try(&block, bytes)) {
        codes->full = true;
        return NULL;
    }
    codes->block[codes->n++] = block;
    codes->next = codes->n;
    return &codes->block[codes->n - 1];
}

int gt_array_codes_next(struct gt_array_codes *codes, struct gt_array_code_block *block, struct gt_buf *own, struct gt_err *err)
{
    const struct gt_matrix_info *info = gt_matrix_info(codes->matrix);
    const int64_t most = gt_array_code_rows(info->columns);
    if (codes->next < codes->n) {
        block->first = (int64_t)codes->next * most;
        block->n = gt_min_i64(most, info->rows - block->first);
        block->rows = codes->block[codes->next++].data;
        return GT_OK;
    }
    *block = (struct gt_array_code_block){.first = codes->row, .n = gt_min_i64(most, info->rows - codes->row)};
    if (block->n <= 0)
        return GT_END;
    const size_t bytes = (size_t)block->n * gt_array_code_stride(info->columns);
    struct gt_buf *kept = room(codes, bytes + GT_KERNEL_PAD), *to = kept ? kept : own;
    int status = gt_buf_resize(to, bytes + GT_KERNEL_PAD, err);
    if (!status)
        status = read_rows(codes, block->n, to->data, err);
    if (!status)
        memset(to->data + bytes, 0, GT_KERNEL_PAD);
    block->rows = to->data;
    return status;
}

int gt_array_codes_end(struct gt_array_codes *codes, struct gt_err *err)
{
    if (codes->from)
        gt_matrix_done(codes->matrix, codes->from);
    codes->from = NULL;
    int status = gt_matrix_rewind(codes->matrix, err);
    return status ? status : gt_matrix_range(codes->matrix, 0, gt_matrix_info(codes->matrix)->rows, err);
}

void gt_array_codes_release(struct gt_array_codes *codes)
{
    for (size_t i = 0; i < codes->n; i++)
        gt_buf_release(&codes->block[i]);
    free(codes->block);
    codes->block = NULL;
    codes->n = codes->cap = 0;
    gt_buf_release(&codes->line);
    if (codes->begun && codes->memory > 0)
        gt_budget_part_end(&codes->part);
    codes->begun = false;
}
