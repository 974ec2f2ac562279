/* What the variables of launchers announce. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/mpi/launcher.h"
#include "test/support/tap.h"

static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE",     "PMI_RANK",
                                        "SLURM_STEP_NUM_TASKS", "SLURM_PROCID",         "SLURM_NTASKS", "PMIX_RANK"};

/* With these variables, "NAME=VALUE ...": rank, size and MPI ("" for none). */
static bool announces(const char *env, int rank, int size, const char *mpi)
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
    return launcher.rank == rank && launcher.size == size && !strcmp(launcher.mpi ? launcher.mpi : "", mpi);
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
    return done_testing();
}
