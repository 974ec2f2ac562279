/* The trace: every task counts once, however many there are; waiting is not working;
 * memory and queues are sampled. */
#include "config.h"

#include <json-c/json.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "core/engine/engine.h"
#include "core/engine/flow.h"
#include "test/support/clock.h"
#include "test/support/tap.h"

static struct gt_trace trace;

static void start_trace(void)
{
    gt_trace_init(&trace, NULL);
}

/* --- what was written ------------------------------------------------------------------ */

/* Of one stage, and of slices of kinds. */
struct read_back {
    int64_t tasks, worked, waited, bytes; /* ns */
    int slices, waits, samples;
    bool in_order; /* slices of a line do not overlap unless one is inside the other */
    double most_memory, most_in_flight;
    double memory, most_step;     /* of the last sample, and between two */
    struct gt_trace_total listed; /* in "stages" */
};

static double number(struct json_object *of, const char *key)
{
    struct json_object *value;
    return of && json_object_object_get_ex(of, key, &value) ? json_object_get_double(value) : NAN;
}

static const char *text(struct json_object *of, const char *key)
{
    struct json_object *value;
    return json_object_object_get_ex(of, key, &value) ? json_object_get_string(value) : "";
}

static int64_t ns(struct json_object *of, const char *key)
{
    return llround(number(of, key) * 1000);
}

static void add_counter(struct read_back *r, struct json_object *event, struct json_object *args)
{
    double in_flight = number(args, "waiting") + number(args, "others in flight");
    r->samples++;
    if (strcmp(text(event, "name"), "memory")) {
        r->most_in_flight = fmax(r->most_in_flight, in_flight);
        return;
    }
    r->most_step = fmax(r->most_step, number(args, "bytes") - r->memory);
    r->memory = number(args, "bytes");
    r->most_memory = fmax(r->most_memory, r->memory);
}

/* Where the last slices of a line ended: of sums, which stand behind each other. */
static void check_order(struct read_back *r, struct json_object *event)
{
    static int64_t end[40000];
    int line = (int)number(event, "tid");
    if (!r->slices)
        memset(end, 0, sizeof end);
    if (line > 10000)
        r->in_order &= ns(event, "ts") >= end[line];
    end[line] = ns(event, "ts") + ns(event, "dur");
}

static void add_slice(struct read_back *r, struct json_object *event, struct json_object *args, const char *stage)
{
    check_order(r, event);
    r->slices++;
    r->waits += !strcmp(text(event, "name"), "waiting");
    if (strcmp(text(event, "name"), stage))
        return;
    r->tasks += (int64_t)number(args, "tasks");
    r->worked += ns(args, "worked");
    r->waited += ns(args, "waited");
    r->bytes += (int64_t)number(args, "bytes");
}

static void add_stages(struct read_back *r, struct json_object *root, const char *stage)
{
    struct json_object *list;
    for (size_t i = 0; json_object_object_get_ex(root, "stages", &list) && i < json_object_array_length(list); i++) {
        struct json_object *one = json_object_array_get_idx(list, i);
        if (!strcmp(text(one, "stage"), stage))
            r->listed = (struct gt_trace_total){.count = (int64_t)number(one, "tasks"),
                                                .worked = ns(one, "worked"),
                                                .waited = ns(one, "waited"),
                                                .bytes = (int64_t)number(one, "bytes")};
    }
}

/* slices -1: what was written is no such JSON. */
static struct read_back read_back(const struct gt_trace *of, const char *stage)
{
    struct read_back r = {.in_order = true};
    struct json_object *root, *list, *args;
    char *json = NULL;
    size_t size;
    FILE *file = open_memstream(&json, &size);
    gt_trace_write(of, NULL, file, NULL);
    fclose(file);
    root = json_tokener_parse(json);
    free(json);
    if (!root || !json_object_object_get_ex(root, "traceEvents", &list))
        r.slices = -1;
    add_stages(&r, root, stage);
    for (size_t i = 0; r.slices >= 0 && i < json_object_array_length(list); i++) {
        struct json_object *event = json_object_array_get_idx(list, i);
        json_object_object_get_ex(event, "args", &args);
        if (*text(event, "ph") == 'X')
            add_slice(&r, event, args, stage);
        if (*text(event, "ph") == 'C')
            add_counter(&r, event, args);
    }
    json_object_put(root);
    return r;
}

static struct gt_trace_total total_of(const struct gt_trace *of, const char *stage)
{
    struct gt_trace_total totals[GT_TRACE_STAGES];
    int n = gt_trace_totals(of, totals);
    for (int i = 0; i < n; i++)
        if (!strcmp(totals[i].stage, stage))
            return totals[i];
    return (struct gt_trace_total){0};
}

static bool adds_up(const struct gt_trace *of, const char *stage, int64_t tasks)
{
    struct gt_trace_total total = total_of(of, stage);
    struct read_back r = read_back(of, stage);
    diag("%s: %lld tasks in %d slices, %.3f s at work", stage, (long long)r.tasks, r.slices, (double)r.worked / 1e9);
    return r.in_order && r.tasks == tasks && total.count == tasks && r.worked == total.worked && r.waited == total.waited &&
           r.bytes == total.bytes && r.listed.count == tasks && r.listed.worked == total.worked && r.listed.waited == total.waited &&
           r.listed.bytes == total.bytes;
}

/* --- every task ------------------------------------------------------------------------------ */

static void run_task(int stage, int64_t task, int64_t bytes)
{
    struct gt_span outer = gt_trace_begin(&trace, stage, task);
    gt_trace_bytes(bytes);
    gt_trace_end(&outer);
}

static void test_millions(void)
{
    enum { TASKS = 3000000 };
    start_trace();
    int often = gt_trace_stage(&trace, "f", "often"), rare = gt_trace_stage(&trace, "f", "rare");
    for (int64_t i = 0; i < TASKS; i++)
        run_task(i % 1000 ? often : rare, i, i % 7);
    struct read_back r = read_back(&trace, "often");
    ok(r.slices > 8192 && r.slices < 10000, "a file of bounded size: %d slices", r.slices);
    ok(adds_up(&trace, "often", TASKS - TASKS / 1000) && adds_up(&trace, "rare", TASKS / 1000),
       "the sums of a run of millions of tasks are its totals, to the nanosecond");
    gt_trace_release(&trace);
}

/* Work of a stream is in its rows and not in the totals; a later stream of that name goes on in its row. */
static void test_streams(void)
{
    enum { WORK = 100000, STREAMS = 3 };
    struct timespec time;
    int64_t bytes = 0;
    start_trace();
    clock_gettime(CLOCK_MONOTONIC, &time);
    int64_t at = time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
    struct gt_ring *first = NULL;
    for (int s = 0; s < STREAMS; s++) {
        struct gt_ring *stream = gt_trace_stream(&trace, "device:0", "name"), *other = gt_trace_stream(&trace, "device:0", "other");
        first = first ? first : stream;
        ok(stream == first && other != stream, "a row for stream %d", s);
        for (int64_t i = 0; i < WORK; i++, at += 100) {
            gt_trace_stream_work(stream, i % 2 ? "product" : "copy", i % 3, at, at + 70);
            bytes += i % 2 ? i % 3 : 0;
        }
        gt_trace_stream_end(other);
        gt_trace_stream_end(stream);
    }
    struct read_back r = read_back(&trace, "product");
    ok(r.in_order && r.tasks == STREAMS * WORK / 2 && r.worked == r.tasks * 70 && r.waited == 0 && r.bytes == bytes,
       "%lld of its kind, %.6f s, in order", (long long)r.tasks, (double)r.worked / 1e9);
    struct gt_trace_total totals[GT_TRACE_STAGES];
    ok(gt_trace_totals(&trace, totals) == 0, "no stage of threads");
    gt_trace_release(&trace);
}

enum { THREADS = 4, EACH = 100000 };

static void *run_many(void *arg)
{
    int stage = gt_trace_stage(&trace, "threads", "task");
    (void)arg;
    for (int64_t i = 0; i < EACH; i++) {
        run_task(stage, i, 1);
        if (gt_trace_is_due(&trace))
            gt_trace_sample(&trace, &(struct gt_trace_moment){.memory = i});
    }
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[THREADS];
    int64_t before = 0;
    bool grows = true;
    start_trace();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run_many, NULL);
    for (int i = 0; i < 100; i++) {
        int64_t now = total_of(&trace, "task").count;
        grows &= now >= before;
        before = now;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ok(grows && adds_up(&trace, "task", THREADS * EACH), "of several threads, while they are looked at");
    gt_trace_release(&trace);
}

/* --- waiting is not working ------------------------------------------------------------------- */

#define SLEEP_NS 40000000

static void sleep_ns(long wait)
{
    struct timespec time = {.tv_nsec = wait};
    nanosleep(&time, NULL);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool ready;

static void *make_ready(void *arg)
{
    (void)arg;
    sleep_ns(SLEEP_NS);
    pthread_mutex_lock(&lock);
    ready = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void wait_ready(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, make_ready, NULL);
    pthread_mutex_lock(&lock);
    while (!ready)
        gt_cond_wait(&changed, &lock);
    ready = false;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
}

static void test_waiting(void)
{
    start_trace();
    int waits = gt_trace_stage(&trace, "f", "waits"), has = gt_trace_stage(&trace, "f", "has"),
        inner = gt_trace_stage(&trace, "f", "inner");
    wait_ready(); /* in no task */
    int64_t begun = gt_trace_now(&trace);
    struct gt_span outer = gt_trace_begin(&trace, waits, 0);
    wait_ready();
    gt_trace_end(&outer);
    int64_t took = gt_trace_now(&trace) - begun;
    struct gt_trace_total total = total_of(&trace, "waits");
    ok(total.waited > SLEEP_NS / 2 && total.worked + total.waited <= took, "%.1f ms of a task are waiting, %.1f ms are work",
       (double)total.waited / 1e6, (double)total.worked / 1e6);

    begun = gt_trace_now(&trace);
    outer = gt_trace_begin(&trace, has, 0);
    struct gt_span between = gt_trace_begin(&trace, inner, 0);
    sleep_ns(SLEEP_NS);
    gt_trace_bytes(3);
    gt_trace_end(&between);
    gt_trace_bytes(4);
    gt_trace_end(&outer);
    took = gt_trace_now(&trace) - begun;
    struct gt_trace_total of_inner = total_of(&trace, "inner");
    total = total_of(&trace, "has");
    ok(of_inner.worked >= SLEEP_NS && total.worked + of_inner.worked <= took && of_inner.bytes == 3 && total.bytes == 4,
       "a task inside a task counts once");
    struct read_back r = read_back(&trace, "waits");
    ok(r.waits >= 1 && r.tasks == 1, "what is waited for in tasks is shown");
    ok(adds_up(&trace, "waits", 1) && adds_up(&trace, "has", 1) && adds_up(&trace, "inner", 1),
       "slices and sums in microseconds are the totals");
    gt_trace_release(&trace);
}

/* --- of flows ------------------------------------------------------------------------------------ */

enum { TICKETS = 40, ITEM_BYTES = 1 << 20 };

struct chain {
    struct gt_engine engine;
    struct gt_flow *slow;
};

static int work_slowly(void *ctx, int64_t task, void *item, struct gt_err *err)
{
    struct gt_buf *buf = item;
    (void)task;
    buf->budget = &((struct chain *)ctx)->engine.budget;
    sleep_ns(2000000);
    return gt_buf_resize(buf, ITEM_BYTES, err);
}

static void release_buf(void *ctx, void *item)
{
    (void)ctx;
    gt_buf_release(item);
}

static int pull(void *ctx, int64_t task, void *item, struct gt_err *err)
{
    struct chain *chain = ctx;
    void *upstream;
    (void)task, (void)item;
    int status = gt_flow_next(chain->slow, &upstream, NULL, err);
    if (!status)
        gt_flow_done(chain->slow, upstream);
    return status;
}

static void test_chain(void)
{
    static const struct gt_flow_ops slow = {
        .name = "slow", .work_name = "sleep", .item_size = sizeof(struct gt_buf), .work = work_slowly, .release = release_buf};
    static const struct gt_flow_ops fast = {.name = "fast", .read_name = "pull", .item_size = 8, .read = pull};
    struct gt_limits limits = {.threads = 1, .io_threads = 1, .memory = 1 << 30, .threads_from = "test", .memory_from = "test"};
    struct gt_flow_opts slow_opts = {.tasks = TICKETS, .max_items = 3}, fast_opts = {.tasks = -1};
    struct chain chain;
    struct gt_err err = {0};
    int status = gt_engine_init(&chain.engine, &limits, NULL, &err);
    if (!status)
        status = gt_flow_start(&chain.slow, &chain.engine, &slow, &slow_opts, &chain, &err);
    if (!status)
        status = gt_flow_run(&chain.engine, &fast, &fast_opts, &chain, NULL, &err);
    struct gt_trace_total pulled = total_of(&chain.engine.trace, "pull"), slept = total_of(&chain.engine.trace, "sleep");
    ok(!status && pulled.waited > TICKETS * 1000000 && pulled.worked < pulled.waited,
       "a reader that waits for another flow does not work: %s", err.msg);
    ok(slept.worked >= TICKETS * 2000000 && slept.waited == 0, "that one does");
    struct read_back r = read_back(&chain.engine.trace, "pull");
    ok(r.samples >= 6 && r.most_memory >= ITEM_BYTES && r.most_memory <= 3 * ITEM_BYTES && r.most_in_flight >= 1 && r.most_in_flight <= 4,
       "memory and queues were sampled: %d times, %.0f bytes, %.0f tickets", r.samples, r.most_memory, r.most_in_flight);
    gt_flow_free(chain.slow);
    gt_engine_release(&chain.engine);
}

static void test_samples(void)
{
    start_trace();
    for (int i = 0; i < 10000; i++)
        gt_trace_sample(&trace, &(struct gt_trace_moment){.memory = i});
    struct read_back r = read_back(&trace, "none");
    ok(r.samples >= 1024 && r.samples <= 2048 && r.most_memory > 9900, "samples of long runs are thinned out: %d", r.samples);
    ok(r.most_step <= 512, "and are left of the whole run: at most %.0f apart", r.most_step);
    gt_trace_release(&trace);
}

static void test_cost(void)
{
    enum { TASKS = 1000000 };
    start_trace();
    int stage = gt_trace_stage(&trace, "f", "empty");
    const double begun = cpu_seconds();
    for (int64_t i = 0; i < TASKS; i++)
        run_task(stage, i, 0);
    const double each = 1e9 * (cpu_seconds() - begun) / TASKS;
    ok(each < 5000 * SLOWER, "%.0f ns a task", each);
    gt_trace_release(&trace);
}

int main(void)
{
    alarm(300); /* a hang is a failure */
    test_millions();
    test_streams();
    test_threads();
    test_waiting();
    test_chain();
    test_samples();
    test_cost();
    return done_testing();
}
