/* INFO of a line of VCF text, and what FORMAT shares with it. */
#include "config.h"

#include <string.h>

#include "geno/model/vcf_number.h"
#include "geno/vcz_fields/fields_internal.h"

/* Once for many, where values come one by one. */
int fields_grow(struct gt_buf *buf, size_t n, struct gt_err *err)
{
    if (n * 4 > buf->cap)
        (void)gt_buf_try(buf, n * 6);
    return gt_buf_resize(buf, n * 4, err);
}

int fields_lacks_value(struct gt_fields_row_group *s, const char *whose, const char *name, const char *text, size_t n, struct gt_err *err)
{
    fields_bad(s, err, "%.120s has %s '%.*s': a value is missing next to a comma", whose, name, n < 40 ? (int)n : 40, text);
    gt_hint(err, "--lenient reads it as '.', a missing value");
    return GT_INPUT;
}

/* The values of INFO [p, end), numbers, between commas. */
static int info_numbers(struct gt_fields_row_group *s, int array, const char *p, const char *end, struct gt_err *err)
{
    const bool whole = s->columns[array].kind == GT_COLUMN_INT;
    const char *const text = p;
    int64_t n = 0;
    int status = 0;
    for (bool more = true; more && !status; n++) {
        const char *stop = p;
        uint32_t x = whole ? (uint32_t)GT_VCF_INT_MISSING : GT_VCF_FLOAT_MISSING;
        if (p < end && *p != ',' && !(*p == '.' && (p + 1 == end || p[1] == ',')))
            x = whole ? (uint32_t)gt_vcf_int(p, end, &stop) : gt_vcf_float(p, end, &stop);
        s->negative |= fields_is_literal(x);
        if (!s->fields->opts.lenient && end > text && (p == end || *p == ','))
            return fields_lacks_value(s, "INFO", strchr(s->fields->arrays[array].path, '_') + 1, text, (size_t)(end - text), err);
        status = fields_grow(&s->values, (size_t)n + 1, err);
        if (!status)
            ((uint32_t *)(void *)s->values.data)[n] = x;
        const char *comma = stop < end ? memchr(stop, ',', (size_t)(end - stop)) : NULL;
        more = comma;
        p = more ? comma + 1 : end;
    }
    if (status)
        return status;
    uint32_t *x = (uint32_t *)(void *)s->values.data;
    if (n == 1 && *x == (whole ? (uint32_t)GT_VCF_INT_MISSING : GT_VCF_FLOAT_MISSING))
        return 0;
    return whole ? fields_ints(s, array, (int32_t *)(void *)x, n, err) : gt_column_floats(&s->columns[array], x, n, err);
}

/* A row of texts between commas. */
int fields_texts(struct gt_fields_row_group *s, int array, const char *p, const char *end, struct gt_err *err)
{
    uint32_t n = 0;
    int status = 0;
    for (bool more = true; more && !status; n++) {
        const char *comma = p < end ? memchr(p, ',', (size_t)(end - p)) : NULL, *stop = comma ? comma : end;
        status = fields_text(s, array, p, (size_t)(stop - p), err);
        more = comma;
        p = stop + more;
    }
    return status ? status : gt_column_row(&s->columns[array], n, err);
}

static int info_field(struct gt_fields_row_group *s, int64_t v, const char *p, const char *end, struct gt_err *err)
{
    static const uint8_t yes = 1;
    const char *equals = memchr(p, '=', (size_t)(end - p)), *name_end = equals ? equals : end;
    int array;
    int status = fields_find(s, false, p, (size_t)(name_end - p), &array, err);
    if (status || array < 0 || fields_done(s, array, v)) /* of two the first one counts */
        return status;
    struct gt_column *column = &s->columns[array];
    if (column->kind == GT_COLUMN_BOOL)
        return gt_column_bools(column, &yes, 1, err);
    if (!equals)
        return 0;
    if (column->kind == GT_COLUMN_INT || column->kind == GT_COLUMN_FLOAT)
        return info_numbers(s, array, equals + 1, end, err);
    status = fields_texts(s, array, equals + 1, end, err);
    return status ? status : gt_column_texts_end(column, err);
}

int fields_parse_info(struct gt_fields_row_group *s, int64_t v, const char *p, const char *end, struct gt_err *err)
{
    int status = 0;
    if (end - p == 1 && *p == '.')
        return 0;
    for (const char *stop; p < end && !status; p = stop + 1) {
        stop = memchr(p, ';', (size_t)(end - p));
        stop = stop ? stop : end;
        status = stop > p ? info_field(s, v, p, stop, err) : 0;
    }
    return status;
}
