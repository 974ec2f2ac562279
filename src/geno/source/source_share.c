/* A rank's part of a source: which of the inputs' variants it reads, and which blocks of those that are left are its own. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/source/source_internal.h"

/* Can a pass begin anywhere, and does no variant depend on those before it? */
static bool is_divisible(const struct gt_concat *c)
{
    const struct gt_select_opts *select = &c->select;
    bool divisible = !select->rm_dup && !select->bp_space && !select->thin_count && !select->ld_prune && c->stage.can_restart;
    for (int i = 0; i < c->n; i++)
        divisible = divisible && c->segment[i]->sites >= 0 && !c->segment[i]->reader->recounts;
    return divisible;
}

static int64_t variants_of(const struct gt_concat *c)
{
    int64_t n = 0;
    for (int i = 0; i < c->n; i++)
        n += c->segment[i]->sites;
    return n;
}

/* Begins with whole chunks, of a single input. */
static int64_t bound_of(const struct gt_concat *c, int64_t all, int rank, int size)
{
    const int64_t each = c->n == 1 ? gt_min_i64(c->tables.info.read_block, gt_ceil_div(all, size)) : 1;
    return each > 0 ? gt_min_i64(gt_comm_partition(gt_ceil_div(all, each), rank, size) * each, all) : 0;
}

static void add_block(struct gt_select_stats *sum, const struct gt_select_stats *block)
{
    sum->sites_kept += block->sites_kept;
    sum->missing += block->missing;
    sum->genotypes += block->genotypes;
    sum->multiallelic += block->multiallelic;
    sum->pooled += block->pooled;
}

/* A pass over the range: what is left of it, and what the stages have counted. */
static int count_range(struct gt_source *source, int64_t *left, struct gt_select_stats *stats, struct gt_err *err)
{
    struct gt_stage *last = source->count->in;
    struct gt_start start = {.fields = source->start.fields, .memory = source->start.memory};
    struct gt_block *block;
    *left = 0;
    *stats = (struct gt_select_stats){0};
    int status = last->ops->start(last, &start, err);
    while (!status && (status = last->ops->next(last, &block, err)) == GT_OK) {
        *left += block->n;
        add_block(stats, &block->stats);
        gt_stage_release(block);
    }
    for (const struct gt_stage *stage = last; stage; stage = stage->in)
        gt_select_stats_add(stats, &stage->stats);
    last->ops->stop(last);
    return status == GT_END ? GT_OK : status;
}

/* All of them, of samples those that every rank has. */
static int add_up(struct gt_comm *comm, struct gt_select_stats *stats, struct gt_err *err)
{
    const struct gt_select_stats own = *stats;
    int status = gt_comm_allreduce_i64(comm, (int64_t *)stats, sizeof *stats / sizeof(int64_t), err);
    stats->samples_in = own.samples_in;
    stats->samples_kept = own.samples_kept;
    stats->dropped_mind = own.dropped_mind;
    return status;
}

/* What ranks before this one have left, and all. */
static int share_counts(struct gt_comm *comm, int64_t own, int64_t *before, int64_t *all, struct gt_err *err)
{
    int64_t *counts = gt_alloc((size_t)comm->size, sizeof *counts, err);
    if (!counts)
        return GT_FAIL;
    counts[comm->rank] = own;
    int status = gt_comm_allreduce_i64(comm, counts, (size_t)comm->size, err);
    *before = *all = 0;
    for (int r = 0; r < comm->size; r++) {
        *before += r < comm->rank ? counts[r] : 0;
        *all += counts[r];
    }
    free(counts);
    return status;
}

static void choose_range(struct gt_concat *c, const struct gt_comm *comm)
{
    const int64_t all = variants_of(c);
    c->extent.from = bound_of(c, all, comm->rank, comm->size);
    c->extent.to = bound_of(c, all, comm->rank + 1, comm->size);
}

static int divide(struct gt_source *source, int64_t variants, struct gt_block_part *part, struct gt_err *err)
{
    struct gt_concat *c = source->inputs;
    struct gt_comm *comm = &source->engine->comm;
    struct gt_select_stats stats;
    int64_t own, before, left;
    choose_range(c, comm);
    int status = count_range(source, &own, &stats, err);
    if (!status)
        status = share_counts(comm, own, &before, &left, err);
    if (!status)
        status = add_up(comm, &stats, err);
    if (!status)
        status = gt_concat_check_ids(c, comm, err);
    if (status)
        return status;
    c->extent.to = INT64_MAX; /* the last block may end in the next range */
    part->first = gt_ceil_div(before, variants);
    part->blocks = gt_ceil_div(before + own, variants) - part->first;
    part->skip = part->first * variants - before;
    return gt_count_set(source->count, left, &stats, err);
}

int gt_source_share(struct gt_source *source, int64_t variants, struct gt_block_part *part, struct gt_err *err)
{
    const struct gt_comm *comm = &source->engine->comm;
    int status = GT_OK;
    *part = (struct gt_block_part){.turns = 1};
    if (comm->size == 1)
        return GT_OK;
    gt_source_stop(source);
    if (!is_divisible(source->inputs)) {
        part->turn = comm->rank;
        part->turns = comm->size;
        return GT_OK;
    }
    if (source->shared != variants) {
        source->part = *part;
        source->part.limited = true;
        status = divide(source, variants, &source->part, err);
        source->shared = variants;
    }
    *part = source->part;
    return status;
}

int64_t gt_source_share_most(const struct gt_source *source, int64_t variants, int64_t most)
{
    const struct gt_concat *c = source->inputs;
    const int size = source->engine->comm.size;
    if (size == 1 || most < 0)
        return most;
    const int64_t first =
        is_divisible(c) ? bound_of(c, variants_of(c), 1, size) : gt_ceil_div(gt_ceil_div(most, variants), size) * variants;
    return gt_min_i64(first, most);
}

bool gt_source_split(struct gt_source *source)
{
    const struct gt_comm *comm = &source->engine->comm;
    if (comm->size == 1 || !is_divisible(source->inputs))
        return false;
    choose_range(source->inputs, comm);
    gt_count_part(source->count);
    return true;
}

int gt_source_join(struct gt_source *source, struct gt_err *err)
{
    struct gt_comm *comm = &source->engine->comm;
    struct gt_select_stats stats = *gt_count_stats(source->count);
    int64_t left = gt_count_delivered(source->count);
    int status = gt_comm_allreduce_i64(comm, &left, 1, err);
    if (!status)
        status = add_up(comm, &stats, err);
    if (!status)
        status = gt_concat_check_ids(source->inputs, comm, err);
    return status ? status : gt_count_set(source->count, left, &stats, err);
}

int gt_source_dealt(const struct gt_source *source)
{
    const struct gt_concat *c = source->inputs;
    int n = 0;
    for (int i = 0; i < c->n; i++)
        n += c->extent.deal && c->segment[i]->reader->can_deal && !gt_filter_is_sequential(c->segment[i]->filter);
    return n;
}

bool gt_source_is_divisible(const struct gt_source *source)
{
    return is_divisible(source->inputs);
}
