/* FORMAT and the sample columns of a line of VCF text.  The text ends in a tab. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "geno/vcz_fields/fields_internal.h"
#include "geno/vcz_fields/fields_value.h"
#include "kernels/kernels.h"
#include "kernels/plain_call.h"

/* Values that a sample is likely to have. */
static int64_t likely(const struct gt_fields_row_group *s, int array)
{
    const struct fields_array *a = &s->fields->arrays[array];
    const int64_t alleles = s->site->n_alleles;
    int64_t k = a->number > 0 ? a->number : 1;
    if (array == FIELD_GENOTYPE)
        k = 2;
    else if (a->number == GT_VCF_PER_ALT)
        k = alleles - 1;
    else if (a->number == GT_VCF_PER_ALLELE)
        k = alleles;
    else if (a->number == GT_VCF_PER_GENOTYPE)
        k = alleles * (alleles + 1) / 2;
    return k > 0 && k < 4096 ? k : 1;
}

static int parse_format(struct gt_fields_row_group *s, const char *p, const char *end, struct gt_err *err)
{
    const size_t n = (size_t)(end - p);
    if (s->format.len == n && n && memcmp(s->format.data, p, n) == 0)
        return 0;
    s->format.len = 0;
    s->n_rows = 0;
    int status = 0;
    for (const char *stop = p; p <= end && !status; p = stop + 1) {
        stop = memchr(p, ':', (size_t)(end - p));
        stop = stop ? stop : end;
        if (s->n_rows == s->cap_rows)
            return fields_bad(s, err, "more than %zu FORMAT fields", s->cap_rows);
        struct fields_row *row = &s->rows[s->n_rows++];
        status = fields_find(s, true, p, (size_t)(stop - p), &row->array, err);
        row->kind = !status && row->array >= 0 ? s->columns[row->array].kind : GT_COLUMN_INT;
        for (size_t i = 0; i + 1 < s->n_rows && !status; i++)
            if (row->array >= 0 && s->rows[i].array == row->array)
                row->array = -1; /* of two the first one counts */
    }
    return status ? status : gt_buf_append(&s->format, end - n, n, err);
}

/* Rows for the record's numbers. */
static int make_rows(struct gt_fields_row_group *s, struct gt_err *err)
{
    int status = 0;
    for (size_t i = 0; i < s->n_rows && !status; i++) {
        struct fields_row *row = &s->rows[i];
        if (row->array < 0 || s->columns[row->array].kind > GT_COLUMN_FLOAT)
            continue;
        row->k = likely(s, row->array);
        status = fields_grow(&row->values, (size_t)(row->k * s->fields->n_samples), err);
    }
    return status;
}

/* A sample has more values than there is room for: twice as many, those before it moved. */
static int more_values(struct gt_fields_row_group *s, struct fields_row *row, int64_t sample, uint32_t fill, struct gt_err *err)
{
    const int64_t k = row->k, wide = 2 * k;
    int status = wide > INT32_MAX / 8 ? gt_fail(err, GT_INPUT, "a sample has more than %lld values of a field", (long long)k)
                                      : fields_grow(&row->values, (size_t)(wide * s->fields->n_samples), err);
    if (status)
        return status;
    uint32_t *x = (uint32_t *)(void *)row->values.data;
    for (int64_t r = sample; r >= 0; r--)
        for (int64_t i = wide - 1; i >= 0; i--)
            x[r * wide + i] = i < k ? x[r * k + i] : fill;
    row->k = wide;
    s->alike.period = 0; /* samples that look alike are longer from here on */
    return 0;
}

static int bad_value(struct gt_fields_row_group *s, int array, int64_t sample, const char *p, struct gt_err *err)
{
    size_t n = strcspn(p, ":\t");
    return fields_bad(s, err, "sample '%.100s' has %s '%.*s': not a number", gt_strs_get(&s->fields->info->samples, (size_t)sample),
                      s->fields->arrays[array].path + 5, n < 40 ? (int)n : 40, p);
}

static int no_value(struct gt_fields_row_group *s, int array, int64_t sample, const char *p, struct gt_err *err)
{
    char whose[128];
    snprintf(whose, sizeof whose, "sample '%.100s'", gt_strs_get(&s->fields->info->samples, (size_t)sample));
    return fields_lacks_value(s, whose, s->fields->arrays[array].path + 5, p, strcspn(p, ":\t"), err);
}

/* The values of a sample; *at: at a ':' or tab afterwards. */
static inline int numbers(struct gt_fields_row_group *s, struct fields_row *row, int64_t sample, const char **at, const char *end,
                          bool whole, struct gt_err *err)
{
    uint32_t *to = (uint32_t *)(void *)row->values.data + sample * row->k;
    const char *p = *at;
    int64_t n = 0;
    if (*p == ':' || *p == '\t') /* nothing at all */
        to[n++] = whole ? (uint32_t)GT_VCF_INT_MISSING : GT_VCF_FLOAT_MISSING;
    else
        for (;; p++) {
            if (n == row->k) {
                int status = more_values(s, row, sample, fields_end_of(whole), err);
                if (status)
                    return status;
                to = (uint32_t *)(void *)row->values.data + sample * row->k;
            }
            const char *from = p;
            if (!fields_value(&p, end, whole, &to[n]))
                return bad_value(s, row->array, sample, *at, err);
            if (p == from && !s->fields->opts.lenient)
                return no_value(s, row->array, sample, *at, err);
            s->negative |= fields_is_literal(to[n++]);
            if (*p != ',')
                break;
        }
    for (; n < row->k; n++)
        to[n] = fields_end_of(whole);
    *at = p;
    return 0;
}

static int sample_numbers(struct gt_fields_row_group *s, struct fields_row *row, int64_t sample, const char **at, const char *end,
                          struct gt_err *err)
{
    return row->kind == GT_COLUMN_INT ? numbers(s, row, sample, at, end, true, err) : numbers(s, row, sample, at, end, false, err);
}

static const char *text_end(const char *p)
{
    while (*p != ':' && *p != '\t')
        p++;
    return p;
}

/* A call of any form.  phased: of its second allele; a haploid one counts as phased. */
static int sample_call(struct gt_fields_row_group *s, struct fields_row *row, int64_t sample, const char **at, uint8_t *phased,
                       struct gt_err *err)
{
    int32_t *to = (int32_t *)(void *)row->values.data + sample * row->k;
    const char *p = *at;
    int64_t n = 0;
    if (row->k == 2 && gt_is_plain_call(p, 10) && gt_ends_call(p[3])) { /* nearly all calls */
        to[0] = p[0] - '0';
        to[1] = p[2] - '0';
        *phased = p[1] == '|';
        s->ploidy = s->ploidy > 2 ? s->ploidy : 2;
        *at = p + 3;
        return 0;
    }
    p += gt_is_separator(*p);
    *phased = 1;
    if (*p == ':' || *p == '\t')
        to[n++] = GT_VCF_INT_MISSING;
    while (*p != ':' && *p != '\t') {
        if (n == row->k) {
            int status = more_values(s, row, sample, fields_end_of(true), err);
            if (status)
                return status;
            to = (int32_t *)(void *)row->values.data + sample * row->k;
        }
        if (*p == '.')
            to[n] = GT_VCF_INT_MISSING, p++;
        else
            to[n] = gt_vcf_int(p, p + 10, &p);
        n++;
        if (!gt_is_separator(*p))
            break;
        *phased = n == 1 ? *p == '|' : *phased;
        p++;
    }
    for (s->ploidy = n > s->ploidy ? n : s->ploidy; n < row->k; n++)
        to[n] = GT_VCF_INT_END;
    *at = text_end(p);
    return 0;
}

static const char dot[] = ".";

static int end_sample(struct gt_fields_row_group *s, size_t from, int64_t sample, uint8_t *phased, struct gt_err *err)
{
    int status = 0;
    for (size_t i = from; i < s->n_rows && !status; i++) {
        struct fields_row *row = &s->rows[i];
        const char *none = "\t";
        if (row->array == FIELD_GENOTYPE)
            status = sample_call(s, row, sample, &none, phased, err);
        else if (row->array >= 0 && s->columns[row->array].kind > GT_COLUMN_FLOAT)
            status = fields_texts(s, row->array, dot, dot + 1, err);
        else if (row->array >= 0)
            status = sample_numbers(s, row, sample, &none, none + 1, err);
    }
    return status;
}

/* All subfields of a sample; *at: after its tab afterwards. */
static int parse_sample(struct gt_fields_row_group *s, int64_t sample, const char **at, const char *end, uint8_t *phased,
                        struct gt_err *err)
{
    const char *p = *at;
    size_t i = 0;
    bool ended = false;
    int status = 0;
    for (; i < s->n_rows && !status; p++) {
        struct fields_row *row = &s->rows[i++];
        if (row->array < 0) {
            p = text_end(p);
        } else if (row->array == FIELD_GENOTYPE) {
            status = sample_call(s, row, sample, &p, phased, err);
        } else if (row->kind > GT_COLUMN_FLOAT) {
            const char *stop = text_end(p);
            status = stop > p ? fields_texts(s, row->array, p, stop, err) : fields_texts(s, row->array, dot, dot + 1, err);
            p = stop;
        } else {
            status = sample_numbers(s, row, sample, &p, end, err);
        }
        ended = *p == '\t';
        if (ended)
            break;
    }
    if (!status && !ended)
        return fields_bad(s, err, "sample '%.100s' has more values than FORMAT names",
                          gt_strs_get(&s->fields->info->samples, (size_t)sample));
    *at = p + 1;
    return status ? status : end_sample(s, i, sample, phased, err);
}

static int put_rows(struct gt_fields_row_group *s, struct gt_err *err)
{
    int status = 0;
    for (size_t i = 0; i < s->n_rows && !status; i++) {
        struct fields_row *row = &s->rows[i];
        if (row->array < 0)
            continue;
        struct gt_column *column = &s->columns[row->array];
        /* rows were as wide as was likely: no more than is there */
        if (column->kind == GT_COLUMN_INT)
            status = fields_ints(s, row->array, (int32_t *)(void *)row->values.data, row->k, err);
        else if (column->kind == GT_COLUMN_FLOAT)
            status = gt_column_floats(column, (const uint32_t *)(const void *)row->values.data, row->k, err);
        else
            status = gt_column_texts_end(column, err);
    }
    return status;
}

/* Values that some sample has. */
static void trim_row(struct gt_fields_row_group *s, struct fields_row *row)
{
    const int64_t n = s->fields->n_samples;
    uint32_t *x = (uint32_t *)(void *)row->values.data;
    const bool whole = s->columns[row->array].kind == GT_COLUMN_INT;
    const uint32_t end = fields_end_of(whole);
    int64_t k = 1;
    for (int64_t r = 0; r < n && k < row->k; r++)
        while (k < row->k && x[r * row->k + k] != end)
            k++;
    if (k == row->k)
        return;
    for (int64_t r = 0; r < n; r++)
        memmove(x + r * k, x + r * row->k, (size_t)k * 4);
    row->k = k;
}

/* GT alone, all calls of two alleles: straight into the columns, and *taken is set. */
static int quick_record(struct gt_fields_row_group *s, const char *text, const char *end, bool *taken, struct gt_err *err)
{
    const int64_t n = s->fields->n_samples;
    struct gt_column *genotype = &s->columns[FIELD_GENOTYPE], *phased = &s->columns[FIELD_PHASED];
    if (s->n_rows != 1 || s->rows[0].array != FIELD_GENOTYPE || end - text != 4 * n)
        return 0;
    uint8_t *calls = gt_column_bytes(genotype, 2), *bars = gt_column_bytes(phased, 1);
    if (!calls || !bars || !gt_kernels()->scan_alleles(text, n, (int8_t *)calls, bars))
        return 0;
    s->ploidy = s->ploidy > 2 ? s->ploidy : 2;
    *taken = true;
    int status = gt_column_taken(genotype, err);
    return status ? status : gt_column_taken(phased, err);
}

static int parse_samples(struct gt_fields_row_group *s, const char *p, const char *end, struct gt_err *err)
{
    const int64_t n = s->fields->n_samples;
    bool taken = false;
    int status = quick_record(s, p, end, &taken, err);
    if (status || taken)
        return status;
    status = make_rows(s, err);
    if (!status)
        status = gt_buf_resize(&s->values, (size_t)n, err);
    bool gt = false;
    size_t at = 0;
    for (size_t i = 0; i < s->n_rows; i++)
        if (s->rows[i].array == FIELD_GENOTYPE) {
            gt = true;
            at = i;
        }
    s->alike.from = NULL;
    s->alike.period = 0;
    for (int64_t i = 0; i < n && !status; i++) {
        status = fields_fixed_layout(s, &i, &p, end, s->values.data, err);
        if (!status && i < n)
            status = p < end ? parse_sample(s, i, &p, end, &s->values.data[i], err)
                             : fields_bad(s, err, "%lld sample columns, the header has %lld", (long long)i, (long long)n);
    }
    for (size_t i = 0; i < s->n_rows && !status; i++)
        if (s->rows[i].array >= 0 && s->columns[s->rows[i].array].kind <= GT_COLUMN_FLOAT)
            trim_row(s, &s->rows[i]);
    if (gt && n && !status && s->rows[at].k == 1) /* as bio2zarr: phases are those of the second allele, and nobody has one */
        memset(s->values.data, 0, (size_t)n);
    if (gt && !status)
        status = gt_column_bools(&s->columns[FIELD_PHASED], s->values.data, 1, err);
    return status ? status : put_rows(s, err);
}

int fields_parse_text(struct gt_fields_row_group *s, int64_t v, const char *text, size_t n, struct gt_err *err)
{
    const char *end = text + n, *info_end = memchr(text, '\t', n), *format = info_end ? info_end + 1 : end;
    const char *format_end = format < end ? memchr(format, '\t', (size_t)(end - format)) : NULL;
    int status = info_end ? fields_parse_info(s, v, text, info_end, err) : 0;
    if (status || !format_end || !s->fields->n_samples || (format_end - format == 1 && *format == '.'))
        return status;
    status = parse_format(s, format, format_end, err);
    return status ? status : parse_samples(s, format_end + 1, end, err);
}
