#include "cmd/pdist/pdist_task.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/size.h"

/* The variables of a scheduler; NULL where it has none.  Tasks are numbered first, first + step, ..., last. */
struct scheduler {
    const char *name, *task, *first, *last, *step, *count;
};

static const struct scheduler schedulers[] = {
    {"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP", "SLURM_ARRAY_TASK_COUNT"},
    {"Grid Engine", "SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE", NULL},
    {"LSF", "LSB_JOBINDEX", NULL, "LSB_JOBINDEX_END", "LSB_JOBINDEX_STEP", NULL},
    {"PBS", "PBS_ARRAY_INDEX", NULL, NULL, NULL, NULL},
    {"Torque", "PBS_ARRAYID", NULL, NULL, NULL, NULL},
};

/* The number in a variable; false: it has none. */
static bool number(const char *variable, int64_t *to)
{
    const char *text = variable ? getenv(variable) : NULL;
    return text && gt_parse_count(text, to, NULL) == GT_OK;
}

/* The scheduler of this task.  Outside of an array job LSF's number is 0, and Grid Engine's is "undefined". */
static const struct scheduler *find_scheduler(int64_t *task)
{
    for (size_t i = 0; i < sizeof schedulers / sizeof *schedulers; i++) {
        const bool found = number(schedulers[i].task, task);
        if (found && (*task > 0 || strcmp(schedulers[i].name, "LSF") != 0))
            return &schedulers[i];
    }
    return NULL;
}

/* The task's place and the number of tasks, as the scheduler says. */
static int place_among(const struct scheduler *scheduler, int64_t task, int64_t *part, int64_t *parts, struct gt_err *err)
{
    int64_t first = 1, last, step = 1, count;
    if (!number(scheduler->last, &last)) {
        gt_fail(err, GT_USAGE, "--part auto: %s does not say how many tasks the array job has", scheduler->name);
        gt_hint(err, "number the tasks 1 to N, and give --part auto/N");
        return GT_USAGE;
    }
    number(scheduler->first, &first);
    number(scheduler->step, &step);
    step = step > 0 ? step : 1;
    *parts = (last - first) / step + 1;
    *part = (task - first) / step;
    if (task >= first && task <= last && (task - first) % step == 0 && (!number(scheduler->count, &count) || count == *parts))
        return GT_OK;
    gt_fail(err, GT_USAGE, "--part auto: the tasks of this array job of %s are not numbered evenly", scheduler->name);
    gt_hint(err, "number them 1 to N, or give --part I/N");
    return GT_USAGE;
}

static int find_part(const char *text, const char *slash, int64_t *part, int64_t *parts, struct gt_err *err)
{
    int64_t task;
    const struct scheduler *scheduler = find_scheduler(&task);
    if (!scheduler) {
        gt_fail(err, GT_USAGE, "--part %s: this process is not a task of an array job of Slurm, Grid Engine, LSF or PBS", text);
        gt_hint(err, "give --part I/N");
        return GT_USAGE;
    }
    if (!slash)
        return place_among(scheduler, task, part, parts, err);
    *part = task - 1;
    if (gt_parse_count(slash + 1, parts, NULL) || *parts < 1)
        return gt_fail(err, GT_USAGE, "--part %s: N must be a number above 0", text);
    if (task < 1 || task > *parts)
        return gt_fail(err, GT_USAGE, "--part %s: this is task %lld, which must be from 1 to %lld", text, (long long)task,
                       (long long)*parts);
    return GT_OK;
}

int pdist_task_part(const char *text, int64_t *part, int64_t *parts, struct gt_err *err)
{
    const char *slash = strchr(text, '/');
    char first[24] = "";
    const size_t n = slash ? (size_t)(slash - text) : strlen(text);
    if (n < sizeof first)
        memcpy(first, text, n);
    if (strcmp(first, "auto") == 0)
        return find_part(text, slash, part, parts, err);
    if (!slash || gt_parse_count(first, part, NULL) || gt_parse_count(slash + 1, parts, NULL) || *part < 1 || *part > *parts)
        return gt_fail(err, GT_USAGE, "--part %s: must be I/N, with I from 1 to N, or auto", text);
    --*part;
    return GT_OK;
}
