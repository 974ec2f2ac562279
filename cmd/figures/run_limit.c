#include "config.h"

#include "cmd/figures/run_limit.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cmd/figures/flow_titles.h"
#include "core/base/json.h"
#include "core/base/size.h"
#include "core/base/str.h"

#define LEAST_PER_TASK 2e-6 /* seconds that the engine takes for a task */

/* Sums that decide, in seconds. */
struct sums {
    struct json_object *stages;
    double wall, cpu;
    double worked, read, waited;  /* read: of `worked` */
    double codec, commit;         /* of `worked` */
    double workers, workers_cpu;  /* computing threads: work, and CPU time of it; less than the work where others took the CPU */
    double workers_read;          /* of `workers`: in stages that read */
    double readers, readers_wait; /* of the reader that worked, and that waited for input, most; without codecs */
    int ranks, ranks_here;        /* all, and those on this host */
    double ranks_waited;          /* for other ranks, sum over ranks */
    double least_waited;          /* of one rank, */
    int last_rank;                /* of this one: the others waited for it */
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

/* Readers, and the thread of the command, which reads where it waits for blocks. */
static void add_readers(struct sums *sums, struct json_object *threads)
{
    double worked, read, codec;
    for (size_t t = 0; t < json_object_array_length(threads); t++) {
        struct json_object *thread = json_object_array_get_idx(threads, t);
        if (strstr(text_of(thread, "name"), "worker"))
            continue;
        thread_work(sums, thread, &worked, &read, &codec);
        if (strstr(text_of(thread, "name"), "reader"))
            read = worked - codec;
        sums->readers = fmax(sums->readers, read);
        sums->readers_wait = fmax(sums->readers_wait, read - number_of(thread, "cpu") / cpu_share(sums));
    }
}

/* With several ranks, what they waited for one another. */
static void add_ranks(struct sums *sums, struct json_object *ranks)
{
    const char *here = ranks ? text_of(json_object_array_get_idx(ranks, 0), "host") : NULL;
    sums->ranks = ranks ? (int)json_object_array_length(ranks) : 1;
    sums->ranks_here = !ranks;
    sums->least_waited = INFINITY;
    for (int r = 0; r < sums->ranks && ranks; r++) {
        struct json_object *rank = json_object_array_get_idx(ranks, (size_t)r);
        const char *host = text_of(rank, "host");
        const double waited = number_of(rank, "waited");
        sums->ranks_here += host && here && strcmp(host, here) == 0;
        if (!host)
            continue; /* it has sent no figures */
        sums->ranks_waited += waited;
        if (waited < sums->least_waited) {
            sums->least_waited = waited;
            sums->last_rank = r;
        }
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
    if (sums->waited < 0.3 * sums->wall * engine->limits.threads * sums->ranks || engine->needs->preferred <= engine->limits.memory)
        return false;
    gt_str_addf(out, "Memory: tasks waited %.1f s for it; up to --memory %lldM would be used.", sums->waited,
                (long long)gt_ceil_div(engine->needs->preferred, INT64_C(1) << 20));
    return true;
}

/* Of the longest task of a stage: its seconds, and where chunks are decoded, those of reading and decompressing one, too, which are *read
 * and *codec. */
static double longest_chunk(const struct sums *sums, struct json_object *stage, double *read, double *codec)
{
    const char *flow = text_of(stage, "flow");
    *read = *codec = 0;
    for (int i = 0; i < (int)json_object_array_length(sums->stages) && strcmp(text_of(stage, "stage"), "decode") == 0; i++) {
        struct json_object *other = stage_at(sums, i);
        if (strcmp(text_of(other, "flow"), "decompress") == 0)
            *codec += number_of(other, "longest");
        else if (is_read(other) && strcmp(text_of(other, "flow"), flow) == 0)
            *read += number_of(other, "longest");
    }
    return number_of(stage, "longest") + *read + *codec;
}

/* Fewer tasks than threads, or one of a few that is most of the work: as long as it took, other threads could not help. */
static bool is_one_sided(const struct sums *sums, struct json_object *stage, int64_t tasks, int threads)
{
    const double worked = number_of(stage, "worked"), longest = number_of(stage, "longest");
    double read, codec;
    if (tasks < threads && worked >= 0.4 * sums->wall)
        return true;
    return (tasks < threads || (tasks < 4 * threads && worked < 0.75 * threads * longest)) &&
           longest_chunk(sums, stage, &read, &codec) >= 0.3 * sums->wall;
}

/* Where a chunk is read and decompressed before it is decoded: how long each of that took. */
static void add_chunk(struct gt_str *out, const struct sums *sums, struct json_object *stage)
{
    double read, codec;
    const double took = longest_chunk(sums, stage, &read, &codec);
    if (read > 0)
        gt_str_addf(out, "; reading a chunk took %.2f s", read);
    if (codec > 0)
        gt_str_addf(out, "%s decompressing %s %.2f s", read > 0 ? "," : ";", read > 0 ? "it" : "a chunk took", codec);
    if (read + codec > 0)
        gt_str_addf(out, ", decoding it %.2f s", took - read - codec);
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
        add_chunk(out, sums, stage);
        gt_str_add(out, "; smaller chunks (gt-rechunk -c) let more of them work at once.");
        return true;
    }
    return false;
}

/* So many short tasks that to hand them to threads took longer than to do them. */
static bool had_small_tasks(struct gt_str *out, const struct sums *sums, int threads)
{
    char tasks[GT_THINGS_LEN];
    if (sums->most < 0 || sums->worked > 0.5 * sums->wall * threads)
        return false;
    struct json_object *stage = stage_at(sums, sums->most);
    const int64_t n = json_object_get_int64(json_object_object_get(stage, "tasks"));
    const double us = 1e6 * number_of(stage, "worked") / (double)gt_max_i64(n, 1);
    if (is_codec(stage) || us > 20 || (double)n * LEAST_PER_TASK < 0.2 * fmin(sums->wall * sums->ranks, sums->cpu))
        return false;
    gt_str_add(out, "Small tasks: ");
    add_label(out, stage);
    gt_str_addf(out, " had %s of %.1f \u00b5s, less than it takes to hand one to a thread; fewer and larger chunks would help.",
                gt_format_things(tasks, n, "task"), us);
    return true;
}

static bool waited_for_ranks(struct gt_str *out, const struct sums *sums)
{
    const double all = sums->ranks * sums->wall;
    if (sums->ranks < 2 || sums->ranks_waited < 0.4 * all)
        return false;
    gt_str_addf(out, "Other ranks: the %d ranks waited %.0f %% of the time for one another, rank %d least (%.0f %%): it had more to do.",
                sums->ranks, 100 * sums->ranks_waited / all, sums->last_rank, 100 * sums->least_waited / sums->wall);
    return true;
}

static bool waited_for_input(struct gt_str *out, const struct sums *sums, int threads)
{
    const double all = threads * sums->wall, busy = (sums->workers - sums->workers_read) / all, computed = sums->workers_cpu / all;
    const double waited = fmax(sums->readers_wait, cpu_share(sums) < 0.5 ? 0 : sums->workers_read / threads);
    if (!(sums->readers >= 0.6 * sums->wall && busy <= 0.6) && !(waited >= 0.5 * sums->wall && computed <= 0.6))
        return false;
    gt_str_addf(out, "Input: one reader read for %.0f %% of the time, computing threads computed for %.0f %%",
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
    if (sums->commit < 0.6 * sums->wall * sums->ranks || sums->workers > 0.6 * threads * sums->wall)
        return false;
    gt_str_addf(out, "Output: writing results in order took %.0f %% of the time.", 100 * sums->commit / (sums->wall * sums->ranks));
    return true;
}

/* here: threads on this machine. */
static bool lacked_threads(struct gt_str *out, const struct sums *sums, int threads, int here, long cpus)
{
    if (here * 2 > cpus || sums->workers < 0.5 * threads * sums->wall)
        return false;
    gt_str_addf(out, "Threads: %d of %ld CPUs computed, for %.0f %% of the time; -@ %ld would use all.", here, cpus,
                100 * sums->workers / (threads * sums->wall), cpus / sums->ranks_here);
    return true;
}

/* Where codecs worked for less than a third of the time, summed over threads, a faster one would save little. */
static bool was_codec(struct gt_str *out, const struct sums *sums)
{
    if (sums->codec < 0.3 * sums->wall * sums->ranks)
        return false;
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
    const double all = sums->wall * sums->ranks;
    if (sums->worked > 0.5 * all)
        return false;
    gt_str_addf(out, "Outside of tasks: tasks worked %.1f s of the %.1f s%s; ", sums->worked, all, sums->ranks > 1 ? " of all ranks" : "");
    if (sums->cpu < 0.5 * all)
        gt_str_addf(out,
                    "the run used %.1f s of CPU time: it waited for a disk, as when files are opened and closed, or for other programs.",
                    sums->cpu);
    else
        gt_str_add(out, "the rest is work of one thread, such as opening inputs, solving, drawing and closing outputs.");
    return true;
}

static void was_computation(struct gt_str *out, const struct sums *sums, int threads)
{
    gt_str_add(out, "Computation: ");
    if (sums->most >= 0 && sums->worked > 0) {
        add_label(out, stage_at(sums, sums->most));
        gt_str_addf(out, " took %.0f %% of the work; ", 100 * number_of(stage_at(sums, sums->most), "worked") / sums->worked);
    }
    gt_str_addf(out, "%d computing thread%s worked for %.0f %% of the time.", threads, threads > 1 ? "s" : "",
                100 * sums->workers / (threads * sums->wall));
}

static const char *find_cause(struct gt_str *out, const struct sums *sums, const struct gt_engine *engine)
{
    const int threads = engine->limits.threads * sums->ranks;
    if (was_short(out, sums))
        return "short run";
    if (lacked_memory(out, sums, engine))
        return "memory";
    if (had_few_tasks(out, sums, threads))
        return "few tasks";
    if (had_small_tasks(out, sums, threads))
        return "small tasks";
    if (waited_for_ranks(out, sums))
        return "ranks";
    if (waited_for_input(out, sums, threads))
        return "input";
    if (waited_for_output(out, sums, threads))
        return "output";
    if (lacked_threads(out, sums, threads, engine->limits.threads * sums->ranks_here, sysconf(_SC_NPROCESSORS_ONLN)))
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
    add_ranks(&sums, json_object_object_get(report, "ranks"));
    add_stages(&sums);
    add_workers(&sums, json_object_object_get(report, "threads"));
    add_readers(&sums, json_object_object_get(report, "threads"));
    const char *cause = find_cause(&text, &sums, engine);
    const bool ok = !text.failed && gt_json_set(limit, "cause", json_object_new_string(cause)) &&
                    gt_json_set(limit, "text", json_object_new_string(text.s));
    gt_str_release(&text);
    return gt_json_if_complete(limit, ok);
}
