/* Access to the values of a record's columns. */
#ifndef GT_OUT_RECORD_VALUE_H
#define GT_OUT_RECORD_VALUE_H

#include <string.h>

#include "geno/model/vcf_number.h"
#include "geno/vcf/record_writer.h"
#include "kernels/half.h"

enum gt_value_state { GT_VALUE, GT_VALUE_MISSING, GT_VALUE_FILL };

/* Number of values of a column in a record. */
static inline int64_t gt_record_values(const struct gt_record_view *record, const struct gt_record_column *column)
{
    return column->kind == GT_RECORD_INFO ? column->width : column->width * record->columns->n_samples;
}

/* The first string of a column; the next one follows its NUL. */
static inline const char *gt_record_texts(const struct gt_record_view *record, const struct gt_record_column *column)
{
    uint32_t at;

    memcpy(&at, record->data + column->at, sizeof at);
    return (const char *)record->data + at;
}

static inline enum gt_value_state gt_text_state(const char *text)
{
    return !*text ? GT_VALUE_FILL : text[0] == '.' && !text[1] ? GT_VALUE_MISSING : GT_VALUE;
}

static inline enum gt_value_state gt_int_state(int64_t v)
{
    return v == GT_INT_MISSING ? GT_VALUE_MISSING : v == GT_INT_FILL ? GT_VALUE_FILL : GT_VALUE;
}

static inline bool gt_column_is_float(const struct gt_record_column *column)
{
    return column->type == GT_F16 || column->type == GT_F32 || column->type == GT_F64;
}

static inline enum gt_value_state gt_float_state(const struct gt_record_column *column, const uint8_t *p)
{
    uint16_t w;
    uint32_t x;
    uint64_t y;

    if (column->type == GT_F16) {
        memcpy(&w, p, sizeof w);
        return w == GT_F16_MISSING ? GT_VALUE_MISSING : w == GT_F16_FILL ? GT_VALUE_FILL : GT_VALUE;
    }
    if (column->type == GT_F32) {
        memcpy(&x, p, sizeof x);
        return x == GT_VCF_FLOAT_MISSING ? GT_VALUE_MISSING : x == GT_VCF_FLOAT_END ? GT_VALUE_FILL : GT_VALUE;
    }
    memcpy(&y, p, sizeof y);
    return y == GT_F64_MISSING ? GT_VALUE_MISSING : y == GT_F64_FILL ? GT_VALUE_FILL : GT_VALUE;
}

static inline int64_t gt_column_int(const struct gt_record_column *column, const uint8_t *p)
{
    return gt_dtype_load_int(column->type, column->size, p);
}

static inline double gt_column_float(const struct gt_record_column *column, const uint8_t *p)
{
    double d;
    float f;
    uint16_t w;

    if (column->type == GT_F16) {
        memcpy(&w, p, sizeof w);
        return (double)gt_half_number(w);
    }
    if (column->type == GT_F64) {
        memcpy(&d, p, sizeof d);
        return d;
    }
    memcpy(&f, p, sizeof f);
    return (double)f;
}

/* State of a number; unsigned numbers and bools are never missing.  data: points to the number. */
static inline enum gt_value_state gt_record_state(const struct gt_record_column *column, const uint8_t *data, const uint8_t *p)
{
    if (gt_column_is_float(column))
        return gt_float_state(column, p);
    if (column->type < GT_I8 || column->type > GT_I64)
        return GT_VALUE;
    const enum gt_value_state state = gt_int_state(gt_column_int(column, p));
    return state != GT_VALUE && column->literal && data[column->literal + (size_t)(p - data - column->at) / column->size] ? GT_VALUE
                                                                                                                          : state;
}

#endif
