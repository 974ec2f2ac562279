/* What the variables of launchers announce. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "core/mpi/launcher.h"
#include "test/support/tap.h"

static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE",        "PMI_RANK",
                                        "SLURM_STEP_NUM_TASKS", "SLURM_PROCID",         "SLURM_NTASKS",    "PMIX_RANK",
                                        "SLURM_STEP_NUM_NODES", "SLURM_JOB_ID",         "SLURM_STEP_ID",   "OMPI_COMM_WORLD_LOCAL_SIZE",
                                        "PMIX_NAMESPACE",       "PMIX_SERVER_TMPDIR",   "MPI_LOCALNRANKS", "PMI_FD"};

/* Of these variables, "NAME=VALUE ...". */
static struct gt_launcher launcher_of(const char *env)
{
    struct gt_launcher launcher;
    char all[300];
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    snprintf(all, sizeof all, "%s", env);
    for (char *at = strtok(all, " "); at; at = strtok(NULL, " ")) {
        char *value = strchr(at, '=');
        *value = '\0';
        setenv(at, value + 1, 1);
    }
    gt_launcher_get(&launcher);
    return launcher;
}

/* Rank, size and MPI ("" for none). */
static bool announces(const char *env, int rank, int size, const char *mpi)
{
    const struct gt_launcher launcher = launcher_of(env);
    return launcher.rank == rank && launcher.size == size && !strcmp(launcher.mpi ? launcher.mpi : "", mpi);
}

static uint64_t node_of(const char *env)
{
    return launcher_of(env).node;
}

/* The job's name on its node: the same for its ranks, another one for another job, none where ranks are elsewhere. */
static void test_node(void)
{
    const uint64_t ompi =
        node_of("OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_LOCAL_SIZE=4 PMIX_NAMESPACE=7 PMIX_SERVER_TMPDIR=/a");
    const uint64_t srun = node_of("SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1 SLURM_STEP_NUM_NODES=1 SLURM_JOB_ID=3 SLURM_STEP_ID=4");
    int pair[2];
    char mpich[100], most[100], more[100];
    ok(ompi &&
           ompi ==
               node_of(
                   "OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=4 PMIX_NAMESPACE=7 PMIX_SERVER_TMPDIR=/a") &&
           ompi !=
               node_of(
                   "OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=4 PMIX_NAMESPACE=7 PMIX_SERVER_TMPDIR=/b") &&
           !node_of("OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_NAMESPACE=7 PMIX_SERVER_TMPDIR=/a") &&
           !node_of("OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=4 PMIX_NAMESPACE=7"),
       "one node of Open MPI");
    ok(srun && srun == node_of("SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 SLURM_STEP_NUM_NODES=1 SLURM_JOB_ID=3 SLURM_STEP_ID=4") &&
           node_of("SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 SLURM_STEP_NUM_NODES=1 SLURM_JOB_ID=3 SLURM_STEP_ID=44") !=
               node_of("SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 SLURM_STEP_NUM_NODES=1 SLURM_JOB_ID=34 SLURM_STEP_ID=4") &&
           !node_of("SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 SLURM_STEP_NUM_NODES=2 SLURM_JOB_ID=3 SLURM_STEP_ID=4"),
       "one node of Slurm");
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) {
        skip("no socketpair");
        return;
    }
    snprintf(mpich, sizeof mpich, "PMI_SIZE=3 PMI_RANK=1 MPI_LOCALNRANKS=3 PMI_FD=%d", pair[0]);
    const uint64_t proxy = node_of(mpich);
    snprintf(most, sizeof most, "PMI_SIZE=128 PMI_RANK=2 MPI_LOCALNRANKS=128 PMI_FD=%d", pair[0]);
    snprintf(more, sizeof more, "PMI_SIZE=129 PMI_RANK=2 MPI_LOCALNRANKS=129 PMI_FD=%d", pair[0]);
    snprintf(mpich, sizeof mpich, "PMI_SIZE=3 PMI_RANK=2 MPI_LOCALNRANKS=3 PMI_FD=%d", pair[1]);
    ok(proxy && proxy == node_of(mpich) && !node_of("PMI_SIZE=3 PMI_RANK=2 MPI_LOCALNRANKS=3") &&
           !node_of("PMI_SIZE=3 PMI_RANK=2 MPI_LOCALNRANKS=3 PMI_FD=9999") && node_of(most) && !node_of(more),
       "one node of MPICH, whose ranks have sockets of one process");
}

int main(void)
{
    ok(announces("", 0, 0, ""), "nothing is announced");
    ok(announces("OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=3 PMIX_RANK=3", 3, 4, "openmpi"), "mpirun of Open MPI");
    ok(announces("PMI_SIZE=3 PMI_RANK=0", 0, 3, "mpich"), "mpirun of MPICH");
    ok(announces("SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1 PMIX_RANK=1", 1, 2, "openmpi"), "srun --mpi=pmix");
    ok(announces("SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1 PMI_RANK=1 PMI_SIZE=2", 1, 2, "mpich"), "srun --mpi=pmi2");
    ok(announces("SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1", 1, 2, ""), "srun without an MPI");
    ok(announces("SLURM_NTASKS=8 SLURM_PROCID=0", 0, 0, "") && announces("SLURM_STEP_NUM_TASKS=1 SLURM_NTASKS=8 SLURM_PROCID=0", 0, 0, ""),
       "a batch script of a job of many tasks is one process");
    ok(announces("SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=2", 2, 4, "openmpi") &&
           announces("SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0 PMI_SIZE=4 PMI_RANK=2", 2, 4, "mpich"),
       "mpirun within a batch script");
    ok(announces("PMI_SIZE=x PMI_RANK=0", 0, 0, "") && announces("PMI_SIZE=3 PMI_RANK=3", 0, 0, "") && announces("PMI_SIZE=3", 0, 0, "") &&
           announces("PMI_SIZE=99999999999 PMI_RANK=1", 0, 0, "") && announces("PMI_SIZE=-3 PMI_RANK=-4", 0, 0, ""),
       "what is no size or no rank is no launcher");
    test_node();
    return done_testing();
}
