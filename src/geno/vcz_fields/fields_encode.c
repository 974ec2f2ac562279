/* A row group of variants, from columns to stored chunks. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/vcz_fields/fields_internal.h"

void fields_see(struct gt_fields *fields, int array, struct gt_column_shape form)
{
    struct gt_column_shape *seen = &fields->seen.form[array];
    seen->k = gt_max_i64(form.k, seen->k);
    seen->size = form.size > seen->size ? form.size : seen->size;
}

void fields_see_calls(struct gt_fields *fields, int64_t alleles, int64_t ploidy)
{
    struct fields_seen *seen = &fields->seen;
    seen->form[FIELD_MASK].k = seen->form[FIELD_GENOTYPE].k;
    seen->form[FIELD_LOCAL].size = seen->form[FIELD_GENOTYPE].size;
    seen->alleles = gt_max_i64(alleles, seen->alleles);
    seen->ploidy = gt_max_i64(ploidy, seen->ploidy);
}

/* Reports what the row group saw; *now: what all have until now. */
static int tell(struct gt_fields_row_group *s, int64_t number, struct fields_seen *now, struct gt_err *err)
{
    struct gt_fields *fields = s->fields;
    int status = 0;
    pthread_mutex_lock(&fields->lock);
    struct fields_seen *seen = &fields->seen;
    if (number == 0 && s->block->n < fields->height) /* it is the only one */
        fields->height = fields_height(fields, s->block->n);
    for (int i = 0; i < fields->n; i++) {
        fields_see(fields, i, s->columns[i].form);
        seen->literals[i] += s->literals[i];
    }
    fields_see_calls(fields, s->alleles, s->ploidy);
    memcpy(now->form, seen->form, (size_t)fields->n * sizeof *now->form);
    now->alleles = seen->alleles;
    now->ploidy = seen->ploidy;
    fields->n_undeclared += s->told_undeclared = s->n_undeclared;
    s->n_undeclared = 0;
    if (s->undeclared && (!fields->undeclared || number < fields->undeclared_in)) {
        free(fields->undeclared);
        fields->undeclared = s->undeclared;
        fields->undeclared_in = number;
        s->undeclared = NULL;
    }
    free(s->undeclared);
    s->undeclared = NULL;
    pthread_mutex_unlock(&fields->lock);
    if (fields->opts.ploidy && now->ploidy > fields->opts.ploidy)
        status = fields->opts.local_alleles ? gt_fail(err, GT_INPUT, "'%s' has calls of ploidy %lld; --local-alleles needs diploid calls",
                                                      fields->info->name, (long long)now->ploidy)
                                            : gt_fail(err, GT_INPUT, "'%s' has calls of ploidy %lld, more than --ploidy %lld",
                                                      fields->info->name, (long long)now->ploidy, (long long)fields->opts.ploidy);
    return status;
}

/* Where nothing is missing, or all is phased: a chunk as large as this is not compressed again. */
#define SAME_LEAST 65536

/* One chunk, with the codecs of `made`; its place and length are set here. */
static int encode(struct gt_fields_row_group *s, const struct gt_array *made, const struct gt_buf *raw, struct fields_chunk chunk,
                  struct gt_err *err)
{
    const struct gt_column_shape form = chunk.form;
    struct gt_buf *bufs = s->bufs, *stored = &bufs[FIELDS_STORED];
    struct fields_same *same = &s->same[chunk.array];
    const bool is_same = raw->len >= SAME_LEAST && memcmp(raw->data, raw->data + 1, raw->len - 1) == 0;
    int status = 0;
    if (is_same) {
        stored = &same->stored;
        status = same->known && same->byte == raw->data[0] && same->form.size == form.size && same->form.k == form.k
                     ? 0
                     : gt_array_encode(made, raw, stored, bufs + FIELDS_SCRATCH, err);
        *same = (struct fields_same){!status, raw->data[0], form, same->stored};
    } else {
        status = gt_array_encode(made, raw, stored, bufs + FIELDS_SCRATCH, err);
    }
    if (status) {
        gt_fail_prefix(err, "'%s'", made->path);
        return status;
    }
    chunk.offset = (int64_t)s->out.len;
    chunk.n = stored->len;
    status = gt_buf_append(&s->chunks, &chunk, sizeof chunk, err);
    return status ? status : gt_buf_append(&s->out, stored->data, chunk.n, err);
}

/* A chunk of calls becomes that of their mask, which may be in its place: the sign of each, of bytes eight at a time. */
static void mask_calls(const uint8_t *calls, int size, size_t n, uint8_t *mask)
{
    size_t i = 0;
    for (; size == 1 && i + 8 <= n; i += 8) {
        uint64_t eight;
        memcpy(&eight, calls + i, sizeof eight);
        eight = eight >> 7 & UINT64_C(0x0101010101010101);
        memcpy(mask + i, &eight, sizeof eight);
    }
    for (; i < n; i++)
        mask[i] = calls[i * (size_t)size + (size_t)size - 1] >> 7;
}

int fields_check_chunk(const struct fields_array *a, const struct gt_buf *raw, struct gt_err *err)
{
    if (raw->len <= INT32_MAX)
        return 0;
    gt_fail(err, GT_INPUT, "'%s': a chunk of %zu bytes is larger than 2 GiB", a->path, raw->len);
    gt_hint(err, "use smaller --chunks, or exclude it with --fields");
    return GT_INPUT;
}

static int encode_array(struct gt_fields_row_group *s, int array, int64_t number, const struct fields_seen *now, struct gt_err *err)
{
    const struct gt_fields *fields = s->fields;
    const struct fields_array *a = &fields->arrays[array];
    const int from = fields_of_calls(array) ? FIELD_GENOTYPE : array;
    const struct gt_column *column = &s->columns[from];
    const int64_t width = a->calls ? fields->opts.chunk_samples : 1, parts = a->calls ? fields->parts : 1;
    int64_t absent = -1;
    bool axis;
    struct gt_array *made = NULL;
    const struct gt_column_shape form = fields_shape(fields, now, array, (int64_t)s->block->filter_names.n, &axis);
    int status = fields_array_new(fields, NULL, array, form, axis, fields->height, &made, err);
    if (!status && s->block->n && array != FIELD_LOCAL && memchr(column->absent.data, 1, (size_t)s->block->n)) {
        absent = (int64_t)s->out.len;
        status = gt_buf_append(&s->out, column->absent.data, (size_t)s->block->n, err);
    }
    for (int64_t part = 0; part < parts && !status; part++) {
        struct gt_column_shape raw = array == FIELD_MASK ? (struct gt_column_shape){now->form[FIELD_GENOTYPE].size, form.k} : form;
        struct gt_buf *own = &s->bufs[FIELDS_RAW], view, *chunk = own;
        raw.size = array == FIELD_PHASED ? 1 : raw.size;
        if (a->local)
            status = fields_local_chunk(s, array, form.size, part * width, width, own, err);
        else if (form.size && gt_column_is_chunk(column, raw, fields->height, part * width, width, &view))
            chunk = &view;
        else
            status = gt_column_chunk(column, raw, fields->height, part * width, width, own, err);
        if (!status)
            status = fields_check_chunk(a, chunk, err);
        if (!status && array == FIELD_MASK) {
            const size_t n = chunk->len / (size_t)raw.size;
            status = chunk == &view ? gt_buf_resize(own, n, err) : 0;
            if (!status)
                mask_calls(chunk->data, raw.size, n, own->data);
            own->len = n;
            chunk = own;
        }
        if (!status && array == FIELD_PHASED && !form.size)
            memset(own->data, 1, own->len);
        const struct fields_chunk put = {
            .array = array, .part = (int32_t)part, .row_group = number, .form = form, .absent = absent, .variants = s->block->n};
        if (!status)
            status = encode(s, made, chunk, put, err);
    }
    gt_array_free(made);
    return status;
}

int gt_fields_encode(struct gt_fields *fields, int64_t number, const struct gt_block *block, struct gt_fields_row_group *s,
                     struct gt_err *err)
{
    struct fields_seen now = {0};
    int status = fields_take(s, block, err);
    if (!status && !(now.form = gt_alloc((size_t)fields->n, sizeof *now.form, err)))
        status = GT_FAIL;
    if (!status)
        status = tell(s, number, &now, err);
    for (int i = 0; i < fields->n && !status; i++)
        if (!fields->arrays[i].left_out && (!fields->arrays[i].literal_of || s->columns[i].variants))
            status = encode_array(s, i, number, &now, err);
    free(now.form);
    return status;
}
