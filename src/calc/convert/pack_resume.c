#include "config.h"

#include "calc/convert/pack_resume.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/base/mem.h"
#include "geno/vcz_write/checkpoint_text.h"

enum { POSITION = sizeof(struct gt_checkpoint) / sizeof(int64_t) };
_Static_assert(sizeof(struct gt_checkpoint) == POSITION * sizeof(int64_t), "a checkpoint consists of integers");

enum { SHAPE = 3 };

static void shape_numbers(const struct gt_vcz_shape *shape, int64_t numbers[SHAPE])
{
    const int64_t own[SHAPE] = {shape->chunk_variants, shape->chunk_samples, shape->site_variants};
    memcpy(numbers, own, sizeof own);
}

/* Can it go on where an earlier run stopped?  Values of records need a scratch file too. */
static bool can_go_on(const struct gt_pack_resume *r)
{
    return gt_store_has_checkpoints(r->store) && (!r->fields || gt_store_has_scratch(r->store));
}

static int note_ids(struct gt_pack_resume *r, const struct gt_source *source, const struct gt_checkpoint *end, struct gt_err *err)
{
    struct gt_str line = {0};
    int status = gt_pack_ids_text(&r->ids, source, end->segment, &line, err);
    if (!status && line.len)
        status = gt_store_add_checkpoint(r->store, line.s, err);
    gt_str_release(&line);
    return status;
}

int gt_pack_checkpoint(struct gt_pack_resume *r, const struct gt_source *source, int64_t row_groups, const struct gt_checkpoint *end,
                       const struct gt_fields_row_group *row_group, struct gt_err *err)
{
    struct gt_str line = {0};
    int64_t position[POSITION], shape[SHAPE];
    if (!can_go_on(r) || !gt_vcz_can_checkpoint(r->vcz))
        return 0;
    memcpy(position, end, sizeof position);
    shape_numbers(&r->shape, shape);
    gt_note_add(&line, r->row_groups);
    gt_note_add(&line, row_groups);
    for (int i = 0; i < SHAPE; i++)
        gt_note_add(&line, shape[i]);
    for (int i = 0; i < POSITION; i++)
        gt_note_add(&line, position[i]);
    if (r->fields)
        gt_fields_checkpoint_text(r->fields, row_group, &line);
    gt_vcz_checkpoint_text(r->vcz, &line);
    r->row_groups = row_groups;
    int status = gt_str_check(&line, err);
    if (!status)
        gt_note_add(&line, (int64_t)XXH3_64bits(line.s, line.len));
    status = status ? status : gt_str_check(&line, err);
    status = status ? status : note_ids(r, source, end, err);
    status = status ? status : gt_store_add_checkpoint(r->store, line.s, err);
    gt_str_release(&line);
    return status;
}

/* --- what was noted ----------------------------------------------------------------------- */

/* Checkpoint lines in row group order; of several for the same row group the last. */
struct noted {
    const char **line; /* by row groups before it */
    size_t n, cap;
};

/* Does its last number say that the others are as they were written? */
static bool is_whole(const char *line, size_t n)
{
    int64_t hash;
    size_t from = n > 0 ? n - 1 : 0;
    while (from > 0 && line[from - 1] != ' ')
        from--;
    const char *at = line + from;
    return gt_note_take(&at, &hash) && at == line + n && hash == (int64_t)XXH3_64bits(line, from);
}

static int find_lines(struct noted *noted, const char *text, struct gt_err *err)
{
    const int64_t most = (int64_t)strlen(text); /* no more lines than bytes */
    int status = 0;
    for (const char *end; *text && !status; text = end) {
        const char *at = text;
        int64_t before;
        end = text + strcspn(text, "\n");
        end += *end == '\n';
        if (!gt_note_take(&at, &before) || before < 0 || before > most || !is_whole(text, strcspn(text, "\n")))
            continue; /* none of ours, or damaged */
        if ((size_t)before >= noted->n) {
            const size_t had = noted->n;
            status = gt_grow(&noted->line, &noted->cap, (size_t)before + 1, sizeof *noted->line, err);
            if (status)
                break;
            noted->n = (size_t)before + 1;
            memset(noted->line + had, 0, (noted->n - had) * sizeof *noted->line);
        }
        noted->line[before] = at;
    }
    return status;
}

static int check_shape(const struct gt_pack_resume *r, const int64_t was[SHAPE], struct gt_err *err)
{
    int64_t is[SHAPE];
    shape_numbers(&r->shape, is);
    if (memcmp(was, is, sizeof is) == 0)
        return 0;
    gt_fail(err, GT_INPUT, "the unfinished '%s' was begun with chunks of %lld variants x %lld samples, not %lld x %lld", r->store->name,
            (long long)was[0], (long long)was[1], (long long)is[0], (long long)is[1]);
    gt_hint(err, "give the same --memory or --chunks, or omit --resume to start again");
    return GT_INPUT;
}

/* One note.  GT_NOENT: it, and what is after it, is not there as it was. */
static int take_note(struct gt_pack_resume *r, const char *at, struct gt_checkpoint *end, struct gt_err *err)
{
    int64_t row_groups = 0, shape[SHAPE], position[POSITION];
    bool whole = gt_note_take(&at, &row_groups);
    for (int i = 0; i < SHAPE; i++)
        whole = whole && gt_note_take(&at, &shape[i]);
    for (int i = 0; i < POSITION; i++)
        whole = whole && gt_note_take(&at, &position[i]);
    if (!whole || row_groups <= r->row_groups)
        return GT_NOENT;
    int status = check_shape(r, shape, err);
    if (!status && r->fields)
        status = gt_fields_restore(r->fields, &at, err);
    if (status)
        return status;
    status = gt_vcz_restore(r->vcz, row_groups, &at, err);
    if (status)
        return status == GT_NOENT && r->fields ? gt_fail(err, GT_INPUT, "the journal of the unfinished '%s' is damaged", r->store->name)
                                               : status;
    memcpy(end, position, sizeof position);
    r->row_groups = row_groups;
    return 0;
}

int gt_pack_resume(struct gt_pack_resume *r, const struct gt_pack_plan *plan, struct gt_source *source, struct gt_err *err)
{
    struct noted noted = {0};
    int fd, status = 0;
    r->shape = plan->shape;
    if (!can_go_on(r))
        return 0;
    if (r->fields && !(status = gt_store_scratch(r->store, &fd, err)))
        gt_fields_spool(r->fields, fd);
    status = status ? status : gt_pack_ids_take(&r->ids, source, gt_store_checkpoints(r->store), err);
    status = status ? status : find_lines(&noted, gt_store_checkpoints(r->store), err);
    while (!status && (size_t)r->row_groups < noted.n && noted.line[r->row_groups])
        if ((status = take_note(r, noted.line[r->row_groups], &r->start, err)) == GT_NOENT)
            break;
    free(noted.line);
    if (status && status != GT_NOENT)
        return status;
    if (r->row_groups)
        gt_source_start_at(source, &r->start);
    return GT_OK;
}
