/* INFO, FORMAT and calls of a BCF record. */
#include "config.h"

#include <string.h>

#include "geno/model/vcf_number.h"
#include "geno/vcf/bcf_value.h"
#include "geno/vcf/vcf_header.h"
#include "geno/vcz_fields/fields_internal.h"

/* The array of number `key` of the record's dictionary. */
static int find(struct gt_fields_row_group *s, bool format, int32_t key, int *array, struct gt_err *err)
{
    struct gt_buf *keys = &s->keys[format];
    if (key < 0 || key >= s->header->n_dict)
        return fields_bad(s, err, "field number %d is not in the header", key);
    int32_t *at = (int32_t *)(void *)keys->data + key;
    if (*at == -2) {
        const char *name = gt_strs_get(&s->header->keys, (size_t)key);
        int found;
        int status = fields_find(s, format, name, strlen(name), &found, err);
        if (status)
            return status;
        *at = found;
    }
    *array = *at;
    return 0;
}

static int use_header(struct gt_fields_row_group *s, const struct gt_vcf_header *header, struct gt_err *err)
{
    if (s->header == header)
        return 0;
    s->header = header;
    for (int i = 0; i < 2; i++) {
        int status = gt_buf_resize(&s->keys[i], (size_t)header->n_dict * sizeof(int32_t), err);
        for (int32_t k = 0; k < header->n_dict && !status; k++)
            ((int32_t *)(void *)s->keys[i].data)[k] = -2;
        if (status)
            return status;
    }
    return 0;
}

static int not_of_type(struct gt_fields_row_group *s, int array, struct gt_err *err)
{
    return fields_bad(s, err, "%s is not of the type that the header says", s->fields->arrays[array].path);
}

/* n numbers into s->values; what is no number of its own size becomes that of 32 bits. */
static int take_numbers(struct gt_fields_row_group *s, int array, const struct gt_bcf_value *t, int64_t n, struct gt_err *err)
{
    const bool whole = s->columns[array].kind == GT_COLUMN_INT;
    if (whole ? !gt_bcf_is_int(t) : t->type != GT_BCF_FLOAT)
        return not_of_type(s, array, err);
    int status = gt_buf_resize(&s->values, (size_t)n * 4, err);
    if (status)
        return status;
    uint32_t *to = (uint32_t *)(void *)s->values.data;
    const int32_t missing = whole ? gt_bcf_missing(t) : 0;
    for (int64_t i = 0; i < n; i++) {
        if (!whole) {
            to[i] = gt_le32(t->data + 4 * i);
            continue;
        }
        int32_t x = gt_bcf_int(t, i);
        to[i] = (uint32_t)(x == missing ? GT_VCF_INT_MISSING : x == missing + 1 ? GT_VCF_INT_END : x);
        s->negative |= fields_is_literal(to[i]);
    }
    return 0;
}

/* A FORMAT field that is declared but has no values, because all samples omit trailing fields: in text, too, every value is
 * missing. */
static int take_missing(struct gt_fields_row_group *s, int array, int64_t n, struct gt_err *err)
{
    const uint32_t missing = s->columns[array].kind == GT_COLUMN_INT ? (uint32_t)GT_VCF_INT_MISSING : GT_VCF_FLOAT_MISSING;
    int status = gt_buf_resize(&s->values, (size_t)n * 4, err);
    for (int64_t i = 0; i < n && !status; i++)
        ((uint32_t *)(void *)s->values.data)[i] = missing;
    return status;
}

/* Texts between commas; n bytes, fewer where a NUL ends them; none, or htslib's byte for a missing string, 7: `empty`. */
static int take_texts(struct gt_fields_row_group *s, int array, const uint8_t *text, int64_t n, const char *empty, struct gt_err *err)
{
    const uint8_t *nul = n ? memchr(text, 0, (size_t)n) : NULL;
    const char *p = (const char *)text, *end = n ? p + (nul ? nul - text : n) : p;
    if (p == end || *p == 7) {
        p = empty;
        end = p + strlen(empty);
    }
    return fields_texts(s, array, p, end, err);
}

static int info_field(struct gt_fields_row_group *s, int64_t v, int array, const struct gt_bcf_value *t, struct gt_err *err)
{
    static const uint8_t yes = 1;
    struct gt_column *column = &s->columns[array];
    if (fields_done(s, array, v))
        return 0;
    if (column->kind == GT_COLUMN_BOOL)
        return gt_column_bools(column, &yes, 1, err);
    if (t->type == GT_BCF_NULL || (!t->n && column->kind <= GT_COLUMN_FLOAT))
        return 0;
    if (column->kind > GT_COLUMN_FLOAT) {
        if (t->type != GT_BCF_CHAR)
            return not_of_type(s, array, err);
        int status = take_texts(s, array, t->data, t->n, "", err);
        return status ? status : gt_column_texts_end(column, err);
    }
    int status = take_numbers(s, array, t, t->n, err);
    if (status)
        return status;
    const bool whole = column->kind == GT_COLUMN_INT;
    uint32_t *x = (uint32_t *)(void *)s->values.data;
    int64_t n = t->n;
    while (n > 1 && x[n - 1] == (whole ? (uint32_t)GT_VCF_INT_END : GT_VCF_FLOAT_END))
        n--;
    if (n == 1 && x[0] == (whole ? (uint32_t)GT_VCF_INT_MISSING : GT_VCF_FLOAT_MISSING))
        return 0;
    return whole ? fields_ints(s, array, (int32_t *)(void *)x, n, err) : gt_column_floats(column, x, n, err);
}

/* Calls of k alleles, as they are in s->values. */
static int calls(struct gt_fields_row_group *s, int64_t k, struct gt_err *err)
{
    const int64_t n = s->fields->n_samples;
    int status = gt_buf_resize(&s->filters, (size_t)n, err);
    if (status)
        return status;
    int32_t *x = (int32_t *)(void *)s->values.data;
    uint8_t *phased = s->filters.data;
    for (int64_t i = 0; i < n; i++) /* haploid calls count as phased where others have a second allele */
        phased[i] = k > 1 && (x[i * k + 1] == GT_VCF_INT_END || (x[i * k + 1] != GT_VCF_INT_MISSING && x[i * k + 1] & 1));
    for (int64_t i = 0; i < n * k; i++)
        x[i] = x[i] == GT_VCF_INT_END ? x[i] : x[i] < 2 ? GT_VCF_INT_MISSING : (x[i] >> 1) - 1;
    s->ploidy = k > s->ploidy ? k : s->ploidy;
    status = gt_column_ints(&s->columns[FIELD_GENOTYPE], x, k, err);
    return status ? status : gt_column_bools(&s->columns[FIELD_PHASED], phased, 1, err);
}

static int format_field(struct gt_fields_row_group *s, int64_t v, int array, const struct gt_bcf_value *t, struct gt_err *err)
{
    const int64_t n = s->fields->n_samples;
    struct gt_column *column = &s->columns[array];
    int status = 0;
    if (fields_done(s, array, v))
        return 0;
    if (column->kind > GT_COLUMN_FLOAT) {
        if (t->type != GT_BCF_CHAR && t->n)
            return not_of_type(s, array, err);
        for (int64_t i = 0; i < n && !status; i++)
            status = take_texts(s, array, t->data + i * t->n, t->n, ".", err);
        return status ? status : gt_column_texts_end(column, err);
    }
    status = t->n ? take_numbers(s, array, t, n * t->n, err) : take_missing(s, array, n, err);
    if (status)
        return status;
    const int64_t k = t->n ? t->n : 1;
    if (array == FIELD_GENOTYPE)
        return calls(s, k, err);
    return column->kind == GT_COLUMN_INT ? fields_ints(s, array, (int32_t *)(void *)s->values.data, k, err)
                                         : gt_column_floats(column, (const uint32_t *)(const void *)s->values.data, k, err);
}

int fields_parse_bcf(struct gt_fields_row_group *s, int64_t v, const struct gt_record_body *raw, const uint8_t *data, struct gt_err *err)
{
    const uint8_t *p = data, *end = data + raw->info_bytes;
    struct gt_bcf_value key, t;
    int array;
    int status = use_header(s, raw->bcf, err);
    for (uint32_t i = 0; i < raw->n_info && !status; i++) {
        if (!gt_bcf_value(&p, end, &key) || !gt_bcf_is_int(&key) || key.n != 1 || !gt_bcf_value(&p, end, &t))
            return fields_bad(s, err, "INFO is damaged");
        status = find(s, false, gt_bcf_int(&key, 0), &array, err);
        if (!status && array >= 0)
            status = info_field(s, v, array, &t, err);
    }
    p = data + raw->info_bytes;
    end = data + raw->n;
    for (uint32_t i = 0; i < raw->n_format && !status; i++) { /* their lengths were checked when they were read */
        if (!gt_bcf_value(&p, end, &key) || !gt_bcf_is_int(&key) || key.n != 1 || !gt_bcf_descriptor(&p, end, &t) ||
            (uint64_t)t.n * t.size * (uint64_t)s->fields->n_samples > (uint64_t)(end - p))
            return fields_bad(s, err, "a FORMAT field is damaged");
        t.data = p;
        p += (size_t)t.n * t.size * (size_t)s->fields->n_samples;
        status = find(s, true, gt_bcf_int(&key, 0), &array, err);
        if (!status && array >= 0)
            status = format_field(s, v, array, &t, err);
    }
    return status;
}
