#include "cmd/common/ceiling.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/ranks.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"

#define MIB (INT64_C(1) << 20)

enum { TRIES = 6 };

/* Plans under `memory` bytes; *least: what that plan needs, 0 when it does not get so far. */
static int plan(struct gt_cli *cli, struct gt_limits limits, int64_t memory, int64_t *minimum)
{
    struct gt_err err = {0};
    limits.memory = memory;
    *minimum = 0;
    int status = gt_engine_init(&cli->engine, &limits, cli->tmpdir, &err);
    if (status)
        return status;
    cli->engine.needs->only_plans = true;
    gt_ranks_planned(cli);
    status = cli->cmd->run(cli, &err);
    if (status == GT_OK)
        gt_memory_plan_note(&cli->engine, 1, 1);
    *minimum = cli->engine.needs->minimum;
    gt_engine_release(&cli->engine);
    return status;
}

/* In MiB; 0: not found.  What is more than planning may take is not tried. */
static int64_t find(struct gt_cli *cli, const struct gt_limits *limits)
{
    const int64_t machine = gt_max_i64(limits->machine, limits->memory),
                  most = gt_min_i64(gt_max_i64(GT_PLANNING_BYTES, gt_bytes_mul(4, limits->memory)), machine);
    int64_t memory = most, minimum;
    int status = plan(cli, *limits, memory, &minimum);
    for (int i = 0; i < TRIES && minimum > 0 && (status == GT_OK || status == GT_NOFIT); i++) {
        memory = gt_max_i64(gt_ceil_div(minimum, MIB), limits->memory / MIB + 1) * MIB;
        if (memory > most)
            return memory / MIB;
        status = plan(cli, *limits, memory, &minimum);
        if (status == GT_OK)
            return memory / MIB;
        minimum = gt_max_i64(minimum, memory + MIB);
    }
    return 0;
}

/* The figure of the hint, if it has one, else a hint with it. */
static void put_figure(struct gt_err *err, int64_t mib)
{
    static const char option[] = "--memory ";
    char rest[sizeof err->hint] = "";
    char *at = strstr(err->hint, option);
    size_t digits = at ? strspn(at + strlen(option), "0123456789") : 0;
    if (digits) {
        at += strlen(option);
        snprintf(rest, sizeof rest, "%s", at + digits);
        snprintf(at, sizeof err->hint - (size_t)(at - err->hint), "%lld%s", (long long)mib, rest);
    } else {
        err->hint[0] = '\0';
        gt_hint(err, "--memory %lldM would do", (long long)mib);
    }
}

static bool reads_stdin(const struct gt_cli *cli)
{
    for (int i = 0; i < cli->n_operands; i++)
        if (cli->cmd->takes_input && strcmp(cli->operands[i], "-") == 0)
            return true;
    return false;
}

void gt_ceiling_find(struct gt_cli *cli, const struct gt_limits *limits, struct gt_err *err)
{
    if (reads_stdin(cli) || fflush(stdout))
        return;
    const int shown = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const bool dry_run = cli->dry_run, quiet = cli->quiet;
    if (shown >= 0 && nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0) {
        cli->dry_run = cli->quiet = true;
        const int64_t mib = find(cli, limits);
        cli->dry_run = dry_run;
        cli->quiet = quiet;
        if (mib)
            put_figure(err, mib);
        fflush(stdout);
        dup2(shown, STDOUT_FILENO);
    }
    if (shown >= 0)
        close(shown);
    if (nowhere >= 0)
        close(nowhere);
}
