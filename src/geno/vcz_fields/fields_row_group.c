/* A row group of variants, from records to columns. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "geno/model/text_check.h"
#include "geno/vcz_fields/fields_internal.h"

int gt_fields_row_group_new(struct gt_fields *fields, struct gt_fields_row_group **out, struct gt_err *err)
{
    struct gt_fields_row_group *s = gt_alloc(1, sizeof *s, err);
    struct gt_budget *budget = &fields->engine->budget;
    *out = NULL;
    if (!s)
        return GT_FAIL;
    s->fields = fields;
    s->cap_rows = 256; /* BCF has no more either */
    s->columns = gt_alloc((size_t)fields->n, sizeof *s->columns, err);
    s->same = gt_alloc((size_t)fields->n, sizeof *s->same, err);
    s->rows = gt_alloc(s->cap_rows, sizeof *s->rows, err);
    s->literals = gt_alloc((size_t)fields->n, sizeof *s->literals, err);
    s->format.budget = s->keys[0].budget = s->keys[1].budget = s->values.budget = s->filters.budget = s->delims.budget = s->counts.budget =
        budget;
    s->chunks.budget = s->out.budget = s->alike.delims.budget = s->alike.numbers.budget = budget;
    for (int i = 0; i < FIELDS_BUFS; i++)
        s->bufs[i].budget = budget;
    if (!s->columns || !s->rows || !s->same || !s->literals) {
        gt_fields_row_group_free(s);
        return GT_FAIL;
    }
    for (int i = 0; i < fields->n; i++)
        s->same[i].stored.budget = budget;
    for (int i = 0; i < fields->n; i++)
        gt_column_init(&s->columns[i], fields->arrays[i].kind, fields->arrays[i].calls ? fields->n_samples : 1, budget);
    for (size_t i = 0; i < s->cap_rows; i++)
        s->rows[i].values.budget = budget;
    *out = s;
    return 0;
}

void gt_fields_row_group_free(struct gt_fields_row_group *s)
{
    if (!s)
        return;
    for (int i = 0; s->columns && i < s->fields->n; i++)
        gt_column_release(&s->columns[i]);
    for (size_t i = 0; s->rows && i < s->cap_rows; i++)
        gt_buf_release(&s->rows[i].values);
    struct gt_buf *bufs[] = {&s->format, &s->keys[0],      &s->keys[1],       &s->values, &s->filters, &s->chunks,
                             &s->out,    &s->alike.delims, &s->alike.numbers, &s->delims, &s->counts};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        gt_buf_release(bufs[i]);
    for (int i = 0; i < FIELDS_BUFS; i++)
        gt_buf_release(&s->bufs[i]);
    for (int i = 0; s->same && i < s->fields->n; i++)
        gt_buf_release(&s->same[i].stored);
    free(s->same);
    free(s->literals);
    free(s->columns);
    free(s->rows);
    free(s->undeclared);
    free(s);
}

int fields_bad(const struct gt_fields_row_group *s, struct gt_err *err, const char *fmt, ...)
{
    char what[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return gt_fail(err, GT_INPUT, "'%s' (%.100s:%lld): %s", s->fields->info->name,
                   s->site->contig >= 0 ? gt_strs_get(&s->block->contigs, (size_t)s->site->contig) : "?", (long long)s->site->position,
                   what);
}

int fields_text(struct gt_fields_row_group *s, int array, const char *text, size_t n, struct gt_err *err)
{
    const struct fields_array *a = &s->fields->arrays[array];
    char field[140];
    if (!gt_is_utf8(text, n)) {
        snprintf(field, sizeof field, "%s/%.120s", a->calls ? "FORMAT" : "INFO", strchr(a->path, '_') + 1);
        return gt_check_site_text(s->fields->info, s->block, s->site,
                                  array == FIELD_ID       ? "ID"
                                  : array == FIELD_ALLELE ? "allele"
                                                          : field,
                                  text, n, err);
    }
    return gt_column_text(&s->columns[array], text, n, err);
}

int fields_find(struct gt_fields_row_group *s, bool format, const char *name, size_t n, int *array, struct gt_err *err)
{
    const int64_t at = gt_names_find(format ? s->fields->format_names : s->fields->info_names, name, n);
    *array = at < 0 || s->fields->arrays[at].left_out || fields_is_counted(s->fields, at) ? -1 : (int)at;
    if (at >= 0)
        return 0;
    if (format && n == 2 && memcmp(name, "GT", 2) == 0 && !s->fields->opts.wanted) {
        fields_bad(s, err, "FORMAT has GT, but the header does not declare it");
        gt_hint(err, "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\"> belongs in it; bcftools reheader adds a line");
        return GT_INPUT;
    }
    s->n_undeclared++;
    if (s->undeclared)
        return 0;
    struct gt_str text = {0};
    gt_str_addf(&text, "%s/%.*s", format ? "FORMAT" : "INFO", n < 100 ? (int)n : 100, name);
    return gt_str_take(&text, &s->undeclared, err);
}

/* --- records ------------------------------------------------------------------------------- */

static int begin(struct gt_fields_row_group *s, int64_t variants, struct gt_err *err)
{
    struct gt_fields *fields = s->fields;
    int status = 0;
    s->chunks.len = s->out.len = s->format.len = 0;
    s->n_rows = 0;
    s->alleles = s->ploidy = 0;
    memset(s->literals, 0, (size_t)fields->n * sizeof *s->literals);
    for (int i = 0; i < fields->n && !status; i++) {
        pthread_mutex_lock(&fields->lock);
        struct gt_column_shape form = fields->seen.form[i];
        pthread_mutex_unlock(&fields->lock);
        form.size = fields->arrays[i].kind == GT_COLUMN_CHAR ? 1 : form.size;
        if (!fields->arrays[i].left_out)
            status = gt_column_begin(&s->columns[i], form, fields_is_derived(fields, i) ? 0 : variants, err);
    }
    return status;
}

static int put_filters(struct gt_fields_row_group *s, struct gt_err *err)
{
    const int32_t *filters = (const int32_t *)(const void *)s->block->filters.data;
    const size_t n = s->block->filter_names.n ? s->block->filter_names.n : 1;
    int status = gt_buf_resize(&s->filters, n, err);
    if (status)
        return status;
    memset(s->filters.data, 0, n);
    for (uint32_t i = 0; i < s->site->filter_n; i++)
        s->filters.data[filters[s->site->filter_from + i]] = 1;
    return gt_column_bools(&s->columns[FIELD_FILTER], s->filters.data, (int64_t)n, err);
}

static int put_alleles(struct gt_fields_row_group *s, struct gt_err *err)
{
    struct gt_column *column = &s->columns[FIELD_ALLELE];
    int status = 0;
    for (int32_t a = 0; a < s->site->n_alleles && !status; a++) {
        const char *text = gt_strs_get(&s->block->alleles, s->site->first_allele + (size_t)a);
        status = fields_text(s, FIELD_ALLELE, text, strlen(text), err);
    }
    if (!status)
        status = gt_column_row(column, (uint32_t)s->site->n_alleles, err);
    s->alleles = s->site->n_alleles > s->alleles ? s->site->n_alleles : s->alleles;
    return status ? status : gt_column_texts_end(column, err);
}

/* What every record has. */
static int put_site(struct gt_fields_row_group *s, struct gt_err *err)
{
    const char *id = gt_strs_get(&s->block->ids, s->site->id);
    const uint8_t no_id = id[0] == '.' && !id[1];
    uint32_t quality;
    memcpy(&quality, &s->site->quality, sizeof quality);
    int status = gt_column_long(&s->columns[FIELD_POSITION], s->site->position, err);
    if (!status)
        status = gt_column_long(&s->columns[FIELD_LENGTH], s->site->length, err);
    if (!status)
        status = gt_column_floats(&s->columns[FIELD_QUALITY], &quality, 1, err);
    if (!status)
        status = fields_text(s, FIELD_ID, id, strlen(id), err);
    if (!status)
        status = gt_column_row(&s->columns[FIELD_ID], 1, err);
    if (!status)
        status = gt_column_texts_end(&s->columns[FIELD_ID], err);
    if (!status)
        status = gt_column_bools(&s->columns[FIELD_ID_MASK], &no_id, 1, err);
    if (!status)
        status = put_filters(s, err);
    return status ? status : put_alleles(s, err);
}

static int put_record(struct gt_fields_row_group *s, int64_t v, struct gt_err *err)
{
    const struct gt_record_body *raw = gt_block_record(s->block, s->site);
    const uint8_t *data = s->block->texts.data + raw->from;
    int status = put_site(s, err);
    s->negative = false;
    if (!status)
        status = raw->bcf ? fields_parse_bcf(s, v, raw, data, err) : fields_parse_text(s, v, (const char *)data, raw->n, err);
    status = status ? status : fields_put_counted(s, v, err);
    for (int i = FIELD_GENOTYPE; i < s->fields->n && !status; i++)
        if (!s->fields->arrays[i].left_out && !fields_is_derived(s->fields, i) && !fields_done(s, i, v))
            status = gt_column_none(&s->columns[i], err);
    return status;
}

int fields_take(struct gt_fields_row_group *s, const struct gt_block *block, struct gt_err *err)
{
    int status = begin(s, block->n, err);
    s->block = block;
    for (int64_t v = 0; v < block->n && !status; v++) {
        s->site = &gt_block_sites(block)[v];
        status = put_record(s, v, err);
    }
    return status ? status : fields_end_literals(s, err);
}
