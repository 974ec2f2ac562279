/* What is left of a source: variants get their numbers, and what they are is counted. */
#include "config.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/source/source_internal.h"

struct count {
    struct gt_stage stage;
    struct gt_source_tables *tables;
    int64_t required; /* --require-sites */
    int64_t delivered;
    bool ended, warned;
    bool part, set;              /* gt_count_part, gt_count_set */
    struct gt_select_stats sum;  /* over the chain, until a pass has ended */
    struct gt_checkpoint before; /* the block delivered last: delivered and statistics */
};

static void add_up(struct count *c)
{
    if (c->ended)
        return;
    c->sum = (struct gt_select_stats){0};
    for (const struct gt_stage *stage = &c->stage; stage; stage = stage->in)
        gt_select_stats_add(&c->sum, &stage->stats);
}

static int count_start(struct gt_stage *stage, struct gt_start *start, struct gt_err *err)
{
    struct count *c = (struct count *)stage;
    stage->stats = (struct gt_select_stats){0};
    int status = stage->in->ops->start(stage->in, start, err);
    c->delivered = start->at ? start->at->delivered : 0;
    add_up(c);
    return status;
}

static int require(struct count *c, int64_t n, bool bound, struct gt_err *err)
{
    char left[GT_THINGS_LEN], asked[GT_NUM_LEN];
    if (n >= c->required)
        return GT_OK;
    return gt_fail(err, GT_INPUT, "%s%s of '%s' %s left; --require-sites needs %s", bound ? "at most " : "",
                   gt_format_things(left, n, "variant"), c->stage.info->name, n == 1 ? "is" : "are", gt_format_count(asked, c->required));
}

static int warn_empty(struct count *c, struct gt_err *err)
{
    struct gt_str text = {0};
    if (c->warned)
        return GT_OK;
    c->warned = true;
    gt_str_addf(&text, c->sum.sites_in ? "no variants of '%s' are left" : "'%s' has no variants", c->stage.info->name);
    return gt_tables_warn(c->tables, &text, err);
}

static int end(struct count *c, struct gt_err *err)
{
    if (c->set)
        return GT_END;
    add_up(c);
    c->ended = true;
    if (c->part)
        return GT_END;
    int status = require(c, c->delivered, false, err);
    if (!status && !c->delivered)
        status = warn_empty(c, err);
    return status ? status : GT_END;
}

static int count_next(struct gt_stage *stage, struct gt_block **out, struct gt_err *err)
{
    struct count *c = (struct count *)stage;
    int status = stage->in->ops->next(stage->in, out, err);
    if (status)
        return status == GT_END ? end(c, err) : status;
    struct gt_block *block = *out;
    c->before.delivered = c->delivered;
    c->before.stats = stage->stats;
    block->first = c->delivered;
    c->delivered += block->n;
    stage->stats.sites_kept += block->stats.sites_kept;
    stage->stats.missing += block->stats.missing;
    stage->stats.genotypes += block->stats.genotypes;
    stage->stats.multiallelic += block->stats.multiallelic;
    stage->stats.pooled += block->stats.pooled;
    add_up(c);
    return GT_OK;
}

static void count_checkpoint(const struct gt_stage *stage, struct gt_checkpoint *checkpoint)
{
    const struct count *c = (const struct count *)stage;
    stage->in->ops->checkpoint(stage->in, checkpoint);
    gt_select_stats_add(&checkpoint->stats, &c->before.stats);
    checkpoint->delivered = c->before.delivered;
}

static void count_close(struct gt_stage *stage)
{
    free(stage);
}

const struct gt_select_stats *gt_count_stats(const struct gt_stage *count)
{
    return &((const struct count *)count)->sum;
}

void gt_count_part(struct gt_stage *count)
{
    ((struct count *)count)->part = true;
}

int64_t gt_count_delivered(const struct gt_stage *count)
{
    return ((const struct count *)count)->delivered;
}

int gt_count_set(struct gt_stage *count, int64_t left, const struct gt_select_stats *stats, struct gt_err *err)
{
    struct count *c = (struct count *)count;
    c->set = c->ended = true;
    c->sum = *stats;
    int status = require(c, left, false, err);
    return status || left ? status : warn_empty(c, err);
}

int gt_count_open(struct gt_stage **last, struct gt_concat *inputs, struct gt_err *err)
{
    static const struct gt_stage_ops ops = {gt_stage_needs_of_in, count_start, count_next,      NULL,
                                            gt_stage_stop_in,     count_close, count_checkpoint};
    const struct gt_geno_info *info = &inputs->tables.info;
    struct count *c = gt_alloc(1, sizeof *c, err);
    if (!c)
        return GT_FAIL;
    c->stage = gt_stage_over(*last, &ops);
    c->tables = &inputs->tables;
    c->required = inputs->select.require_sites;
    int status = info->n_variants_max < 0 ? GT_OK : require(c, info->n_variants_max, info->n_variants < 0, err);
    if (status) {
        free(c);
        return status;
    }
    add_up(c);
    *last = &c->stage;
    return GT_OK;
}
