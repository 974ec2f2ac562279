/* A small command with an option of every kind, for test/cmd/common/cli.bats: it prints
 * what it was given, or does what --do says. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/cli.h"
#include "core/base/cleanup.h"
#include "core/base/outfile.h"
#include "core/engine/flow.h"

static bool flag, keep = true;
static const char *text = "none";
static int64_t count = 7, size = 1024;
static double real = 0.5, rate = 0.25;
static int choice;
static const char *action = "";

static const struct gt_opt options[] = {
    {'a', "flag", GT_OPT_FLAG, &flag, NULL, NULL, "a flag"},
    {0, "no-keep", GT_OPT_NEGATE, &keep, NULL, NULL, "do not keep"},
    {'t', "text", GT_OPT_TEXT, &text, "TEXT", NULL, "a text; default none"},
    {'c', "count", GT_OPT_COUNT, &count, "N", NULL, "a count; default 7"},
    {0, "size", GT_OPT_SIZE, &size, "SIZE", NULL, "a size; default 1K"},
    {0, "real", GT_OPT_REAL, &real, "X", NULL, "a number; default 0.5"},
    {0, "rate", GT_OPT_RATE, &rate, "F", NULL, "a rate; default 0.25"},
    {'m', "choice", GT_OPT_CHOICE, &choice, NULL, "red|green|blue", "a colour; default red"},
    {0, "do", GT_OPT_TEXT, &action, "WHAT", NULL, "hang, sleep, lines, fail, input, nofit, note, file, slow or read"},
    {0},
};

static int print_values(struct gt_cli *cli)
{
    printf("flag=%d keep=%d text=%s count=%" PRId64 " size=%" PRId64 " real=%g rate=%g choice=%d\n", flag, keep, text, count, size, real,
           rate, choice);
    printf("output=%s force=%d version=%d dry_run=%d json=%d progress=%d seed=%" PRId64 "\n", cli->output ? cli->output : "-", cli->force,
           cli->version, cli->dry_run, cli->json, cli->progress, cli->seed);
    printf("threads=%d memory=%" PRId64 "\n", cli->engine.limits.threads, cli->engine.limits.memory);
    printf("geno=%g mind=%g maf=%g thin=%" PRId64 " ploidy=%" PRId64 " half_call=%d\n", cli->select.geno, cli->select.mind, cli->select.maf,
           cli->select.thin, cli->select.ploidy, (int)cli->select.half_call);
    printf("line=%s\n", cli->command_line);
    for (int i = 0; i < cli->n_operands; i++)
        printf("operand=%s\n", cli->operands[i]);
    return GT_OK;
}

static int sleep_a_little(void *ctx, int64_t task, void *item, struct gt_err *err)
{
    (void)task, (void)item, (void)err;
    usleep(20000);
    gt_flow_bytes(1 << 20);
    gt_engine_passed(ctx, 1 << 20);
    return GT_OK;
}

/* Half a result file and a flow of `tasks` tasks of 20 ms and 1 MiB each on one thread, which reads input of so many bytes. */
static int write_slowly(struct gt_cli *cli, int64_t tasks, int64_t bytes, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "sample", .item_size = 8, .work = sleep_a_little};
    struct gt_flow_opts opts = {.tasks = tasks};
    struct gt_outfile out = {0};
    int status = gt_outfile_open(&out, cli->output, false, err);
    gt_engine_pass(&cli->engine, bytes);
    if (!status)
        status = gt_outfile_write(&out, "half\n", 5, err);
    if (!status)
        status = gt_flow_run(&cli->engine, &ops, &opts, &cli->engine, NULL, err);
    if (!status)
        status = gt_outfile_commit(&out, err);
    gt_outfile_abort(&out);
    return status;
}

/* Deaf to the cancel flag, with a temporary file. */
static int hang(struct gt_cli *cli, struct gt_err *err)
{
    struct gt_outfile out = {0};
    int status = gt_outfile_open(&out, cli->output, false, err);
    if (status)
        return status;
    for (;;)
        sleep(60);
}

static int print_lines(void)
{
    for (int64_t i = 0; i < count; i++)
        puts("0123456789012345678901234567890123456789012345678901234567890123456789012345678");
    return GT_OK;
}

static int run(struct gt_cli *cli, struct gt_err *err)
{
    if (!strcmp(action, "hang"))
        return hang(cli, err);
    if (!strcmp(action, "slow"))
        return write_slowly(cli, count, 0, err);
    if (!strcmp(action, "read"))
        return write_slowly(cli, count, count * 4 << 20, err);
    if (!strcmp(action, "lines"))
        return print_lines();
    if (!strcmp(action, "pipe"))
        return gt_fail(err, GT_PIPE, "cannot write standard output: Broken pipe");
    if (!strcmp(action, "fail"))
        return gt_fail(err, GT_FAIL, "cannot do '%s'", text);
    if (!strcmp(action, "input")) {
        gt_fail(err, GT_INPUT, "'%s' is damaged", text);
        gt_hint(err, "make it anew");
        return GT_INPUT;
    }
    if (!strcmp(action, "nofit"))
        return gt_fail(err, GT_NOFIT, "needs 2.0 GiB");
    if (!strcmp(action, "note")) {
        gt_note(cli, "a note on '%s'", text);
        gt_warn(cli, "beware of '%s'", text);
        return GT_OK;
    }
    return print_values(cli);
}

int main(int argc, char **argv)
{
    static const struct gt_cmd cmd = {
        .name = "sample",
        .summary = "the options of all commands, for tests",
        .synopsis = "[-a] [-t TEXT] [-c N] [IN...]",
        .examples = "  sample -t x\n",
        .options = options,
        .shared = GT_SHARED_RESOURCES | GT_SHARED_WATCH | GT_SHARED_SELECT | GT_SHARED_OUTPUT | GT_SHARED_SEED,
        .takes_input = true,
        .run = run,
    };
    return gt_cli_main(argc, argv, &cmd);
}
