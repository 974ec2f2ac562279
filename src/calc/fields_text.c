/* INFO, FORMAT and the sample columns of a line of VCF text.  The text ends in a tab. */
#include "config.h"

#include <string.h>

#include "calc/fields_impl.h"
#include "geno/vcf_number.h"

/* --- values of a text ----------------------------------------------------------------- */

/* Once for many, where values come one by one. */
static int grow_values(struct gt_buf *buf, size_t n, struct gt_err *err)
{
    if (n * 4 > buf->cap)
        (void)gt_buf_try(buf, n * 6);
    return gt_buf_resize(buf, n * 4, err);
}

/* The values of INFO [p, end), numbers, between commas. */
static int info_numbers(struct gt_fields_stripe *s, int array, const char *p, const char *end, struct gt_err *err)
{
    const bool whole = s->columns[array].kind == GT_COLUMN_INT;
    int64_t n = 0;
    int status = 0;
    for (bool more = true; more && !status; n++) {
        const char *stop = p;
        uint32_t x = whole ? (uint32_t)GT_VCF_INT_MISSING : GT_VCF_FLOAT_MISSING;
        if (p < end && *p != ',' && !(*p == '.' && (p + 1 == end || p[1] == ',')))
            x = whole ? (uint32_t)gt_vcf_int(p, end, &stop) : gt_vcf_float(p, end, &stop);
        status = grow_values(&s->values, (size_t)n + 1, err);
        if (!status)
            ((uint32_t *)(void *)s->values.data)[n] = x;
        const char *comma = stop < end ? memchr(stop, ',', (size_t)(end - stop)) : NULL;
        more = comma;
        p = more ? comma + 1 : end;
    }
    if (status)
        return status;
    const uint32_t *x = (const uint32_t *)(const void *)s->values.data;
    if (n == 1 && *x == (whole ? (uint32_t)GT_VCF_INT_MISSING : GT_VCF_FLOAT_MISSING))
        return 0;
    return whole ? gt_column_ints(&s->columns[array], (const int32_t *)(const void *)x, n, err)
                 : gt_column_floats(&s->columns[array], x, n, err);
}

/* A row of texts between commas. */
static int texts(struct gt_column *column, const char *p, const char *end, struct gt_err *err)
{
    uint32_t n = 0;
    int status = 0;
    for (bool more = true; more && !status; n++) {
        const char *comma = p < end ? memchr(p, ',', (size_t)(end - p)) : NULL, *stop = comma ? comma : end;
        status = gt_column_text(column, p, (size_t)(stop - p), err);
        more = comma;
        p = stop + more;
    }
    return status ? status : gt_column_row(column, n, err);
}

static int info_field(struct gt_fields_stripe *s, int64_t v, const char *p, const char *end, struct gt_err *err)
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
    status = texts(column, equals + 1, end, err);
    return status ? status : gt_column_texts_end(column, err);
}

static int parse_info(struct gt_fields_stripe *s, int64_t v, const char *p, const char *end, struct gt_err *err)
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

/* --- FORMAT ------------------------------------------------------------------------------ */

/* Values that a sample is likely to have. */
static int64_t likely(const struct gt_fields_stripe *s, int array)
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

static int parse_format(struct gt_fields_stripe *s, const char *p, const char *end, struct gt_err *err)
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
static int make_rows(struct gt_fields_stripe *s, struct gt_err *err)
{
    int status = 0;
    for (size_t i = 0; i < s->n_rows && !status; i++) {
        struct fields_row *row = &s->rows[i];
        if (row->array < 0 || s->columns[row->array].kind > GT_COLUMN_FLOAT)
            continue;
        row->k = likely(s, row->array);
        status = grow_values(&row->values, (size_t)(row->k * s->fields->n_samples), err);
    }
    return status;
}

static inline uint32_t end_of(bool whole)
{
    return whole ? (uint32_t)GT_VCF_INT_END : GT_VCF_FLOAT_END;
}

/* A sample has more values than there is room for: twice as many, those before it moved. */
static int more_values(struct fields_row *row, int64_t sample, uint32_t fill, int64_t samples, struct gt_err *err)
{
    const int64_t k = row->k, wide = 2 * k;
    int status = wide > INT32_MAX / 8 ? gt_fail(err, GT_INPUT, "a sample has more than %lld values of a field", (long long)k)
                                      : grow_values(&row->values, (size_t)(wide * samples), err);
    if (status)
        return status;
    uint32_t *x = (uint32_t *)(void *)row->values.data;
    for (int64_t r = sample; r >= 0; r--)
        for (int64_t i = wide - 1; i >= 0; i--)
            x[r * wide + i] = i < k ? x[r * k + i] : fill;
    row->k = wide;
    return 0;
}

static int bad_value(struct gt_fields_stripe *s, int array, int64_t sample, const char *p, struct gt_err *err)
{
    size_t n = strcspn(p, ":\t");
    return fields_bad(s, err, "sample '%.100s' has %s '%.*s': not a number",
                      gt_strs_get(&s->fields->info->samples, (size_t)sample), s->fields->arrays[array].path + 5, n < 40 ? (int)n : 40, p);
}

/* A whole number of a few digits, as nearly all are. */
static inline bool few_digits(const char **p, uint32_t *x)
{
    const char *s = *p;
    uint32_t sum = 0;
    unsigned digit;
    while ((digit = (unsigned)(*s - '0')) < 10 && s - *p < 9) {
        sum = sum * 10 + digit;
        s++;
    }
    if (s == *p || (*s != ',' && *s != ':' && *s != '\t'))
        return false;
    *x = sum;
    *p = s;
    return true;
}

/* One value at *p, which moves behind it. */
static inline bool value(const char **p, const char *end, bool whole, uint32_t *x)
{
    const char *s = *p, *stop;
    if (whole && few_digits(p, x))
        return true;
    if (*s == '.' && (s[1] == ',' || s[1] == ':' || s[1] == '\t')) {
        *x = whole ? (uint32_t)GT_VCF_INT_MISSING : GT_VCF_FLOAT_MISSING;
        *p = s + 1;
        return true;
    }
    *x = whole ? (uint32_t)gt_vcf_int(s, end, &stop) : gt_vcf_float(s, end, &stop);
    *p = stop;
    return stop > s && (*stop == ',' || *stop == ':' || *stop == '\t');
}

/* The values of a sample; *at: at a ':' or tab afterwards. */
static inline int numbers(struct gt_fields_stripe *s, struct fields_row *row, int64_t sample, const char **at, const char *end, bool whole,
                          struct gt_err *err)
{
    uint32_t *to = (uint32_t *)(void *)row->values.data + sample * row->k;
    const char *p = *at;
    int64_t n = 0;
    if (*p == ':' || *p == '\t') /* nothing at all */
        to[n++] = whole ? (uint32_t)GT_VCF_INT_MISSING : GT_VCF_FLOAT_MISSING;
    else
        for (;; p++) {
            if (n == row->k) {
                int status = more_values(row, sample, end_of(whole), s->fields->n_samples, err);
                if (status)
                    return status;
                to = (uint32_t *)(void *)row->values.data + sample * row->k;
            }
            if (!value(&p, end, whole, &to[n++]))
                return bad_value(s, row->array, sample, *at, err);
            if (*p != ',')
                break;
        }
    for (; n < row->k; n++)
        to[n] = end_of(whole);
    *at = p;
    return 0;
}

static int sample_numbers(struct gt_fields_stripe *s, struct fields_row *row, int64_t sample, const char **at, const char *end,
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
static int sample_call(struct gt_fields_stripe *s, struct fields_row *row, int64_t sample, const char **at, uint8_t *phased,
                       struct gt_err *err)
{
    int32_t *to = (int32_t *)(void *)row->values.data + sample * row->k;
    const char *p = *at;
    int64_t n = 0;
    if (row->k == 2 && (unsigned)(p[0] - '0') < 10 && (p[1] == '|' || p[1] == '/') && (unsigned)(p[2] - '0') < 10 &&
        (p[3] == ':' || p[3] == '\t')) { /* nearly all calls */
        to[0] = p[0] - '0';
        to[1] = p[2] - '0';
        *phased = p[1] == '|';
        s->ploidy = s->ploidy > 2 ? s->ploidy : 2;
        *at = p + 3;
        return 0;
    }
    p += *p == '|' || *p == '/';
    *phased = 1;
    if (*p == ':' || *p == '\t')
        to[n++] = GT_VCF_INT_MISSING;
    while (*p != ':' && *p != '\t') {
        if (n == row->k) {
            int status = more_values(row, sample, end_of(true), s->fields->n_samples, err);
            if (status)
                return status;
            to = (int32_t *)(void *)row->values.data + sample * row->k;
        }
        if (*p == '.')
            to[n] = GT_VCF_INT_MISSING, p++;
        else
            to[n] = gt_vcf_int(p, p + 10, &p);
        n++;
        if (*p != '|' && *p != '/')
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

static int end_sample(struct gt_fields_stripe *s, size_t from, int64_t sample, uint8_t *phased, struct gt_err *err)
{
    int status = 0;
    for (size_t i = from; i < s->n_rows && !status; i++) {
        struct fields_row *row = &s->rows[i];
        const char *none = "\t";
        if (row->array == FIELD_GENOTYPE)
            status = sample_call(s, row, sample, &none, phased, err);
        else if (row->array >= 0 && s->columns[row->array].kind > GT_COLUMN_FLOAT)
            status = texts(&s->columns[row->array], dot, dot + 1, err);
        else if (row->array >= 0)
            status = sample_numbers(s, row, sample, &none, none + 1, err);
    }
    return status;
}

/* All subfields of a sample; *at: behind its tab afterwards. */
static int parse_sample(struct gt_fields_stripe *s, int64_t sample, const char **at, const char *end, uint8_t *phased, struct gt_err *err)
{
    const char *p = *at;
    size_t i = 0;
    int status = 0;
    for (; i < s->n_rows && !status; p++) {
        struct fields_row *row = &s->rows[i++];
        if (row->array < 0) {
            p = text_end(p);
        } else if (row->array == FIELD_GENOTYPE) {
            status = sample_call(s, row, sample, &p, phased, err);
        } else if (row->kind > GT_COLUMN_FLOAT) {
            const char *stop = text_end(p);
            status = stop > p ? texts(&s->columns[row->array], p, stop, err) : texts(&s->columns[row->array], dot, dot + 1, err);
            p = stop;
        } else {
            status = sample_numbers(s, row, sample, &p, end, err);
        }
        if (*p == '\t')
            break;
    }
    if (!status && *p != '\t')
        return fields_bad(s, err, "sample '%.100s' has more values than FORMAT names",
                          gt_strs_get(&s->fields->info->samples, (size_t)sample));
    *at = p + 1;
    return status ? status : end_sample(s, i, sample, phased, err);
}

static int put_rows(struct gt_fields_stripe *s, struct gt_err *err)
{
    int status = 0;
    for (size_t i = 0; i < s->n_rows && !status; i++) {
        struct fields_row *row = &s->rows[i];
        if (row->array < 0)
            continue;
        struct gt_column *column = &s->columns[row->array];
        /* rows were as wide as was likely: no more than is there */
        if (column->kind == GT_COLUMN_INT)
            status = gt_column_ints(column, (const int32_t *)(const void *)row->values.data, row->k, err);
        else if (column->kind == GT_COLUMN_FLOAT)
            status = gt_column_floats(column, (const uint32_t *)(const void *)row->values.data, row->k, err);
        else
            status = gt_column_texts_end(column, err);
    }
    return status;
}

/* Values that some sample has. */
static void trim_row(struct gt_fields_stripe *s, struct fields_row *row)
{
    const int64_t n = s->fields->n_samples;
    uint32_t *x = (uint32_t *)(void *)row->values.data;
    const bool whole = s->columns[row->array].kind == GT_COLUMN_INT;
    const uint32_t end = end_of(whole);
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

/* Four bytes of text are a call: two digits, or two dots, '|' or '/' between, and a tab.  Without a branch, so that
 * compilers do many at a time. */
static inline uint32_t call_of(uint32_t w, uint8_t *first, uint8_t *second, uint8_t *phased)
{
    const uint32_t digits = (w & 0x00ff00ff) ^ 0x00300030, dots = (w & 0x00ff00ff) == 0x002e002e ? 0xff : 0;
    const uint32_t bad_digits = ((digits + 0x00060006) | digits) & 0x00f000f0, mark = w & 0xff00ff00;
    const uint32_t bad_mark = (uint32_t)(mark != 0x09007c00) & (uint32_t)(mark != 0x09002f00);
    *first = (uint8_t)(digits | dots);
    *second = (uint8_t)(digits >> 16 | dots);
    *phased = mark == 0x09007c00;
    return (dots ? 0 : bad_digits) | bad_mark;
}

/* Two single digits or dots a sample, one of '|' and '/' between: nearly all of what has GT alone.  Returns how many
 * samples are so, about. */
static int64_t quick_calls(const char *p, int64_t n, uint8_t *calls, uint8_t *phased)
{
    enum { AT_ONCE = 64 };
    int64_t s = 0;
    for (; s + AT_ONCE <= n; s += AT_ONCE) {
        uint32_t words[AT_ONCE], bad = 0;
        memcpy(words, p + 4 * s, sizeof words);
        for (int i = 0; i < AT_ONCE; i++)
            bad |= call_of(words[i], &calls[2 * (s + i)], &calls[2 * (s + i) + 1], &phased[s + i]);
        if (bad)
            return s;
    }
    for (; s < n; s++) {
        uint32_t word;
        memcpy(&word, p + 4 * s, sizeof word);
        if (call_of(word, &calls[2 * s], &calls[2 * s + 1], &phased[s]))
            break;
    }
    return s;
}

/* GT alone, all calls of two alleles: straight into the columns, and *taken is set. */
static int quick_record(struct gt_fields_stripe *s, const char *text, const char *end, bool *taken, struct gt_err *err)
{
    const int64_t n = s->fields->n_samples;
    struct gt_column *genotype = &s->columns[FIELD_GENOTYPE], *phased = &s->columns[FIELD_PHASED];
    if (s->n_rows != 1 || s->rows[0].array != FIELD_GENOTYPE || end - text != 4 * n)
        return 0;
    uint8_t *calls = gt_column_bytes(genotype, 2), *bars = gt_column_bytes(phased, 1);
    if (!calls || !bars || quick_calls(text, n, calls, bars) != n)
        return 0;
    s->ploidy = s->ploidy > 2 ? s->ploidy : 2;
    *taken = true;
    int status = gt_column_taken(genotype, err);
    return status ? status : gt_column_taken(phased, err);
}

static int parse_samples(struct gt_fields_stripe *s, const char *p, const char *end, struct gt_err *err)
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
    for (int64_t i = 0; i < n && !status; i++)
        status = p < end ? parse_sample(s, i, &p, end, &s->values.data[i], err)
                         : fields_bad(s, err, "%lld sample columns, the header has %lld", (long long)i, (long long)n);
    for (size_t i = 0; i < s->n_rows && !status; i++)
        if (s->rows[i].array >= 0 && s->columns[s->rows[i].array].kind <= GT_COLUMN_FLOAT)
            trim_row(s, &s->rows[i]);
    if (gt && n && !status && s->rows[at].k == 1) /* as bio2zarr: phases are those of the second allele, and nobody has one */
        memset(s->values.data, 0, (size_t)n);
    if (gt && !status)
        status = gt_column_bools(&s->columns[FIELD_PHASED], s->values.data, 1, err);
    return status ? status : put_rows(s, err);
}

int fields_parse_text(struct gt_fields_stripe *s, int64_t v, const char *text, size_t n, struct gt_err *err)
{
    const char *end = text + n, *info_end = memchr(text, '\t', n), *format = info_end ? info_end + 1 : end;
    const char *format_end = format < end ? memchr(format, '\t', (size_t)(end - format)) : NULL;
    int status = info_end ? parse_info(s, v, text, info_end, err) : 0;
    if (status || !format_end || !s->fields->n_samples || (format_end - format == 1 && *format == '.'))
        return status;
    status = parse_format(s, format, format_end, err);
    return status ? status : parse_samples(s, format_end + 1, end, err);
}
