/* What is planned and what is run come together by names of flows: all members of all steps and shares. */
#include <stdio.h>
#include <string.h>

#include "core/engine/plan_record.h"
#include "test/support/tap.h"

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static void is_step(const struct gt_plan_record *record, int i, const struct gt_plan_step *want, const char *what)
{
    const struct gt_plan_step *got = &record->step[i];
    ok(i < record->n_steps && same_text(got->flow, want->flow) && same_text(got->read, want->read) && same_text(got->work, want->work) &&
           same_text(got->part, want->part) && got->tasks == want->tasks && got->parts == want->parts &&
           got->task_bytes == want->task_bytes && got->passes == want->passes && got->started == want->started && got->into == want->into,
       "%s: %s, %lld tasks, %lld parts, %lld bytes, %lld passes, %s, into %d", what, got->flow, (long long)got->tasks,
       (long long)got->parts, (long long)got->task_bytes, (long long)got->passes, got->started ? "started" : "planned", got->into);
}

static void test_steps(struct gt_plan_record *record)
{
    const struct gt_plan_step planned = {
        .flow = "read", .read = "get", .work = "decode", .part = "sum", .tasks = 40, .parts = 3, .task_bytes = 500, .passes = 7, .into = 9};
    struct gt_plan_step want = planned;
    gt_plan_record_step(record, &planned);
    want.into = -1;
    is_step(record, 0, &want, "planned");
    gt_plan_record_step(record, &(struct gt_plan_step){.flow = "read", .tasks = 41, .passes = 2, .into = 3});
    want = (struct gt_plan_step){.flow = "read", .tasks = 41, .passes = 2, .into = -1};
    is_step(record, 0, &want, "planned otherwise");
    ok(record->n_steps == 1, "one step of a name");

    ok(gt_plan_record_start(record, &(struct gt_plan_step){.flow = "write", .tasks = -1, .into = 5}) == 1, "a flow that was not planned");
    is_step(record, 1, &(struct gt_plan_step){.flow = "write", .tasks = -1, .passes = 1, .started = true, .into = -1}, "not planned");
    gt_plan_record_edge(record, 0, 1);
    gt_plan_record_edge(record, -1, 0);
    gt_plan_record_edge(record, 1, -1);
    gt_plan_record_edge(record, 1, 1);
    is_step(record, 1, &(struct gt_plan_step){.flow = "write", .tasks = -1, .passes = 1, .started = true, .into = -1},
            "edges that are none");

    ok(gt_plan_record_start(record, &(struct gt_plan_step){.flow = "read", .read = "fetch", .tasks = -1, .parts = 1, .task_bytes = 6}) == 0,
       "the planned one starts");
    want = (struct gt_plan_step){
        .flow = "read", .read = "fetch", .tasks = 41, .parts = 1, .task_bytes = 6, .passes = 1, .started = true, .into = 1};
    is_step(record, 0, &want, "of a number of tasks that only the plan knew");
    gt_plan_record_start(record, &(struct gt_plan_step){.flow = "read", .tasks = 0, .passes = 100});
    want = (struct gt_plan_step){.flow = "read", .tasks = 0, .passes = 2, .started = true, .into = 1};
    is_step(record, 0, &want, "once more, with no task");
    gt_plan_record_step(record, &planned);
    is_step(record, 0, &want, "what started is not planned again");

    gt_plan_record_start(record, &(struct gt_plan_step){.flow = "read", .task_bytes = 6});
    gt_plan_record_end(record, 0, 5);
    gt_plan_record_end(record, 0, 4);
    gt_plan_record_end(record, -1, 9);
    gt_plan_record_start(record, &(struct gt_plan_step){.flow = "read", .task_bytes = 6});
    ok(record->step[0].task_peak == 5 && record->step[1].task_peak == 0, "what tasks of two runs counted at most");
    gt_plan_record_start(record, &(struct gt_plan_step){.flow = "read", .task_bytes = 7});
    ok(record->step[0].task_peak == 0, "another size of tasks: from the start");

    static char names[GT_PLAN_STEPS + 1][16];
    for (int i = 2; i <= GT_PLAN_STEPS; i++)
        snprintf(names[i], sizeof names[i], "f%d", i);
    for (int i = 2; i < GT_PLAN_STEPS; i++)
        gt_plan_record_step(record, &(struct gt_plan_step){.flow = names[i], .tasks = i});
    ok(record->n_steps == GT_PLAN_STEPS && record->step[GT_PLAN_STEPS - 1].tasks == GT_PLAN_STEPS - 1,
       "as many steps as there is room for");
    gt_plan_record_step(record, &(struct gt_plan_step){.flow = names[GT_PLAN_STEPS]});
    ok(gt_plan_record_start(record, &(struct gt_plan_step){.flow = names[GT_PLAN_STEPS]}) == -1 && record->n_steps == GT_PLAN_STEPS,
       "one more is not recorded");
    ok(gt_plan_record_start(record, &(struct gt_plan_step){.flow = "f31"}) == 31, "the last one is found");
}

static bool is_share(const struct gt_plan_share *got, const char *name, int64_t minimum, int64_t preferred, int64_t size, bool kept)
{
    return !strcmp(got->name, name) && got->minimum == minimum && got->preferred == preferred && got->size == size && got->kept == kept;
}

static void test_shares(struct gt_plan_record *record)
{
    gt_plan_record_share(record, &(struct gt_plan_share){"a", 1, 2, 3, true});
    gt_plan_record_share(record, &(struct gt_plan_share){"b", 4, 5, 6, false});
    gt_plan_record_share(record, &(struct gt_plan_share){"a", 7, 8, 9, false});
    ok(record->n_shares == 2 && is_share(&record->share[0], "a", 7, 8, 9, false) && is_share(&record->share[1], "b", 4, 5, 6, false),
       "the last share of a name counts");
    static char names[GT_PLAN_SHARES + 1][16];
    for (int i = 2; i <= GT_PLAN_SHARES; i++) {
        snprintf(names[i], sizeof names[i], "s%d", i);
        gt_plan_record_share(record, &(struct gt_plan_share){names[i], i, 2 * i, 3 * i, i % 2});
    }
    ok(record->n_shares == GT_PLAN_SHARES && is_share(&record->share[2], "s2", 2, 4, 6, false) &&
           is_share(&record->share[31], "s31", 31, 62, 93, true),
       "as many as there is room for");
}

int main(void)
{
    struct gt_err err = {0};
    struct gt_plan_record *record = gt_plan_record_new(&err);
    if (!record)
        return 1;
    test_steps(record);
    test_shares(record);
    gt_plan_record_free(record);
    gt_plan_record_free(NULL);
    return done_testing();
}
