#include "config.h"

#include "cmd/common/run_limit.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/flow_titles.h"
#include "core/base/json.h"
#include "core/base/size.h"
#include "core/base/str.h"

/* Sums that decide, in seconds. */
struct sums {
    struct json_object *stages;
    double wall, cpu;
    double worked, read, waited;  /* read: of `worked` */
    double codec, commit;         /* of `worked` */
    double workers, workers_cpu;  /* computing threads: work, and CPU time of it; less than the work where others took the CPU */
    double workers_read;          /* of `workers`: in stages that read */
    double readers, readers_wait; /* of the reader that worked, and that waited for input, most; without codecs */
    int most;                     /* the stage that worked most, without those that read; -1: none */
    int codec_stage;              /* the codec that worked most; -1: none */
};

static const char *text_of(struct json_object *o, const char *key)
{
    return json_object_get_string(json_object_object_get(o, key));
}

static double number_of(struct json_object *o, const char *key)
{
    return json_object_get_double(json_object_object_get(o, key));
}

static struct json_object *stage_at(const struct sums *sums, int i)
{
    return json_object_array_get_idx(sums->stages, (size_t)i);
}

static bool is_codec(struct json_object *stage)
{
    return strstr(text_of(stage, "flow"), "compress") != NULL;
}

static bool is_read(struct json_object *stage)
{
    return strcmp(text_of(stage, "stage"), "read") == 0;
}

static void add_stages(struct sums *sums)
{
    for (int i = 0; i < (int)json_object_array_length(sums->stages); i++) {
        struct json_object *stage = stage_at(sums, i);
        const double worked = number_of(stage, "worked");
        sums->worked += worked;
        sums->waited += number_of(stage, "waited");
        sums->read += is_read(stage) ? worked : 0;
        if (is_codec(stage)) {
            sums->codec += worked;
            if (sums->codec_stage < 0 || worked > number_of(stage_at(sums, sums->codec_stage), "worked"))
                sums->codec_stage = i;
        }
        if (strcmp(text_of(stage, "stage"), "commit") == 0)
            sums->commit += worked;
        if (!is_read(stage) && (sums->most < 0 || worked > number_of(stage_at(sums, sums->most), "worked")))
            sums->most = i;
    }
}

/* Work of a thread in all stages, in those that read, and in codecs. */
static void thread_work(const struct sums *sums, struct json_object *thread, double *worked, double *read, double *codec)
{
    struct json_object *stages = json_object_object_get(thread, "stages");
    *worked = *read = *codec = 0;
    for (size_t i = 0; i < json_object_array_length(stages); i++) {
        struct json_object *sum = json_object_array_get_idx(stages, i),
                           *stage = stage_at(sums, json_object_get_int(json_object_array_get_idx(sum, 0)));
        const double work = json_object_get_double(json_object_array_get_idx(sum, 1));
        *worked += work;
        *read += is_read(stage) ? work : 0;
        *codec += is_codec(stage) ? work : 0;
    }
}

static void add_workers(struct sums *sums, struct json_object *threads)
{
    double worked, read, codec;
    for (size_t t = 0; t < json_object_array_length(threads); t++) {
        struct json_object *thread = json_object_array_get_idx(threads, t);
        if (!strstr(text_of(thread, "name"), "worker"))
            continue;
        thread_work(sums, thread, &worked, &read, &codec);
        sums->workers += worked;
        sums->workers_read += read;
        sums->workers_cpu += fmin(number_of(thread, "cpu"), worked);
    }
}

/* The part of their time in which computing threads had a CPU.  Readers that lacked one in the same proportion did not wait for their
 * input. */
static double cpu_share(const struct sums *sums)
{
    const double computed = sums->workers - sums->workers_read;
    return computed > 0 && sums->workers_cpu < computed ? fmax(sums->workers_cpu / computed, 0.01) : 1;
}

static void add_readers(struct sums *sums, struct json_object *threads)
{
    double worked, read, codec;
    for (size_t t = 0; t < json_object_array_length(threads); t++) {
        struct json_object *thread = json_object_array_get_idx(threads, t);
        if (!strstr(text_of(thread, "name"), "reader"))
            continue;
        thread_work(sums, thread, &worked, &read, &codec);
        sums->readers = fmax(sums->readers, worked - codec);
        sums->readers_wait = fmax(sums->readers_wait, worked - codec - number_of(thread, "cpu") / cpu_share(sums));
    }
}

static void add_label(struct gt_str *out, struct json_object *stage)
{
    gt_str_addf(out, "%s (%s)", gt_flow_title(text_of(stage, "flow")), text_of(stage, "stage"));
}

static void add_rate(struct gt_str *out, struct json_object *stage)
{
    char size[GT_NUM_LEN];
    const double bytes = number_of(stage, "bytes"), worked = number_of(stage, "worked");
    if (bytes > 0 && worked > 0)
        gt_str_addf(out, ", %s/s", gt_format_size(size, (int64_t)(bytes / worked)));
}

/* --- causes, the clearest first: each says whether it was this, and why -------------------- */

static bool was_short(struct gt_str *out, const struct sums *sums)
{
    if (sums->wall >= 0.1)
        return false;
    gt_str_addf(out, "The run took %.0f ms: too short to say.", 1000 * sums->wall);
    return true;
}

/* Data that should have stayed in memory, or sums for which the input was read again. */
static bool lacked_memory(struct gt_str *out, const struct sums *sums, const struct gt_engine *engine)
{
    const struct gt_plan_record *plan = engine->plan;
    char size[GT_NUM_LEN], wanted[GT_NUM_LEN];
    int64_t passes = 0;
    int most = -1;
    for (int i = 0; i < plan->n_steps; i++)
        if (plan->step[i].passes > passes && strcmp(gt_flow_counts(plan->step[i].flow), "pass") == 0)
            passes = plan->step[most = i].passes;
    for (int i = 0; i < plan->n_shares && most >= 0 && passes > 1; i++) {
        const struct gt_plan_share *share = &plan->share[i];
        if (share->size >= share->preferred || (!share->kept && strncmp(share->name, "pair sums", 9) != 0))
            continue;
        gt_str_addf(out, "Memory: %s took %lld passes over the data, with %s for %s", gt_flow_title(plan->step[most].flow),
                    (long long)passes, gt_format_size(size, share->size), share->name);
        if (share->preferred < INT64_MAX / 8)
            gt_str_addf(out, " of %s that it could use", gt_format_size(wanted, share->preferred));
        if (engine->needs->preferred < INT64_MAX / 8)
            gt_str_addf(out, "; up to --memory %lldM would help", (long long)gt_ceil_div(engine->needs->preferred, INT64_C(1) << 20));
        gt_str_add(out, ".");
        return true;
    }
    if (sums->waited < 0.3 * sums->wall * engine->limits.threads || engine->needs->preferred <= engine->limits.memory)
        return false;
    gt_str_addf(out, "Memory: tasks waited %.1f s for it; up to --memory %lldM would be used.", sums->waited,
                (long long)gt_ceil_div(engine->needs->preferred, INT64_C(1) << 20));
    return true;
}

/* Of the longest task of a stage: its seconds, and where chunks are decoded, those of reading and decompressing one, too. */
static double longest_chunk(const struct sums *sums, struct json_object *stage)
{
    const char *flow = text_of(stage, "flow");
    double took = number_of(stage, "longest");
    for (int i = 0; i < (int)json_object_array_length(sums->stages) && strcmp(text_of(stage, "stage"), "decode") == 0; i++) {
        struct json_object *other = stage_at(sums, i);
        if (strcmp(text_of(other, "flow"), "decompress") == 0 || (is_read(other) && strcmp(text_of(other, "flow"), flow) == 0))
            took += number_of(other, "longest");
    }
    return took;
}

/* Fewer tasks than threads, or one of a few that is most of the work: as long as it took, other threads could not help. */
static bool is_one_sided(const struct sums *sums, struct json_object *stage, int64_t tasks, int threads)
{
    const double worked = number_of(stage, "worked"), longest = number_of(stage, "longest");
    if (tasks < threads && worked >= 0.4 * sums->wall)
        return true;
    return (tasks < threads || (tasks < 4 * threads && worked < 0.75 * threads * longest)) &&
           longest_chunk(sums, stage) >= 0.3 * sums->wall;
}

static bool had_few_tasks(struct gt_str *out, const struct sums *sums, int threads)
{
    char tasks[GT_THINGS_LEN];
    for (int i = 0; i < (int)json_object_array_length(sums->stages); i++) {
        struct json_object *stage = stage_at(sums, i);
        const int64_t n = json_object_get_int64(json_object_object_get(stage, "tasks"));
        if (n < 1 || threads < 2 || is_read(stage) || !is_one_sided(sums, stage, n, threads))
            continue;
        gt_str_add(out, "Few tasks: ");
        add_label(out, stage);
        gt_str_addf(out, " had %s for %d threads", gt_format_things(tasks, n, "task"), threads);
        if (n >= threads)
            gt_str_addf(out, ", one of which was %.0f %% of the work", 100 * number_of(stage, "longest") / number_of(stage, "worked"));
        gt_str_add(out, "; smaller chunks (gt-rechunk -c) let more of them work at once.");
        return true;
    }
    return false;
}

static bool waited_for_input(struct gt_str *out, const struct sums *sums, int threads)
{
    const double all = threads * sums->wall, busy = (sums->workers - sums->workers_read) / all, computed = sums->workers_cpu / all;
    const double waited = fmax(sums->readers_wait, cpu_share(sums) < 0.5 ? 0 : sums->workers_read / threads);
    if (!(sums->readers >= 0.6 * sums->wall && busy <= 0.6) && !(waited >= 0.5 * sums->wall && computed <= 0.6))
        return false;
    gt_str_addf(out, "Input: a reader was busy %.0f %% of the time, computing threads %.0f %%",
                100 * fmax(sums->readers, waited) / sums->wall, 100 * fmin(busy, computed));
    for (int i = 0; i < (int)json_object_array_length(sums->stages); i++)
        if (is_read(stage_at(sums, i)) && number_of(stage_at(sums, i), "bytes") > 0) {
            add_rate(out, stage_at(sums, i));
            gt_str_add(out, " read");
            break;
        }
    gt_str_add(out, "; a faster disk or network, or more requests at once (--io), would help.");
    return true;
}

static bool waited_for_output(struct gt_str *out, const struct sums *sums, int threads)
{
    if (sums->commit < 0.6 * sums->wall || sums->workers > 0.6 * threads * sums->wall)
        return false;
    gt_str_addf(out, "Output: writing results in order took %.0f %% of the time.", 100 * sums->commit / sums->wall);
    return true;
}

static bool lacked_threads(struct gt_str *out, const struct sums *sums, int threads, long cpus)
{
    if (threads * 2 > cpus || sums->workers < 0.5 * threads * sums->wall)
        return false;
    gt_str_addf(out, "Threads: %d of %ld CPUs computed, busy %.0f %% of the time; -@ %ld would use all.", threads, cpus,
                100 * sums->workers / (threads * sums->wall), cpus);
    return true;
}

static bool was_codec(struct gt_str *out, const struct sums *sums)
{
    if (sums->codec_stage < 0 || (sums->codec < 0.4 * (sums->worked - sums->read) && sums->codec_stage != sums->most))
        return false;
    struct json_object *stage = stage_at(sums, sums->codec_stage);
    const bool decoding = strcmp(text_of(stage, "flow"), "decompress") == 0;
    gt_str_addf(out, "Codec: %s %s took %.0f %% of the work", decoding ? "decompressing" : "compressing", text_of(stage, "stage"),
                100 * number_of(stage, "worked") / sums->worked);
    add_rate(out, stage);
    gt_str_addf(out, "; a faster one (%s) costs less.", decoding ? "gt-rechunk --codec lz4, once" : "--codec lz4, or a lower level");
    return true;
}

static bool lacked_cpu(struct gt_str *out, const struct sums *sums)
{
    if (sums->worked < 0.5 || sums->cpu > 0.6 * sums->worked)
        return false;
    gt_str_addf(out,
                "CPU share: working threads had a CPU %.0f %% of the time; other programs used it, a cgroup limits it, or they waited "
                "for the disk.",
                100 * sums->cpu / sums->worked);
    return true;
}

static bool was_outside(struct gt_str *out, const struct sums *sums)
{
    if (sums->worked > 0.5 * sums->wall)
        return false;
    gt_str_addf(out,
                "Outside of tasks: tasks worked %.1f s of the %.1f s; the rest is work of one thread, such as opening inputs, solving, "
                "drawing and closing outputs.",
                sums->worked, sums->wall);
    return true;
}

static void was_computation(struct gt_str *out, const struct sums *sums, int threads)
{
    gt_str_add(out, "Computation: ");
    if (sums->most >= 0 && sums->worked > 0) {
        add_label(out, stage_at(sums, sums->most));
        gt_str_addf(out, " took %.0f %% of the work; ", 100 * number_of(stage_at(sums, sums->most), "worked") / sums->worked);
    }
    gt_str_addf(out, "%d computing thread%s busy %.0f %% of the time.", threads, threads > 1 ? "s were" : " was",
                100 * sums->workers / (threads * sums->wall));
}

static const char *find_cause(struct gt_str *out, const struct sums *sums, const struct gt_engine *engine)
{
    const int threads = engine->limits.threads;
    if (was_short(out, sums))
        return "short run";
    if (lacked_memory(out, sums, engine))
        return "memory";
    if (had_few_tasks(out, sums, threads))
        return "few tasks";
    if (waited_for_input(out, sums, threads))
        return "input";
    if (waited_for_output(out, sums, threads))
        return "output";
    if (lacked_threads(out, sums, threads, sysconf(_SC_NPROCESSORS_ONLN)))
        return "threads";
    if (was_codec(out, sums))
        return "codec";
    if (was_outside(out, sums))
        return "outside tasks";
    if (lacked_cpu(out, sums))
        return "cpu share";
    was_computation(out, sums, threads);
    return "computation";
}

struct json_object *gt_run_limit(const struct gt_engine *engine, struct json_object *report)
{
    struct json_object *time = json_object_object_get(report, "time"), *limit = json_object_new_object();
    struct sums sums = {.stages = json_object_object_get(report, "stages"),
                        .wall = number_of(time, "wall"),
                        .cpu = number_of(time, "cpu_user") + number_of(time, "cpu_system"),
                        .most = -1,
                        .codec_stage = -1};
    struct gt_str text = {0};
    add_stages(&sums);
    add_workers(&sums, json_object_object_get(report, "threads"));
    add_readers(&sums, json_object_object_get(report, "threads"));
    const char *cause = find_cause(&text, &sums, engine);
    const bool ok = !text.failed && gt_json_set(limit, "cause", json_object_new_string(cause)) &&
                    gt_json_set(limit, "text", json_object_new_string(text.s));
    gt_str_release(&text);
    return gt_json_if_complete(limit, ok);
}
