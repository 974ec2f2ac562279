/* Ranks over each MPI that this build has a module of.  Started alone, the program starts itself under that MPI's mpirun; the
 * ranks then share a file of trials, as the threads of t_comm share memory. */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/mpi/comm_mpi.h"
#include "test/support/comm_trials.h"
#include "test/support/tap.h"

enum { MOST_TRIALS = 1000 };

static struct trial *trials;
static int n_trials;

/* Every rank makes the same trials, in the same order. */
static bool try_all(struct gt_comm *comm, struct gt_err *err)
{
    static int (*const bodies[])(struct gt_comm *, void *, struct gt_err *) = {try_sums, try_moves, try_gather, try_barrier};
    bool good = true;
    for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++)
        for (int l = 0; l < N_LENGTHS; l++)
            for (int root = 0; root<comm->size; root += comm->size> 1 ? comm->size - 1 : 1) {
                struct trial *trial = &trials[n_trials++];
                trial->n = lengths[l];
                trial->root = root;
                if (bodies[b](comm, trial, err) || gt_comm_barrier(comm, err))
                    return false;
                good &= !trial->wrong;
            }
    return good;
}

/* More than 32 bits of bytes is not tried here: t_comm tries it without moving them.  This is more than a block of each rank. */
static bool try_large(struct gt_comm *comm, struct gt_err *err)
{
    struct trial trial = {.n = 3 * GT_COMM_BLOCK / 8 + 11};
    return !try_sums(comm, &trial, err) && !try_moves(comm, &trial, err) && !try_gather(comm, &trial, err) && !trial.wrong;
}

static bool try_extremes(struct gt_comm *comm, struct gt_err *err)
{
    const int64_t first = comm->rank == 0;
    int64_t least[] = {first ? INT64_MIN : 0, first ? INT64_MAX : 0, first ? INT64_MAX : -7};
    int status = gt_comm_allreduce_i64(comm, least, 3, err);
    return !status && least[0] == INT64_MIN && least[1] == INT64_MAX && least[2] == INT64_MAX - 7 * (comm->size - 1);
}

static bool try_floats_here(struct gt_comm *comm, struct gt_err *err)
{
    static struct floats f;
    make_floats(&f);
    return !try_floats(comm, &f, err) && !f.wrong;
}

/* The failing rank's error arrives at the others, whatever they wait in. */
static bool try_failing(struct gt_comm *comm, const char *what, struct gt_err *err)
{
    struct fault fault = {.failing = comm->size - 1, .call = (enum call)atoi(what)};
    char start[100];
    int status = try_fault(comm, &fault, err);
    if (status && comm->rank == fault.failing)
        gt_comm_fail(comm, err);
    snprintf(start, sizeof start, "rank %d on ", fault.failing);
    return status == GT_INPUT && strstr(err->msg, "the disk of this one is broken") &&
           (comm->rank == fault.failing || !strncmp(err->msg, start, strlen(start)));
}

static bool overflows(struct gt_comm *comm, struct gt_err *err)
{
    int64_t data[3] = {1, INT64_MAX / 2, -1};
    return gt_comm_allreduce_i64(comm, data, 3, err) == GT_FAIL && strstr(err->msg, "does not fit 64 bits");
}

static bool ranks_differ(struct gt_comm *comm, struct gt_err *err)
{
    char data[10] = {0};
    int status = comm->rank == 0 ? gt_comm_send(comm, 1, data, 8, err) : comm->rank == 1 ? gt_comm_recv(comm, 0, data, 10, err) : GT_OK;
    status = status ? status : gt_comm_barrier(comm, err);
    return status == GT_FAIL && strstr(err->msg, "8 bytes, not 10");
}

/* The last rank comes to the end after the others. */
static bool comes_late(struct gt_comm *comm, struct gt_err *err)
{
    const bool good = !gt_comm_barrier(comm, err);
    if (comm->rank == comm->size - 1)
        usleep(300000);
    return good;
}

/* Rank 1 fails, says that it ends, and is killed then; the last rank comes to the end 0.6 s after the beginning. */
static bool fails_and_is_killed(struct gt_comm *comm, struct gt_err *err)
{
    struct gt_err fault = {0};
    if (comm->rank == 1) {
        const struct itimerval soon = {.it_value.tv_usec = 200000};
        gt_fail(&fault, GT_INPUT, "the disk of this one is broken");
        gt_comm_fail(comm, &fault);
        setitimer(ITIMER_REAL, &soon, NULL);
    } else if (comm->rank == 2) {
        usleep(600000);
    }
    return comm->rank == 1 || gt_comm_barrier(comm, err) == GT_INPUT;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool try_what(struct gt_comm *comm, const char *what, struct gt_err *err)
{
    return strcmp(what, "all") == 0        ? try_all(comm, err)
           : strcmp(what, "large") == 0    ? try_large(comm, err)
           : strcmp(what, "extremes") == 0 ? try_extremes(comm, err)
           : strcmp(what, "floats") == 0   ? try_floats_here(comm, err)
           : strcmp(what, "overflow") == 0 ? overflows(comm, err)
           : strcmp(what, "lengths") == 0  ? ranks_differ(comm, err)
           : strcmp(what, "late") == 0     ? comes_late(comm, err)
           : strcmp(what, "killed") == 0   ? fails_and_is_killed(comm, err)
                                           : try_failing(comm, what, err);
}

/* One rank: what is tried, the file of trials. */
static int be_rank(const char *mpi, const char *what, const char *shared)
{
    struct gt_launcher launcher;
    struct gt_comm comm;
    struct gt_err err = {0};
    int fd = open(shared, O_RDWR | O_CLOEXEC);
    alarm(100);
    trials = mmap(NULL, MOST_TRIALS * sizeof *trials, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    gt_launcher_get(&launcher);
    if (trials == MAP_FAILED || gt_comm_mpi_open(&comm, mpi, &launcher, &err)) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    const bool killed = strcmp(what, "killed") == 0, at_end = killed || strcmp(what, "late") == 0;
    const double began = seconds();
    if (!try_what(&comm, what, &err))
        fprintf(stderr, "rank %d: wrong: %d %s\n", comm.rank, err.status, err.msg);
    else if (!at_end)
        printf("right\n");
    fflush(stdout);
    gt_comm_release(&comm); /* after a failure this may be the end of the process */
    if (at_end && (!killed || seconds() - began > 0.5))
        printf("right\n");
    return 0;
}

/* --- the program alone --------------------------------------------------------------- */

static const char *self;
static char shared[] = "/tmp/t_comm_mpi.XXXXXX";

/* How many ranks have said that all was right; *status: that of the command. */
static int count_lines(const char *command, int *status)
{
    char line[1000];
    int right = 0;
    FILE *pipe = popen(command, "r");
    *status = 0;
    while (pipe && fgets(line, sizeof line, pipe)) {
        for (const char *at = line; (at = strstr(at, "right")) != NULL; at++) /* mpirun may join the lines of ranks */
            right++;
        if (strstr(line, "wrong"))
            diag("%s", line);
    }
    if (pipe)
        *status = pclose(pipe);
    return right;
}

/* The same of n.  name: an MPI, or "node-" and the MPI whose mpirun starts them.  mpirun of MPICH 4.0 now and then ends with SIGPIPE before
 * a short process, as in `mpirun.mpich -n 1 echo`: it is started again. */
static int count_right(const char *name, int n, const char *what)
{
    char command[9000];
    const char *mpi = strchr(name, '-') ? strchr(name, '-') + 1 : name;
    snprintf(command, sizeof command, "timeout -k 5 120 mpirun.%s %s -n %d '%s' %s %s %s 2>&1 </dev/null", mpi,
             strcmp(mpi, "openmpi") ? "" : "--bind-to none", n, self, mpi == name ? name : "node", what, shared);
    for (int tries = 0, status, right; tries < 3; tries++) {
        const int fd = open(shared, O_RDWR | O_TRUNC | O_CLOEXEC);
        if (fd < 0 || ftruncate(fd, MOST_TRIALS * (off_t)sizeof *trials))
            return -1;
        close(fd);
        right = count_lines(command, &status);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 128 + SIGPIPE)
            return right;
    }
    return -1;
}

/* A launcher that kills the others would hide it: there is none. */
static void test_killed(void)
{
    char command[9000];
    int status;
    snprintf(command, sizeof command,
             "for r in 0 1 2; do SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=$r SLURM_STEP_NUM_NODES=1 SLURM_JOB_ID=%d SLURM_STEP_ID=0"
             " ASAN_OPTIONS=detect_leaks=0 timeout -k 5 60 '%s' node killed %s & done 2>&1 </dev/null; wait",
             (int)getpid(), self, shared);
    ok(count_lines(command, &status) == 2,
       "one that has said that it ends, and is killed, does not count for two: rank 0 waits for the last");
}

static void test_mpi(const char *mpi)
{
    static const int sizes[] = {1, 2, 3, 4, 7};
    char call[20];
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        ok(count_right(mpi, sizes[s], "all") == sizes[s], "%s, %d ranks: sums, messages, gather, barrier", mpi, sizes[s]);
    ok(count_right(mpi, 3, "large") == 3, "%s: data of several blocks", mpi);
    ok(count_right(mpi, 3, "extremes") == 3, "%s: the least and the largest sums there can be", mpi);
    ok(count_right(mpi, 3, "overflow") == 3, "%s: a sum that does not fit is an error on all ranks", mpi);
    ok(count_right(mpi, 3, "floats") == 3 && count_right(mpi, 4, "floats") == 4, "%s: sums of float64 have the bytes of one rank", mpi);
    ok(count_right(mpi, 3, "lengths") == 3, "%s: a message of another length is an error on all ranks", mpi);
    setenv("UCX_TLS", "tcp,self", 1); /* MPICH: as between nodes */
    for (int n = 2; n <= 3; n++)
        ok(count_right(mpi, n, "late") == n, "%s, %d ranks over TCP, if MPI: all end when one comes late", mpi, n);
    unsetenv("UCX_TLS");
    for (int c = 0; c < CALLS; c++) {
        snprintf(call, sizeof call, "%d", c);
        ok(count_right(mpi, 3, call) == 3, "%s: a failing rank is heard of by the others, call %d", mpi, c);
    }
}

static void test_both(const char *mpi)
{
    char name[32];
    snprintf(name, sizeof name, "node-%s", mpi);
    test_mpi(mpi);
    test_mpi(name);
}

static bool has_mpirun(const char *mpi)
{
    char command[100];
    snprintf(command, sizeof command, "command -v mpirun.%s >/dev/null", mpi);
    return system(command) == 0;
}

int main(int argc, char **argv)
{
    if (argc == 4)
        return be_rank(argv[1], argv[2], argv[3]);
    self = argv[0];
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
    setenv("GT_MODULES", getenv("GT_BUILD") ? getenv("GT_BUILD") : ".", 1);
    int fd = mkstemp(shared);
    if (fd >= 0)
        close(fd);
    test_killed();
    for (const char *const *name = gt_mpi_names(); *name; name++)
        if (has_mpirun(*name))
            test_both(*name);
        else
            skip("there is no mpirun of this MPI");
    if (!gt_mpi_names()[0])
        skip("this build has no MPI module");
    unlink(shared);
    return done_testing();
}
