/* Distribution of memory, decided once, before data is read.
 *
 * A plan lists allotments for everything that will be in memory at the same time, each with
 * a minimum and a preferred size.  The resulting sizes are passed on as limits, to flows
 * (gt_flow_opts.memory) and to budgets (gt_budget_part).  Memory already in use, for names
 * and tables, is not part of the distribution. */
#ifndef GT_ENGINE_MEMORY_PLAN_H
#define GT_ENGINE_MEMORY_PLAN_H

#include <stdint.h>

#include "core/engine/engine.h"

struct gt_allotment {
    const char *name;  /* for messages: "a row group" */
    int64_t minimum;   /* bytes without which nothing goes */
    int64_t preferred; /* more than this is of no use; less than least counts as least */
    bool kept;         /* data that stays between passes */
    int64_t size;      /* settled: least, and of what is left as much as the others get, up to preferred */
};

/* GT_NOFIT, with the numbers and the smallest --memory that would do, when the least is too much. */
int gt_memory_plan_fit(struct gt_allotment *allotments, int n, const struct gt_engine *engine, struct gt_err *err);

/* The smallest --memory, in MiB, at which `least` bytes are left for shares. */
int64_t gt_memory_plan_ceiling(const struct gt_engine *engine, int64_t minimum);

/* A plan takes at least `least` and at most `preferred` bytes for shares, next to what is taken already: kept in
 * engine->needs.  gt_memory_plan_fit does so itself. */
void gt_memory_plan_note(const struct gt_engine *engine, int64_t minimum, int64_t preferred);

/* Is there room for metadata of that many bytes, which are counted as they are read?  GT_NOFIT. */
int gt_memory_plan_metadata(const struct gt_engine *engine, int64_t bytes, struct gt_err *err);

/* What planning again to name a ceiling may take (cmd/common/ceiling.h). */
#define GT_PLANNING_BYTES (INT64_C(256) << 20)

/* Has a plan been accepted, or does the hint of its refusal state the memory needed (gt_needs.hinted)?  Then there is no reason to plan
 * again. */
bool gt_memory_plan_accepted(const struct gt_engine *engine);

/* Tasks that a flow has in flight when memory does not bound them, times what one takes. */
int64_t gt_memory_plan_of_flow(const struct gt_engine *engine, int readers, int64_t task_bytes);

/* Sums and products of bytes: INT64_MAX / 2 when they would be more, below 0 counts as 0. */
int64_t gt_bytes_add(int64_t a, int64_t b);
int64_t gt_bytes_mul(int64_t a, int64_t b);

#endif
