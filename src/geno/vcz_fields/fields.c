#include "config.h"

#include "geno/vcz_fields/fields.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/vcz_fields/fields_internal.h"

int gt_fields_new(struct gt_fields **out, struct gt_engine *engine, const struct gt_geno_info *info, const struct gt_fields_opts *opts,
                  struct gt_err *err)
{
    struct gt_fields *fields = gt_alloc(1, sizeof *fields, err);
    *out = NULL;
    if (!fields)
        return GT_FAIL;
    fields->engine = engine;
    fields->info = info;
    fields->opts = *opts;
    fields->opts.ploidy = opts->local_alleles ? 2 : opts->ploidy;
    fields->n_samples = info->n_samples;
    if (fields->opts.chunk_samples > info->n_samples && !opts->inner_variants)
        fields->opts.chunk_samples = info->n_samples > 0 ? info->n_samples : 1;
    fields->parts = gt_ceil_div(info->n_samples, fields->opts.chunk_samples);
    fields->height = opts->chunk_variants;
    fields->spool = (struct gt_spoolfile){.fd = -1, .tmpdir = engine->tmpdir};
    fields->chunks.budget = &engine->budget;
    pthread_mutex_init(&fields->lock, NULL);
    int status = fields_make(fields, err);
    if (!status && (!(fields->seen.form = gt_alloc((size_t)fields->n, sizeof *fields->seen.form, err)) ||
                    !(fields->seen.literals = gt_alloc((size_t)fields->n, sizeof *fields->seen.literals, err))))
        status = GT_FAIL;
    for (int i = 0; i < fields->n && !status; i++) {
        const enum gt_column_kind kind = fields->arrays[i].kind;
        fields->seen.form[i] = (struct gt_column_shape){kind == GT_COLUMN_TEXT ? 0 : kind == GT_COLUMN_FLOAT ? 4 : 1, 1};
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
        free(fields->arrays[i].own_description);
    }
    for (int i = 0; i < fields->n && fields->made; i++)
        gt_array_free(fields->made[i]);
    free(fields->made);
    free(fields->list);
    free(fields->arrays);
    free(fields->seen.form);
    free(fields->seen.literals);
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

const char *gt_fields_undeclared(const struct gt_fields *fields)
{
    return fields->undeclared;
}

int64_t gt_fields_literals(const struct gt_fields *fields, bool local, struct gt_str *names)
{
    int64_t all = 0;
    for (int i = FIELDS_FIXED; i < fields->n; i++) {
        const struct fields_array *a = &fields->arrays[i];
        if (!fields->seen.literals[i] || (a->local != 0) != local)
            continue;
        gt_str_addf(names, "%s%s/%s %lld", all ? ", " : "", a->calls ? "FORMAT" : "INFO", strchr(a->path, '_') + 1,
                    (long long)fields->seen.literals[i]);
        all += fields->seen.literals[i];
    }
    return all;
}

void gt_fields_spool(struct gt_fields *fields, int fd)
{
    fields->spool.fd = fd;
}

int gt_fields_put(struct gt_fields *fields, const struct gt_fields_row_group *s, struct gt_err *err)
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
    fields->row_groups += !status;
    return status;
}

int gt_fields_make_arrays(struct gt_fields *fields, struct gt_store *store, int64_t variants, struct gt_array ***arrays, size_t *n,
                          struct gt_err *err)
{
    const int64_t filters = (int64_t)fields->info->filters.n;
    fields->made = gt_alloc((size_t)fields->n, sizeof(struct gt_array *), err);
    fields->list = gt_alloc((size_t)fields->n, sizeof(struct gt_array *), err);
    *n = 0;
    if (!fields->made || !fields->list)
        return GT_FAIL;
    if (!fields->row_groups)
        fields->height = 1;
    for (int i = 0; i < fields->n; i++) {
        bool axis;
        const struct gt_column_shape form = fields_shape(fields, &fields->seen, i, filters, &axis);
        const int of = fields->arrays[i].literal_of;
        if (fields->arrays[i].left_out || (of && !fields->seen.literals[of]))
            continue;
        int status = fields_array_new(fields, store, i, form, axis, variants, &fields->made[i], err);
        status = status || !of ? status : fields_add_unmarked(fields, i, err);
        if (status)
            return status;
        fields->list[(*n)++] = fields->made[i];
    }
    *arrays = fields->list;
    return 0;
}
