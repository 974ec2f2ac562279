/* One input: the reader's blocks, with the numbers of the tables that all inputs share. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "geno/source/source_internal.h"

static struct gt_segment *of_stage(struct gt_stage *stage)
{
    return (struct gt_segment *)stage;
}

static void segment_needs(const struct gt_stage *stage, unsigned fields, struct gt_stage_needs *needs)
{
    const struct gt_segment *segment = (const struct gt_segment *)stage;
    segment->reader->filter = segment->filter; /* which may split records */
    gt_stage_needs_of_in(stage, fields | gt_filter_fields(segment->filter), needs);
}

static void segment_stop(struct gt_stage *stage)
{
    if (atomic_exchange(&of_stage(stage)->users, 0))
        gt_stage_stop_in(stage);
}

static int segment_start(struct gt_stage *stage, struct gt_start *start, struct gt_err *err)
{
    struct gt_segment *segment = of_stage(stage);
    struct gt_reader *reader = segment->reader;
    struct gt_start own = *start;
    own.fields |= gt_filter_fields(segment->filter);
    segment_stop(stage);
    reader->filter = segment->filter;
    reader->n_skipped = 0;
    reader->not_indexed = false;
    reader->counted = -1;
    int status = reader->stage.ops->start(&reader->stage, &own, err);
    atomic_store(&segment->users, status ? 0 : 1);
    return status;
}

/* The flows of a reader stop when it has ended and the last of its blocks is back. */
static void leave(struct gt_segment *segment)
{
    if (atomic_fetch_sub(&segment->users, 1) == 1)
        gt_stage_stop_in(&segment->stage);
}

static void segment_release(struct gt_stage *stage, struct gt_block *block)
{
    stage->in->ops->release(stage->in, block);
    leave(of_stage(stage));
}

/* Warnings of the reader that are new; some come at its end. */
static int take_warnings(struct gt_segment *segment, struct gt_err *err)
{
    const struct gt_strs *warnings = &segment->reader->warnings;
    int status = 0;
    for (; !status && segment->warned < warnings->n; segment->warned++) {
        const char *text = gt_strs_get(warnings, segment->warned);
        status = gt_strs_add(&segment->tables->warnings, text, strlen(text), err);
    }
    return status;
}

static void number_sites(const struct gt_segment *segment, struct gt_block *block)
{
    const struct gt_number_map *map = &segment->filters;
    int32_t *filters = (int32_t *)block->filters.data;
    for (size_t i = 0; i < block->filters.len / sizeof *filters; i++)
        if (filters[i] >= 0 && (size_t)filters[i] < map->n)
            filters[i] = map->to[filters[i]];
    map = &segment->contigs;
    for (int64_t v = 0; v < block->n && block->sites.len; v++) {
        struct gt_site *site = &gt_block_sites(block)[v];
        if (site->contig >= 0 && (size_t)site->contig < map->n)
            site->contig = map->to[site->contig];
    }
}

static int end(struct gt_segment *segment, struct gt_err *err)
{
    const struct gt_reader *reader = segment->reader;
    if (reader->info.n_variants >= 0)
        segment->sites = reader->info.n_variants;
    else if (reader->counted >= 0)
        segment->sites = reader->counted;
    leave(segment);
    const int status = take_warnings(segment, err);
    return status ? status : GT_END;
}

static int segment_next(struct gt_stage *stage, struct gt_block **out, struct gt_err *err)
{
    struct gt_segment *segment = of_stage(stage);
    int status = stage->in->ops->next(stage->in, out, err);
    if (status)
        return status == GT_END ? end(segment, err) : status;
    struct gt_block *block = *out;
    block->owner = stage;
    atomic_fetch_add(&segment->users, 1);
    status = gt_tables_add(segment->tables, stage->info, &segment->contigs, &segment->filters, err);
    if (!status)
        status = take_warnings(segment, err);
    number_sites(segment, block);
    block->contigs = segment->tables->info.contigs;
    block->filter_names = segment->tables->info.filters;
    if (status)
        gt_stage_release(block);
    return status;
}

static void segment_close(struct gt_stage *stage)
{
    struct gt_segment *segment = of_stage(stage);
    segment_stop(stage);
    gt_filter_free(segment->filter);
    free(segment->contigs.to);
    free(segment->filters.to);
    free(segment);
}

int gt_segment_open(struct gt_segment **out, struct gt_reader *reader, struct gt_source_tables *tables, struct gt_err *err)
{
    static const struct gt_stage_ops ops = {segment_needs, segment_start, segment_next, segment_release, segment_stop, segment_close, NULL};
    struct gt_segment *segment = gt_alloc(1, sizeof *segment, err);
    if (!segment) {
        reader->stage.ops->close(&reader->stage);
        return GT_FAIL;
    }
    segment->stage = gt_stage_over(&reader->stage, &ops);
    segment->reader = reader;
    segment->tables = tables;
    *out = segment;
    return GT_OK;
}
