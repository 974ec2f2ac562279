#include "config.h"

#include "core/engine/memory_plan.h"

#include "core/base/size.h"
#include "core/base/str.h"
#include "core/engine/flow.h"

#define MIB (INT64_C(1) << 20)
#define MOST (INT64_MAX / 2)

int64_t gt_bytes_add(int64_t a, int64_t b)
{
    a = a > 0 ? a : 0;
    b = b > 0 ? b : 0;
    return a > MOST - (b < MOST ? b : MOST) ? MOST : a + b;
}

int64_t gt_bytes_mul(int64_t a, int64_t b)
{
    int64_t n;
    if (a <= 0 || b <= 0)
        return 0;
    return gt_mul_i64(a, b, &n) && n < MOST ? n : MOST;
}

int64_t gt_memory_plan_of_flow(const struct gt_engine *engine, int readers, int64_t task_bytes)
{
    return gt_bytes_mul(gt_flow_most_items(engine, readers), task_bytes);
}

/* Code and libraries, and what is counted in the budget already. */
static int64_t taken_by(const struct gt_engine *engine)
{
    return engine->limits.memory - engine->budget.limit + atomic_load(&engine->budget.used);
}

void gt_memory_plan_note(const struct gt_engine *engine, int64_t minimum, int64_t preferred)
{
    struct gt_needs *needs = engine->needs;
    const int64_t high = needs->opened ? needs->opened : atomic_load(&engine->budget.high);
    const int64_t peak = engine->limits.memory - engine->budget.limit + high;
    int64_t all = gt_bytes_add(taken_by(engine), minimum);

    all = all > peak ? all : peak;
    needs->minimum = needs->minimum > all ? needs->minimum : all;
    all = gt_bytes_add(taken_by(engine), preferred > minimum ? preferred : minimum);
    needs->preferred = needs->preferred > all ? needs->preferred : all;
    needs->preferred = needs->preferred > needs->minimum ? needs->preferred : needs->minimum;
}

int64_t gt_memory_plan_ceiling(const struct gt_engine *engine, int64_t minimum)
{
    return gt_ceil_div(gt_bytes_add(taken_by(engine), minimum), MIB);
}

bool gt_memory_plan_accepted(const struct gt_engine *engine)
{
    const struct gt_needs *needs = engine->needs;
    return needs->hinted || (needs->minimum > 0 && !needs->more && needs->minimum <= engine->limits.memory);
}

static int64_t all_minima(const struct gt_allotment *allotments, int n)
{
    int64_t sum = 0;
    for (int i = 0; i < n; i++)
        sum = gt_bytes_add(sum, allotments[i].minimum);
    return sum;
}

static int64_t all_preferred(const struct gt_allotment *allotments, int n)
{
    int64_t sum = 0;
    for (int i = 0; i < n; i++)
        sum = gt_bytes_add(sum, allotments[i].preferred > allotments[i].minimum ? allotments[i].preferred : allotments[i].minimum);
    return sum;
}

static int refuse(const struct gt_allotment *allotments, int n, int64_t room, const struct gt_engine *engine, struct gt_err *err)
{
    char memory[GT_NUM_LEN], left[GT_NUM_LEN], need[GT_NUM_LEN], one[GT_NUM_LEN];
    struct gt_str parts = {0};
    for (int i = 0; i < n; i++)
        if (allotments[i].minimum > 0)
            gt_str_addf(&parts, "%s%s for %s", parts.len ? ", " : "", gt_format_size(one, allotments[i].minimum), allotments[i].name);
    int status = gt_str_check(&parts, err);
    if (!status) {
        status =
            gt_fail(err, GT_NOFIT, "%s of memory leaves %s for data, but %s is needed: %s", gt_format_size(memory, engine->limits.memory),
                    gt_format_size(left, room > 0 ? room : 0), gt_format_size(need, all_minima(allotments, n)), parts.s);
        gt_hint(err, "--memory %lldM would do", (long long)gt_memory_plan_ceiling(engine, all_minima(allotments, n)));
    }
    gt_str_release(&parts);
    return status;
}

static int64_t lacks(const struct gt_allotment *allotment)
{
    return allotment->preferred > allotment->size ? allotment->preferred - allotment->size : 0;
}

/* Those that want least get it first: every round each gets the same, or what it lacks. */
static void spread(struct gt_allotment *allotments, int n, int64_t rest)
{
    for (;;) {
        int64_t hungry = 0, each;
        for (int i = 0; i < n; i++)
            hungry += lacks(&allotments[i]) > 0;
        if (!hungry || (each = rest / hungry) == 0)
            return;
        for (int i = 0; i < n; i++) {
            int64_t more = lacks(&allotments[i]) < each ? lacks(&allotments[i]) : each;
            allotments[i].size += more;
            rest -= more;
        }
    }
}

int gt_memory_plan_fit(struct gt_allotment *allotments, int n, const struct gt_engine *engine, struct gt_err *err)
{
    int64_t room = engine->budget.limit - atomic_load(&engine->budget.used), minimum = all_minima(allotments, n);
    gt_memory_plan_note(engine, minimum, all_preferred(allotments, n));
    engine->needs->more = false;
    if (minimum > room)
        return refuse(allotments, n, room, engine, err);
    for (int i = 0; i < n; i++)
        allotments[i].size = allotments[i].minimum;
    spread(allotments, n, room - minimum);
    for (int i = 0; i < n; i++)
        gt_plan_record_share(engine->plan, &(struct gt_plan_share){.name = allotments[i].name,
                                                                   .minimum = allotments[i].minimum,
                                                                   .preferred = allotments[i].preferred,
                                                                   .size = allotments[i].size,
                                                                   .kept = allotments[i].kept});
    return GT_OK;
}

int gt_memory_plan_metadata(const struct gt_engine *engine, int64_t bytes, struct gt_err *err)
{
    struct gt_allotment allotment = {.name = "metadata", .minimum = bytes};
    int status = gt_memory_plan_fit(&allotment, 1, engine, err);
    engine->needs->hinted = status && allotment.minimum > GT_PLANNING_BYTES / 2;
    engine->needs->more = true;
    return status;
}
