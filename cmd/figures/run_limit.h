/* What limited a run, from the figures of its report. */
#ifndef GT_CMD_RUN_LIMIT_H
#define GT_CMD_RUN_LIMIT_H

#include <json-c/json.h>

#include "core/engine/engine.h"

/* {cause, text}: cause is one of "short run", "few tasks", "small tasks", "memory", "input", "output", "threads", "codec", "ranks",
 * "cpu share", "outside tasks" and "computation"; text is a sentence with the figures, and with what to try.  report: with stages, threads
 * and time, of several ranks those of all (gt_trace_profile, doc/report.schema.json).  NULL: out of memory. */
struct json_object *gt_run_limit(const struct gt_engine *engine, struct json_object *report);

#endif
