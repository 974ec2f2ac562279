/* Records as BCF has them. */
#include <stdlib.h>
#include <string.h>

#include "core/base/le.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/model/vcf_number.h"
#include "geno/vcf/bcf_value.h"
#include "geno/vcf/record_get.h"
#include "geno/vcf/record_writer.h"

/* --- numbers of fields ------------------------------------------------------------------- */

struct gt_record_keys {
    struct gt_names *names;
};

int gt_record_keys_new(struct gt_record_keys **out, const struct gt_geno_info *info, struct gt_err *err)
{
    struct gt_record_keys *keys = gt_alloc(1, sizeof *keys, err);
    int64_t next = info->filters.n ? (int64_t)info->filters.n : 1, had;
    int status = keys && (keys->names = gt_names_new(info->samples.budget, err)) ? 0 : GT_FAIL;

    for (size_t i = 0; i < info->filters.n && !status; i++)
        status = gt_names_add(keys->names, gt_strs_get(&info->filters, i), strlen(gt_strs_get(&info->filters, i)), (int64_t)i, NULL, err);
    for (size_t i = 0; i < gt_vcf_fields_n(&info->fields) && !status; i++) {
        const char *name = gt_vcf_field_name(&info->fields, i);
        status = gt_names_add(keys->names, name, strlen(name), next, &had, err);
        next += had < 0;
    }
    *out = keys;
    if (!status)
        return 0;
    gt_record_keys_free(keys);
    *out = NULL;
    return status;
}

void gt_record_keys_free(struct gt_record_keys *keys)
{
    if (keys && keys->names)
        gt_names_free(keys->names);
    free(keys);
}

/* --- values ---------------------------------------------------------------------------------- */

/* Values of a column as BCF's: n to a sample (of INFO: in all), of `size` bytes. */
struct shape {
    int type;
    int64_t n, rows;
};

static uint8_t *put_missing(uint8_t *to, int type, bool end)
{
    static const uint32_t first[] = {[GT_BCF_INT8] = 0x80, [GT_BCF_INT16] = 0x8000, [GT_BCF_INT32] = 0x80000000, 0, GT_VCF_FLOAT_MISSING};

    return gt_le_put(to, first[type] + end, gt_bcf_size(type));
}

static int refuse_number(const struct gt_record_column *c, int64_t number, struct gt_err *err)
{
    const char *sign = number < 0 && c->type != GT_U64 ? "-" : "";
    const uint64_t size = *sign ? -(uint64_t)number : (uint64_t)number;
    return gt_fail(err, GT_INPUT, "%s/%s has %s%llu, which BCF cannot hold", c->kind == GT_RECORD_INFO ? "INFO" : "FORMAT", c->name, sign,
                   (unsigned long long)size);
}

static int int_type(int64_t minimum, int64_t most)
{
    return minimum >= INT8_MIN + 8 && most <= INT8_MAX     ? GT_BCF_INT8
           : minimum >= INT16_MIN + 8 && most <= INT16_MAX ? GT_BCF_INT16
                                                           : GT_BCF_INT32;
}

/* Columns of numbers: the narrowest type, and as many values as the longest row has. */
static int number_shape(const struct gt_record_view *record, const struct gt_record_column *c, struct shape *shape, struct gt_err *err)
{
    const uint8_t *p = record->data + c->at;
    int64_t minimum = 0, most = 0;

    *shape = (struct shape){.n = 1, .rows = c->kind == GT_RECORD_INFO ? 1 : record->columns->n_samples};
    for (int64_t row = 0; row < shape->rows; row++)
        for (int64_t i = 0; i < c->width; i++, p += c->size) {
            const enum gt_value_state state = gt_record_state(c, record->data, p);
            const int64_t v = state == GT_VALUE && !gt_column_is_float(c) ? gt_column_int(c, p) : 0;
            shape->n = state != GT_VALUE_FILL && i >= shape->n ? i + 1 : shape->n;
            minimum = v < minimum ? v : minimum;
            most = v > most ? v : most;
        }
    if (minimum < INT32_MIN + 8 || most > INT32_MAX || (c->type == GT_U64 && minimum < 0))
        return refuse_number(c, most > INT32_MAX ? most : minimum, err);
    shape->type = gt_column_is_float(c) ? GT_BCF_FLOAT : int_type(minimum, most);
    return 0;
}

static uint8_t *put_number(uint8_t *to, const struct gt_record_column *c, const uint8_t *p, int type, enum gt_value_state state)
{
    const float f = gt_column_is_float(c) && c->type != GT_F32 ? (float)gt_column_float(c, p) : 0;

    if (state != GT_VALUE)
        return put_missing(to, type, state == GT_VALUE_FILL);
    if (type != GT_BCF_FLOAT)
        return gt_le_put(to, (uint64_t)gt_column_int(c, p), gt_bcf_size(type));
    memcpy(to, c->type == GT_F32 ? (const void *)p : (const void *)&f, 4); /* the bits */
    return to + 4;
}

/* A value that is not there before one that is: missing. */
static uint8_t *put_row(uint8_t *to, const struct gt_record_column *c, const uint8_t *record, const uint8_t *p, const struct shape *shape)
{
    int64_t used = shape->n;

    while (used > 0 && gt_record_state(c, record, p + (size_t)(used - 1) * c->size) == GT_VALUE_FILL)
        used--;
    for (int64_t i = 0; i < shape->n; i++) {
        enum gt_value_state state = gt_record_state(c, record, p + (size_t)i * c->size);
        state = state == GT_VALUE_FILL && (i < used || i == 0) ? GT_VALUE_MISSING : state;
        to = put_number(to, c, p + (size_t)i * c->size, shape->type, state);
    }
    return to;
}

static int add_numbers(const struct gt_record_view *record, const struct gt_record_column *c, struct gt_buf *bytes, struct gt_err *err)
{
    struct shape shape;
    int status = number_shape(record, c, &shape, err);

    if (!status)
        status = gt_bcf_reserve(bytes, (size_t)(shape.n * shape.rows) * 4 + 16, err);
    if (status)
        return status;
    uint8_t *to = gt_bcf_put_type(bytes->data + bytes->len, (size_t)shape.n, shape.type);
    for (int64_t row = 0; row < shape.rows; row++)
        to = put_row(to, c, record->data, record->data + c->at + (size_t)(row * c->width) * c->size, &shape);
    bytes->len = (size_t)(to - bytes->data);
    return 0;
}

/* --- texts: values joined by commas, all rows as long as the longest ------------------------------ */

/* Length of a row of texts up to its last one that is there; *text moves on after the row. */
static size_t joined(const struct gt_record_column *c, const char **text)
{
    size_t n = 0, used = 0;

    for (int64_t i = 0; i < c->width; i++) {
        const size_t len = strlen(*text);
        n += (i > 0) + (len ? len : 1);
        used = len ? n : used;
        *text += len + 1;
    }
    return used ? used : 1;
}

static uint8_t *put_joined(uint8_t *to, const char *text, size_t n)
{
    uint8_t *const end = to + n;

    while (to < end) {
        const size_t len = strlen(text);
        memcpy(to, len ? text : ".", len ? len : 1);
        to += len ? len : 1;
        text += len + 1;
        if (to < end)
            *to++ = ',';
    }
    return to;
}

static int add_texts(const struct gt_record_view *record, const struct gt_record_column *c, struct gt_buf *bytes, struct gt_err *err)
{
    const int64_t rows = c->kind == GT_RECORD_INFO ? 1 : record->columns->n_samples;
    const char *text = gt_record_texts(record, c);
    size_t longest = 1;

    for (int64_t row = 0; row < rows; row++) {
        const size_t n = joined(c, &text);
        longest = n > longest ? n : longest;
    }
    size_t all;
    if (!gt_mul_size(longest, (size_t)rows, &all) || all > INT32_MAX)
        return gt_fail(err, GT_INPUT, "the strings of %s are too long for BCF", c->name);
    int status = gt_bcf_reserve(bytes, all + 16, err);
    if (status)
        return status;
    uint8_t *to = gt_bcf_put_type(bytes->data + bytes->len, longest, GT_BCF_CHAR);
    text = gt_record_texts(record, c);
    for (int64_t row = 0; row < rows; row++) {
        const char *from = text;
        const size_t n = joined(c, &text);
        memset(put_joined(to, from, n), 0, longest - n);
        to += longest;
    }
    bytes->len = (size_t)(to - bytes->data);
    return 0;
}

/* --- calls -------------------------------------------------------------------------------------- */

/* (allele + 1) << 1 | phased, of the first one without; 0 is missing. */
static uint8_t *put_call(uint8_t *to, const struct gt_record_column *c, const uint8_t *call, bool phased, const struct shape *shape)
{
    int64_t n = 0;

    for (int64_t i = 0; i < c->width; i++) {
        const int64_t allele = gt_column_int(c, call + (size_t)i * c->size);
        if (allele != GT_INT_FILL)
            to = gt_le_put(to, (uint64_t)(allele < 0 ? 0 : (allele + 1) << 1) | (n++ && phased), gt_bcf_size(shape->type));
    }
    if (n == 0 && ++n)
        to = gt_le_put(to, 0, gt_bcf_size(shape->type));
    for (; n < shape->n; n++)
        to = put_missing(to, shape->type, true);
    return to;
}

static int add_calls(const struct gt_record_view *record, const struct gt_record_column *c, struct gt_buf *bytes, struct gt_err *err)
{
    const uint8_t *phased = record->columns->n > 1 && c[1].kind == GT_RECORD_PHASED ? record->data + c[1].at : NULL;
    const uint8_t *data = record->data + c->at;
    struct shape shape = {.n = 1, .rows = record->columns->n_samples};
    int64_t most = 0;

    for (int64_t s = 0; s < shape.rows; s++) {
        int64_t n = 0;
        for (int64_t i = 0; i < c->width; i++) {
            const int64_t allele = gt_column_int(c, data + (size_t)(s * c->width + i) * c->size);
            n += allele != GT_INT_FILL;
            most = allele > most ? allele : most;
        }
        shape.n = n > shape.n ? n : shape.n;
    }
    shape.type = int_type(0, 2 * most + 3);
    int status = gt_bcf_reserve(bytes, (size_t)(shape.n * shape.rows) * 4 + 16, err);
    if (status)
        return status;
    uint8_t *to = gt_bcf_put_type(bytes->data + bytes->len, (size_t)shape.n, shape.type);
    for (int64_t s = 0; s < shape.rows; s++)
        to = put_call(to, c, data + (size_t)(s * c->width) * c->size, phased && phased[s], &shape);
    bytes->len = (size_t)(to - bytes->data);
    return 0;
}

/* --- fields ----------------------------------------------------------------------------------------- */

static int add_key(const struct gt_record_keys *keys, const char *name, struct gt_buf *bytes, struct gt_err *err)
{
    const int64_t number = gt_names_find(keys->names, name, strlen(name));
    int status = number < 0 ? gt_fail(err, GT_INPUT, "the header of the first input lacks the field '%s'", name) : 0;

    status = status ? status : gt_bcf_reserve(bytes, 8, err);
    if (!status)
        bytes->len = (size_t)(gt_bcf_put_int(bytes->data + bytes->len, number) - bytes->data);
    return status;
}

static int add_field(const struct gt_record_view *record, const struct gt_record_keys *keys, const struct gt_record_column *c,
                     struct gt_buf *bytes, struct gt_err *err)
{
    int status = add_key(keys, c->name, bytes, err);

    if (status)
        return status;
    if (c->kind == GT_RECORD_INFO && c->type == GT_BOOL && c->width == 1)
        return gt_buf_append(bytes, "", 1, err); /* a flag: no value */
    if (c->kind == GT_RECORD_ALLELES)
        return add_calls(record, c, bytes, err);
    return c->type == GT_STRING ? add_texts(record, c, bytes, err) : add_numbers(record, c, bytes, err);
}

int gt_record_bcf(const struct gt_record_view *record, const struct gt_record_keys *keys, struct gt_buf *bytes, size_t *info_end,
                  uint32_t n[2], struct gt_err *err)
{
    int status = 0;

    n[0] = n[1] = 0;
    for (int format = 0; format < 2; format++) {
        for (size_t i = 0; i < record->columns->n && !status; i++) {
            const struct gt_record_column *c = &record->columns->list[i];
            if ((c->kind != GT_RECORD_INFO) != format || !gt_record_has(record, c) || (format && !record->columns->n_samples))
                continue;
            status = add_field(record, keys, c, bytes, err);
            n[format]++;
        }
        *info_end = format ? *info_end : bytes->len;
    }
    return status;
}
