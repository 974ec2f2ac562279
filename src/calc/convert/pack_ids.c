#include "config.h"

#include "calc/convert/pack_ids.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "geno/vcz_write/checkpoint_text.h"

#define IDS "ids "

static int make(struct gt_pack_ids *ids, const struct gt_source *source, struct gt_err *err)
{
    ids->n = gt_source_ids(source);
    if (!ids->n)
        return GT_OK;
    ids->met = gt_alloc((size_t)ids->n, 1, err);
    ids->noted = ids->met ? gt_alloc((size_t)ids->n, 1, err) : NULL;
    return ids->noted ? GT_OK : GT_FAIL;
}

static void take_line(struct gt_pack_ids *ids, const char *at)
{
    int64_t end = 0, gap, run;
    while (gt_note_take(&at, &gap) && gt_note_take(&at, &run)) {
        if (gap < 0 || gap > ids->n - end || run < 0 || run > ids->n - end - gap)
            return;
        memset(ids->noted + end + gap, 1, (size_t)run);
        end += gap + run;
    }
}

int gt_pack_ids_take(struct gt_pack_ids *ids, struct gt_source *source, const char *journal, struct gt_err *err)
{
    int status = make(ids, source, err);
    for (const char *at = journal; *at && ids->n && !status; at += strcspn(at, "\n"), at += *at == '\n')
        if (strncmp(at, IDS, strlen(IDS)) == 0)
            take_line(ids, at + strlen(IDS));
    if (ids->n && !status)
        gt_source_meet_ids(source, ids->noted);
    return status;
}

int gt_pack_ids_share(struct gt_pack_ids *ids, struct gt_source *source, struct gt_comm *comm, struct gt_err *err)
{
    int status = comm->rank == 0 ? GT_OK : make(ids, source, err);
    if (ids->n && !status)
        status = gt_comm_broadcast(comm, ids->noted, (size_t)ids->n, 0, err);
    if (ids->n && !status && comm->rank > 0)
        gt_source_meet_ids(source, ids->noted);
    return status;
}

/* The first ID from i on that was met and is not noted (fresh), or of which one of these does not hold; n if there is none. */
static int64_t find(const struct gt_pack_ids *ids, int64_t i, bool fresh)
{
    while (i < ids->n && (ids->met[i] && !ids->noted[i]) != fresh)
        i++;
    return i;
}

int gt_pack_ids_text(struct gt_pack_ids *ids, const struct gt_source *source, int64_t segment, struct gt_str *line, struct gt_err *err)
{
    int64_t from, end = 0;
    if (!ids->n)
        return GT_OK;
    gt_source_ids_met(source, ids->segment, segment, ids->met);
    ids->segment = segment;
    while ((from = find(ids, end, true)) < ids->n) {
        const int64_t before = end;
        end = find(ids, from, false);
        if (!line->len)
            gt_str_add(line, IDS);
        gt_note_add(line, from - before);
        gt_note_add(line, end - from);
        memset(ids->noted + from, 1, (size_t)(end - from));
    }
    return gt_str_check(line, err);
}

void gt_pack_ids_release(struct gt_pack_ids *ids)
{
    free(ids->met);
    free(ids->noted);
    *ids = (struct gt_pack_ids){0};
}
