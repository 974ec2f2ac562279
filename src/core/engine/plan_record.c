#include "config.h"

#include "core/engine/plan_record.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

struct gt_plan_record *gt_plan_record_new(struct gt_err *err)
{
    struct gt_plan_record *record = gt_alloc(1, sizeof *record, err);
    if (record)
        pthread_mutex_init(&record->lock, NULL);
    return record;
}

void gt_plan_record_free(struct gt_plan_record *record)
{
    if (record)
        pthread_mutex_destroy(&record->lock);
    free(record);
}

/* The step of that flow, made if it is not there; -1: there is no room. */
static int find_step(struct gt_plan_record *record, const char *flow)
{
    for (int i = 0; i < record->n_steps; i++)
        if (!strcmp(record->step[i].flow, flow))
            return i;
    if (record->n_steps == GT_PLAN_STEPS)
        return -1;
    record->step[record->n_steps] = (struct gt_plan_step){.flow = flow, .tasks = -1, .into = -1};
    return record->n_steps++;
}

void gt_plan_record_step(struct gt_plan_record *record, const struct gt_plan_step *step)
{
    pthread_mutex_lock(&record->lock);
    const int i = find_step(record, step->flow);
    if (i >= 0 && !record->step[i].started) {
        record->step[i] = *step;
        record->step[i].into = -1;
    }
    pthread_mutex_unlock(&record->lock);
}

int gt_plan_record_start(struct gt_plan_record *record, const struct gt_plan_step *step)
{
    pthread_mutex_lock(&record->lock);
    const int i = find_step(record, step->flow);
    if (i >= 0) {
        struct gt_plan_step *to = &record->step[i];
        const int64_t passes = to->started ? to->passes + 1 : 1, tasks = step->tasks >= 0 ? step->tasks : to->tasks;
        const int64_t peak = to->task_bytes == step->task_bytes ? to->task_peak : 0;
        const int into = to->into;
        *to = *step;
        to->task_peak = peak;
        to->started = true;
        to->passes = passes;
        to->tasks = tasks;
        to->into = into;
    }
    pthread_mutex_unlock(&record->lock);
    return i;
}

void gt_plan_record_end(struct gt_plan_record *record, int step, int64_t task_peak)
{
    if (step < 0)
        return;
    pthread_mutex_lock(&record->lock);
    if (record->step[step].task_peak < task_peak)
        record->step[step].task_peak = task_peak;
    pthread_mutex_unlock(&record->lock);
}

void gt_plan_record_edge(struct gt_plan_record *record, int from, int to)
{
    if (from < 0 || to < 0 || from == to)
        return;
    pthread_mutex_lock(&record->lock);
    record->step[from].into = to;
    pthread_mutex_unlock(&record->lock);
}

void gt_plan_record_share(struct gt_plan_record *record, const struct gt_plan_share *share)
{
    pthread_mutex_lock(&record->lock);
    int i = 0;
    while (i < record->n_shares && strcmp(record->share[i].name, share->name) != 0)
        i++;
    if (i < GT_PLAN_SHARES)
        record->share[i] = *share;
    if (i == record->n_shares && i < GT_PLAN_SHARES)
        record->n_shares++;
    pthread_mutex_unlock(&record->lock);
}
