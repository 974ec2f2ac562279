#include "config.h"

#include "calc/column.h"

#include <string.h>

#include "base/le.h"
#include "base/size.h"
#include "geno/vcf_number.h"
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

static bool is_text(enum gt_column_kind kind)
{
    return kind >= GT_COLUMN_CHAR;
}

/* --- items ---------------------------------------------------------------------------- */

/* What stands where a variant has no such field, and behind the values of a row. */
static int64_t missing_of(enum gt_column_kind kind)
{
    return kind == GT_COLUMN_INT     ? -1
           : kind == GT_COLUMN_FLOAT ? (int64_t)GT_VCF_FLOAT_MISSING
           : kind == GT_COLUMN_CHAR  ? '.'
                                     : kind == GT_COLUMN_MASK;
}

static int64_t fill_of(enum gt_column_kind kind)
{
    return kind == GT_COLUMN_INT ? -2 : kind == GT_COLUMN_FLOAT ? (int64_t)GT_VCF_FLOAT_END : kind == GT_COLUMN_MASK;
}

static void set_items(uint8_t *to, int size, int64_t n, int64_t value)
{
    if (size == 1 && n)
        memset(to, (int)value, (size_t)n);
    else
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * size, &value, (size_t)size); /* little endian */
}

static int64_t item(const uint8_t *from, int size)
{
    return size == 1 ? (int8_t)*from : size == 2 ? (int16_t)gt_le16(from) : size == 4 ? (int32_t)gt_le32(from) : (int64_t)gt_le64(from);
}

/* n rows of `from` items become rows of `to`. */
static void move_rows(enum gt_column_kind kind, const uint8_t *src, struct gt_column_form from, uint8_t *dst, struct gt_column_form to,
                      int64_t n)
{
    const int64_t fill = fill_of(kind);
    if (from.size == to.size && from.k == to.k) {
        if (n)
            memcpy(dst, src, (size_t)(n * to.k * to.size));
        return;
    }
    for (int64_t r = 0; r < n; r++, dst += to.k * to.size) {
        for (int64_t i = 0; i < from.k; i++, src += from.size) {
            int64_t value = item(src, from.size);
            memcpy(dst + i * to.size, &value, (size_t)to.size);
        }
        set_items(dst + from.k * to.size, to.size, to.k - from.k, fill);
    }
}

static bool bytes_of(int64_t variants, int64_t rows, struct gt_column_form form, size_t *bytes)
{
    int64_t n;
    return gt_mul_i64(variants, rows, &n) && gt_mul_i64(n, form.k, &n) && gt_mul_i64(n, form.size, &n) && n <= INT64_MAX / 4 &&
           (*bytes = (size_t)n, true);
}

static int too_large(struct gt_err *err)
{
    return gt_fail(err, GT_NOFIT, "a field with so many values a variant is too large");
}

int gt_column_begin(struct gt_column *column, struct gt_column_form form, int64_t variants, struct gt_err *err)
{
    size_t bytes = 0;
    column->variants = 0;
    column->planned = variants;
    column->form = form;
    column->counts.len = column->absent.len = column->data.len = 0;
    if (is_text(column->kind))
        return 0;
    if (!bytes_of(variants, column->rows, form, &bytes))
        return too_large(err);
    return gt_buf_reserve(&column->data, bytes, err);
}

/* All variants in a wider form. */
static int widen(struct gt_column *column, struct gt_column_form to, struct gt_err *err)
{
    size_t bytes;
    const int64_t rows = column->rows, n = column->variants;
    if (!bytes_of(n < column->planned ? column->planned : n + 1, rows, to, &bytes))
        return too_large(err);
    int status = gt_buf_reserve(&column->spare, bytes, err);
    for (int64_t v = 0; v < n && !status; v++) {
        const uint8_t *src = column->data.data + v * rows * column->form.k * column->form.size;
        uint8_t *dst = column->spare.data + v * rows * to.k * to.size;
        if (column->absent.data[v])
            set_items(dst, to.size, rows * to.k, missing_of(column->kind));
        else
            move_rows(column->kind, src, column->form, dst, to, rows);
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
static int next_variant(struct gt_column *column, struct gt_column_form form, bool absent, uint8_t **to, struct gt_err *err)
{
    const struct gt_column_form had = column->form;
    const uint8_t none = absent;
    int status = 0;
    if (form.size > had.size || form.k > had.k)
        status = widen(column, (struct gt_column_form){form.size > had.size ? form.size : had.size, form.k > had.k ? form.k : had.k}, err);
    size_t at = column->data.len, bytes;
    if (!status && !bytes_of(1, column->rows, column->form, &bytes))
        return too_large(err);
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

static int size_of(int64_t least, int64_t most)
{
    return least >= INT8_MIN && most <= INT8_MAX     ? 1
           : least >= INT16_MIN && most <= INT16_MAX ? 2
           : least >= INT32_MIN && most <= INT32_MAX ? 4
                                                     : 8;
}

/* Rows of n numbers as rows of k. */
static void put_rows(const int32_t *values, int64_t rows, int64_t n, struct gt_column_form form, uint8_t *to)
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
    gt_kernels()->settle_ints(values, column->rows * n, range);
    int status = next_variant(column, (struct gt_column_form){size_of(range[0], range[1]), n}, false, &to, err);
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
    int status = next_variant(column, (struct gt_column_form){size_of(value, value), 1}, false, &to, err);
    if (!status)
        memcpy(to, &value, (size_t)column->form.size);
    return status;
}

int gt_column_floats(struct gt_column *column, const uint32_t *bits, int64_t n, struct gt_err *err)
{
    uint8_t *to;
    const struct gt_column_form form = {4, n};
    int status = next_variant(column, form, false, &to, err);
    if (!status)
        move_rows(column->kind, (const uint8_t *)bits, form, to, column->form, column->rows);
    return status;
}

int gt_column_bools(struct gt_column *column, const uint8_t *values, int64_t n, struct gt_err *err)
{
    uint8_t *to;
    const struct gt_column_form form = {1, n};
    int status = next_variant(column, form, false, &to, err);
    if (!status)
        move_rows(column->kind, values, form, to, column->form, column->rows);
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
        return gt_fail(err, GT_INPUT, "a text of %zu bytes is larger than 2 GiB", n);
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
    if (is_text(column->kind)) {
        for (int64_t r = 0; r < column->rows && !status; r++)
            status = gt_column_row(column, 0, err);
        return status ? status : end_texts(column, 1, err);
    }
    status = next_variant(column, column->form, true, &to, err);
    if (!status)
        set_items(to, column->form.size, column->rows * column->form.k, missing_of(column->kind));
    return status;
}

/* --- chunks ------------------------------------------------------------------------------ */

/* The first character, of UTF-8. */
static uint32_t first_character(const uint8_t *s, uint32_t n)
{
    static const uint8_t mask[] = {0, 0, 0x1f, 0x0f, 0x07};
    if (!n || s[0] < 0x80)
        return n ? s[0] : 0;
    unsigned more = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    uint32_t c = s[0] & mask[more];
    if (s[0] < 0xc0 || more > n)
        return 0xfffd;
    for (unsigned i = 1; i < more; i++)
        c = c << 6 | (s[i] & 0x3f);
    return c > 0x10ffff ? 0xfffd : c;
}

/* A value of a chunk: of TEXT as codec/vlen.h has it, of CHAR a code point. */
static int add_value(enum gt_column_kind kind, const uint8_t *text, uint32_t n, struct gt_buf *raw, struct gt_err *err)
{
    if (kind == GT_COLUMN_CHAR) {
        uint32_t c = first_character(text, n);
        return gt_buf_append(raw, &c, sizeof c, err);
    }
    int status = gt_buf_append(raw, &n, sizeof n, err);
    return status || !n ? status : gt_buf_append(raw, text, n, err);
}

static int add_values(enum gt_column_kind kind, const char *text, int64_t n, struct gt_buf *raw, struct gt_err *err)
{
    int status = 0;
    for (int64_t i = 0; i < n && !status; i++)
        status = add_value(kind, (const uint8_t *)text, (uint32_t)strlen(text), raw, err);
    return status;
}

/* Of TEXT the number of items stands in front. */
static int begin_texts(enum gt_column_kind kind, int64_t items, struct gt_buf *raw, struct gt_err *err)
{
    uint32_t count = (uint32_t)items;
    raw->len = 0;
    if (items > INT32_MAX)
        return too_large(err);
    return kind == GT_COLUMN_TEXT ? gt_buf_append(raw, &count, sizeof count, err) : 0;
}

static int texts_chunk(const struct gt_column *column, struct gt_column_form form, int64_t height, int64_t from, int64_t width,
                       struct gt_buf *raw, struct gt_err *err)
{
    const uint32_t *count = (const uint32_t *)(const void *)column->counts.data;
    const uint8_t *p = column->data.data;
    int status = begin_texts(column->kind, height * width * form.k, raw, err);
    for (int64_t v = 0; v < column->variants && !status; v++) {
        for (int64_t r = 0; r < column->rows && !status; r++) {
            const bool here = r >= from && r < from + width;
            const uint32_t n = *count++;
            for (uint32_t i = 0; i < n && !status; i++) {
                uint32_t length = gt_le32(p);
                status = here ? add_value(column->kind, p + 4, length, raw, err) : 0;
                p += 4 + length;
            }
            if (here && !status)
                status = add_values(column->kind, column->absent.data[v] ? "." : "", form.k - n, raw, err);
        }
        const int64_t end = from + width - column->rows;
        if (end > 0 && !status)
            status = add_values(column->kind, "", end * form.k, raw, err);
    }
    return status ? status : add_values(column->kind, "", (height - column->variants) * width * form.k, raw, err);
}

int gt_column_chunk(const struct gt_column *column, struct gt_column_form form, int64_t height, int64_t from, int64_t width,
                    struct gt_buf *raw, struct gt_err *err)
{
    const int64_t rows = from + width < column->rows ? width : column->rows - from;
    const size_t was = (size_t)(column->form.k * column->form.size), is = (size_t)(form.k * form.size);
    size_t bytes;
    if (is_text(column->kind))
        return texts_chunk(column, form, height, from, width, raw, err);
    if (!bytes_of(height, width, form, &bytes))
        return too_large(err);
    int status = gt_buf_resize(raw, bytes, err);
    if (status)
        return status;
    if (raw->len && (column->variants < height || rows < width))
        memset(raw->data, 0, raw->len);
    for (int64_t v = 0; v < column->variants; v++) {
        uint8_t *to = raw->data + (size_t)(v * width) * is;
        if (column->absent.data[v])
            set_items(to, form.size, rows * form.k, missing_of(column->kind));
        else
            move_rows(column->kind, column->data.data + (size_t)(v * column->rows + from) * was, column->form, to, form, rows);
    }
    return 0;
}

bool gt_column_is_chunk(const struct gt_column *column, struct gt_column_form form, int64_t height, int64_t from, int64_t width,
                        struct gt_buf *view)
{
    if (is_text(column->kind) || form.size != column->form.size || form.k != column->form.k || from || width != column->rows ||
        height != column->variants)
        return false;
    *view = (struct gt_buf){.data = column->data.data, .len = column->data.len, .cap = column->data.len};
    return true;
}

static int widen_texts(const struct gt_column_part *part, const struct gt_buf *raw, struct gt_column_form form, struct gt_column_form to,
                       struct gt_buf *out, struct gt_err *err)
{
    const uint8_t *p = raw->data + 4;
    int status = begin_texts(GT_COLUMN_TEXT, part->height * part->width * to.k, out, err);
    for (int64_t v = 0; v < part->height && !status; v++)
        for (int64_t r = 0; r < part->width && !status; r++) {
            for (int64_t i = 0; i < form.k && !status; i++) {
                uint32_t length = gt_le32(p);
                status = add_value(GT_COLUMN_TEXT, p + 4, length, out, err);
                p += 4 + length;
            }
            if (!status)
                status =
                    add_values(GT_COLUMN_TEXT, v < part->variants && r < part->rows && part->absent[v] ? "." : "", to.k - form.k, out, err);
        }
    return status;
}

int gt_column_widen(const struct gt_column_part *part, const struct gt_buf *raw, struct gt_column_form form, struct gt_column_form to,
                    struct gt_buf *out, struct gt_err *err)
{
    size_t bytes;
    if (part->kind == GT_COLUMN_TEXT)
        return widen_texts(part, raw, form, to, out, err);
    if (!bytes_of(part->height, part->width, to, &bytes))
        return too_large(err);
    int status = gt_buf_resize(out, bytes, err);
    if (status)
        return status;
    if (out->len)
        memset(out->data, 0, out->len);
    for (int64_t v = 0; v < part->variants; v++) {
        const uint8_t *src = raw->data + v * part->width * form.k * form.size;
        uint8_t *dst = out->data + v * part->width * to.k * to.size;
        if (part->absent[v])
            set_items(dst, to.size, part->rows * to.k, missing_of(part->kind));
        else
            move_rows(part->kind, src, form, dst, to, part->rows);
    }
    return 0;
}
