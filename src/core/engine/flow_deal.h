/* A flow whose tasks are dealt to the ranks and committed on rank 0, in task order.
 *
 * Tasks are dealt in groups of `unit`, in rounds of one group for each rank.  A round begins with rank 0, or where `joined` says so with
 * another one; the next ranks follow.  A rank works on its tasks and sends their results to rank 0, where commit is called for
 * every task. */
#ifndef GT_ENGINE_FLOW_DEAL_H
#define GT_ENGINE_FLOW_DEAL_H

#include "core/base/budget.h"
#include "core/engine/flow.h"

#define GT_DEAL_RESULTS 8 /* most buffers of a task */

struct gt_deal {
    int64_t unit;
    int64_t joined; /* every so many groups one has more work: rounds begin with different ranks, so that all ranks get about as many of
                     * these; 0: none has */
    /* Lists the buffers that commit reads, which work fills: the same number for every item and rank.  Called for items that work was
     * called for, and on rank 0 also for others, whose buffers then receive what their rank has sent. */
    int (*results)(void *ctx, void *item, struct gt_buf *list[GT_DEAL_RESULTS]);
    /* With ops->read: uses, and gives back, what read took for a task of another rank.  Called in the order of tasks, on the thread that
     * reads, for all tasks before one of this rank before that one is read; where opts->tasks is -1 also for those after its last one.  On
     * rank 0 commit is called for the item later. */
    int (*drop)(void *ctx, int64_t task, void *item, struct gt_err *err);
};

/* The rank that works on a task. */
int gt_deal_owner(const struct gt_deal *deal, int ranks, int64_t task);

/* As gt_flow_run, which it is with one rank; collective.  ops has no part, and opts->tasks is the same on all ranks.  work and commit get
 * the number of the task among all.  read: by one reader, called on each rank for all tasks in order, up to the last one of the rank; it
 * ends after the same task on all ranks. */
int gt_flow_run_dealt(struct gt_engine *engine, const struct gt_flow_ops *ops, const struct gt_flow_opts *opts, const struct gt_deal *deal,
                      void *ctx, int (*commit)(void *ctx, int64_t task, void *item, struct gt_err *err), struct gt_err *err);

#endif
