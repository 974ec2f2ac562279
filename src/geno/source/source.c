/* A source: passes over its chain of stages. */
#include "config.h"

#include "geno/source/source.h"

#include <stdlib.h>

#include "geno/source/source_internal.h"

void gt_source_free(struct gt_source *source)
{
    if (!source)
        return;
    gt_chain_close(source->last, NULL);
    free(source);
}

void gt_source_set_memory(struct gt_source *source, int64_t memory)
{
    source->start.memory = memory;
}

int gt_source_next(struct gt_source *source, struct gt_block **out, struct gt_err *err)
{
    struct gt_stage *last = source->last;
    int status = source->started ? GT_OK : last->ops->start(last, &source->start, err);
    source->started = true;
    source->start.at = NULL;
    return status ? status : last->ops->next(last, out, err);
}

void gt_source_done(struct gt_source *source, struct gt_block *block)
{
    (void)source;
    gt_stage_release(block);
}

int gt_source_rewind(struct gt_source *source, struct gt_err *err)
{
    source->started = false;
    return source->last->can_restart ? GT_OK : gt_concat_check_restart(source->inputs, err);
}

bool gt_source_can_rewind(const struct gt_source *source)
{
    return source->last->can_restart;
}

void gt_source_stop(struct gt_source *source)
{
    source->last->ops->stop(source->last);
    gt_chain_close(source->last, source->count);
    source->last = source->count;
    source->started = false;
}

int gt_source_reblock(struct gt_source *source, const struct gt_reblock_opts *opts, struct gt_err *err)
{
    struct gt_reblock_opts blocks = *opts;
    int status = GT_OK;
    gt_source_stop(source);
    if (opts->alleles) {
        status = gt_alleles_open(&source->last, source->engine, opts, err);
        blocks.look = NULL; /* it looks itself, at blocks that have sites */
    }
    return status ? status : gt_reblock_open(&source->last, source->engine, &blocks, err);
}

bool gt_source_has_alleles(const struct gt_source *source)
{
    const struct gt_concat *inputs = source->inputs;
    bool any = false;
    for (int i = 0; i < inputs->n; i++)
        any |= (inputs->segment[i]->stage.info->has & GT_HAS_ALTS) != 0;
    return any && !gt_source_info(source)->two_alleles;
}

int64_t gt_source_alleles_bytes(const struct gt_source *source)
{
    return 2 * GT_ALLELE_ROWS * ((gt_source_info(source)->n_samples + 3) / 4 + 2) + 4096;
}

void gt_source_start_at(struct gt_source *source, const struct gt_checkpoint *checkpoint)
{
    source->at = *checkpoint;
    source->start.at = &source->at;
}

void gt_source_checkpoint(const struct gt_source *source, struct gt_checkpoint *checkpoint)
{
    source->last->ops->checkpoint(source->last, checkpoint);
}

const struct gt_geno_info *gt_source_info(const struct gt_source *source)
{
    return source->last->info;
}

const struct gt_geno_info *gt_source_lacking(const struct gt_source *source, unsigned has)
{
    const struct gt_concat *inputs = source->inputs;
    for (int i = 0; i < inputs->n; i++)
        if (has & ~inputs->segment[i]->stage.info->has)
            return inputs->segment[i]->stage.info;
    return NULL;
}

const struct gt_select_stats *gt_source_stats(const struct gt_source *source)
{
    return gt_count_stats(source->count);
}

const struct gt_strs *gt_source_pruned_ids(const struct gt_source *source)
{
    return gt_ld_prune_ids(source->last);
}

const struct gt_strs *gt_source_notes(const struct gt_source *source)
{
    return &source->inputs->tables.notes;
}

const struct gt_strs *gt_source_warnings(const struct gt_source *source)
{
    return &source->inputs->tables.warnings;
}
