/* The engine's other parts: budget, counted buffers, trace, comm, start. */
#include "config.h"

#include <json-c/json.h>
#include <pthread.h>
#include <string.h>

#include "core/engine/engine.h"
#include "core/engine/flow.h"
#include "core/engine/memory_plan.h"
#include "test/support/tap.h"

static void test_budget(void)
{
    struct gt_budget budget;
    struct gt_err err = {0};
    gt_budget_init(&budget, 1000);
    ok(gt_budget_take(&budget, 600, &err) == GT_OK && gt_budget_take(&budget, 400, &err) == GT_OK, "up to the limit");
    ok(gt_budget_take(&budget, 1, &err) == GT_NOFIT && strstr(err.msg, "1000 B") && strstr(err.hint, "--memory"), "not past it: %s",
       err.msg);
    gt_err_clear(&err);
    ok(gt_budget_take(&budget, SIZE_MAX, &err) == GT_NOFIT && gt_budget_take(&budget, INT64_MAX, NULL) == GT_NOFIT, "nor by overflow");
    gt_budget_give(&budget, 1000);
    ok(budget.used == 0 && budget.high == 1000, "high-water mark");

    struct gt_buf a = {.budget = &budget}, b = {0};
    gt_err_clear(&err);
    ok(gt_buf_append(&a, "abc", 3, &err) == GT_OK && gt_buf_append(&a, "def", 3, &err) == GT_OK && !memcmp(a.data, "abcdef", 6) &&
           a.len == 6,
       "a buffer grows");
    ok((uintptr_t)a.data % 64 == 0 && budget.used == (int64_t)a.cap, "aligned and counted");
    ok(gt_buf_resize(&a, 300, &err) == GT_OK && !memcmp(a.data, "abcdef", 6) && budget.used == (int64_t)a.cap, "resize keeps the contents");
    ok(gt_buf_resize(&a, 2000, &err) == GT_NOFIT && a.len == 300 && budget.used == (int64_t)a.cap, "a refused resize changes nothing");
    ok(gt_buf_reserve(&b, SIZE_MAX, NULL) != GT_OK && gt_buf_append(&b, "x", 1, NULL) == GT_OK, "without a budget");
    struct gt_budget *owner = b.budget;
    gt_buf_swap(&a, &b);
    ok(b.len == 300 && a.len == 1 && b.budget == &budget && a.budget == owner, "swap takes the budget along");
    gt_buf_release(&a);
    gt_buf_release(&b);
    ok(budget.used == 0 && b.budget == &budget && !b.data, "release gives all back");
}

static void *take_and_give(void *arg)
{
    struct gt_budget *budget = arg;
    for (int i = 0; i < 20000; i++)
        if (gt_budget_take(budget, (size_t)(i % 7), NULL) == GT_OK)
            gt_budget_give(budget, (size_t)(i % 7));
    return NULL;
}

static void test_budget_threads(void)
{
    struct gt_budget budget;
    pthread_t threads[4];
    gt_budget_init(&budget, 12);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, take_and_give, &budget);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    ok(budget.used == 0 && budget.high <= 12 && budget.high >= 6, "counted right from four threads");
}

static int work(void *ctx, int64_t task, void *item, struct gt_err *err)
{
    (void)ctx, (void)task, (void)item, (void)err;
    gt_flow_bytes(5);
    return GT_OK;
}

/* Number of complete events in a Chrome trace, -1 when it is no such JSON. */
static int events_in(const char *text)
{
    struct json_object *root = json_tokener_parse(text), *list, *phase, *field;
    int n = -1;
    if (root && json_object_object_get_ex(root, "traceEvents", &list) && json_object_is_type(list, json_type_array)) {
        n = 0;
        for (size_t i = 0; i < json_object_array_length(list); i++) {
            struct json_object *event = json_object_array_get_idx(list, i);
            if (json_object_object_get_ex(event, "ph", &phase) && !strcmp(json_object_get_string(phase), "X") &&
                json_object_object_get_ex(event, "dur", &field) && json_object_get_double(field) >= 0)
                n++;
        }
    }
    json_object_put(root);
    return n;
}

static void test_engine(void)
{
    struct gt_limits limits = {.threads = 2, .io_threads = 2, .memory = 256 << 20, .threads_from = "test", .memory_from = "--memory"};
    struct gt_engine engine;
    struct gt_err err = {0};
    ok(gt_engine_init(&engine, &limits, "/some/folder", &err) == GT_OK && !strcmp(engine.tmpdir, "/some/folder"), "an engine starts");
    diag("of 256 MiB, %lld MiB are for buffers", (long long)(engine.budget.limit >> 20));
    ok(engine.budget.limit > 150 << 20 && engine.budget.limit < 240 << 20, "code and stacks are taken off");
    ok(engine.comm.size == 1 && engine.comm.rank == 0, "of one rank");

    static const struct gt_flow_ops ops = {.name = "a \"quoted\" flow", .work_name = "tick", .item_size = 1, .work = work};
    struct gt_flow_opts opts = {.tasks = 300};
    ok(gt_trace_stage(&engine.trace, "f", "s") == gt_trace_stage(&engine.trace, "f", "s"), "a stage keeps its number");
    ok(gt_flow_run(&engine, &ops, &opts, NULL, NULL, &err) == GT_OK, "a flow without commit");
    char *text = NULL;
    size_t n;
    FILE *file = open_memstream(&text, &n);
    ok(gt_trace_write(&engine.trace, NULL, file, &err) == GT_OK && fclose(file) == 0 && events_in(text) == 300,
       "the trace is JSON with every task");
    free(text);
    opts.tasks = 60000;
    gt_flow_run(&engine, &ops, &opts, NULL, NULL, &err);
    struct gt_trace_total totals[GT_TRACE_STAGES];
    int stages = gt_trace_totals(&engine.trace, totals), ticks = -1;
    for (int i = 0; i < stages; i++)
        if (!strcmp(totals[i].stage, "tick"))
            ticks = i;
    ok(ticks >= 0 && totals[ticks].count == 60300 && totals[ticks].bytes == 301500, "totals do not wrap");
    file = open_memstream(&text, &n);
    gt_trace_write(&engine.trace, NULL, file, &err);
    fclose(file);
    ok(events_in(text) > 8000, "a full ring keeps the latest");
    free(text);
    file = fopen("/dev/full", "w");
    ok(!file || gt_trace_write(&engine.trace, NULL, file, &err) == GT_FAIL, "a full disk: %s", err.msg);
    if (file)
        fclose(file);
    static char names[100][16];
    bool in_range = true;
    for (int i = 0; i < 100; i++) {
        snprintf(names[i], sizeof names[i], "s%d", i);
        int stage = gt_trace_stage(&engine.trace, "many", names[i]);
        in_range = in_range && stage >= 0 && stage < GT_TRACE_STAGES;
    }
    ok(in_range, "more stages than there is room for share a number");
    gt_engine_release(&engine);
    gt_engine_release(&engine);

    gt_err_clear(&err);
    limits.memory = 10 << 20;
    ok(gt_engine_init(&engine, &limits, NULL, &err) == GT_NOFIT && strstr(err.msg, "10.0 MiB"), "too little memory: %s", err.msg);
}

static void test_bytes(void)
{
    const int64_t most = INT64_MAX / 2;
    ok(gt_bytes_mul(1, most) == most && gt_bytes_mul(3, 5) == 15 &&
           gt_bytes_mul(INT64_C(1) << 31, (INT64_C(1) << 31) - 1) == (INT64_C(1) << 62) - (INT64_C(1) << 31),
       "products that fit");
    ok(gt_bytes_mul(INT64_C(1) << 31, INT64_C(1) << 31) == most, "a product of 2^62 is the most there is");
    ok(gt_bytes_mul(INT64_C(1) << 32, INT64_C(1) << 31) == most && gt_bytes_mul(INT64_MAX, 2) == most &&
           gt_bytes_mul(INT64_MAX, INT64_MAX) == most && gt_bytes_mul((INT64_C(1) << 32) + 1, INT64_C(1) << 32) == most &&
           gt_bytes_mul(INT64_C(3037000500), INT64_C(3037000500)) == most,
       "products of 2^63, beyond 2^63 and beyond 2^64");
    ok(gt_bytes_mul(-1, INT64_MAX) == 0 && gt_bytes_mul(INT64_MIN, 2) == 0 && gt_bytes_mul(0, INT64_MAX) == 0, "products of nothing");
    ok(gt_bytes_add(most, 1) == most && gt_bytes_add(INT64_MAX, INT64_MAX) == most && gt_bytes_add(-5, 7) == 7 &&
           gt_bytes_add(most - 1, 1) == most,
       "sums");
}

#define MIB (INT64_C(1) << 20)

static void test_memory_plan(void)
{
    struct gt_limits limits = {.threads = 1, .memory = 256 * MIB, .threads_from = "test", .memory_from = "--memory"};
    struct gt_engine engine;
    struct gt_err err = {0};
    ok(gt_engine_init(&engine, &limits, NULL, &err) == GT_OK, "an engine for plans");
    const int64_t room = engine.budget.limit, most = INT64_MAX / 2;

    ok(gt_memory_plan_metadata(&engine, MIB, &err) == GT_OK && engine.needs->more && !gt_memory_plan_accepted(&engine),
       "metadata are no plan yet");
    struct gt_allotment three[] = {
        {"a", 10 * MIB, 4 * MIB, false, 0}, {"b", 10 * MIB, 30 * MIB, false, 0}, {"c", 0, most, false, 0}, {"d", 5 * MIB, most, false, 0}};
    ok(gt_memory_plan_fit(three, 4, &engine, &err) == GT_OK && three[0].size == 10 * MIB && three[1].size == 30 * MIB,
       "what is preferred, or the minimum where that is more");
    ok(three[2].size + 5 * MIB - three[3].size <= 1 && three[3].size - 5 * MIB - three[2].size <= 1 &&
           three[2].size + three[3].size <= room - 40 * MIB && three[2].size + three[3].size >= room - 40 * MIB - 1,
       "the others get equal parts of the rest, and no more than that: %lld, %lld", (long long)three[2].size, (long long)three[3].size);
    ok(gt_memory_plan_accepted(&engine) && engine.needs->minimum == 256 * MIB - room + 25 * MIB && engine.needs->preferred == most,
       "what is needed");

    struct gt_allotment all[] = {{"one", room - MIB, 0, false, 0}, {"two", MIB, 0, false, 0}};
    ok(gt_memory_plan_fit(all, 2, &engine, &err) == GT_OK && all[0].size == room - MIB && all[1].size == MIB &&
           engine.needs->minimum == 256 * MIB && gt_memory_plan_accepted(&engine),
       "all of the room");
    all[1].minimum++;
    ok(gt_memory_plan_fit(all, 2, &engine, &err) == GT_NOFIT && strstr(err.msg, "for one, ") && strstr(err.msg, "1.0 MiB for two") &&
           strcmp(err.hint, "--memory 257M would do") == 0 && !gt_memory_plan_accepted(&engine),
       "a byte more: %s; %s", err.msg, err.hint);
    ok(gt_memory_plan_ceiling(&engine, room) == 256 && gt_memory_plan_ceiling(&engine, room + MIB) == 257 &&
           gt_memory_plan_ceiling(&engine, room - 1) == 256,
       "the smallest ceiling");
    gt_engine_release(&engine);

    /* what was taken, and what was taken once */
    gt_err_clear(&err);
    ok(gt_engine_init(&engine, &limits, NULL, &err) == GT_OK && gt_budget_take(&engine.budget, 100 * MIB, &err) == GT_OK, "100 MiB taken");
    all[0].minimum = room - 101 * MIB, all[1].minimum = MIB + 1;
    ok(gt_memory_plan_fit(all, 2, &engine, &err) == GT_NOFIT && strcmp(err.hint, "--memory 257M would do") == 0, "next to what is taken");
    gt_engine_release(&engine);
    gt_err_clear(&err);
    ok(gt_engine_init(&engine, &limits, NULL, &err) == GT_OK && gt_budget_take(&engine.budget, 100 * MIB, &err) == GT_OK, "and given back");
    gt_budget_give(&engine.budget, 100 * MIB);
    gt_memory_plan_note(&engine, MIB, 2 * MIB);
    ok(engine.needs->minimum == 256 * MIB - room + 100 * MIB && engine.needs->preferred == engine.needs->minimum,
       "no less than was taken at a time before");
    gt_engine_release(&engine);
}

int main(void)
{
    test_memory_plan();
    test_bytes();
    test_budget();
    test_budget_threads();
    test_engine();
    return done_testing();
}
