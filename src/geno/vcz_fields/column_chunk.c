/* Chunks of a column before they are encoded. */
#include "config.h"

#include <string.h>

#include "core/base/le.h"
#include "geno/vcz_fields/column_items.h"

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

/* A value of a chunk: of TEXT as storage/codec/vlen.h has it, of CHAR a code point. */
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

/* Of TEXT the number of items stands before it. */
static int begin_texts(enum gt_column_kind kind, int64_t items, struct gt_buf *raw, struct gt_err *err)
{
    uint32_t count = (uint32_t)items;
    raw->len = 0;
    if (items > INT32_MAX)
        return gt_items_too_large(err);
    return kind == GT_COLUMN_TEXT ? gt_buf_append(raw, &count, sizeof count, err) : 0;
}

static int texts_chunk(const struct gt_column *column, struct gt_column_shape form, int64_t height, int64_t from, int64_t width,
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

int gt_column_chunk(const struct gt_column *column, struct gt_column_shape form, int64_t height, int64_t from, int64_t width,
                    struct gt_buf *raw, struct gt_err *err)
{
    const int64_t rows = from + width < column->rows ? width : column->rows - from;
    const size_t was = (size_t)(column->form.k * column->form.size), is = (size_t)(form.k * form.size);
    size_t bytes;
    if (gt_column_is_text(column->kind))
        return texts_chunk(column, form, height, from, width, raw, err);
    if (!gt_items_bytes(height, width, form, &bytes))
        return gt_items_too_large(err);
    int status = gt_buf_resize(raw, bytes, err);
    if (status)
        return status;
    if (raw->len && (column->variants < height || rows < width))
        memset(raw->data, 0, raw->len);
    for (int64_t v = 0; v < column->variants; v++) {
        uint8_t *to = raw->data + (size_t)(v * width) * is;
        if (column->absent.data[v])
            gt_items_set(to, form.size, rows * form.k, gt_column_missing(column->kind));
        else
            gt_items_move(column->kind, column->data.data + (size_t)(v * column->rows + from) * was, column->form, to, form, rows);
    }
    return 0;
}

bool gt_column_is_chunk(const struct gt_column *column, struct gt_column_shape form, int64_t height, int64_t from, int64_t width,
                        struct gt_buf *view)
{
    if (gt_column_is_text(column->kind) || form.size != column->form.size || form.k != column->form.k || from || width != column->rows ||
        height != column->variants)
        return false;
    *view = (struct gt_buf){.data = column->data.data, .len = column->data.len, .cap = column->data.len};
    return true;
}

static int widen_texts(const struct gt_column_part *part, const struct gt_buf *raw, struct gt_column_shape form, struct gt_column_shape to,
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

int gt_column_widen(const struct gt_column_part *part, const struct gt_buf *raw, struct gt_column_shape form, struct gt_column_shape to,
                    struct gt_buf *out, struct gt_err *err)
{
    size_t bytes;
    if (part->kind == GT_COLUMN_TEXT)
        return widen_texts(part, raw, form, to, out, err);
    if (!gt_items_bytes(part->height, part->width, to, &bytes))
        return gt_items_too_large(err);
    int status = gt_buf_resize(out, bytes, err);
    if (status)
        return status;
    if (out->len)
        memset(out->data, 0, out->len);
    for (int64_t v = 0; v < part->variants; v++) {
        const uint8_t *src = raw->data + v * part->width * form.k * form.size;
        uint8_t *dst = out->data + v * part->width * to.k * to.size;
        if (part->absent[v])
            gt_items_set(dst, to.size, part->rows * to.k, gt_column_missing(part->kind));
        else
            gt_items_move(part->kind, src, form, dst, to, part->rows);
    }
    return 0;
}
