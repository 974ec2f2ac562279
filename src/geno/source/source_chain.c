/* The chain of a source: which stages stand over the inputs, and what all of them have in common. */
#include "config.h"

#include "geno/source/source_internal.h"

int gt_chain_build(struct gt_stage **last, struct gt_concat *inputs, enum gt_chain purpose, struct gt_err *err)
{
    const bool counting = purpose != GT_CHAIN_READ, dedup = inputs->select.rm_dup != GT_DUP_KEEP;
    const bool spaced = inputs->select.bp_space > 0 && purpose != GT_CHAIN_MIND;
    int status = GT_OK;
    *last = &inputs->stage;
    if (inputs->select.var_ids && !counting)
        status = gt_ids_open(last, inputs, err);
    if (!status && (dedup || spaced || !counting))
        status = gt_order_open(last, &inputs->tables, dedup ? "--rm-dup" : spaced ? "--bp-space" : NULL, err);
    if (dedup && !status)
        status = gt_dedup_open(last, inputs, err);
    if (spaced && !status)
        status = gt_space_open(last, inputs, err);
    if (inputs->select.thin_count && !counting && !status)
        status = gt_thin_count_open(last, inputs, err);
    if (inputs->select.ld_prune && !counting && !status)
        status = gt_ld_prune_open(last, inputs, err);
    if (!counting && !status)
        status = gt_count_open(last, inputs, err);
    if (status)
        gt_chain_close(*last, &inputs->stage);
    return status;
}

void gt_chain_close(struct gt_stage *last, const struct gt_stage *end)
{
    while (last != end) {
        struct gt_stage *in = last->in;
        last->ops->close(last);
        last = in;
    }
}

struct gt_stage gt_stage_over(struct gt_stage *in, const struct gt_stage_ops *ops)
{
    return (struct gt_stage){.ops = ops, .info = in->info, .in = in, .can_restart = in->can_restart};
}

void gt_stage_needs_of_in(const struct gt_stage *stage, unsigned fields, struct gt_stage_needs *needs)
{
    stage->in->ops->needs(stage->in, fields, needs);
}

void gt_stage_stop_in(struct gt_stage *stage)
{
    stage->in->ops->stop(stage->in);
}
