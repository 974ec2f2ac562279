/* What is known of row groups that wait in the file, for a run that goes on after them. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/base/size.h"
#include "geno/vcz_fields/fields_internal.h"
#include "geno/vcz_write/checkpoint_text.h"

enum { HEAD = 8, CHUNK = 9 };

static void add_name(const char *name, struct gt_str *to)
{
    gt_str_add(to, name ? "=" : "-");
    for (; name && *name; name++)
        gt_str_addf(to, "%c", *name > ' ' && *name < 0x7f ? *name : '?');
    gt_str_add(to, " ");
}

void gt_fields_checkpoint_text(struct gt_fields *fields, const struct gt_fields_row_group *s, struct gt_str *to)
{
    const struct fields_chunk *chunk = (const struct fields_chunk *)(const void *)fields->chunks.data;
    const size_t all = fields->chunks.len / sizeof *chunk, n = s->chunks.len / sizeof *chunk;
    const int64_t out = (int64_t)s->out.len, head[HEAD] = {fields->height,
                                                           fields->spool.end - out,
                                                           out,
                                                           out ? (int64_t)XXH3_64bits(s->out.data, s->out.len) : 0,
                                                           s->alleles,
                                                           s->ploidy,
                                                           s->told_undeclared,
                                                           fields->n};
    for (int i = 0; i < HEAD; i++)
        gt_note_add(to, head[i]);
    for (int i = 0; i < fields->n; i++) {
        gt_note_add(to, s->columns[i].form.size);
        gt_note_add(to, s->columns[i].form.k);
        gt_note_add(to, s->literals[i]);
    }
    gt_note_add(to, (int64_t)n);
    for (size_t i = all - n; i < all; i++) {
        const int64_t numbers[CHUNK] = {chunk[i].array,  chunk[i].part,   chunk[i].row_group, chunk[i].form.size, chunk[i].form.k,
                                        chunk[i].offset, chunk[i].absent, chunk[i].variants,  (int64_t)chunk[i].n};
        for (int k = 0; k < CHUNK; k++)
            gt_note_add(to, numbers[k]);
    }
    pthread_mutex_lock(&fields->lock);
    add_name(s->told_undeclared ? fields->undeclared : NULL, to);
    pthread_mutex_unlock(&fields->lock);
}

/* Is it in the file as it was written? */
static int look_at_spool(struct gt_fields *fields, int64_t at, int64_t n, int64_t hash, struct gt_err *err)
{
    struct gt_buf bytes = {.budget = &fields->engine->budget};
    struct gt_err why = {0};
    if (at < 0 || n < 0)
        return GT_NOENT;
    int status = gt_buf_resize(&bytes, (size_t)n, err);
    if (!status && n > 0 &&
        (gt_spoolfile_read(&fields->spool, bytes.data, (size_t)n, at, &why) || (int64_t)XXH3_64bits(bytes.data, bytes.len) != hash))
        status = GT_NOENT;
    gt_buf_release(&bytes);
    return status;
}

static int take_chunks(struct gt_fields *fields, const char **at, struct gt_err *err)
{
    int64_t n = 0, x[CHUNK];
    int status = gt_note_take(at, &n) ? 0 : GT_NOENT;
    for (; n > 0 && !status; n--) {
        for (int k = 0; k < CHUNK; k++)
            if (!gt_note_take(at, &x[k]))
                return GT_NOENT;
        if (x[0] < 0 || x[0] >= fields->n || x[1] < 0 || x[1] >= gt_max_i64(fields->parts, 1) || x[2] != fields->row_groups || x[8] < 0)
            return GT_NOENT;
        const struct fields_chunk chunk = {(int32_t)x[0], (int32_t)x[1], x[2], {(int)x[3], x[4]}, x[5], x[6], x[7], (size_t)x[8]};
        status = gt_buf_append(&fields->chunks, &chunk, sizeof chunk, err);
    }
    return status;
}

static int take_name(struct gt_fields *fields, const char **at, struct gt_err *err)
{
    struct gt_str name = {0};
    const size_t n = strcspn(*at, " \n");
    const bool first = **at == '=' && !fields->undeclared;
    if (!n || (*at)[n] != ' ')
        return GT_NOENT;
    if (first)
        gt_str_addn(&name, *at + 1, n - 1);
    *at += n + 1;
    if (!first)
        return 0;
    return gt_str_take(&name, &fields->undeclared, err);
}

static int take(struct gt_fields *fields, const char **at, struct gt_err *err)
{
    int64_t head[HEAD], size, k, literals;
    for (int i = 0; i < HEAD; i++)
        if (!gt_note_take(at, &head[i]))
            return GT_NOENT;
    if (head[7] != fields->n || head[0] < 1)
        return GT_NOENT;
    int status = look_at_spool(fields, head[1], head[2], head[3], err);
    for (int i = 0; i < fields->n && !status; i++) {
        if (!gt_note_take(at, &size) || !gt_note_take(at, &k) || !gt_note_take(at, &literals))
            return GT_NOENT;
        fields_see(fields, i, (struct gt_column_shape){(int)size, k});
        fields->seen.literals[i] += literals;
    }
    status = status ? status : take_chunks(fields, at, err);
    status = status ? status : take_name(fields, at, err);
    if (status)
        return status;
    fields_see_calls(fields, head[4], head[5]);
    fields->height = head[0];
    fields->n_undeclared += head[6];
    fields->spool.end = head[1] + head[2];
    fields->row_groups++;
    return 0;
}

int gt_fields_restore(struct gt_fields *fields, const char **at, struct gt_err *err)
{
    const size_t had = fields->chunks.len;
    const int status = take(fields, at, err);
    if (status)
        fields->chunks.len = had;
    return status;
}
