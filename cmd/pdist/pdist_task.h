/* Parts of a run, one for each task of an array job: --part I/N, auto or auto/N. */
#ifndef GT_CMD_PDIST_TASK_H
#define GT_CMD_PDIST_TASK_H

#include <stdint.h>

#include "core/base/err.h"

/* The part that text, the value of --part, means: *part from 0 on, of *parts.  "auto" is the task's place among the tasks of the array job
 * that this process runs in, in the order of their numbers, as Slurm, Grid Engine, LSF and PBS say in the environment.  "auto/N" is task
 * I, counted from 1, of N, for schedulers that do not say how many there are.  GT_USAGE. */
int pdist_task_part(const char *text, int64_t *part, int64_t *parts, struct gt_err *err);

#endif
