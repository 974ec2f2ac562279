#include "config.h"

#include "cmd/common/run_report.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cmd/common/outputs.h"
#include "cmd/common/rank_figures.h"
#include "cmd/common/run_data.h"
#include "cmd/common/run_report_page.h"
#include "cmd/figures/flow_titles.h"
#include "cmd/figures/run_limit.h"
#include "core/base/json.h"
#include "core/base/monotonic.h"
#include "core/base/outfile.h"
#include "core/os/os_process.h"
#include "kernels/kernels.h"
#include "storage/http/url.h"

/* When the first page is written: a run that is shorter has only the last one.  Between two pages, and two posts
 * of a rank to rank 0. */
enum { FORMAT = 1, FIRST_MS = 400, EVERY_MS = 5000, POST_MS = 2000 };

static struct {
    struct gt_cli *cli;
    time_t began;
    bool stop; /* under the lock: the thread that rewrites the page does nothing any more */
} report;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;

static bool is_page(const char *path)
{
    const size_t n = strlen(path);
    return n > 5 && !strcmp(path + n - 5, ".html");
}

int gt_run_report_check(const struct gt_cli *cli, struct gt_err *err)
{
    const size_t n = cli->report ? strlen(cli->report) : 0;
    if (!cli->report || is_page(cli->report) || (n > 5 && !strcmp(cli->report + n - 5, ".json")))
        return GT_OK;
    gt_fail(err, GT_USAGE, "--report '%s': the name must end in .html or .json", cli->report);
    gt_hint(err, "--report report.html");
    return GT_USAGE;
}

/* --- figures -------------------------------------------------------------------- */

static struct json_object *utc(time_t at)
{
    char text[32];
    struct tm tm;
    gmtime_r(&at, &tm);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    return json_object_new_string(text);
}

static struct json_object *command_part(const struct gt_cli *cli)
{
    struct json_object *o = json_object_new_object();
    return gt_json_if_complete(o, gt_json_set(o, "name", json_object_new_string(cli->cmd->name)) &&
                                      gt_json_set(o, "version", json_object_new_string(PACKAGE_VERSION)) &&
                                      gt_json_set(o, "line", json_object_new_string(cli->command_line)));
}

static struct json_object *machine_part(const struct gt_cli *cli)
{
    const struct gt_limits *limits = &cli->engine.limits;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    struct json_object *o = json_object_new_object();
    return gt_json_if_complete(o, gt_json_set(o, "host", json_object_new_string(host)) &&
                                      gt_json_set(o, "cpus", json_object_new_int64(sysconf(_SC_NPROCESSORS_ONLN))) &&
                                      gt_json_set(o, "ranks", json_object_new_int(cli->comm.size)) &&
                                      gt_json_set(o, "threads", json_object_new_int(limits->threads)) &&
                                      gt_json_set(o, "io_threads", json_object_new_int(limits->io_threads)) &&
                                      gt_json_set(o, "instruction_set", json_object_new_string(gt_kernels()->name)));
}

static double cpu_seconds(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec * 1e-6;
}

static struct json_object *time_part(const struct gt_cli *cli, const struct rusage *usage)
{
    struct json_object *o = json_object_new_object();
    return gt_json_if_complete(o, gt_json_set(o, "began", utc(report.began)) && gt_json_set(o, "written", utc(time(NULL))) &&
                                      gt_json_set(o, "wall", json_object_new_double((double)gt_trace_now(&cli->engine.trace) / 1e9)) &&
                                      gt_json_set(o, "cpu_user", json_object_new_double(cpu_seconds(&usage->ru_utime))) &&
                                      gt_json_set(o, "cpu_system", json_object_new_double(cpu_seconds(&usage->ru_stime))));
}

static struct json_object *memory_part(const struct gt_cli *cli, const struct rusage *usage)
{
    const struct gt_engine *engine = &cli->engine;
    struct json_object *o = json_object_new_object();
    const bool bounded = engine->needs->preferred < INT64_MAX / 2;
    return gt_json_if_complete(o, gt_json_set(o, "limit", json_object_new_int64(engine->limits.memory)) &&
                                      gt_json_set(o, "limit_from", json_object_new_string(engine->limits.memory_from)) &&
                                      gt_json_set(o, "planned_minimum", json_object_new_int64(engine->needs->minimum)) &&
                                      (bounded ? gt_json_set(o, "planned_most", json_object_new_int64(engine->needs->preferred))
                                               : gt_json_set_shared(o, "planned_most", NULL)) &&
                                      gt_json_set(o, "peak", json_object_new_int64(gt_peak_memory(usage))) &&
                                      gt_json_set(o, "peak_buffers", json_object_new_int64(engine->budget.high)) &&
                                      gt_json_set(o, "page_faults", json_object_new_int64(usage->ru_minflt)));
}

static struct json_object *requests_part(void)
{
    struct gt_url_counts counts;
    gt_url_counts(&counts);
    struct json_object *o = json_object_new_object();
    return gt_json_if_complete(o, gt_json_set(o, "sent", json_object_new_int64(counts.requests)) &&
                                      gt_json_set(o, "repeated", json_object_new_int64(counts.retries)) &&
                                      gt_json_set(o, "bytes", json_object_new_int64(counts.bytes)));
}

/* How far the flow that was started last has come; null without one. */
static struct json_object *progress_part(struct gt_cli *cli)
{
    struct gt_progress progress = {0};
    gt_progress_get(&cli->engine, &progress);
    if (!progress.n_flows)
        return NULL;
    const struct gt_progress_flow *flow = &progress.flow[0];
    struct json_object *o = json_object_new_object();
    return gt_json_if_complete(o, gt_json_set(o, "flow", json_object_new_string(flow->name)) &&
                                      gt_json_set(o, "done", json_object_new_int64(flow->done)) &&
                                      gt_json_set(o, "tasks", json_object_new_int64(flow->tasks)) &&
                                      gt_json_set(o, "seconds", json_object_new_double(flow->seconds)) &&
                                      gt_json_set(o, "bytes", json_object_new_int64(flow->bytes)) &&
                                      gt_json_set(o, "read", json_object_new_int64(progress.read)) &&
                                      gt_json_set(o, "size", json_object_new_int64(progress.size)));
}

/* --- the plan ------------------------------------------------------------------------- */

static struct json_object *bytes_or_null(int64_t bytes)
{
    return bytes < INT64_MAX / 8 ? json_object_new_int64(bytes) : NULL;
}

static struct json_object *step_part(const struct gt_plan_step *step)
{
    struct json_object *o = json_object_new_object();
    return gt_json_if_complete(o, gt_json_set(o, "flow", json_object_new_string(step->flow)) &&
                                      gt_json_set(o, "title", json_object_new_string(gt_flow_title(step->flow))) &&
                                      gt_json_set(o, "tasks", json_object_new_int64(step->tasks)) &&
                                      gt_json_set(o, "task_bytes", json_object_new_int64(step->task_bytes)) &&
                                      gt_json_set(o, "task_peak", json_object_new_int64(step->task_peak)) &&
                                      gt_json_set(o, "run", json_object_new_string(gt_flow_counts(step->flow))) &&
                                      gt_json_set(o, "passes", json_object_new_int64(step->passes)) &&
                                      gt_json_set(o, "started", json_object_new_boolean(step->started)));
}

static struct json_object *share_part(const struct gt_plan_share *share)
{
    struct json_object *o = json_object_new_object(), *preferred = bytes_or_null(share->preferred);
    return gt_json_if_complete(o, gt_json_set(o, "name", json_object_new_string(share->name)) &&
                                      gt_json_set(o, "minimum", json_object_new_int64(share->minimum)) &&
                                      (preferred ? gt_json_set(o, "preferred", preferred) : gt_json_set_shared(o, "preferred", NULL)) &&
                                      gt_json_set(o, "size", json_object_new_int64(share->size)));
}

static struct json_object *plan_part(const struct gt_cli *cli)
{
    struct gt_plan_record *plan = cli->engine.plan;
    struct json_object *o = json_object_new_object(), *steps = json_object_new_array(), *shares = json_object_new_array();
    bool ok = steps && shares;
    pthread_mutex_lock(&plan->lock);
    for (int i = 0; i < plan->n_steps && ok; i++)
        ok = gt_json_add(steps, step_part(&plan->step[i]));
    for (int i = 0; i < plan->n_shares && ok; i++)
        ok = gt_json_add(shares, share_part(&plan->share[i]));
    pthread_mutex_unlock(&plan->lock);
    ok = gt_json_set(o, "steps", gt_json_if_complete(steps, ok)) && gt_json_set(o, "memory", gt_json_if_complete(shares, ok));
    return gt_json_if_complete(o, ok);
}

/* Each stage gets its flow's title. */
static int add_titles(struct json_object *figures, struct gt_err *err)
{
    struct json_object *stages = json_object_object_get(figures, "stages");
    bool ok = true;
    for (size_t i = 0; i < json_object_array_length(stages) && ok; i++) {
        struct json_object *stage = json_object_array_get_idx(stages, i);
        const char *flow = json_object_get_string(json_object_object_get(stage, "flow"));
        ok = gt_json_set(stage, "title", json_object_new_string(gt_flow_title(flow)));
    }
    return ok ? GT_OK : gt_fail(err, GT_FAIL, "out of memory");
}

/* state: running, done, failed or interrupted; how: the error of the last two (else NULL), which ended with that
 * status. */
static int make(struct json_object *o, struct gt_cli *cli, const char *state, int status, const struct gt_err *how, struct gt_err *err)
{
    const bool ended = strcmp(state, "running") != 0;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const bool ok = gt_json_set(o, "report", json_object_new_int(FORMAT)) && gt_json_set(o, "state", json_object_new_string(state)) &&
                    gt_json_set(o, "exit", json_object_new_int(status <= GT_NOFIT ? status : GT_FAIL)) &&
                    gt_json_set(o, "message", json_object_new_string(how ? how->msg : "")) &&
                    gt_json_set(o, "hint", json_object_new_string(how ? how->hint : "")) && gt_json_set(o, "command", command_part(cli)) &&
                    gt_json_set(o, "machine", machine_part(cli)) && gt_json_set(o, "time", time_part(cli, &usage)) &&
                    gt_json_set(o, "memory_use", memory_part(cli, &usage)) && gt_json_set(o, "requests", requests_part()) &&
                    gt_json_set(o, "plan", plan_part(cli)) && gt_json_set(o, "data", gt_run_data(cli, strcmp(state, "done") == 0));
    if (!ok)
        return gt_fail(err, GT_FAIL, "out of memory");
    if (!ended)
        gt_json_set(o, "progress", progress_part(cli)); /* absent without a flow */
    int answer = cli->comm.size > 1 ? gt_rank_figures_merge(cli, ended, o, err) : gt_trace_profile(&cli->engine.trace, ended, 1, o, err);
    answer = answer ? answer : add_titles(o, err);
    if (!answer && !gt_json_set(o, "limited_by", gt_run_limit(&cli->engine, o)))
        answer = gt_fail(err, GT_FAIL, "out of memory");
    return answer;
}

/* --- writing ---------------------------------------------------------------------- */

/* JSON inside a script element: "</" would end it, and after "<!" a "<script" would keep it open. */
static void add_escaped(struct gt_str *out, const struct gt_str *json)
{
    const char *at = json->s;
    for (const char *next; (next = strchr(at, '<')) != NULL; at = next + 1) {
        gt_str_addn(out, at, (size_t)(next - at));
        gt_str_add(out, next[1] == '/' || next[1] == '!' ? "\\u003c" : "<");
    }
    gt_str_add(out, at);
}

static void add_lines(struct gt_str *out, const char *const *line)
{
    for (; *line; line++)
        gt_str_add(out, *line);
}

/* A file that the run has written, as a JSON string in a script element of that id; empty where it is too large for a page. */
static void add_file(struct gt_str *out, const char *id, const char *path)
{
    enum { MOST = 1200 << 10, MOST_OF_PAGE = 1900 << 10 };
    FILE *file = fopen(path, "re");
    char *text = file ? malloc(MOST) : NULL;
    const size_t got = text ? fread(text, 1, MOST, file) : 0;
    struct gt_str json = {0};
    gt_json_print_text(&json, text ? text : "", got < MOST ? got : 0);
    if (out->len + json.len > MOST_OF_PAGE) {
        gt_str_clear(&json);
        gt_str_add(&json, "\"\"");
    }
    gt_str_addf(out, "\n</script>\n<script type=\"application/json\" id=\"%s\">\n", id);
    if (json.s)
        add_escaped(out, &json);
    gt_str_release(&json);
    free(text);
    if (file)
        fclose(file);
}

/* The tree, and the plot if it is SVG. */
static void add_results(struct gt_str *out)
{
    const char *tree = gt_output_of_kind("newick"), *plot = gt_output_of_kind("plot");
    if (tree && !gt_is_stream(tree))
        add_file(out, "tree", tree);
    if (plot && !gt_is_stream(plot) && gt_ends_with(plot, ".svg"))
        add_file(out, "picture", plot);
}

static void add_page(struct gt_str *out, const struct gt_str *json, const char *state)
{
    const bool live = strcmp(state, "running") == 0, done = strcmp(state, "done") == 0;
    add_lines(out, gt_run_report_page[0]);
    if (live)
        gt_str_addf(out, "<meta http-equiv=\"refresh\" content=\"%d\">\n", EVERY_MS / 1000);
    add_lines(out, gt_run_report_page[1]);
    add_escaped(out, json);
    if (done)
        add_results(out);
    add_lines(out, gt_run_report_page[2]);
}

static int put(const char *path, const struct gt_str *text, struct gt_err *err)
{
    struct gt_outfile out = {0};
    int status = gt_str_check(text, err);
    status = status ? status : gt_outfile_open(&out, path, false, err);
    out.replaced = true;
    status = status ? status : gt_outfile_write(&out, text->s, text->len, err);
    status = status ? status : gt_outfile_commit(&out, err);
    gt_outfile_abort(&out);
    return status;
}

static int write_report(struct gt_cli *cli, const char *state, int status, const struct gt_err *how, struct gt_err *err)
{
    struct json_object *figures = json_object_new_object();
    struct gt_str json = {0}, page = {0};
    int answer = make(figures, cli, state, status, how, err);
    if (!answer)
        gt_json_print(&json, figures, false);
    if (!answer && is_page(cli->report) && !(answer = gt_str_check(&json, err)))
        add_page(&page, &json, state);
    else
        gt_str_add(&json, "\n");
    answer = answer ? answer : put(cli->report, is_page(cli->report) ? &page : &json, err);
    gt_str_release(&json);
    gt_str_release(&page);
    json_object_put(figures);
    return answer;
}

/* --- while the command runs --------------------------------------------------------- */

/* Rewrites the report, or sends rank 0 what belongs there, with the lock, until it is to stop.  A write that fails is tried again: the
 * last one decides. */
static void *rewrite(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    const bool posts = !report.stop && report.cli->comm.rank > 0;
    struct timespec until = gt_deadline_ms(CLOCK_REALTIME, posts ? POST_MS : FIRST_MS);
    while (!report.stop) {
        if (pthread_cond_timedwait(&wake, &lock, &until) != ETIMEDOUT || report.stop)
            continue;
        if (posts)
            gt_rank_figures_post(report.cli, false);
        else
            (void)write_report(report.cli, "running", GT_OK, NULL, NULL);
        until = gt_deadline_ms(CLOCK_REALTIME, posts ? POST_MS : EVERY_MS);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

void gt_run_report_begin(struct gt_cli *cli)
{
    if (!cli->report && !cli->report_of_ranks)
        return;
    report.cli = cli;
    report.began = time(NULL);
    report.stop = false;
    if (cli->report_of_ranks)
        gt_rank_figures_post(cli, false);
    else if (gt_is_stream(cli->report))
        return; /* only the last one */
    pthread_t thread;
    if (!pthread_create(&thread, NULL, rewrite, NULL)) /* without a thread only the last one comes */
        pthread_detach(thread);
}

/* Nobody waits for the thread, which sleeps, to wake up and end. */
static void stop_rewriting(void)
{
    pthread_mutex_lock(&lock);
    report.stop = true;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
}

void gt_run_report_refused(struct gt_cli *cli, const struct gt_limits *limits, int status, const struct gt_err *ended)
{
    struct gt_limits enough = *limits;
    if (!cli->report || cli->comm.size > 1)
        return;
    enough.memory = INT64_MAX / 2; /* an engine whose figures are 0 */
    if (gt_engine_init(&cli->engine, &enough, cli->tmpdir, NULL))
        return;
    cli->engine.limits.memory = limits->memory;
    report.began = time(NULL);
    (void)write_report(cli, "failed", status, ended, NULL);
    gt_engine_release(&cli->engine);
}

int gt_run_report_end(struct gt_cli *cli, int status, const struct gt_err *ended, struct gt_err *err)
{
    if (!report.cli)
        return GT_OK;
    stop_rewriting();
    report.cli = NULL; /* the thread looks at it before it is stopped only */
    if (cli->report_of_ranks) {
        gt_rank_figures_post(cli, true);
        return GT_OK;
    }
    if (cli->comm.size > 1)
        gt_rank_figures_wait(cli);
    const char *state = status == GT_OK ? "done" : status == GT_CANCEL ? "interrupted" : "failed";
    return write_report(cli, state, status, status ? ended : NULL, err);
}
