/* What limited a run, of made-up figures: each cause by itself, and which comes first. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/figures/run_limit.h"
#include "core/base/json.h"
#include "test/support/test_engine.h"

struct figures {
    double wall, cpu;
    int threads;
    struct {
        const char *flow, *stage;
        int64_t tasks;
        double worker, reader, main, waited; /* seconds of work by thread */
        int64_t bytes;
        double longest; /* of its tasks */
    } stage[4];
};

static struct json_object *thread_of(const char *name, const struct figures *f, int which)
{
    struct json_object *thread = json_object_new_object(), *stages = json_object_new_array();
    for (int i = 0; i < 4 && f->stage[i].flow; i++) {
        const double worked[] = {f->stage[i].worker, f->stage[i].reader, f->stage[i].main};
        struct json_object *sum = json_object_new_array();
        gt_json_add(sum, json_object_new_int(i));
        gt_json_add(sum, json_object_new_double(worked[which]));
        gt_json_add(sum, json_object_new_double(0));
        gt_json_add(stages, sum);
    }
    gt_json_set(thread, "name", json_object_new_string(name));
    gt_json_set(thread, "cpu", json_object_new_double(which == 0 ? f->cpu : 0));
    gt_json_set(thread, "stages", stages);
    return thread;
}

static struct json_object *report_of(const struct figures *f)
{
    static const char *const names[] = {"gt-worker", "gt-reader", "main"};
    struct json_object *report = json_object_new_object(), *time = json_object_new_object(), *stages = json_object_new_array(),
                       *threads = json_object_new_array();
    gt_json_set(time, "wall", json_object_new_double(f->wall));
    gt_json_set(time, "cpu_user", json_object_new_double(f->cpu));
    gt_json_set(time, "cpu_system", json_object_new_double(0));
    for (int i = 0; i < 4 && f->stage[i].flow; i++) {
        struct json_object *stage = json_object_new_object();
        gt_json_set(stage, "flow", json_object_new_string(f->stage[i].flow));
        gt_json_set(stage, "stage", json_object_new_string(f->stage[i].stage));
        gt_json_set(stage, "tasks", json_object_new_int64(f->stage[i].tasks));
        gt_json_set(stage, "worked", json_object_new_double(f->stage[i].worker + f->stage[i].reader + f->stage[i].main));
        gt_json_set(stage, "waited", json_object_new_double(f->stage[i].waited));
        gt_json_set(stage, "longest", json_object_new_double(f->stage[i].longest));
        gt_json_set(stage, "bytes", json_object_new_int64(f->stage[i].bytes));
        gt_json_add(stages, stage);
    }
    for (int i = 0; i < 3; i++)
        gt_json_add(threads, thread_of(names[i], f, i));
    gt_json_set(report, "time", time);
    gt_json_set(report, "stages", stages);
    gt_json_set(report, "threads", threads);
    return report;
}

static bool ends_with(const char *text, const char *words)
{
    const size_t n = strlen(text), m = strlen(words);
    return n >= m && strcmp(text + n - m, words) == 0;
}

/* words: what the sentence ends with. */
static void check(struct gt_engine *engine, const struct figures *f, const char *cause, const char *words)
{
    struct json_object *report = report_of(f);
    engine->limits.threads = f->threads;
    struct json_object *limit = gt_run_limit(engine, report);
    const char *text = gt_json_text(limit, "text");
    ok(strcmp(gt_json_text(limit, "cause"), cause) == 0 && ends_with(text, words), "%s: %s: %s", cause, gt_json_text(limit, "cause"), text);
    json_object_put(limit);
    json_object_put(report);
}

int main(void)
{
    struct gt_engine engine;
    start_engine(&engine, 2);
    enum { MANY = 1000 }; /* threads, more than there are CPUs: they are not what is lacking */
    check(
        &engine,
        &(struct figures){.wall = 0.02, .cpu = 0.02, .threads = 2, .stage = {{.flow = "pi", .stage = "count", .tasks = 9, .worker = 0.02}}},
        "short run", "The run took 20 ms: too short to say.");
    check(&engine,
          &(struct figures){.wall = 10,
                            .cpu = 19.9 * MANY / 2,
                            .threads = MANY,
                            .stage = {{.flow = "pdist", .stage = "pairs", .tasks = 99999, .worker = 9.9 * MANY}}},
          "computation", "Computation: sums of pairs (pairs) took 100 % of the work; 1000 computing threads worked for 99 % of the time.");
    check(
        &engine,
        &(struct figures){.wall = 10, .cpu = 10, .threads = 1, .stage = {{.flow = "pdist", .stage = "pairs", .tasks = 999, .worker = 9.9}}},
        sysconf(_SC_NPROCESSORS_ONLN) > 1 ? "threads" : "computation",
        sysconf(_SC_NPROCESSORS_ONLN) > 1 ? " would use all." : "for 99 % of the time.");
    check(&engine,
          &(struct figures){.wall = 10,
                            .cpu = 9,
                            .threads = 4,
                            .stage = {{.flow = "rows", .stage = "read", .tasks = 50, .reader = 9.5, .bytes = 950 << 20},
                                      {.flow = "pdist", .stage = "pairs", .tasks = 99, .worker = 3}}},
          "input",
          "Input: one reader read for 95 % of the time, computing threads computed for 8 %, 100.0 MiB/s read; a faster disk or network, or "
          "more requests at once (--io), would help.");
    check(&engine,
          &(struct figures){.wall = 10,
                            .cpu = 9,
                            .threads = 4,
                            .stage = {{.flow = "unpack", .stage = "commit", .tasks = 50, .main = 8},
                                      {.flow = "unpack", .stage = "format", .tasks = 99, .worker = 3}}},
          "output", "Output: writing results in order took 80 % of the time.");
    check(&engine,
          &(struct figures){10,
                            9.9 * MANY,
                            MANY,
                            {{.flow = "zarr", .stage = "decode", .tasks = 99999, .worker = 2.0 * MANY},
                             {.flow = "decompress", .stage = "gzip", .tasks = 99999, .worker = 7.9 * MANY, .bytes = 79LL * MANY << 20}}},
          "codec", "Codec: decompressing gzip took 80 % of the work, 10.0 MiB/s; a faster one (gt-rechunk --codec lz4, once) costs less.");
    check(
        &engine,
        &(struct figures){.wall = 10, .cpu = 9.5, .threads = 4, .stage = {{.flow = "rechunk", .stage = "work", .tasks = 1, .worker = 9.5}}},
        "few tasks",
        "Few tasks: chunks written (work) had 1 task for 4 threads; smaller chunks (gt-rechunk -c) let more of them work at once.");
    check(
        &engine,
        &(struct figures){.wall = 10,
                          .cpu = 2.0 * MANY,
                          .threads = MANY,
                          .stage = {{.flow = "pdist", .stage = "pairs", .tasks = 99999, .worker = 9.0 * MANY}}},
        "cpu share",
        "CPU share: working threads had a CPU 22 % of the time; other programs used it, a cgroup limits it, or they waited for the disk.");

    check(&engine,
          &(struct figures){.wall = 10, .cpu = 9, .threads = 2, .stage = {{.flow = "pdist", .stage = "pairs", .tasks = 99, .worker = 2}}},
          "outside tasks",
          "Outside of tasks: tasks worked 2.0 s of the 10.0 s; the rest is work of one thread, such as opening inputs, solving, drawing "
          "and closing outputs.");

    check(&engine,
          &(struct figures){.wall = 0.75,
                            .cpu = 0.1,
                            .threads = 2,
                            .stage = {{.flow = "compress", .stage = "zstd", .tasks = 99, .worker = 0.1, .bytes = 1 << 20}}},
          "outside tasks",
          "Outside of tasks: tasks worked 0.1 s of the 0.8 s; the run used 0.1 s of CPU time: it waited for a disk, as when files are "
          "opened and closed, or for other programs.");
    check(&engine,
          &(struct figures){
              .wall = 6, .cpu = 4.4, .threads = 2, .stage = {{.flow = "pi", .stage = "count", .tasks = 1000000, .worker = 0.11}}},
          "small tasks",
          "Small tasks: random points (count) had 1,000,000 tasks of 0.1 \u00b5s, less than it takes to hand one to a thread; fewer and "
          "larger chunks would help.");
    check(&engine,
          &(struct figures){.wall = 6, .cpu = 6, .threads = 2, .stage = {{.flow = "pi", .stage = "count", .tasks = 100000, .worker = 1.9}}},
          "outside tasks",
          "Outside of tasks: tasks worked 1.9 s of the 6.0 s; the rest is work of one thread, such as opening inputs, solving, drawing and "
          "closing outputs.");

    /* beside other programs, which had three of four CPUs: what it would be without them is named */
    check(&engine,
          &(struct figures){.wall = 10,
                            .cpu = 5,
                            .threads = 2,
                            .stage = {{.flow = "multiply", .stage = "multiply", .tasks = 9999, .worker = 6},
                                      {.flow = "multiply", .stage = "sum", .tasks = 9999, .worker = 5},
                                      {.flow = "decompress", .stage = "gzip", .tasks = 9999, .worker = 7, .bytes = 70 << 20}}},
          "codec", "Codec: decompressing gzip took 39 % of the work, 10.0 MiB/s; a faster one (gt-rechunk --codec lz4, once) costs less.");
    check(&engine,
          &(struct figures){.wall = 10,
                            .cpu = 2,
                            .threads = 2,
                            .stage = {{.flow = "rows", .stage = "read", .tasks = 50, .reader = 9.5, .bytes = 950 << 20},
                                      {.flow = "pdist", .stage = "pairs", .tasks = 999, .worker = 15}}},
          "input",
          "Input: one reader read for 95 % of the time, computing threads computed for 10 %, 100.0 MiB/s read; a faster disk or network, "
          "or more requests at once (--io), would help.");
    check(&engine,
          &(struct figures){.wall = 10,
                            .cpu = 4,
                            .threads = 2,
                            .stage = {{.flow = "decompress", .stage = "gzip", .tasks = 7, .worker = 6, .longest = 5.9},
                                      {.flow = "multiply", .stage = "multiply", .tasks = 9999, .worker = 5}}},
          "few tasks",
          "Few tasks: decompression (gzip) had 7 tasks for 2 threads, one of which was 98 % of the work; smaller chunks (gt-rechunk -c) "
          "let more of them work at once.");
    check(&engine,
          &(struct figures){.wall = 1,
                            .cpu = 0.5,
                            .threads = 2,
                            .stage = {{.flow = "zarr", .stage = "read", .tasks = 1, .reader = 0.648, .longest = 0.648},
                                      {.flow = "decompress", .stage = "zstd", .tasks = 1, .worker = 0.02, .longest = 0.02},
                                      {.flow = "zarr", .stage = "decode", .tasks = 1, .worker = 0.04, .longest = 0.04}}},
          "few tasks",
          "Few tasks: Zarr chunks (decode) had 1 task for 2 threads; reading a chunk took 0.65 s, decompressing it 0.02 s, decoding it "
          "0.04 s; smaller chunks (gt-rechunk -c) let more of them work at once.");

    /* this side of a border, and the other */
    check(&engine,
          &(struct figures){.wall = 10,
                            .cpu = 5.39 * MANY,
                            .threads = MANY,
                            .stage = {{.flow = "pdist", .stage = "pairs", .tasks = 99999, .worker = 9.0 * MANY}}},
          "cpu share", "for the disk.");
    check(&engine,
          &(struct figures){.wall = 10,
                            .cpu = 5.41 * MANY,
                            .threads = MANY,
                            .stage = {{.flow = "pdist", .stage = "pairs", .tasks = 99999, .worker = 9.0 * MANY}}},
          "computation", "worked for 90 % of the time.");
    check(&engine,
          &(struct figures){.wall = 10,
                            .cpu = 9,
                            .threads = 4,
                            .stage = {{.flow = "unpack", .stage = "commit", .tasks = 50, .main = 6.01},
                                      {.flow = "unpack", .stage = "format", .tasks = 99, .worker = 3}}},
          "output", "took 60 % of the time.");
    check(&engine,
          &(struct figures){.wall = 10,
                            .cpu = 9,
                            .threads = MANY,
                            .stage = {{.flow = "unpack", .stage = "commit", .tasks = 99999, .main = 5.99},
                                      {.flow = "unpack", .stage = "format", .tasks = 99999, .worker = 3}}},
          "computation", "worked for 0 % of the time.");
    check(&engine,
          &(struct figures){
              .wall = 10, .cpu = 4, .threads = MANY, .stage = {{.flow = "rechunk", .stage = "work", .tasks = 1, .worker = 4.01}}},
          "few tasks", "work at once.");
    check(&engine,
          &(struct figures){
              .wall = 10, .cpu = 4, .threads = MANY, .stage = {{.flow = "rechunk", .stage = "work", .tasks = 1, .worker = 3.99}}},
          "outside tasks", "for other programs.");

    gt_plan_record_step(engine.plan, &(struct gt_plan_step){.flow = "multiply", .tasks = 10, .passes = 7});
    gt_plan_record_share(engine.plan,
                         &(struct gt_plan_share){.name = "values between passes", .kept = true, .size = 99 << 20, .preferred = 99 << 20});
    check(
        &engine,
        &(struct figures){.wall = 10, .cpu = 9.5, .threads = 4, .stage = {{.flow = "rechunk", .stage = "work", .tasks = 1, .worker = 9.5}}},
        "few tasks",
        "Few tasks: chunks written (work) had 1 task for 4 threads; smaller chunks (gt-rechunk -c) let more of them work at once.");
    gt_plan_record_share(engine.plan,
                         &(struct gt_plan_share){.name = "values between passes", .kept = true, .size = 10 << 20, .preferred = 99 << 20});
    check(
        &engine,
        &(struct figures){.wall = 10, .cpu = 9.5, .threads = 4, .stage = {{.flow = "rechunk", .stage = "work", .tasks = 1, .worker = 9.5}}},
        "memory",
        "Memory: products with vectors took 7 passes over the data, with 10.0 MiB for values between passes of 99.0 MiB that it could use; "
        "up to --memory 0M would help.");
    gt_engine_release(&engine);
    return done_testing();
}
