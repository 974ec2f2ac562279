#include "config.h"

#include "calc/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/size.h"
#include "calc/fields_impl.h"
#include "engine/flow.h"

/* --- making it --------------------------------------------------------------------------- */

int gt_fields_new(struct gt_fields **out, struct gt_engine *engine, const struct gt_source_info *info, const struct gt_fields_opts *opts,
                  struct gt_err *err)
{
    struct gt_fields *fields = gt_alloc(1, sizeof *fields, err);
    *out = NULL;
    if (!fields)
        return GT_FAIL;
    fields->engine = engine;
    fields->info = info;
    fields->opts = *opts;
    fields->n_samples = info->n_samples;
    if (fields->opts.chunk_samples > info->n_samples)
        fields->opts.chunk_samples = info->n_samples > 0 ? info->n_samples : 1;
    fields->parts = gt_ceil_div(info->n_samples, fields->opts.chunk_samples);
    fields->height = opts->chunk_variants;
    fields->spool = (struct gt_spoolfile){.fd = -1, .tmpdir = engine->tmpdir};
    fields->chunks.budget = &engine->budget;
    pthread_mutex_init(&fields->lock, NULL);
    int status = fields_make(fields, err);
    if (!status && !(fields->seen.form = gt_alloc((size_t)fields->n, sizeof *fields->seen.form, err)))
        status = GT_FAIL;
    for (int i = 0; i < fields->n && !status; i++) {
        const enum gt_column_kind kind = fields->arrays[i].kind;
        fields->seen.form[i] = (struct gt_column_form){kind == GT_COLUMN_TEXT ? 0 : kind == GT_COLUMN_FLOAT ? 4 : 1, 1};
    }
    if (status)
        gt_fields_free(fields);
    else
        *out = fields;
    return status;
}

void gt_fields_free(struct gt_fields *fields)
{
    if (!fields)
        return;
    for (int i = FIELDS_FIXED; i < fields->n; i++) {
        free(fields->arrays[i].path);
        free(fields->arrays[i].axis_name);
    }
    for (int i = 0; i < fields->n && fields->made; i++)
        gt_array_free(fields->made[i]);
    free(fields->made);
    free(fields->list);
    free(fields->arrays);
    free(fields->seen.form);
    free(fields->undeclared);
    if (fields->info_names)
        gt_names_free(fields->info_names);
    if (fields->format_names)
        gt_names_free(fields->format_names);
    gt_spoolfile_release(&fields->spool);
    gt_buf_release(&fields->chunks);
    pthread_mutex_destroy(&fields->lock);
    free(fields);
}

int64_t gt_fields_arrays(const struct gt_fields *fields)
{
    int64_t n = 0;
    for (int i = 0; i < fields->n; i++)
        n += !fields->arrays[i].left_out;
    return n;
}

const char *gt_fields_undeclared(const struct gt_fields *fields)
{
    return fields->undeclared;
}

int gt_fields_stripe_new(struct gt_fields *fields, struct gt_fields_stripe **out, struct gt_err *err)
{
    struct gt_fields_stripe *s = gt_alloc(1, sizeof *s, err);
    struct gt_budget *budget = &fields->engine->budget;
    *out = NULL;
    if (!s)
        return GT_FAIL;
    s->fields = fields;
    s->cap_rows = 256; /* BCF has no more either */
    s->columns = gt_alloc((size_t)fields->n, sizeof *s->columns, err);
    s->same = gt_alloc((size_t)fields->n, sizeof *s->same, err);
    s->rows = gt_alloc(s->cap_rows, sizeof *s->rows, err);
    s->format.budget = s->keys[0].budget = s->keys[1].budget = s->values.budget = s->filters.budget = budget;
    s->chunks.budget = s->out.budget = budget;
    for (int i = 0; i < FIELDS_BUFS; i++)
        s->bufs[i].budget = budget;
    if (!s->columns || !s->rows || !s->same) {
        gt_fields_stripe_free(s);
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

void gt_fields_stripe_free(struct gt_fields_stripe *s)
{
    if (!s)
        return;
    for (int i = 0; s->columns && i < s->fields->n; i++)
        gt_column_release(&s->columns[i]);
    for (size_t i = 0; s->rows && i < s->cap_rows; i++)
        gt_buf_release(&s->rows[i].values);
    struct gt_buf *bufs[] = {&s->format, &s->keys[0], &s->keys[1], &s->values, &s->filters, &s->chunks, &s->out};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        gt_buf_release(bufs[i]);
    for (int i = 0; i < FIELDS_BUFS; i++)
        gt_buf_release(&s->bufs[i]);
    for (int i = 0; s->same && i < s->fields->n; i++)
        gt_buf_release(&s->same[i].stored);
    free(s->same);
    free(s->columns);
    free(s->rows);
    free(s->undeclared);
    free(s);
}

int fields_bad(const struct gt_fields_stripe *s, struct gt_err *err, const char *fmt, ...)
{
    char what[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return gt_fail(err, GT_INPUT, "'%s' (%.100s:%lld): %s", s->fields->info->name,
                   s->site->contig >= 0 ? gt_strs_get(&s->block->contigs, (size_t)s->site->contig) : "?", (long long)s->site->position, what);
}

int fields_find(struct gt_fields_stripe *s, bool format, const char *name, size_t n, int *array, struct gt_err *err)
{
    const int64_t at = gt_names_find(format ? s->fields->format_names : s->fields->info_names, name, n);
    *array = at < 0 || s->fields->arrays[at].left_out ? -1 : (int)at;
    if (at >= 0)
        return 0;
    s->n_undeclared++;
    if (s->undeclared)
        return 0;
    struct gt_str text = {0};
    gt_str_addf(&text, "%s/%.*s", format ? "FORMAT" : "INFO", n < 100 ? (int)n : 100, name);
    s->undeclared = text.s;
    return gt_str_check(&text, err);
}

/* --- a stripe ------------------------------------------------------------------------------- */

static int begin(struct gt_fields_stripe *s, int64_t variants, struct gt_err *err)
{
    struct gt_fields *fields = s->fields;
    int status = 0;
    s->chunks.len = s->out.len = s->format.len = 0;
    s->n_rows = 0;
    s->alleles = s->ploidy = 0;
    for (int i = 0; i < fields->n && !status; i++) {
        pthread_mutex_lock(&fields->lock);
        struct gt_column_form form = fields->seen.form[i];
        pthread_mutex_unlock(&fields->lock);
        form.size = fields->arrays[i].kind == GT_COLUMN_CHAR ? 1 : form.size;
        if (!fields->arrays[i].left_out)
            status = gt_column_begin(&s->columns[i], form, i == FIELD_MASK ? 0 : variants, err);
    }
    return status;
}

static int put_filters(struct gt_fields_stripe *s, struct gt_err *err)
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

static int put_alleles(struct gt_fields_stripe *s, struct gt_err *err)
{
    struct gt_column *column = &s->columns[FIELD_ALLELE];
    int status = 0;
    for (int32_t a = 0; a < s->site->n_alleles && !status; a++) {
        const char *text = gt_strs_get(&s->block->alleles, s->site->first_allele + (size_t)a);
        status = gt_column_text(column, text, strlen(text), err);
    }
    if (!status)
        status = gt_column_row(column, (uint32_t)s->site->n_alleles, err);
    s->alleles = s->site->n_alleles > s->alleles ? s->site->n_alleles : s->alleles;
    return status ? status : gt_column_texts_end(column, err);
}

/* What every record has. */
static int put_site(struct gt_fields_stripe *s, struct gt_err *err)
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
        status = gt_column_text(&s->columns[FIELD_ID], id, strlen(id), err);
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

static int put_record(struct gt_fields_stripe *s, int64_t v, struct gt_err *err)
{
    const struct gt_raw *raw = gt_block_record(s->block, s->site);
    const uint8_t *data = s->block->texts.data + raw->from;
    int status = put_site(s, err);
    if (!status)
        status = raw->bcf ? fields_parse_bcf(s, v, raw, data, err) : fields_parse_text(s, v, (const char *)data, raw->n, err);
    for (int i = FIELD_GENOTYPE; i < s->fields->n && !status; i++)
        if (!s->fields->arrays[i].left_out && i != FIELD_MASK && !fields_done(s, i, v))
            status = gt_column_none(&s->columns[i], err);
    return status;
}

/* What the stripe saw is told; *now: what all have until now. */
static int tell(struct gt_fields_stripe *s, int64_t number, struct fields_seen *now, struct gt_err *err)
{
    struct gt_fields *fields = s->fields;
    int status = 0;
    pthread_mutex_lock(&fields->lock);
    struct fields_seen *seen = &fields->seen;
    if (number == 0 && s->block->n < fields->height)
        fields->height = s->block->n; /* it is the only one */
    for (int i = 0; i < fields->n; i++) {
        const struct gt_column_form *form = &s->columns[i].form;
        seen->form[i].k = form->k > seen->form[i].k ? form->k : seen->form[i].k;
        seen->form[i].size = form->size > seen->form[i].size ? form->size : seen->form[i].size;
    }
    seen->form[FIELD_MASK].k = seen->form[FIELD_GENOTYPE].k;
    seen->alleles = s->alleles > seen->alleles ? s->alleles : seen->alleles;
    seen->ploidy = s->ploidy > seen->ploidy ? s->ploidy : seen->ploidy;
    memcpy(now->form, seen->form, (size_t)fields->n * sizeof *now->form);
    now->alleles = seen->alleles;
    now->ploidy = seen->ploidy;
    fields->n_undeclared += s->n_undeclared;
    s->n_undeclared = 0;
    if (!fields->undeclared && s->undeclared) {
        fields->undeclared = s->undeclared;
        s->undeclared = NULL;
    }
    pthread_mutex_unlock(&fields->lock);
    if (fields->opts.ploidy && now->ploidy > fields->opts.ploidy)
        status = gt_fail(err, GT_INPUT, "'%s' has calls of ploidy %lld, more than --ploidy %lld", fields->info->name,
                         (long long)now->ploidy, (long long)fields->opts.ploidy);
    return status;
}

/* Where nothing is missing, or all is phased: a chunk as large as this is not compressed again. */
#define SAME_LEAST 65536

/* One chunk of `array`, of that form, with the codecs of `made`. */
static int encode(struct gt_fields_stripe *s, const struct gt_array *made, const struct gt_buf *raw, int array, int64_t number,
                  int64_t part, struct gt_column_form form, int64_t absent, struct gt_err *err)
{
    struct gt_buf *bufs = s->bufs, *stored = &bufs[FIELDS_STORED];
    struct fields_same *same = &s->same[array];
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
    const struct fields_chunk chunk = {.array = array,
                                       .part = (int32_t)part,
                                       .stripe = number,
                                       .form = form,
                                       .offset = (int64_t)s->out.len,
                                       .absent = absent,
                                       .variants = s->block->n,
                                       .n = stored->len};
    if (status) {
        gt_fail_prefix(err, "'%s'", made->path);
        return status;
    }
    status = gt_buf_append(&s->chunks, &chunk, sizeof chunk, err);
    return status ? status : gt_buf_append(&s->out, stored->data, chunk.n, err);
}

/* A chunk of calls becomes that of their mask, which may be in its place. */
static void mask_calls(const uint8_t *calls, int size, size_t n, uint8_t *mask)
{
    if (size == 1)
        for (size_t i = 0; i < n; i++)
            mask[i] = calls[i] >> 7;
    else
        for (size_t i = 0; i < n; i++)
            mask[i] = calls[i * (size_t)size + (size_t)size - 1] >> 7;
}

static int check_chunk(const struct gt_buf *raw, const struct fields_array *a, struct gt_err *err)
{
    if (raw->len <= INT32_MAX)
        return 0;
    gt_fail(err, GT_INPUT, "'%s': a chunk of %zu bytes is larger than 2 GiB", a->path, raw->len);
    gt_hint(err, "--chunks with fewer variants or samples, or --fields to leave it out");
    return GT_INPUT;
}

static int encode_array(struct gt_fields_stripe *s, int array, int64_t number, const struct fields_seen *now, struct gt_err *err)
{
    const struct gt_fields *fields = s->fields;
    const struct fields_array *a = &fields->arrays[array];
    const int from = array == FIELD_MASK ? FIELD_GENOTYPE : array;
    const struct gt_column *column = &s->columns[from];
    const int64_t width = a->calls ? fields->opts.chunk_samples : 1, parts = a->calls ? fields->parts : 1;
    int64_t absent = -1;
    bool axis;
    struct gt_array *made = NULL;
    const struct gt_column_form form = fields_form(fields, now, array, (int64_t)s->block->filter_names.n, &axis);
    int status = fields_array_new(fields, NULL, array, form, axis, fields->height, &made, err);
    if (!status && s->block->n && memchr(column->absent.data, 1, (size_t)s->block->n)) {
        absent = (int64_t)s->out.len;
        status = gt_buf_append(&s->out, column->absent.data, (size_t)s->block->n, err);
    }
    for (int64_t part = 0; part < parts && !status; part++) {
        struct gt_column_form raw = array == FIELD_MASK ? (struct gt_column_form){now->form[FIELD_GENOTYPE].size, form.k} : form;
        struct gt_buf *own = &s->bufs[FIELDS_RAW], view, *chunk = own;
        raw.size = array == FIELD_PHASED ? 1 : raw.size;
        if (form.size && gt_column_is_chunk(column, raw, fields->height, part * width, width, &view))
            chunk = &view;
        else
            status = gt_column_chunk(column, raw, fields->height, part * width, width, own, err);
        if (!status)
            status = check_chunk(chunk, a, err);
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
        if (!status)
            status = encode(s, made, chunk, array, number, part, form, absent, err);
    }
    gt_array_free(made);
    return status;
}

int gt_fields_encode(struct gt_fields *fields, int64_t number, const struct gt_block *block, struct gt_fields_stripe *s,
                     struct gt_err *err)
{
    struct fields_seen now = {0};
    int status = begin(s, block->n, err);
    s->block = block;
    for (int64_t v = 0; v < block->n && !status; v++) {
        s->site = &gt_block_sites(block)[v];
        status = put_record(s, v, err);
    }
    if (!status && !(now.form = gt_alloc((size_t)fields->n, sizeof *now.form, err)))
        status = GT_FAIL;
    if (!status)
        status = tell(s, number, &now, err);
    for (int i = 0; i < fields->n && !status; i++)
        if (!fields->arrays[i].left_out)
            status = encode_array(s, i, number, &now, err);
    free(now.form);
    return status;
}

int gt_fields_put(struct gt_fields *fields, const struct gt_fields_stripe *s, struct gt_err *err)
{
    const struct fields_chunk *chunk = (const struct fields_chunk *)(const void *)s->chunks.data;
    const int64_t at = fields->spool.end > 0 ? fields->spool.end : 0;
    int status = gt_spoolfile_open(&fields->spool, err);
    if (!status && s->out.len)
        status = gt_spoolfile_write(&fields->spool, s->out.data, s->out.len, at, err);
    for (size_t i = 0; i < s->chunks.len / sizeof *chunk && !status; i++) {
        struct fields_chunk own = chunk[i];
        own.offset += at;
        own.absent += own.absent < 0 ? 0 : at;
        status = gt_buf_append(&fields->chunks, &own, sizeof own, err);
    }
    fields->stripes += !status;
    return status;
}

/* --- the end ---------------------------------------------------------------------------------- */

int gt_fields_settle(struct gt_fields *fields, struct gt_store *store, int64_t variants, struct gt_array ***arrays, size_t *n,
                     struct gt_err *err)
{
    const int64_t filters = (int64_t)fields->info->filters.n;
    fields->made = gt_alloc((size_t)fields->n, sizeof(struct gt_array *), err);
    fields->list = gt_alloc((size_t)fields->n, sizeof(struct gt_array *), err);
    *n = 0;
    if (!fields->made || !fields->list)
        return GT_FAIL;
    if (!fields->stripes)
        fields->height = 1;
    for (int i = 0; i < fields->n; i++) {
        bool axis;
        const struct gt_column_form form = fields_form(fields, &fields->seen, i, filters, &axis);
        if (fields->arrays[i].left_out)
            continue;
        int status = fields_array_new(fields, store, i, form, axis, variants, &fields->made[i], err);
        if (status)
            return status;
        fields->list[(*n)++] = fields->made[i];
    }
    *arrays = fields->list;
    return 0;
}

struct replay {
    struct gt_fields *fields;
    struct gt_fields_stats *stats;
};

struct chunk_item {
    bool ready;
    const struct fields_chunk *chunk;
    struct gt_buf stored, raw, wide, scratch[2], absent;
};

static struct gt_buf *item_bufs(struct chunk_item *item, int i)
{
    struct gt_buf *bufs[] = {&item->stored, &item->raw, &item->wide, &item->scratch[0], &item->scratch[1], &item->absent};
    return i < (int)(sizeof bufs / sizeof *bufs) ? bufs[i] : NULL;
}

static int read_chunk(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct replay *replay = ctx;
    struct chunk_item *item = data;
    struct gt_buf *buf;
    item->chunk = (const struct fields_chunk *)(const void *)replay->fields->chunks.data + ticket;
    for (int i = 0; !item->ready && (buf = item_bufs(item, i)); i++)
        buf->budget = &replay->fields->engine->budget;
    item->ready = true;
    int status = gt_buf_resize(&item->stored, item->chunk->n, err);
    gt_flow_bytes((int64_t)item->chunk->n);
    return status ? status : gt_spoolfile_read(&replay->fields->spool, item->stored.data, item->chunk->n, item->chunk->offset, err);
}

/* Decoded, laid out anew, encoded. */
static int renew(const struct gt_fields *fields, struct chunk_item *item, struct gt_column_form to, struct gt_err *err)
{
    const struct fields_chunk *c = item->chunk;
    const struct fields_array *a = &fields->arrays[c->array];
    const int64_t width = a->calls ? fields->opts.chunk_samples : 1, from = c->part * width, all = a->calls ? fields->n_samples : 1;
    const int64_t zero[GT_MAX_DIMS] = {0};
    struct gt_array *old;
    struct gt_column_form form = c->form;
    int status = fields_array_new(fields, NULL, c->array, form, fields_has_axis(a, form.k), fields->height, &old, err);
    if (status)
        return status;
    status = gt_array_decode(old, zero, &item->stored, &item->raw, item->scratch, err);
    gt_array_free(old);
    if (!status)
        status = gt_buf_resize(&item->absent, (size_t)c->variants, err);
    if (status)
        return status;
    memset(item->absent.data, 0, (size_t)c->variants);
    if (c->absent >= 0)
        status = gt_spoolfile_read(&fields->spool, item->absent.data, (size_t)c->variants, c->absent, err);
    form.size = c->array == FIELD_PHASED ? 1 : form.size;
    to.size = c->array == FIELD_PHASED ? 1 : to.size;
    const struct gt_column_part part = {.kind = a->kind,
                                        .height = fields->height,
                                        .width = width,
                                        .variants = c->variants,
                                        .rows = all - from < width ? all - from : width,
                                        .absent = item->absent.data};
    if (!status)
        status = gt_column_widen(&part, &item->raw, form, to, &item->wide, err);
    if (!status)
        status = check_chunk(&item->wide, a, err);
    return status ? status : gt_array_encode(fields->made[c->array], &item->wide, &item->stored, item->scratch, err);
}

static int work_chunk(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct replay *replay = ctx;
    struct chunk_item *item = data;
    bool axis;
    const struct gt_column_form to =
        fields_form(replay->fields, &replay->fields->seen, item->chunk->array, (int64_t)replay->fields->info->filters.n, &axis);
    (void)ticket;
    gt_flow_bytes((int64_t)item->chunk->n);
    if (to.size == item->chunk->form.size && to.k == item->chunk->form.k)
        return 0;
    return renew(replay->fields, item, to, err);
}

static int put_chunk(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct replay *replay = ctx;
    struct chunk_item *item = data;
    const struct fields_chunk *c = item->chunk;
    const int64_t index[GT_MAX_DIMS] = {c->stripe, c->part};
    (void)ticket;
    replay->stats->chunks++;
    replay->stats->bytes_all += (int64_t)item->stored.len;
    if (c->array >= FIELD_GENOTYPE && c->array <= FIELD_MASK)
        replay->stats->bytes_genotypes += (int64_t)item->stored.len;
    return gt_array_put(replay->fields->made[c->array], index, &item->stored, err);
}

static void release_chunk(void *ctx, void *data)
{
    struct gt_buf *buf;
    (void)ctx;
    for (int i = 0; (buf = item_bufs(data, i)); i++)
        gt_buf_release(buf);
}

/* What a chunk takes that is laid out anew, at most. */
static size_t ticket_bytes(const struct gt_fields *fields)
{
    size_t most = 0;
    for (int i = 0; i < fields->n; i++)
        if (fields->made[i] && fields->made[i]->chunk_bytes > most)
            most = fields->made[i]->chunk_bytes;
    return 3 * most + 65536;
}

int gt_fields_replay(struct gt_fields *fields, int64_t memory, struct gt_fields_stats *stats, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "put",
                                           .read_name = "spool",
                                           .work_name = "lay out",
                                           .item_size = sizeof(struct chunk_item),
                                           .read = read_chunk,
                                           .work = work_chunk,
                                           .release = release_chunk};
    struct replay replay = {fields, stats};
    *stats = (struct gt_fields_stats){.max_alleles = fields->seen.alleles, .undeclared = fields->n_undeclared};
    const struct gt_flow_opts opts = {.tickets = (int64_t)(fields->chunks.len / sizeof(struct fields_chunk)),
                                      .readers = 1,
                                      .ticket_bytes = ticket_bytes(fields),
                                      .memory = memory};
    return opts.tickets ? gt_flow_run(fields->engine, &ops, &opts, &replay, put_chunk, err) : 0;
}
