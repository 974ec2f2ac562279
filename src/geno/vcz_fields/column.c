/* A column that grows by variants. */
#include "config.h"

#include <string.h>

#include "geno/vcz_fields/column_items.h"
#include "kernels/kernels.h"

void gt_column_init(struct gt_column *column, enum gt_column_kind kind, int64_t rows, struct gt_budget *budget)
{
    *column = (struct gt_column){.kind = kind, .rows = rows};
    column->data.budget = column->counts.budget = column->absent.budget = column->spare.budget = budget;
}

void gt_column_release(struct gt_column *column)
{
    gt_buf_release(&column->data);
    gt_buf_release(&column->counts);
    gt_buf_release(&column->absent);
    gt_buf_release(&column->spare);
}

int gt_column_begin(struct gt_column *column, struct gt_column_shape form, int64_t variants, struct gt_err *err)
{
    size_t bytes = 0;
    column->variants = 0;
    column->planned = variants;
    column->form = form;
    column->counts.len = column->absent.len = column->data.len = 0;
    if (gt_column_is_text(column->kind))
        return 0;
    if (!gt_items_bytes(variants, column->rows, form, &bytes))
        return gt_items_too_large(err);
    return gt_buf_reserve(&column->data, bytes, err);
}

/* All variants in a wider form. */
static int widen(struct gt_column *column, struct gt_column_shape to, struct gt_err *err)
{
    size_t bytes;
    const int64_t rows = column->rows, n = column->variants;
    if (!gt_items_bytes(n < column->planned ? column->planned : n + 1, rows, to, &bytes))
        return gt_items_too_large(err);
    int status = gt_buf_reserve(&column->spare, bytes, err);
    for (int64_t v = 0; v < n && !status; v++) {
        const uint8_t *src = column->data.data + v * rows * column->form.k * column->form.size;
        uint8_t *dst = column->spare.data + v * rows * to.k * to.size;
        if (column->absent.data[v])
            gt_items_set(dst, to.size, rows * to.k, gt_column_missing(column->kind));
        else
            gt_items_move(column->kind, src, column->form, dst, to, rows);
    }
    if (status)
        return status;
    gt_buf_swap(&column->data, &column->spare);
    gt_buf_release(&column->spare);
    column->data.len = (size_t)(n * rows * to.k * to.size);
    column->form = to;
    return 0;
}

/* The next variant, in a form of at least these; *to: its items. */
static int next_variant(struct gt_column *column, struct gt_column_shape form, bool absent, uint8_t **to, struct gt_err *err)
{
    const struct gt_column_shape had = column->form;
    const uint8_t none = absent;
    int status = 0;
    if (form.size > had.size || form.k > had.k)
        status = widen(column, (struct gt_column_shape){form.size > had.size ? form.size : had.size, form.k > had.k ? form.k : had.k}, err);
    size_t at = column->data.len, bytes;
    if (!status && !gt_items_bytes(1, column->rows, column->form, &bytes))
        return gt_items_too_large(err);
    if (!status)
        status = gt_buf_reserve(&column->data, at + bytes, err);
    if (!status)
        status = gt_buf_append(&column->absent, &none, 1, err);
    if (status)
        return status;
    column->data.len = at + bytes;
    column->variants++;
    *to = column->data.data + at;
    return 0;
}

static int size_of(int64_t minimum, int64_t most)
{
    return minimum >= INT8_MIN && most <= INT8_MAX     ? 1
           : minimum >= INT16_MIN && most <= INT16_MAX ? 2
           : minimum >= INT32_MIN && most <= INT32_MAX ? 4
                                                       : 8;
}

/* Rows of n numbers as rows of k. */
static void put_rows(const int32_t *values, int64_t rows, int64_t n, struct gt_column_shape form, uint8_t *to)
{
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < form.k; i++) {
            const int64_t x = i < n ? values[r * n + i] : -2;
            memcpy(to + (r * form.k + i) * form.size, &x, (size_t)form.size);
        }
}

int gt_column_ints(struct gt_column *column, int32_t *values, int64_t n, struct gt_err *err)
{
    static const enum gt_number kinds[9] = {[1] = GT_NUMBER_I8, [2] = GT_NUMBER_I16, [4] = GT_NUMBER_I32, [8] = GT_NUMBER_I64};
    int32_t range[2] = {0, 0};
    uint8_t *to;
    gt_kernels()->fix_ints(values, column->rows * n, range);
    int status = next_variant(column, (struct gt_column_shape){size_of(range[0], range[1]), n}, false, &to, err);
    if (status)
        return status;
    if (n == column->form.k)
        gt_kernels()->cast(GT_NUMBER_I32, values, kinds[column->form.size], to, column->rows * n);
    else
        put_rows(values, column->rows, n, column->form, to);
    return 0;
}

int gt_column_long(struct gt_column *column, int64_t value, struct gt_err *err)
{
    uint8_t *to;
    int status = next_variant(column, (struct gt_column_shape){size_of(value, value), 1}, false, &to, err);
    if (!status)
        memcpy(to, &value, (size_t)column->form.size);
    return status;
}

int gt_column_floats(struct gt_column *column, const uint32_t *bits, int64_t n, struct gt_err *err)
{
    uint8_t *to;
    const struct gt_column_shape form = {4, n};
    int status = next_variant(column, form, false, &to, err);
    if (!status)
        gt_items_move(column->kind, (const uint8_t *)bits, form, to, column->form, column->rows);
    return status;
}

int gt_column_bools(struct gt_column *column, const uint8_t *values, int64_t n, struct gt_err *err)
{
    uint8_t *to;
    const struct gt_column_shape form = {1, n};
    int status = next_variant(column, form, false, &to, err);
    if (!status)
        gt_items_move(column->kind, values, form, to, column->form, column->rows);
    return status;
}

uint8_t *gt_column_bytes(struct gt_column *column, int64_t n)
{
    const size_t bytes = (size_t)(column->rows * n);
    if (column->form.size != 1 || column->form.k != n || gt_buf_reserve(&column->data, column->data.len + bytes, NULL))
        return NULL;
    return column->data.data + column->data.len;
}

int gt_column_taken(struct gt_column *column, struct gt_err *err)
{
    uint8_t *to;
    return next_variant(column, column->form, false, &to, err);
}

/* --- texts ----------------------------------------------------------------------------- */

int gt_column_text(struct gt_column *column, const char *text, size_t n, struct gt_err *err)
{
    uint32_t n32 = (uint32_t)n;
    if (n > INT32_MAX)
        return gt_fail(err, GT_INPUT, "a string of %zu bytes is larger than 2 GiB", n);
    int status = gt_buf_append(&column->data, &n32, 4, err);
    return status || !n ? status : gt_buf_append(&column->data, text, n, err);
}

int gt_column_row(struct gt_column *column, uint32_t values, struct gt_err *err)
{
    column->form.k = values > column->form.k ? values : column->form.k;
    return gt_buf_append(&column->counts, &values, sizeof values, err);
}

static int end_texts(struct gt_column *column, uint8_t absent, struct gt_err *err)
{
    column->variants++;
    return gt_buf_append(&column->absent, &absent, 1, err);
}

int gt_column_texts_end(struct gt_column *column, struct gt_err *err)
{
    return end_texts(column, 0, err);
}

int gt_column_none(struct gt_column *column, struct gt_err *err)
{
    uint8_t *to;
    int status = 0;
    if (gt_column_is_text(column->kind)) {
        for (int64_t r = 0; r < column->rows && !status; r++)
            status = gt_column_row(column, 0, err);
        return status ? status : end_texts(column, 1, err);
    }
    status = next_variant(column, column->form, true, &to, err);
    if (!status)
        gt_items_set(to, column->form.size, column->rows * column->form.k, gt_column_missing(column->kind));
    return status;
}
