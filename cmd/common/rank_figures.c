#include "config.h"

#include "cmd/common/rank_figures.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "core/mpi/comm_mpi.h"
#include "core/os/os_process.h"

/* --- figures of this rank ----------------------------------------------------------- */

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec * 1e-6;
}

/* When its trace began, in seconds of the clock that ranks on several nodes have in common. */
static double began(const struct gt_cli *cli)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9 - (double)gt_trace_now(&cli->engine.trace) / 1e9;
}

static struct json_object *own_figures(struct gt_cli *cli, bool ended, struct gt_err *err)
{
    const struct gt_engine *engine = &cli->engine;
    struct json_object *o = json_object_new_object();
    struct rusage usage;
    int64_t sent, received;
    gt_comm_mpi_moved(&cli->comm, &sent, &received);
    getrusage(RUSAGE_SELF, &usage);
    const bool ok = gt_json_set_int(o, "rank", cli->comm.rank) && gt_json_set_text(o, "host", cli->comm.host) &&
                    gt_json_set_text(o, "state", ended ? "ended" : "running") && gt_json_set_real(o, "began", began(cli)) &&
                    gt_json_set(o, "wall", gt_json_seconds((double)gt_trace_now(&engine->trace) / 1e9)) &&
                    gt_json_set(o, "cpu_user", gt_json_seconds(seconds_of(&usage.ru_utime))) &&
                    gt_json_set(o, "cpu_system", gt_json_seconds(seconds_of(&usage.ru_stime))) &&
                    gt_json_set(o, "waited", gt_json_seconds(gt_comm_mpi_waited(&cli->comm))) && gt_json_set_int(o, "sent", sent) &&
                    gt_json_set_int(o, "received", received) && gt_json_set_int(o, "peak", gt_peak_memory(&usage)) &&
                    gt_json_set_int(o, "peak_buffers", engine->budget.high);
    const int status = ok ? gt_trace_profile(&engine->trace, ended, cli->comm.size, o, err) : gt_fail(err, GT_FAIL, "out of memory");
    if (!status)
        return o;
    json_object_put(o);
    return NULL;
}

/* The time axis and single tasks. */
static void drop_details(struct json_object *figures)
{
    struct json_object *devices = gt_json_get(figures, "devices");
    json_object_object_del(figures, "timeline");
    json_object_object_del(figures, "tasks");
    for (size_t i = 0; devices && i < json_object_array_length(devices); i++)
        drop_details(json_object_array_get_idx(devices, i));
}

void gt_rank_figures_post(struct gt_cli *cli, bool last)
{
    struct json_object *figures = own_figures(cli, last, NULL);
    struct gt_str text = {0};
    if (figures)
        gt_json_print(&text, figures, false);
    if (last && text.len > GT_COMM_POST_MOST) {
        drop_details(figures);
        gt_str_clear(&text);
        gt_json_print(&text, figures, false);
    }
    gt_comm_mpi_post(&cli->comm, text.s ? text.s : "", text.failed ? 0 : text.len, last);
    gt_str_release(&text);
    json_object_put(figures);
}

void gt_rank_figures_wait(struct gt_cli *cli)
{
    enum { AFTER_FAILURE_MS = 1000 };
    struct gt_err failure;
    bool here;
    for (int after = 0; after < AFTER_FAILURE_MS && !gt_comm_mpi_all_posted(&cli->comm);) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        after += gt_comm_mpi_failure(&cli->comm, &failure, &here) || gt_engine_stopped(&cli->engine);
    }
}

/* --- figures of all ------------------------------------------------------------------- */

/* What the report gets. */
struct all {
    struct json_object *stages, *threads, *cells, *bytes, *tasks, *ranks, *devices; /* cells, bytes: of the time axis */
    double bin_seconds;                                                             /* of rank 0 */
    double began, cpu_user, cpu_system;                                             /* began: rank 0 */
    bool ended, ok;
};

static double number_of(struct json_object *o, const char *key)
{
    return json_object_get_double(gt_json_get(o, key));
}

static int64_t count_of(struct json_object *o, const char *key)
{
    return json_object_get_int64(gt_json_get(o, key));
}

static bool is_same(struct json_object *a, struct json_object *b, const char *key)
{
    return strcmp(gt_json_text(a, key), gt_json_text(b, key)) == 0;
}

static bool add_sums(struct json_object *to, struct json_object *from)
{
    const double longest = number_of(to, "longest"), other = number_of(from, "longest");
    return gt_json_set_int(to, "tasks", count_of(to, "tasks") + count_of(from, "tasks")) &&
           gt_json_set(to, "worked", gt_json_seconds(number_of(to, "worked") + number_of(from, "worked"))) &&
           gt_json_set(to, "waited", gt_json_seconds(number_of(to, "waited") + number_of(from, "waited"))) &&
           gt_json_set(to, "longest", gt_json_seconds(longest > other ? longest : other)) &&
           gt_json_set_int(to, "bytes", count_of(to, "bytes") + count_of(from, "bytes"));
}

/* The place of a rank's stage among those of all, to which its sums are added. */
static int add_stage(struct all *all, struct json_object *stage)
{
    const size_t n = json_object_array_length(all->stages);
    for (size_t i = 0; i < n; i++) {
        struct json_object *known = json_object_array_get_idx(all->stages, i);
        if (is_same(known, stage, "flow") && is_same(known, stage, "stage")) {
            all->ok = all->ok && add_sums(known, stage);
            return (int)i;
        }
    }
    all->ok = all->ok && gt_json_add_shared(all->stages, stage);
    return (int)n;
}

/* Item `at` of each list in the list, a stage of the rank, becomes its place among those of all. */
static void renumber(struct all *all, struct json_object *lists, size_t at, const int *stages)
{
    for (size_t i = 0; i < json_object_array_length(lists); i++) {
        struct json_object *list = json_object_array_get_idx(lists, i),
                           *stage = json_object_new_int(stages[json_object_get_int(json_object_array_get_idx(list, at))]);
        all->ok = all->ok && stage && !json_object_array_put_idx(list, at, stage);
    }
}

/* Threads of the rank, with the cells of each, follow those of the ranks before it. */
static void add_threads(struct all *all, struct json_object *figures, const int *stages)
{
    struct json_object *threads = gt_json_get(figures, "threads"), *cells = gt_json_get(gt_json_get(figures, "timeline"), "threads");
    for (size_t i = 0; i < json_object_array_length(threads) && all->ok; i++) {
        struct json_object *thread = json_object_array_get_idx(threads, i),
                           *own = cells ? json_object_get(json_object_array_get_idx(cells, i)) : json_object_new_array();
        renumber(all, gt_json_get(thread, "stages"), 0, stages);
        if (own)
            renumber(all, own, 1, stages);
        all->ok = all->ok && gt_json_set_int(thread, "rank", count_of(figures, "rank")) && gt_json_add_shared(all->threads, thread);
        all->ok = gt_json_add(all->cells, own) && all->ok;
    }
}

/* Single tasks are listed of all ranks or of none. */
static void add_tasks(struct all *all, struct json_object *figures, int64_t first_thread, int64_t count, const int *stages)
{
    struct json_object *tasks = gt_json_get(figures, "tasks");
    if (all->tasks && count && !(tasks && json_object_array_length(tasks))) {
        json_object_put(all->tasks);
        all->tasks = NULL;
    }
    if (!all->tasks || !tasks)
        return;
    renumber(all, tasks, 1, stages);
    for (size_t i = 0; i < json_object_array_length(tasks) && all->ok; i++) {
        struct json_object *task = json_object_array_get_idx(tasks, i),
                           *thread = json_object_new_int64(first_thread + json_object_get_int64(json_object_array_get_idx(task, 0)));
        all->ok = thread && !json_object_array_put_idx(task, 0, thread) && gt_json_add_shared(all->tasks, task);
    }
}

/* Intervals of the rank become those of rank 0 in which their middles are. */
static void add_bytes(struct all *all, struct json_object *figures, const int *stages)
{
    struct json_object *axis = gt_json_get(figures, "timeline"), *bytes = gt_json_get(axis, "bytes");
    const double seconds = number_of(axis, "seconds"), start = number_of(figures, "began") - all->began;
    if (!bytes)
        return;
    renumber(all, bytes, 1, stages);
    for (size_t i = 0; i < json_object_array_length(bytes) && all->ok; i++) {
        struct json_object *cell = json_object_array_get_idx(bytes, i);
        const double middle = start + (json_object_get_double(json_object_array_get_idx(cell, 0)) + 0.5) * seconds;
        struct json_object *bin = json_object_new_int64(middle > 0 ? (int64_t)(middle / all->bin_seconds) : 0);
        all->ok = bin && !json_object_array_put_idx(cell, 0, bin) && gt_json_add_shared(all->bytes, cell);
    }
}

static void add_rank(struct all *all, struct json_object *figures)
{
    static const char *const members[] = {"rank", "host",     "state", "wall",         "cpu_user", "cpu_system", "waited",
                                          "sent", "received", "peak",  "peak_buffers", "memory",   "queues"};
    struct json_object *o = json_object_new_object(), *axis = gt_json_get(figures, "timeline");
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        all->ok = all->ok && gt_json_set_shared(o, members[i], gt_json_get(figures, members[i]));
    all->ok = all->ok && gt_json_set(o, "start", gt_json_seconds(number_of(figures, "began") - all->began));
    if (axis)
        all->ok = all->ok && gt_json_set_shared(o, "bin_seconds", gt_json_get(axis, "seconds"));
    all->ok = gt_json_add(all->ranks, o) && all->ok;
    all->cpu_user += number_of(figures, "cpu_user");
    all->cpu_system += number_of(figures, "cpu_system");
}

static void add_devices(struct all *all, struct json_object *figures)
{
    struct json_object *devices = gt_json_get(figures, "devices");
    for (size_t i = 0; devices && i < json_object_array_length(devices) && all->ok; i++) {
        struct json_object *device = json_object_array_get_idx(devices, i);
        all->ok = gt_json_set_int(device, "rank", count_of(figures, "rank")) && gt_json_add_shared(all->devices, device);
    }
}

static void add_figures(struct all *all, struct json_object *figures)
{
    enum { MOST_STAGES = GT_TRACE_STAGES };
    struct json_object *of_rank = gt_json_get(figures, "stages");
    const int64_t first_thread = (int64_t)json_object_array_length(all->threads);
    int stages[MOST_STAGES] = {0};
    int64_t count = 0;
    for (size_t i = 0; i < json_object_array_length(of_rank) && i < MOST_STAGES; i++) {
        struct json_object *stage = json_object_array_get_idx(of_rank, i);
        count += count_of(stage, "tasks");
        stages[i] = add_stage(all, stage);
    }
    add_threads(all, figures, stages);
    if (all->ended) {
        add_tasks(all, figures, first_thread, count, stages);
        add_bytes(all, figures, stages);
    }
    add_devices(all, figures);
    add_rank(all, figures);
}

/* A rank that has sent nothing has no figures. */
static void add_posted(struct all *all, struct gt_cli *cli, int rank)
{
    struct gt_str text = {0};
    struct json_object *figures = NULL, *o;
    (void)gt_comm_mpi_posted(&cli->comm, rank, &text);
    if (text.len && !gt_json_parse(&figures, text.s, text.len, "figures of a rank", NULL, NULL)) {
        add_figures(all, figures);
    } else {
        o = json_object_new_object();
        all->ok = gt_json_set_int(o, "rank", rank) && gt_json_set_text(o, "state", "unknown") && all->ok;
        all->ok = gt_json_add(all->ranks, o) && all->ok;
    }
    json_object_put(figures);
    gt_str_release(&text);
}

/* Memory and queues on their own are those of rank 0, as is the grid of the time axis. */
static bool set_members(struct all *all, struct json_object *report, struct json_object *own)
{
    struct json_object *axis = gt_json_get(own, "timeline"), *time = gt_json_get(report, "time");
    return gt_json_set_shared(report, "stages", all->stages) && gt_json_set_shared(report, "threads", all->threads) &&
           gt_json_set_shared(report, "memory", gt_json_get(own, "memory")) &&
           gt_json_set_shared(report, "queues", gt_json_get(own, "queues")) && gt_json_set_shared(report, "ranks", all->ranks) &&
           (!json_object_array_length(all->devices) || gt_json_set_shared(report, "devices", all->devices)) &&
           (!all->ended ||
            (gt_json_set_shared(axis, "threads", all->cells) && gt_json_set_shared(axis, "bytes", all->bytes) &&
             gt_json_set_shared(report, "timeline", axis) &&
             (all->tasks ? gt_json_set_shared(report, "tasks", all->tasks) : gt_json_set(report, "tasks", json_object_new_array())))) &&
           gt_json_set_real(time, "cpu_user", all->cpu_user) && gt_json_set_real(time, "cpu_system", all->cpu_system);
}

/* Those of rank 0 as of the others: as text, whose lists of numbers can be looked into. */
static int parse_own(struct gt_cli *cli, bool ended, struct json_object **own, struct gt_err *err)
{
    struct json_object *figures = own_figures(cli, ended, err);
    struct gt_str text = {0};
    if (!figures)
        return GT_FAIL;
    gt_json_print(&text, figures, false);
    json_object_put(figures);
    int status = gt_str_check(&text, err);
    status = status ? status : gt_json_parse(own, text.s, text.len, "figures of rank 0", NULL, err);
    gt_str_release(&text);
    return status;
}

int gt_rank_figures_merge(struct gt_cli *cli, bool ended, struct json_object *report, struct gt_err *err)
{
    struct json_object *own = NULL;
    struct all all = {.stages = json_object_new_array(),
                      .threads = json_object_new_array(),
                      .cells = json_object_new_array(),
                      .bytes = json_object_new_array(),
                      .tasks = json_object_new_array(),
                      .ranks = json_object_new_array(),
                      .devices = json_object_new_array(),
                      .ended = ended};
    const int status = parse_own(cli, ended, &own, err);
    all.ok = own && all.stages && all.threads && all.cells && all.bytes && all.tasks && all.ranks && all.devices;
    if (all.ok) {
        all.began = number_of(own, "began");
        all.bin_seconds = number_of(gt_json_get(own, "timeline"), "seconds");
        add_figures(&all, own);
    }
    for (int rank = 1; rank < cli->comm.size && all.ok; rank++)
        add_posted(&all, cli, rank);
    all.ok = all.ok && set_members(&all, report, own);
    json_object_put(all.stages);
    json_object_put(all.threads);
    json_object_put(all.cells);
    json_object_put(all.bytes);
    json_object_put(all.tasks);
    json_object_put(all.ranks);
    json_object_put(all.devices);
    json_object_put(own);
    return status ? status : all.ok ? GT_OK : gt_fail(err, GT_FAIL, "out of memory");
}
