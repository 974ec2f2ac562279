/* What a run consists of: steps, each a flow that is run once or several times, and shares of memory.
 *
 * Plans note their steps before data is read; flows note themselves when they start, and who reads their results.  A step is known by
 * the name of its flow: what was planned and what was run come together there.  Any thread. */
#ifndef GT_ENGINE_PLAN_RECORD_H
#define GT_ENGINE_PLAN_RECORD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"

enum { GT_PLAN_STEPS = 32, GT_PLAN_SHARES = 32 };

struct gt_plan_step {
    const char *flow;               /* static text, here and below */
    const char *read, *work, *part; /* names of its stages; NULL: it has none of that kind */
    int64_t tasks;                  /* of one run of the flow; -1: not known */
    int64_t parts;                  /* sums that all tasks are added to; 0: none */
    int64_t task_bytes;             /* memory of a task at most, as planned; 0: not known */
    int64_t task_peak;              /* what a task counted at most, in the runs with this task_bytes that have ended */
    int64_t passes;                 /* runs of the flow: planned, and once started, those so far; -1: not known */
    bool started;
    int into; /* the step that reads the results as they come; -1: none does */
};

struct gt_plan_share {
    const char *name;
    int64_t minimum, preferred, size;
    bool kept; /* data that stays between passes */
};

struct gt_plan_record {
    pthread_mutex_t lock;
    struct gt_plan_step step[GT_PLAN_STEPS];
    int n_steps;
    struct gt_plan_share share[GT_PLAN_SHARES];
    int n_shares;
};

struct gt_plan_record *gt_plan_record_new(struct gt_err *err);
void gt_plan_record_free(struct gt_plan_record *record); /* NULL is fine */

/* A step that is planned; steps beyond GT_PLAN_STEPS are not recorded. */
void gt_plan_record_step(struct gt_plan_record *record, const struct gt_plan_step *step);
/* A flow starts: the number of its step, or -1.  step->passes, task_peak and into do not count. */
int gt_plan_record_start(struct gt_plan_record *record, const struct gt_plan_step *step);
/* A run of the flow ends, of which a task counted that much memory at most.  step -1 is ignored. */
void gt_plan_record_end(struct gt_plan_record *record, int step, int64_t task_peak);
/* Results of step `from` are read by step `to`; -1 is ignored. */
void gt_plan_record_edge(struct gt_plan_record *record, int from, int to);
/* A share was settled; the last one of that name counts. */
void gt_plan_record_share(struct gt_plan_record *record, const struct gt_plan_share *share);

#endif
