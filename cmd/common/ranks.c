#include "config.h"

#include "cmd/common/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "cmd/common/ranks_signature.h"
#include "cmd/common/signals.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/mpi/comm_mpi.h"
#include "core/mpi/node_module.h"
#include "core/mpi/node_sockets.h"
#include "storage/archive/store_create.h"

/* The choices of --mpi. */
enum { MPI_AUTO, MPI_OFF, MPI_NODE, MPI_CHOICES = 5 };
static const char *const choices[MPI_CHOICES] = {"auto", "off", GT_MPI_NODE, "openmpi", "mpich"};

static struct gt_launcher launcher;
static bool agreed_failure; /* of gt_ranks_agree: all ranks have it */

/* --- the beginning -------------------------------------------------------------- */

static int default_choice(struct gt_cli *cli, struct gt_err *err)
{
    const char *text = getenv("GT_MPI");
    for (int i = 0; i < MPI_CHOICES; i++)
        if (!text || !*text || strcmp(text, choices[i]) == 0) {
            cli->mpi = i;
            return GT_OK;
        }
    return gt_fail(err, GT_USAGE, "environment variable GT_MPI: '%s' is not one of auto, off, node, openmpi, mpich", text);
}

static const char *module_name(const struct gt_cli *cli, struct gt_err *err)
{
    if (cli->mpi == MPI_NODE && launcher.size > GT_NODE_MOST) {
        gt_fail(err, GT_USAGE, "--mpi node: %s started %d processes, and at most %d are possible", launcher.name, launcher.size,
                GT_NODE_MOST);
        return NULL;
    }
    if (cli->mpi == MPI_NODE && launcher.size > 1 && !launcher.node) {
        gt_fail(err, GT_USAGE, "--mpi node: %s does not say that all %d processes are on this node", launcher.name, launcher.size);
        return NULL;
    }
    if (cli->mpi != MPI_AUTO)
        return choices[cli->mpi];
    if (launcher.node)
        return GT_MPI_NODE;
    if (launcher.mpi)
        return launcher.mpi;
    gt_fail(err, GT_USAGE, "%s started %d processes without an MPI", launcher.name, launcher.size);
    gt_hint(err, "use srun --mpi=pmix for Open MPI, or srun --mpi=pmi2 for MPICH");
    return NULL;
}

/* Only rank 0 writes to standard output and standard error. */
static void fall_silent(struct gt_cli *cli)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
        (void)!dup2(nowhere, STDOUT_FILENO);
        close(nowhere);
    }
    cli->quiet = true;
    cli->verbose = false;
    cli->progress = -1;
    cli->report_of_ranks = cli->report != NULL;
    cli->log = cli->report = cli->graph = NULL;
}

int gt_ranks_open(struct gt_cli *cli, bool chosen, struct gt_err *err)
{
    int status = chosen ? GT_OK : default_choice(cli, err);
    gt_comm_self(&cli->comm);
    gt_launcher_get(&launcher);
    const bool several = launcher.size > 1;
    if (status)
        return status;
    if (cli->mpi == MPI_OFF || (!several && (cli->mpi == MPI_AUTO || !cli->cmd->ranks))) {
        launcher = (struct gt_launcher){0};
        return GT_OK;
    }
    if (!cli->cmd->ranks) {
        gt_fail(err, GT_USAGE, "%s started %d processes, and %s runs in one", launcher.name, launcher.size, cli->cmd->name);
        gt_hint(err, "start it without mpirun or srun, or as one task");
        return GT_USAGE;
    }
    const char *name = module_name(cli, err);
    const bool by_node = name && strcmp(name, GT_MPI_NODE) == 0;
    if (by_node) /* ranks wait for each other, and there is nothing to remove yet */
        gt_signals_end_at_once(true);
    status = name ? gt_comm_mpi_open(&cli->comm, name, &launcher, err) : GT_USAGE;
    if (by_node)
        gt_signals_end_at_once(false);
    if (!status && cli->comm.rank > 0)
        fall_silent(cli);
    return status;
}

/* --- agreement ------------------------------------------------------------------- */

/* What the ranks have sent, on rank 0: an error and a signature each. */
struct ballot {
    const uint64_t *sizes;
    const uint8_t *data;
};

static const uint8_t *part_of(const struct ballot *ballot, int rank)
{
    const uint8_t *at = ballot->data;
    for (int r = 0; r < rank; r++)
        at += ballot->sizes[r];
    return at;
}

static bool error_of(const struct ballot *ballot, int rank, struct gt_err *err)
{
    *err = (struct gt_err){0};
    if (ballot->sizes[rank] < sizeof *err)
        return false;
    memcpy(err, part_of(ballot, rank), sizeof *err);
    return true;
}

static const char *signature_of(const struct ballot *ballot, int rank)
{
    return (const char *)part_of(ballot, rank) + sizeof(struct gt_err) + sizeof(((struct gt_comm *)0)->host);
}

static const char *host_of(const struct ballot *ballot, int rank)
{
    return (const char *)part_of(ballot, rank) + sizeof(struct gt_err);
}

/* The first failure; named by its rank unless all ranks have the same. */
static void first_failure(const struct ballot *ballot, int size, struct gt_err *verdict)
{
    struct gt_err its;
    int failed = -1, same = 0;
    for (int r = 0; r < size; r++) {
        if (!error_of(ballot, r, &its) || !its.status)
            continue;
        if (failed < 0) {
            *verdict = its;
            failed = r;
        }
        same += strcmp(its.msg, verdict->msg) == 0;
    }
    if (failed >= 0 && same < size)
        gt_fail_prefix(verdict, "rank %d on %s", failed, host_of(ballot, failed));
}

static void first_difference(const struct ballot *ballot, int size, struct gt_err *verdict)
{
    for (int r = 1; r < size && !verdict->status; r++)
        gt_signature_compare(signature_of(ballot, 0), signature_of(ballot, r), r, host_of(ballot, r), verdict);
}

static int vote(struct gt_cli *cli, const struct gt_str *signature, int status, const struct gt_err *err, struct gt_err *verdict,
                struct gt_err *fault)
{
    struct gt_comm *comm = &cli->comm;
    struct gt_buf own = {0}, all = {0};
    struct gt_err mine = *err;
    uint64_t *sizes = gt_alloc((size_t)comm->size, sizeof *sizes, fault);
    mine.status = status;
    int failed = sizes ? gt_buf_append(&own, &mine, sizeof mine, fault) : GT_FAIL;
    if (!failed)
        failed = gt_buf_append(&own, comm->host, sizeof comm->host, fault);
    if (!failed)
        failed = gt_buf_append(&own, signature->s, signature->len + 1, fault);
    if (!failed)
        failed = gt_comm_gatherv(comm, own.data, own.len, &all, sizes, 0, fault);
    *verdict = (struct gt_err){0};
    if (!failed && comm->rank == 0) {
        const struct ballot ballot = {sizes, all.data};
        first_failure(&ballot, comm->size, verdict);
        if (!verdict->status)
            first_difference(&ballot, comm->size, verdict);
    }
    if (!failed)
        failed = gt_comm_broadcast(comm, verdict, sizeof *verdict, 0, fault);
    gt_buf_release(&own);
    gt_buf_release(&all);
    free(sizes);
    return failed;
}

int gt_ranks_agree(struct gt_cli *cli, const struct gt_opt_table *table, int status, struct gt_err *err)
{
    struct gt_str signature = {0};
    struct gt_err verdict, fault = {0};
    if (cli->comm.size == 1)
        return status;
    status = status ? status : gt_signature_check_inputs(cli, table, err);
    gt_signature_make(&signature, cli, table);
    if (!status)
        status = gt_str_check(&signature, err);
    int failed = vote(cli, &signature, status, err, &verdict, &fault);
    gt_str_release(&signature);
    *err = failed ? fault : verdict;
    agreed_failure = !failed && verdict.status;
    return failed ? failed : verdict.status;
}

/* --- threads and memory -------------------------------------------------------------- */

struct rank_limits {
    char host[sizeof(((struct gt_comm *)0)->host)];
    struct gt_shared_cpus_offer offer;
    uint64_t cpus; /* hash of those that it may use */
    int64_t threads, io_threads, memory, io_bytes;
    double share;                   /* of cpu time, in cpus */
    int shares_cpus, shares_memory; /* the figures are those of the node, not given for this rank */
};

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static struct rank_limits own_limits(struct gt_cli *cli, const struct gt_limits *limits)
{
    struct gt_cpu_set cpus;
    gt_cpu_set_get(&cpus);
    struct rank_limits own = {.cpus = XXH3_64bits(&cpus, sizeof cpus),
                              .threads = limits->threads,
                              .io_threads = limits->io_threads,
                              .memory = limits->memory,
                              .io_bytes = limits->io_bytes,
                              .share = limits->cpus,
                              .shares_cpus = strcmp(limits->threads_from, "affinity") == 0 || strcmp(limits->threads_from, "cgroup") == 0,
                              .shares_memory = starts_with(limits->memory_from, "60 %")};
    memcpy(own.host, cli->comm.host, sizeof own.host);
    gt_shared_cpus_offer(&cli->cpus, &own.offer);
    return own;
}

static bool same_host(const struct rank_limits *a, const struct rank_limits *b)
{
    return strcmp(a->host, b->host) == 0;
}

/* The figures that all ranks use; *neighbours: most ranks on one node that share something. */
static struct rank_limits common_limits(const struct rank_limits *ranks, int size, int *neighbours)
{
    struct rank_limits common = ranks[0];
    *neighbours = 1;
    for (int r = 0; r < size; r++) {
        int on_cpus = 0, on_host = 0;
        for (int other = 0; other < size; other++) {
            const bool near = same_host(&ranks[r], &ranks[other]);
            on_host += near;
            on_cpus += near && ranks[r].cpus == ranks[other].cpus;
        }
        int64_t threads = ranks[r].shares_cpus ? gt_max_i64(ranks[r].threads / on_cpus, 1) : ranks[r].threads;
        int64_t memory = ranks[r].shares_memory ? ranks[r].memory / on_host : ranks[r].memory;
        common.threads = gt_min_i64(common.threads, threads);
        common.share = fmin(common.share, ranks[r].share / on_cpus);
        common.memory = gt_min_i64(common.memory, memory);
        common.io_threads = gt_min_i64(common.io_threads, ranks[r].io_threads);
        common.io_bytes = gt_max_i64(common.io_bytes, ranks[r].io_bytes);
        if ((ranks[r].shares_cpus && on_cpus > 1) || (ranks[r].shares_memory && on_host > 1))
            *neighbours = on_host > *neighbours ? on_host : *neighbours;
    }
    return common;
}

static void use_limits(struct gt_cli *cli, struct gt_limits *limits, const struct rank_limits *common, int neighbours)
{
    char size[GT_NUM_LEN], threads[GT_THINGS_LEN];
    limits->threads = (int)common->threads;
    limits->io_threads = (int)common->io_threads;
    limits->cpus = common->share;
    limits->io_bytes = common->io_bytes;
    if (limits->memory > common->memory)
        limits->memory_from = "per rank";
    limits->memory = common->memory;
    limits->machine = gt_min_i64(limits->machine, common->memory);
    if (neighbours > 1)
        gt_note(cli, "%d ranks share a node: each has %s and %s of memory (-@ and --memory change that)", neighbours,
                gt_format_things(threads, limits->threads, "thread"), gt_format_size(size, limits->memory));
}

/* With the other ranks of this node; limits: of all ranks, as they said. */
static int share_cpus(struct gt_cli *cli, const struct rank_limits *limits, int threads, struct gt_err *err)
{
    const int size = cli->comm.size, rank = cli->comm.rank;
    const struct rank_limits *own = &limits[rank];
    struct gt_shared_cpus_offer *offers = gt_alloc((size_t)size, sizeof *offers, err);
    struct gt_cpu_set cpus;
    int n = 0, self = 0;
    if (!offers)
        return GT_FAIL;
    for (int r = 0; r < size; r++) {
        self = r == rank ? n : self;
        if (same_host(&limits[r], own))
            offers[n++] = limits[r].offer;
    }
    gt_cpu_set_get(&cpus);
    gt_shared_cpus_join(&cli->cpus, offers, n, self, threads, own->share < gt_cpu_set_count(&cpus) ? own->share : 0);
    free(offers);
    return GT_OK;
}

int gt_ranks_limits(struct gt_cli *cli, struct gt_limits *limits, struct gt_err *err)
{
    struct gt_comm *comm = &cli->comm;
    struct gt_buf all = {0};
    int neighbours = 1;
    cli->cpus = (struct gt_shared_cpus){.file = -1};
    if (comm->size == 1)
        return GT_OK;
    const struct rank_limits own = own_limits(cli, limits);
    uint64_t *sizes = gt_alloc((size_t)comm->size, sizeof *sizes, err);
    int status = sizes ? gt_comm_gatherv(comm, &own, sizeof own, &all, sizes, 0, err) : GT_FAIL;
    status = status ? status : gt_buf_resize(&all, (size_t)comm->size * sizeof own, err);
    status = status ? status : gt_comm_broadcast(comm, all.data, all.len, 0, err);
    if (!status) {
        const struct rank_limits *ranks = (const struct rank_limits *)(const void *)all.data;
        const struct rank_limits common = common_limits(ranks, comm->size, &neighbours);
        use_limits(cli, limits, &common, neighbours);
        status = share_cpus(cli, ranks, limits->threads, err);
    }
    gt_buf_release(&all);
    free(sizes);
    return status;
}

/* --- the trace -------------------------------------------------------------------------- */

static int own_events(const struct gt_cli *cli, struct gt_buf *to, struct gt_err *err)
{
    char *text = NULL, name[64 + sizeof cli->comm.host];
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return gt_fail_errno(err, errno, "cannot write the trace");
    snprintf(name, sizeof name, "rank %d on %s", cli->comm.rank, cli->comm.host);
    fputs(",\n", file);
    int status = gt_trace_write_events(&cli->engine.trace, cli->comm.rank + 1, name, file, err);
    if (fclose(file) && !status)
        status = gt_fail_errno(err, errno, "cannot write the trace");
    if (!status)
        status = gt_buf_append(to, text, size, err);
    free(text);
    return status;
}

int gt_ranks_trace(struct gt_cli *cli, struct gt_str *events, struct gt_err *err)
{
    struct gt_comm *comm = &cli->engine.comm;
    struct gt_buf own = {0}, all = {0};
    if (comm->size == 1)
        return GT_OK;
    uint64_t *sizes = gt_alloc((size_t)comm->size, sizeof *sizes, err);
    int status = !sizes ? GT_FAIL : comm->rank ? own_events(cli, &own, err) : GT_OK;
    if (!status)
        status = gt_comm_gatherv(comm, own.data, own.len, &all, sizes, 0, err);
    if (!status)
        gt_str_addn(events, (const char *)all.data, all.len);
    status = status ? status : gt_str_check(events, err);
    gt_buf_release(&own);
    gt_buf_release(&all);
    free(sizes);
    return status;
}

/* --- failures and the end --------------------------------------------------------------- */

static void stop_flows(void *ctx)
{
    gt_engine_cancel(ctx, GT_CANCEL);
}

void gt_ranks_planned(struct gt_cli *cli)
{
    if (cli->ranks)
        gt_comm_planned(&cli->engine.comm, (int)cli->ranks);
}

void gt_ranks_watch(struct gt_cli *cli)
{
    if (cli->comm.size > 1)
        gt_comm_mpi_watch(&cli->comm, stop_flows, &cli->engine);
}

void gt_ranks_unwatch(struct gt_cli *cli)
{
    if (cli->comm.size > 1)
        gt_comm_mpi_watch(&cli->comm, NULL, NULL);
}

int gt_ranks_status(const struct gt_cli *cli, int status, struct gt_err *err)
{
    struct gt_err failure;
    bool here;
    if (status != GT_CANCEL || cli->comm.size == 1 || !gt_comm_mpi_failure(&cli->comm, &failure, &here) || here)
        return status;
    if (err)
        *err = failure;
    return failure.status;
}

int gt_ranks_need_directory(const struct gt_cli *cli, const char *what, struct gt_err *err)
{
    if (cli->comm.size == 1 || (!what && gt_store_is_directory(cli->output)))
        return GT_OK;
    gt_fail(err, GT_USAGE, "%d ranks write one directory store, and '%s' is %s", cli->comm.size, cli->output,
            what                              ? what
            : gt_store_is_stream(cli->output) ? "a tar stream"
                                              : "a zip archive");
    gt_hint(err, "write -o OUT.zarr, and convert it with gt-rechunk in one process");
    return GT_USAGE;
}

static bool is_silent(const struct gt_cli *cli)
{
    return cli->comm.size > 1 ? cli->comm.rank > 0 : launcher.size > 1 && launcher.rank > 0;
}

int gt_ranks_end(struct gt_cli *cli, int status, struct gt_err *err)
{
    struct gt_err failure;
    bool here = false;
    if (cli->comm.size > 1 && !agreed_failure) {
        if (status)
            gt_comm_fail(&cli->comm, err);
        else
            status = gt_comm_barrier(&cli->comm, err);
        if (gt_comm_mpi_failure(&cli->comm, &failure, &here) && !here) {
            *err = failure;
            status = failure.status;
        }
    }
    if (status && is_silent(cli) && (cli->comm.size > 1 || status == GT_USAGE))
        err->msg[0] = '\0';
    return status;
}

void gt_ranks_release(struct gt_cli *cli)
{
    gt_comm_release(&cli->comm);
}
