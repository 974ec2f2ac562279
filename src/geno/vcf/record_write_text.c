/* Records as VCF text. */
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "geno/vcf/record_get.h"
#include "geno/vcf/record_writer.h"
#include "kernels/kernels.h"
#include "storage/text/decimal.h"

/* A column of samples on its way into a line. */
struct writer {
    enum { PUT_NUMBERS, PUT_I8, PUT_I16, PUT_I32, PUT_TEXTS, PUT_CALLS } kind;
    const struct gt_record_column *column;
    const uint8_t *record;        /* all of it */
    const uint8_t *data, *phased; /* of the next sample; phased: of alleles; NULL = nobody's are */
    int64_t width;
    const char *text; /* of texts: the next one */
};

enum { NUMBER_BYTES = 25, FEWEST = 16 /* bytes after what is written that may be written over */ };

/* --- values ------------------------------------------------------------------------- */

static char *put_text(char *at, const char *text)
{
    const size_t n = strlen(text);

    memcpy(at, text, n);
    return at + n;
}

static char *put_number(char *at, const struct gt_record_column *column, const uint8_t *record, const uint8_t *p)
{
    if (gt_record_state(column, record, p) != GT_VALUE)
        return *at = '.', at + 1;
    if (gt_column_is_float(column))
        return gt_decimal_vcf(at, gt_column_float(column, p));
    return column->type == GT_U64 ? gt_decimal_uint(at, (uint64_t)gt_column_int(column, p))
                                  : gt_decimal_small(at, gt_column_int(column, p));
}

/* Values up to the last one that is there; "." where none is. */
static char *put_numbers(char *at, const struct gt_record_column *column, const uint8_t *record, const uint8_t *p)
{
    int64_t n = column->width;

    while (n > 0 && gt_record_state(column, record, p + (size_t)(n - 1) * column->size) == GT_VALUE_FILL)
        n--;
    if (n == 0)
        *at++ = '.';
    for (int64_t i = 0; i < n; i++) {
        at = put_number(at, column, record, p + (size_t)i * column->size);
        *at++ = ',';
    }
    return at - (n > 0);
}

/* Likewise; *text moves on to after the last. */
static char *put_texts(char *at, const struct gt_record_column *column, const char **text)
{
    const char *p = *text, *end = p;

    for (int64_t i = 0; i < column->width; i++) {
        const size_t n = strlen(p);
        p += n + 1;
        end = n ? p : end;
    }
    if (end == *text)
        *at++ = '.';
    for (const char *from = *text; from < end; from += strlen(from) + 1) {
        at = *from ? put_text(at, from) : (*at = '.', at + 1);
        *at++ = ',';
    }
    at -= end != *text;
    *text = p;
    return at;
}

/* --- columns of samples: each writes a byte after its text, whatever it is ------------------------------ */

/* With a comma after it. */
static char *below_zero(char *at, int32_t v)
{
    at = v == GT_INT_MISSING || v == GT_INT_FILL ? (*at = '.', at + 1) : gt_decimal_small(at, v);
    *at = ',';
    return at + 1;
}

/* What put_numbers does, of one type, which the compiler knows. */
#define INTEGERS(name, type)                                                                                                               \
    static inline char *name(struct writer *w, char *at)                                                                                   \
    {                                                                                                                                      \
        const type *v = (const type *)(const void *)w->data;                                                                               \
        int64_t n = w->width;                                                                                                              \
        w->data = (const uint8_t *)(v + n);                                                                                                \
        while (n > 0 && v[n - 1] == GT_INT_FILL)                                                                                           \
            n--;                                                                                                                           \
        if (n == 0)                                                                                                                        \
            return *at = '.', at + 2;                                                                                                      \
        for (int64_t i = 0; i < n; i++)                                                                                                    \
            at = v[i] >= 0 ? gt_decimal_comma(at, (uint32_t)v[i]) : below_zero(at, v[i]);                                                  \
        return at;                                                                                                                         \
    }
INTEGERS(column_i8, int8_t)
INTEGERS(column_i16, int16_t)
INTEGERS(column_i32, int32_t)

static char *put_call(char *at, const struct gt_record_column *c, const uint8_t *call, char apart)
{
    int64_t n = 0;

    for (int64_t i = 0; i < c->width; i++) {
        const int64_t allele = gt_column_int(c, call + (size_t)i * c->size);
        if (allele == GT_INT_FILL)
            continue;
        if (n++)
            *at++ = apart;
        at = allele < 0 ? (*at = '.', at + 1) : gt_decimal_small(at, allele);
    }
    return n ? at : (*at = '.', at + 1);
}

static inline char *column_calls(struct writer *w, char *at)
{
    const uint8_t *call = w->data;
    const char apart = w->phased && *w->phased ? '|' : '/';

    if (w->phased)
        w->phased++;
    w->data += (size_t)w->width * w->column->size;
    if (w->column->size == 1 && w->width == 2 && call[0] < 10 && call[1] < 10) {
        const char text[4] = {(char)('0' + call[0]), apart, (char)('0' + call[1]), ':'};
        memcpy(at, text, 4);
        return at + 4;
    }
    return put_call(at, w->column, call, apart) + 1;
}

static char *column_numbers(struct writer *w, char *at)
{
    const uint8_t *values = w->data;

    w->data += (size_t)w->width * w->column->size;
    return put_numbers(at, w->column, w->record, values) + 1;
}

static inline char *put_column(struct writer *w, char *at)
{
    switch (w->kind) {
    case PUT_I8:
        return column_i8(w, at);
    case PUT_I16:
        return column_i16(w, at);
    case PUT_I32:
        return column_i32(w, at);
    case PUT_CALLS:
        return column_calls(w, at);
    case PUT_TEXTS:
        return put_texts(at, w->column, &w->text) + 1;
    default:
        return column_numbers(w, at);
    }
}

/* --- lines ----------------------------------------------------------------------------- */

/* Bytes that a column may take. */
static size_t column_bytes(const struct gt_record_view *record, const struct gt_record_column *c)
{
    static const size_t digits[] = {[GT_BOOL] = 1, [GT_I8] = 4, [GT_I16] = 6, [GT_I32] = 11, [GT_U8] = 3, [GT_U16] = 5, [GT_U32] = 10};
    const size_t n = (size_t)gt_record_values(record, c);
    const size_t one = c->type <= GT_U32 && digits[c->type] ? digits[c->type] : NUMBER_BYTES;

    return strlen(c->name) + FEWEST + (c->type == GT_STRING ? 2 * n : n * (one + 1));
}

static size_t record_room(const struct gt_record_view *record)
{
    size_t room = record->n + FEWEST + 8 * (size_t)record->columns->n_samples; /* its texts among them */

    for (size_t i = 0; i < record->columns->n; i++)
        room += column_bytes(record, &record->columns->list[i]);
    return room;
}

static char *put_info(char *at, const struct gt_record_view *record)
{
    char *const from = at;

    for (size_t i = 0; i < record->columns->n; i++) {
        const struct gt_record_column *c = &record->columns->list[i];
        if (c->kind != GT_RECORD_INFO || !gt_record_has(record, c))
            continue;
        if (at > from)
            *at++ = ';';
        at = put_text(at, c->name);
        if (c->type == GT_BOOL && c->width == 1)
            continue;
        *at++ = '=';
        const char *text = c->type == GT_STRING ? gt_record_texts(record, c) : NULL;
        at = text ? put_texts(at, c, &text) : put_numbers(at, c, record->data, record->data + c->at);
    }
    return at > from ? at : (*at = '.', at + 1);
}

static struct writer writer_of(const struct gt_record_view *record, const struct gt_record_column *c)
{
    struct writer w = {PUT_NUMBERS, c, record->data, record->data + c->at, NULL, c->width, NULL};

    if (c->kind == GT_RECORD_ALLELES) {
        w.kind = PUT_CALLS;
        if (record->columns->n > 1 && c[1].kind == GT_RECORD_PHASED)
            w.phased = record->data + c[1].at;
    } else if (c->type == GT_STRING) {
        w.kind = PUT_TEXTS;
        w.text = gt_record_texts(record, c);
    } else if (c->type >= GT_I8 && c->type <= GT_I32 && !c->literal) {
        w.kind = c->type == GT_I8 ? PUT_I8 : c->type == GT_I16 ? PUT_I16 : PUT_I32;
    }
    return w;
}

/* FORMAT, and the columns of it; at least one. */
static char *put_format(char *at, const struct gt_record_view *record, struct writer *writers, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < record->columns->n; i++) {
        const struct gt_record_column *c = &record->columns->list[i];
        if (c->kind == GT_RECORD_INFO || !gt_record_has(record, c))
            continue;
        writers[(*n)++] = writer_of(record, c);
        at = put_text(at, c->name);
        *at++ = ':';
    }
    return *n ? at - 1 : (*at = '.', at + 1);
}

/* The columns of samples, a tab between them. */
static char *put_samples(char *at, const struct gt_record_view *record, struct writer *writers, size_t n)
{
    const int64_t n_samples = record->columns->n_samples;

    if (n == 1 && writers->kind == PUT_CALLS && writers->column->size == 1 && writers->column->width == 2 &&
        gt_kernels()->write_alleles((const int8_t *)writers->data, writers->phased, n_samples, at))
        return at + 4 * n_samples - 1;
    for (int64_t s = 0; s < n_samples; s++) {
        for (size_t i = 0; i < n; i++) {
            at = put_column(&writers[i], at);
            at[-1] = ':';
        }
        if (n == 0)
            *at = '.', at += 2;
        at[-1] = '\t';
    }
    return at - 1;
}

int gt_record_text(const struct gt_record_view *record, struct gt_buf *text, struct gt_err *err)
{
    const size_t room = text->len + record_room(record);
    struct writer few[64], *writers = record->columns->n <= 64 ? few : gt_alloc(record->columns->n, sizeof *writers, err);
    size_t n;
    int status = !writers ? GT_FAIL : text->cap < room ? gt_buf_reserve(text, room + room / 2, err) : 0;

    if (!status) {
        char *at = put_info((char *)text->data + text->len, record);
        if (record->columns->n_samples > 0) {
            *at++ = '\t';
            at = put_format(at, record, writers, &n);
            *at++ = '\t';
            at = put_samples(at, record, writers, n);
        }
        text->len = (size_t)((uint8_t *)at - text->data);
    }
    if (writers != few)
        free(writers);
    return status;
}
