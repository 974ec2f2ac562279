/* What every command does around its run function. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cmd/common/ceiling.h"
#include "cmd/common/message.h"
#include "cmd/common/options.h"
#include "cmd/common/outputs.h"
#include "cmd/common/plan_graph.h"
#include "cmd/common/progress.h"
#include "cmd/common/ranks.h"
#include "cmd/common/resume.h"
#include "cmd/common/run_data.h"
#include "cmd/common/run_report.h"
#include "cmd/common/signals.h"
#include "cmd/common/suggest.h"
#include "core/base/outfile.h"
#include "core/base/size.h"
#include "core/base/str.h"
#include "core/engine/estimate.h"
#include "core/engine/memory_plan.h"
#include "core/engine/pool.h"
#include "core/os/os_process.h"
#include "kernels/kernels.h"
#include "storage/http/url.h"
#include "storage/http/url_writer.h"
#include "storage/text/text_file.h"

/* A file that we open must never become descriptor 0, 1 or 2. */
static void occupy_standard_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

/* One argument as a shell would take it, on one line. */
static void add_quoted(struct gt_str *out, const char *arg)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_+=:,./-";
    if (*arg && !arg[strspn(arg, plain)]) {
        gt_str_add(out, arg);
        return;
    }
    bool control = false;
    for (const char *p = arg; *p; p++)
        control |= (unsigned char)*p < 0x20 || *p == 0x7f;
    gt_str_add(out, control ? "$'" : "'");
    for (const char *p = arg; *p; p++)
        if (*p == '\'')
            gt_str_add(out, control ? "\\'" : "'\\''");
        else if (control && ((unsigned char)*p < 0x20 || *p == 0x7f || *p == '\\'))
            gt_str_addf(out, "\\x%02x", (unsigned char)*p);
        else
            gt_str_addn(out, p, 1);
    gt_str_add(out, "'");
}

static void make_command_line(struct gt_str *out, const char *name, int argc, char **argv)
{
    gt_str_add(out, name);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--resume") == 0)
            continue; /* the output is the same */
        struct gt_str arg = {0};
        gt_url_add_public(&arg, argv[i]);
        gt_str_add(out, " ");
        if (gt_str_check(&arg, NULL))
            gt_str_fail(out);
        else
            add_quoted(out, arg.len ? arg.s : "");
        gt_str_release(&arg);
    }
}

static int select_kernels(struct gt_err *err)
{
    const char *level = getenv("GT_CPU");
    int answer = gt_kernels_select(level);
    if (!answer)
        return GT_OK;
    struct gt_str have = {0};
    int n;
    const struct gt_kernels *const *all = gt_kernels_all(&n);
    for (int i = 0; i < n; i++)
        gt_str_addf(&have, "%s%s", i ? ", " : "", all[i]->name);
    if (answer == -1)
        gt_fail(err, GT_USAGE, "GT_CPU: no such instruction set '%s'", level);
    else
        gt_fail(err, GT_USAGE, "GT_CPU: this cpu or build lacks '%s'", level);
    gt_hint(err, "GT_CPU may be %s", have.s);
    gt_str_release(&have);
    return GT_USAGE;
}

/* "PASS" of "-f PASS": there is no such file, and the option before it means something else in another program. */
static bool is_misplaced_value(const struct gt_opt_table *table, const char *operand, struct gt_err *err)
{
    if (access(operand, F_OK) == 0)
        return false;
    gt_fail(err, GT_USAGE, "cannot open '%s': No such file or directory", operand);
    if (gt_suggest_operand(table, operand, err))
        return true;
    gt_err_clear(err);
    return false;
}

/* Operands as inputs.  `stdin_shown`: standard input would be read from a terminal. */
static int take_operands(struct gt_cli *cli, const struct gt_opt_table *table, int n, char **operands, bool *stdin_shown,
                         struct gt_err *err)
{
    static const char *const standard_input[] = {"-"};
    cli->operands = (const char *const *)operands;
    cli->n_operands = n;
    if (!cli->cmd->takes_input || cli->no_input)
        return n ? gt_fail(err, GT_USAGE, "unexpected argument '%s'", operands[0]) : GT_OK;
    if (!n) {
        cli->operands = standard_input;
        cli->n_operands = 1;
    }
    int dashes = 0;
    for (int i = 0; i < n; i++)
        if (is_misplaced_value(table, operands[i], err))
            return GT_USAGE;
    for (int i = 0; i < cli->n_operands; i++)
        dashes += !strcmp(cli->operands[i], "-");
    if (dashes > 1)
        return gt_fail(err, GT_USAGE, "standard input ('-') was given %d times", dashes);
    *stdin_shown = dashes && isatty(STDIN_FILENO);
    return GT_OK;
}

/* others: see gt_ranks_trace; NULL: none. */
static int write_trace(struct gt_cli *cli, struct gt_outfile *out, const char *others, struct gt_err *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return gt_fail_errno(err, errno, "cannot write '%s'", cli->trace);
    int status = gt_trace_write(&cli->engine.trace, others, file, err);
    if (fclose(file) && !status)
        status = gt_fail_errno(err, errno, "cannot write '%s'", cli->trace);
    if (!status)
        status = gt_outfile_write(out, text, size, err);
    if (!status)
        status = gt_outfile_commit(out, err);
    free(text);
    return status;
}

/* Of all ranks, where they have succeeded. */
static int put_trace(struct gt_cli *cli, struct gt_outfile *out, bool all, struct gt_err *err)
{
    struct gt_str others = {0};
    int status = all ? gt_ranks_trace(cli, &others, err) : GT_OK;
    if (!status && cli->comm.rank == 0)
        status = write_trace(cli, out, others.s, err);
    gt_str_release(&others);
    return status;
}

static double seconds_now(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void say_limits(struct gt_cli *cli)
{
    const struct gt_limits *limits = &cli->engine.limits;
    char size[GT_NUM_LEN];
    gt_note(cli, "%d computing threads (%s), memory %s (%s), %s kernels", limits->threads, limits->threads_from,
            gt_format_size(size, limits->memory), limits->memory_from, gt_kernels()->name);
}

double gt_elapsed(const struct gt_cli *cli)
{
    return seconds_now(CLOCK_MONOTONIC) - cli->started;
}

static void say_usage(struct gt_cli *cli)
{
    struct rusage usage;
    char peak[GT_NUM_LEN], buffers[GT_NUM_LEN];
    getrusage(RUSAGE_SELF, &usage);
    gt_note(cli, "%.2f s, %.2f s of cpu, peak memory %s, of that buffers %s", gt_elapsed(cli), seconds_now(CLOCK_PROCESS_CPUTIME_ID),
            gt_format_size(peak, gt_peak_memory(&usage)), gt_format_size(buffers, cli->engine.budget.high));
}

/* What each stage of the work came to, over all threads. */
static void say_stages(struct gt_cli *cli)
{
    struct gt_trace_total totals[GT_TRACE_STAGES];
    int n = gt_trace_totals(&cli->engine.trace, totals);
    for (int i = 0; i < n; i++) {
        const struct gt_trace_total *t = &totals[i];
        char tasks[GT_THINGS_LEN];
        if (t->count)
            gt_note(cli, "%s/%s: %s, %.2f s at work, %.2f s waiting", t->flow, t->stage, gt_format_things(tasks, t->count, "task"),
                    (double)t->worked / 1e9, (double)t->waited / 1e9);
    }
}

/* What servers of stores were asked for. */
static void say_requests(struct gt_cli *cli)
{
    struct gt_url_counts counts;
    char a[GT_THINGS_LEN], b[GT_NUM_LEN], c[GT_NUM_LEN];
    gt_url_counts(&counts);
    if (counts.requests)
        gt_note(cli, "%s to servers (%s repeated): %s", gt_format_things(a, counts.requests, "request"), gt_format_count(b, counts.retries),
                gt_format_size(c, counts.bytes));
}

/* --progress, --no-progress, or neither: then not under -q, and not when data goes
 * to the terminal that would show it. */
static int progress_mode(const struct gt_cli *cli)
{
    bool data_shown = (cli->cmd->shared & (GT_SHARED_OUTPUT | GT_SHARED_FILE)) && gt_is_stdout(cli->output) && isatty(STDOUT_FILENO);
    return cli->progress ? cli->progress : cli->quiet || data_shown ? -1 : 0;
}

/* The command's own work, with what watches it. */
static int run_watched(struct gt_cli *cli, struct gt_err *err)
{
    struct gt_outfile trace = {0};
    int status = GT_OK;
    cli->started = seconds_now(CLOCK_MONOTONIC);
    if (cli->trace && cli->comm.rank == 0)
        status = gt_text_open(&trace, cli->trace, &cli->engine.budget, err);
    if (!status) {
        gt_run_report_begin(cli);
        if (cli->verbose)
            say_limits(cli);
        if (cli->idle)
            gt_note(cli, "--%s only applies to stores at URLs, and there is none here", cli->idle);
        gt_progress_start(&cli->engine, progress_mode(cli));
        status = cli->cmd->run(cli, err);
        if (status)
            gt_comm_fail(&cli->comm, err); /* the other ranks wait for no results of this one */
        if (status && gt_url_left_unfinished())
            gt_note(cli, "unfinished data remains below '%s': %sreplace it with --force, or remove it", cli->output,
                    cli->cmd->shared & GT_SHARED_RESUME ? "continue with --resume, " : "");
        gt_progress_stop();
        if (cli->graph && !status)
            status = gt_plan_graph_write(cli, err);
        if (cli->trace && status != GT_CANCEL) {
            struct gt_err second = {0};
            int written = put_trace(cli, &trace, !status, &second);
            if (!status && written) {
                *err = second;
                status = written;
            }
        }
        struct gt_err report_err = {0}, how = *err;
        const int ended = gt_ranks_status(cli, status, &how);
        const int reported = gt_run_report_end(cli, ended, &how, &report_err);
        if (!status && reported) {
            *err = report_err;
            status = reported;
        }
        if (cli->verbose && !status) {
            say_stages(cli);
            say_requests(cli);
            say_usage(cli);
        }
    }
    gt_outfile_abort(&trace);
    return status;
}

/* An input, NULL = none: is it read by URL, and what does that take? */
static void count_input(const char *input, bool *remote, int64_t *connection)
{
    if (!input || !gt_store_is_url(input))
        return;
    *remote = true;
    *connection = gt_max_i64(*connection, gt_url_connection_bytes(input));
}

/* An output at a URL has requests in flight too, and what waits for them. */
static void count_output(const struct gt_cli *cli, bool *remote, int64_t *connection)
{
    int64_t bytes = 0;
    if (!(cli->cmd->shared & (GT_SHARED_OUTPUT | GT_SHARED_FILE)) || !gt_store_is_url(cli->output))
        return;
    count_input(cli->output, remote, &bytes);
    *connection += bytes + GT_URL_OUTPUT_BYTES;
}

static void configure_urls(const struct gt_cli *cli, int parallel)
{
    gt_url_configure(
        &(struct gt_url_opts){.timeout = cli->timeout, .waits = cli->waits, .parallel = parallel, .missing_403 = cli->missing_403});
}

static int run_engine(struct gt_cli *cli, int *signal, struct gt_err *err)
{
    struct gt_limits limits = {0};
    bool remote = false;
    int64_t connection = 0;
    gt_limits_open_files();
    for (int i = 0; i < cli->n_operands; i++)
        count_input(cli->operands[i], &remote, &connection);
    count_input(cli->select.sites, &remote, &connection);
    count_input(cli->select.mask, &remote, &connection);
    count_output(cli, &remote, &connection);
    if (remote && !cli->io_threads)
        cli->io_threads = 8;
    struct gt_rates unused;
    int status = gt_rates_get(&unused, err); /* an error, although only a plan needs them */
    status = status ? status : gt_limits_get(&limits, (int)cli->threads, (int)cli->io_threads, cli->memory, err);
    limits.io_bytes = connection;
    configure_urls(cli, limits.io_threads);
    status = status ? status : gt_ranks_limits(cli, &limits, err);
    if (status)
        return status;
    status = gt_engine_init(&cli->engine, &limits, cli->tmpdir, err);
    if (status == GT_NOFIT && cli->comm.size == 1)
        gt_ceiling_find(cli, &limits, err);
    if (status) {
        gt_run_report_refused(cli, &limits, status, err);
        return status;
    }
    gt_url_accept_files(cli->engine.tmpdir);
    cli->engine.comm = cli->comm;
    gt_pool_share(cli->engine.pool, &cli->cpus);
    gt_ranks_planned(cli);
    gt_ranks_watch(cli);
    cli->engine.all_chunks = cli->all_chunks;
    status = gt_signals_watch(&cli->engine, err);
    if (!status)
        status = run_watched(cli, err);
    if (status)
        gt_comm_fail(&cli->comm, err);
    gt_ranks_unwatch(cli);
    *signal = gt_signals_unwatch();
    const bool refused = status == GT_NOFIT && cli->comm.size == 1 && !gt_memory_plan_accepted(&cli->engine);
    gt_engine_release(&cli->engine);
    gt_shared_cpus_leave(&cli->cpus);
    if (refused && !*signal)
        gt_ceiling_find(cli, &limits, err);
    return status;
}

bool gt_given(const struct gt_cli *cli, const char *name)
{
    return gt_opt_was_given(cli->options, name);
}

int gt_plot_check(const struct gt_cli *cli, const char *plot, struct gt_err *err)
{
    if (plot)
        return gt_picture_check("--plot", plot, &cli->picture, err);
    if (gt_given(cli, "plot-width") || gt_given(cli, "plot-dpi"))
        return gt_fail(err, GT_USAGE, "--plot-%s needs --plot", gt_given(cli, "plot-width") ? "width" : "dpi");
    return GT_OK;
}

/* What was printed on standard output must have arrived. */
static int close_stdout(struct gt_err *err)
{
    bool failed = ferror(stdout);
    errno = 0;
    if (fflush(stdout) || failed)
        return gt_fail_errno(err, errno ? errno : EIO, "cannot write 'standard output'");
    if (close(STDOUT_FILENO) && errno != EBADF)
        return gt_fail_errno(err, errno, "cannot write 'standard output'");
    return GT_OK;
}

static int do_action(enum gt_opt_action request, const struct gt_cmd *cmd, const struct gt_opt_table *table, struct gt_err *err)
{
    switch (request) {
    case GT_ACTION_SHORT_HELP:
        return gt_help_short(stdout, cmd, table, err);
    case GT_ACTION_HELP:
        return gt_help_long(stdout, cmd, table, err);
    case GT_ACTION_VERSION:
        gt_version_print(stdout, cmd);
        return GT_OK;
    default:
        gt_help_list(stdout, table);
        return GT_OK;
    }
}

static int exit_code(int status)
{
    return status >= GT_OK && status <= GT_NOFIT ? status : GT_FAIL;
}

/* URLs are in operands and in options, "--mask URL/ARRAY" or "--pick samples:URL". */
static const char *find_idle(const struct gt_opt_table *table, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strstr(argv[i], "://"))
            return NULL;
    return gt_opt_was_given(table, "timeout") ? "timeout" : gt_opt_was_given(table, "missing-403") ? "missing-403" : NULL;
}

int gt_check_version(const struct gt_cli *cli, bool recorded, const char *needs, struct gt_err *err)
{
    if (cli->version || recorded)
        return GT_OK;
    return gt_fail(err, GT_USAGE, "--no-version needs %s: no other format records its history", needs);
}

/* The values of the options, and what of them the command sees. */
static int check_options(struct gt_cli *cli, const struct gt_opt_table *table, struct gt_err *err)
{
    const struct gt_opt *selects = gt_opt_given(table, GT_GROUP_SELECT);
    int status = gt_shared_check(err);
    cli->selected_by = selects ? selects->name : NULL;
    if (!cli->version)
        cli->history = NULL;
    cli->options = table;
    cli->waits = gt_given(cli, "timeout");
    if (!status && cli->cmd->check)
        status = cli->cmd->check(cli, err);
    cli->options = NULL;
    if (!status && cli->cmd->shared & GT_SHARED_RESUME)
        status = gt_resume_message(cli, table, err);
    return status;
}

/* Parses, then runs or answers.  *signal: the one to die by. */
static int whole(struct gt_cli *cli, int argc, char **argv, int *signal, struct gt_err *err)
{
    struct gt_opt_table table;
    enum gt_opt_action request;
    bool stdin_shown = false;
    int n_operands;
    gt_opt_table_make(&table, cli->cmd);
    int status = gt_opt_parse(&table, argc, argv, &n_operands, &request, err);
    if (!status && request != GT_ACTION_RUN && request != GT_ACTION_VERSION)
        return do_action(request, cli->cmd, &table, err);
    if (!status)
        status = select_kernels(err);
    if (!status && request == GT_ACTION_VERSION)
        return do_action(request, cli->cmd, &table, err);
    const int opened = gt_ranks_open(cli, gt_opt_was_given(&table, "mpi"), err);
    if (opened)
        return status ? status : opened;
    if (!status) {
        cli->idle = find_idle(&table, argc, argv);
        status = check_options(cli, &table, err);
    }
    if (!status)
        status = take_operands(cli, &table, n_operands, argv + 1, &stdin_shown, err);
    if (!status && cli->cmd->check_operands)
        status = cli->cmd->check_operands(cli, err);
    if (!status && stdin_shown && cli->comm.size == 1) {
        status = gt_help_short(stderr, cli->cmd, &table, err);
        return status ? status : (err->status = GT_USAGE);
    }
    if (status == GT_USAGE)
        gt_hint(err, "see %s -h", cli->cmd->name);
    if (!status)
        status = gt_run_report_check(cli, err);
    if (!status && cli->graph)
        status = gt_plan_graph_check(cli, err);
    if (!status && cli->comm.rank == 0)
        status = gt_resume_check(cli, err);
    if (cli->report || cli->graph)
        gt_run_data_begin();
    if (!status) {
        configure_urls(cli, 8); /* not more are sent here */
        gt_signals_end_at_once(true);
        status = gt_outputs_check(cli, &table, err);
        gt_signals_end_at_once(false);
    }
    status = gt_ranks_agree(cli, &table, status, err);
    if (!status && cli->log)
        status = gt_log_open(cli->log, err);
    return status ? status : run_engine(cli, signal, err);
}

int gt_cli_main(int argc, char **argv, const struct gt_cmd *cmd)
{
    struct gt_cli *cli = gt_shared_cli();
    struct gt_str command_line = {0}, history = {0};
    struct gt_err err = {0};
    int signal = 0;
    occupy_standard_descriptors();
    gt_signals_block();
    make_command_line(&command_line, cmd->name, argc, argv);
    cli->cmd = cmd;
    cli->command_line = command_line.s;
    gt_str_addf(&history, "%s %s: %s", cmd->name, PACKAGE_VERSION, command_line.s);
    cli->history = history.s;

    int status = gt_str_check(&command_line, &err);
    if (!status)
        status = gt_str_check(&history, &err);
    if (!status)
        status = whole(cli, argc, argv, &signal, &err);
    if (signal)
        gt_signals_die(signal);
    int closed = close_stdout(status ? NULL : &err);
    if (!status)
        status = closed;
    if (status == GT_PIPE)
        gt_signals_die(SIGPIPE);
    status = gt_ranks_end(cli, status, &err);
    if (status && err.msg[0])
        gt_print_error(cmd->name, &err);
    struct gt_err log_err = {0};
    if (gt_log_close(&log_err) && !status) {
        gt_print_error(cmd->name, &log_err);
        status = GT_FAIL;
    }
    gt_ranks_release(cli);
    gt_run_data_release();
    gt_outputs_release();
    gt_resume_release();
    gt_str_release(&command_line);
    gt_str_release(&history);
    return exit_code(status);
}
