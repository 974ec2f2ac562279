/* Inputs joined along variants: one after another, in the order of their sites, which must not overlap. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "geno/source/source_internal.h"

static struct gt_concat *of_stage(struct gt_stage *stage)
{
    return (struct gt_concat *)stage;
}

/* Segments that memory is for: while blocks of one are out the next one may be read. */
static int at_once(const struct gt_concat *c)
{
    return c->n > 1 ? 2 : 1;
}

static void concat_needs(const struct gt_stage *stage, unsigned fields, struct gt_stage_needs *needs)
{
    const struct gt_concat *c = (const struct gt_concat *)stage;
    *needs = (struct gt_stage_needs){0};
    for (int i = 0; i < c->n; i++) {
        struct gt_stage_needs one;
        struct gt_stage *segment = &c->segment[i]->stage;
        segment->ops->needs(segment, fields | (c->n > 1 ? GT_SITE_POS : 0), &one);
        needs->minimum = gt_max_i64(needs->minimum, gt_bytes_mul(one.minimum, at_once(c)));
        needs->preferred = gt_max_i64(needs->preferred, gt_bytes_mul(one.preferred, at_once(c)));
        needs->block = gt_max_i64(needs->block, one.block);
    }
}

static void concat_stop(struct gt_stage *stage)
{
    struct gt_concat *c = of_stage(stage);
    for (int i = 0; i < c->n; i++)
        c->segment[i]->stage.ops->stop(&c->segment[i]->stage);
}

/* --- where a pass begins -------------------------------------------------------------------- */

/* Contigs that the header lacks have their numbers by the order that they came in: then all is read again. */
static bool is_known(const struct gt_concat *c, const struct gt_checkpoint *at)
{
    return at->input >= 0 && at->segment >= 0 && at->segment < c->n && at->contigs == (int64_t)c->tables.info.contigs.n &&
           at->filters == (int64_t)c->tables.info.filters.n;
}

static int begin_at(struct gt_concat *c, const struct gt_checkpoint *at, struct gt_err *err)
{
    bool counted = true;
    for (int64_t i = 0; i < at->segment; i++)
        counted = counted && c->segment[i]->sites >= 0;
    for (int64_t i = 0; i < at->segment && !counted; i++) /* nobody looks at those again */
        c->segment[i]->sites = i + 1 == at->segment ? at->first : 0;
    c->begin = *at;
    c->start.at = &c->begin;
    c->current = (int)at->segment;
    c->reach.high = (struct gt_locus){(int32_t)at->high_contig, at->high_position};
    c->reach.top = (struct gt_locus){(int32_t)at->top_contig, at->top_position};
    c->stage.stats = at->stats;
    if (c->segment[at->segment]->reader->recounts)
        c->stage.stats.half_calls = c->stage.stats.haploid_calls = c->stage.stats.polyploid_calls = c->stage.stats.het_haploid_calls = 0;
    return gt_concat_place_filters(c, err);
}

static int concat_start(struct gt_stage *stage, struct gt_start *start, struct gt_err *err)
{
    struct gt_concat *c = of_stage(stage);
    const struct gt_select_stats *s = &stage->stats;
    concat_stop(stage);
    stage->stats = (struct gt_select_stats){.samples_in = s->samples_in, .samples_kept = s->samples_kept, .dropped_mind = s->dropped_mind};
    if (start->at && !is_known(c, start->at))
        start->at = NULL;
    c->start = (struct gt_start){.fields = start->fields | (c->n > 1 ? GT_SITE_POS : 0), .memory = start->memory, .deal = start->deal};
    c->current = 0;
    c->reach.high = c->reach.top = (struct gt_locus){.contig = INT32_MIN};
    gt_engine_pass(c->engine, c->extent.size > 0 ? c->extent.size : 0);
    return start->at ? begin_at(c, start->at, err) : GT_OK;
}

static int start_segment(struct gt_concat *c, struct gt_segment *segment, struct gt_err *err)
{
    const bool here = c->start.at && c->begin.segment == c->current;
    struct gt_start start = {
        .fields = c->start.fields, .memory = c->start.memory / at_once(c), .deal = c->start.deal, .at = here ? c->start.at : NULL};
    int status = gt_concat_place_filters(c, err);
    if (!status)
        status = segment->stage.ops->start(&segment->stage, &start, err);
    if (status || here) /* counted before the checkpoint */
        return status;
    c->stage.stats.sites_in += segment->reader->n_skipped;
    c->stage.stats.dropped_slice += segment->reader->n_skipped;
    return GT_OK;
}

/* --- blocks --------------------------------------------------------------------------------- */

static bool is_behind(const struct gt_site *site, const struct gt_locus *locus)
{
    return site->contig > locus->contig || (site->contig == locus->contig && site->position > locus->position);
}

/* Segments must follow one another without overlap. */
static int check_order(struct gt_concat *c, const struct gt_segment *segment, const struct gt_block *block, struct gt_err *err)
{
    for (int64_t v = 0; v < block->n && block->sites.len && c->n > 1; v++) {
        const struct gt_site *site = &gt_block_sites(block)[v];
        if (!is_behind(site, &c->reach.high)) {
            gt_fail(err, GT_INPUT, "'%s' overlaps an earlier input at %s:%lld", segment->stage.info->name, gt_site_contig(block, site),
                    (long long)site->position);
            gt_hint(err, "inputs are concatenated along variants; they must not overlap");
            return GT_INPUT;
        }
        if (is_behind(site, &c->reach.top))
            c->reach.top = (struct gt_locus){site->contig, site->position};
    }
    return GT_OK;
}

static void note_position(struct gt_concat *c, const struct gt_segment *segment, const struct gt_block *block)
{
    c->before = (struct gt_checkpoint){
        .input = segment->reader->not_indexed || block->begun ? -1 : segment->first + block->first,
        .segment = c->current,
        .first = segment->first,
        .record = block->first,
        .line = block->line,
        .virtual_offset = block->virtual_offset,
        .contigs = (int64_t)c->tables.info.contigs.n,
        .filters = (int64_t)c->tables.info.filters.n,
        .high_contig = c->reach.high.contig,
        .high_position = c->reach.high.position,
        .top_contig = c->reach.top.contig,
        .top_position = c->reach.top.position,
        .stats = c->stage.stats,
    };
}

static int accept(struct gt_concat *c, const struct gt_segment *segment, struct gt_block *block, struct gt_err *err)
{
    struct gt_select_stats dropped = block->stats;
    dropped.sites_kept = dropped.missing = dropped.genotypes = 0; /* the last stage counts what is kept */
    dropped.multiallelic = dropped.pooled = 0;
    note_position(c, segment, block);
    gt_select_stats_add(&c->stage.stats, &dropped);
    int status = check_order(c, segment, block, err);
    if (status)
        gt_stage_release(block);
    return status;
}

/* All inputs were read. */
static int end_pass(struct gt_concat *c, struct gt_err *err)
{
    gt_engine_pass_over(c->engine);
    const bool whole = c->extent.from == 0 && c->extent.to == INT64_MAX;
    int status = gt_concat_check_absent(c, true, err);
    if (!status && whole)
        status = gt_concat_check_ids(c, NULL, err);
    if (!status)
        status = gt_concat_place_filters(c, err); /* all counted: does a single index exist? */
    return status ? status : GT_END;
}

static int concat_next(struct gt_stage *stage, struct gt_block **out, struct gt_err *err)
{
    struct gt_concat *c = of_stage(stage);
    for (; c->current < c->n; c->current++, c->reach.high = c->reach.top) {
        struct gt_segment *segment = c->segment[c->current];
        int status = atomic_load(&segment->users) ? GT_OK : start_segment(c, segment, err);
        if (!status)
            status = segment->stage.ops->next(&segment->stage, out, err);
        if (!status)
            return accept(c, segment, *out, err);
        if (status != GT_END)
            return status;
    }
    return end_pass(c, err);
}

static void concat_checkpoint(const struct gt_stage *stage, struct gt_checkpoint *checkpoint)
{
    *checkpoint = ((const struct gt_concat *)stage)->before;
}

static void concat_close(struct gt_stage *stage)
{
    struct gt_concat *c = of_stage(stage);
    for (int i = 0; i < c->n; i++)
        gt_chain_close(&c->segment[i]->stage, NULL);
    free(c->segment);
    gt_tables_release(&c->tables);
    free(c);
}

int gt_concat_new(struct gt_concat **out, struct gt_engine *engine, const struct gt_source_opts *opts, int n, struct gt_err *err)
{
    static const struct gt_stage_ops ops = {concat_needs, concat_start, concat_next, NULL, concat_stop, concat_close, concat_checkpoint};
    static const struct gt_select_opts everything = GT_SELECT_ALL;
    struct gt_concat *c = gt_alloc(1, sizeof *c, err);
    if (!c)
        return GT_FAIL;
    c->stage = (struct gt_stage){.ops = &ops, .info = &c->tables.info, .can_restart = true};
    c->engine = engine;
    c->extent.to = INT64_MAX;
    c->extent.deal = opts->deal && engine->comm.size > 1;
    c->select = opts->select ? *opts->select : everything;
    c->select.records = opts->fields & GT_SITE_RECORD;
    c->select.by_sex = opts->fields & GT_SITE_CHROM_CLASS;
    c->start = (struct gt_start){.fields = opts->fields, .memory = engine->budget.limit / 3};
    c->segment = gt_alloc((size_t)n, sizeof(struct gt_segment *), err);
    int status = c->segment ? gt_tables_init(&c->tables, &engine->budget, err) : GT_FAIL;
    if (status)
        concat_close(&c->stage);
    else
        *out = c;
    return status;
}

int gt_concat_add(struct gt_concat *c, struct gt_reader *reader, struct gt_err *err)
{
    int status = gt_segment_open(&c->segment[c->n], reader, &c->tables, err);
    if (status)
        return status;
    reader->deal = c->extent.deal;
    c->stage.can_restart &= reader->stage.can_restart;
    c->n++;
    return GT_OK;
}

int gt_concat_check_restart(const struct gt_concat *c, struct gt_err *err)
{
    for (int i = 0; i < c->n; i++)
        if (!c->segment[i]->stage.can_restart)
            return gt_fail(err, GT_FAIL, "'%s' is a stream and cannot be read again", c->segment[i]->stage.info->name);
    return GT_OK;
}

/* --- the order of the segments -------------------------------------------------------------- */

static int by_first_site(const void *a, const void *b)
{
    const struct gt_locus *x = &(*(struct gt_segment *const *)a)->first_site, *y = &(*(struct gt_segment *const *)b)->first_site;
    if (x->contig != y->contig)
        return x->contig < y->contig ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

static int find_first_site(const struct gt_concat *c, struct gt_segment *segment, struct gt_err *err)
{
    struct gt_stage *stage = &segment->stage;
    struct gt_start start = {.fields = GT_SITE_POS, .memory = c->start.memory / 2};
    struct gt_block *block;
    segment->first_site.contig = -1;
    int status = gt_filter_new(&segment->filter, NULL, stage->info, err);
    if (!status)
        status = stage->ops->start(stage, &start, err);
    for (bool found = false; !found && !status && !(status = stage->ops->next(stage, &block, err));) {
        found = block->n > 0;
        if (found && gt_block_sites(block)[0].contig >= 0)
            segment->first_site = (struct gt_locus){gt_block_sites(block)[0].contig, gt_block_sites(block)[0].position};
        gt_stage_release(block);
    }
    stage->ops->stop(stage);
    gt_filter_free(segment->filter);
    segment->filter = NULL;
    return status == GT_END ? 0 : status;
}

int gt_concat_sort(struct gt_concat *c, struct gt_err *err)
{
    for (int i = 0; i < c->n; i++) {
        int status = find_first_site(c, c->segment[i], err);
        if (status)
            return status;
    }
    qsort(c->segment, (size_t)c->n, sizeof *c->segment, by_first_site);
    return 0;
}
