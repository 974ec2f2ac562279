/* bench_comm [MIB]: how fast ranks exchange data, started by a launcher.  Rank 0 prints what GT_RATES takes: the rate of a sum of
 * MIB (default 64) on rank 0, and the seconds of a message that waits for the one before it. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/base/mem.h"
#include "core/mpi/comm_mpi.h"

enum { RUNS = 5, MESSAGES = 200 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Seconds of a sum of n numbers, the least of some. */
static int sum(struct gt_comm *comm, uint32_t *data, size_t n, int runs, double *seconds, struct gt_err *err)
{
    int status = GT_OK;
    for (int i = 0; i < runs && !status; i++) {
        status = gt_comm_barrier(comm, err);
        const double start = now();
        status = status ? status : gt_comm_reduce_u32(comm, data, n, 0, err);
        const double took = now() - start;
        *seconds = i && *seconds < took ? *seconds : took;
    }
    return status;
}

static int measure(struct gt_comm *comm, size_t n, struct gt_err *err)
{
    uint32_t *data = gt_alloc(n, sizeof *data, err);
    double large = 0, small = 0;
    int status = data ? sum(comm, data, n, RUNS, &large, err) : GT_FAIL;
    status = status ? status : gt_comm_barrier(comm, err);
    const double start = now();
    for (int i = 0; i < MESSAGES && !status; i++) {
        status = gt_comm_reduce_u32(comm, data, 1, 0, err);
        status = status ? status : gt_comm_broadcast(comm, data, sizeof *data, 0, err);
    }
    small = (now() - start) / (2 * MESSAGES);
    if (!status && comm->rank == 0)
        printf("link=%.4g,latency=%.3g\n", (double)(n * sizeof *data) / large, small);
    free(data);
    return status;
}

int main(int argc, char **argv)
{
    const long mib = argc > 1 ? atol(argv[1]) : 64;
    struct gt_launcher launcher;
    struct gt_comm comm;
    struct gt_err err = {0};
    gt_launcher_get(&launcher);
    int status = launcher.mpi ? gt_comm_mpi_open(&comm, launcher.mpi, &launcher, &err) : gt_fail(&err, GT_USAGE, "no launcher");
    if (!status) {
        status = measure(&comm, (size_t)(mib > 0 ? mib : 1) << 18, &err);
        if (status)
            gt_comm_fail(&comm, &err);
        gt_comm_release(&comm);
    }
    if (status)
        fprintf(stderr, "bench_comm: %s\n", err.msg);
    return status;
}
