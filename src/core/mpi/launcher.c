#include "config.h"

#include "core/mpi/launcher.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

/* A number from 0 to INT_MAX; false when the variable is unset or has none. */
static bool number(const char *name, int *value)
{
    const char *text = getenv(name);
    char *end;
    if (!text || *text < '0' || *text > '9')
        return false;
    long n = strtol(text, &end, 10);
    if (*end || n > INT_MAX)
        return false;
    *value = (int)n;
    return true;
}

static bool found(struct gt_launcher *launcher, const char *size, const char *rank, const char *name, const char *mpi)
{
    struct gt_launcher its = {.name = name, .mpi = mpi};
    if (!number(size, &its.size) || !number(rank, &its.rank) || its.rank >= its.size)
        return false;
    *launcher = its;
    return true;
}

void gt_launcher_get(struct gt_launcher *launcher)
{
    const bool pmix = getenv("PMIX_RANK") != NULL, pmi = getenv("PMI_RANK") != NULL;
    *launcher = (struct gt_launcher){0};
    if (found(launcher, "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "mpirun of Open MPI", "openmpi"))
        return;
    if (found(launcher, "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun", pmi ? "mpich" : pmix ? "openmpi" : NULL) && launcher->size > 1)
        return;
    *launcher = (struct gt_launcher){0};
    launcher->by_abort = found(launcher, "PMI_SIZE", "PMI_RANK", "mpirun of MPICH", "mpich");
}
