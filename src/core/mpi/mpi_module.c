/* One MPI behind core/mpi/mpi_module.h.  Compiled once for each MPI, with its wrapper. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/mpi/mpi_module.h"

static MPI_Comm data_comm, control_comm;
static MPI_Request current[] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}; /* of each lane */
static MPI_Request *control_requests;
static int n_control;
static int rests; /* before MPI_Finalize */

/* MPICH 4.0 over UCX: in MPI_Finalize a rank asks each other one over TCP for an answer, then waits at a barrier of the launcher, where it
 * answers no more.  A rank that answers before it comes to MPI_Finalize itself, because it still asks MPI for messages, never gets the
 * answers that it needs.  So between the last call of MPI and MPI_Finalize all ranks wait until none makes such calls.
 * Shared memory needs no answers. */
enum { REST_MS = 100 };

/* As launchers say it; MPI_Comm_split_type takes 0.1 s. */
static int is_one_node(int size)
{
    const char *near = getenv("MPI_LOCALNRANKS"), *nodes = getenv("SLURM_STEP_NUM_NODES");
    return near ? atoi(near) == size : nodes && atoi(nodes) == 1;
}

static int must_rest(int size)
{
    char all[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int n;
    return size > 1 && !MPI_Get_library_version(all, &n) && strstr(all, "ch4:ucx") && (getenv("UCX_TLS") || !is_one_node(size));
}

#ifdef OPEN_MPI
/* Where mpirun started all ranks on one node, they talk through its memory.  Looking for networks as well takes Open MPI 0.2 of 0.5 s.
 * What the user has chosen stays, and names of components that this Open MPI lacks do no harm. */
static void leave_networks_out(void)
{
    const char *all = getenv("OMPI_COMM_WORLD_SIZE"), *near = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (!all || !near || strcmp(all, near) || getenv("OMPI_MCA_pml") || getenv("OMPI_MCA_btl"))
        return;
    (void)setenv("OMPI_MCA_pml", "^ucx,cm", 0);
    (void)setenv("OMPI_MCA_btl", "^openib,ofi,usnic,uct", 0);
}
#else
static void leave_networks_out(void) {}
#endif

static int start(int *rank, int *size)
{
    int provided = 0, started = 0, code = MPI_Initialized(&started);
    if (!started)
        leave_networks_out();
    if (!code && !started)
        code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    if (!code && !started && provided < MPI_THREAD_SERIALIZED)
        code = MPI_ERR_OTHER;
    if (!code)
        code = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!code)
        code = MPI_Comm_dup(MPI_COMM_WORLD, &data_comm);
    if (!code)
        code = MPI_Comm_dup(MPI_COMM_WORLD, &control_comm);
    if (!code)
        code = MPI_Comm_rank(data_comm, rank);
    if (!code)
        code = MPI_Comm_size(data_comm, size);
    rests = !code && must_rest(*size);
    return code;
}

static void version(char *text, size_t size)
{
    char all[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int n;
    if (MPI_Get_library_version(all, &n))
        all[0] = '\0';
    all[strcspn(all, "\n,")] = '\0';
    for (char *at = all; *at; at++)
        if (*at == '\t')
            *at = ' ';
    snprintf(text, size, "%s", all);
}

static void error_text(int code, char *text, size_t size)
{
    char all[MPI_MAX_ERROR_STRING] = "unknown error";
    int n;
    MPI_Error_string(code, all, &n);
    all[strcspn(all, "\n")] = '\0';
    snprintf(text, size, "%s", all);
}

static int send_data(int lane, int to, const void *data, int n)
{
    return MPI_Isend(data, n, MPI_BYTE, to, lane, data_comm, &current[lane]);
}

static int recv_data(int lane, int from, void *data, int n)
{
    return MPI_Irecv(data, n, MPI_BYTE, from, lane, data_comm, &current[lane]);
}

static int barrier(void)
{
    return MPI_Ibarrier(data_comm, &current[0]);
}

static int broadcast(void *data, int n, int root)
{
    return MPI_Ibcast(data, n, MPI_BYTE, root, data_comm, &current[0]);
}

static int sum(void *data, int n, MPI_Datatype type, int root)
{
    int rank, code;
    if (root < 0)
        return MPI_Iallreduce(MPI_IN_PLACE, data, n, type, MPI_SUM, data_comm, &current[0]);
    if ((code = MPI_Comm_rank(data_comm, &rank)) != 0)
        return code;
    if (rank == root)
        return MPI_Ireduce(MPI_IN_PLACE, data, n, type, MPI_SUM, root, data_comm, &current[0]);
    return MPI_Ireduce(data, NULL, n, type, MPI_SUM, root, data_comm, &current[0]);
}

/* As unsigned numbers, whose sums are defined modulo 2^64. */
static int sum_i64(int64_t *data, int n, int root)
{
    return sum(data, n, MPI_UINT64_T, root);
}

static int sum_u32(uint32_t *data, int n, int root)
{
    return sum(data, n, MPI_UINT32_T, root);
}

static int gatherv(const void *data, int n, void *all, const int *sizes, const int *offsets, int root)
{
    return MPI_Igatherv(data, n, MPI_BYTE, all, sizes, offsets, MPI_BYTE, root, data_comm, &current[0]);
}

static int test(int lane, int *complete, int *n)
{
    MPI_Status status;
    int code = MPI_Test(&current[lane], complete, &status);
    *n = 0;
    return code || !*complete ? code : MPI_Get_count(&status, MPI_BYTE, n);
}

static int control_send(int to, const void *data, int n)
{
    MPI_Request *longer = realloc(control_requests, (size_t)(n_control + 1) * sizeof *longer);
    if (!longer)
        return MPI_ERR_NO_MEM;
    control_requests = longer;
    return MPI_Isend(data, n, MPI_BYTE, to, 0, control_comm, &control_requests[n_control++]);
}

static int control_recv(void *data, int size, int *n)
{
    MPI_Status status;
    int came = 0, code = MPI_Iprobe(MPI_ANY_SOURCE, 0, control_comm, &came, &status);
    *n = -1;
    if (code || !came)
        return code;
    if ((code = MPI_Get_count(&status, MPI_BYTE, n)) != 0)
        return code;
    return *n > size ? MPI_ERR_TRUNCATE : MPI_Recv(data, *n, MPI_BYTE, status.MPI_SOURCE, 0, control_comm, MPI_STATUS_IGNORE);
}

static int control_sent(int *complete)
{
    int code = 0;
    *complete = 1;
    for (int i = 0; i < n_control && *complete && !code; i++)
        code = MPI_Test(&control_requests[i], complete, MPI_STATUS_IGNORE);
    if (*complete && !code)
        n_control = 0;
    return code;
}

static int finish(void)
{
    int code = MPI_Comm_free(&control_comm);
    if (!code)
        code = MPI_Comm_free(&data_comm);
    free(control_requests);
    control_requests = NULL;
    n_control = 0;
    if (rests)
        (void)nanosleep(&(struct timespec){.tv_nsec = REST_MS * 1000000L}, NULL);
    return code ? code : MPI_Finalize();
}

/* The failure has been reported: a line of MPI's own would only follow it. */
static void abort_all(int status)
{
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0)
        (void)dup2(null, STDERR_FILENO);
    MPI_Abort(MPI_COMM_WORLD, status);
}

__attribute__((visibility("default"))) const struct gt_mpi_module gt_mpi_module = {
    .abi = GT_MPI_ABI,
    .start = start,
    .version = version,
    .error_text = error_text,
    .send = send_data,
    .recv = recv_data,
    .barrier = barrier,
    .broadcast = broadcast,
    .sum_i64 = sum_i64,
    .sum_u32 = sum_u32,
    .gatherv = gatherv,
    .test = test,
    .control_send = control_send,
    .control_recv = control_recv,
    .control_sent = control_sent,
    .finish = finish,
    .abort = abort_all,
};
