#include "config.h"

#include "core/mpi/launcher.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "core/mpi/node_sockets.h"

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

/* --- a name of the job, where it runs on one node ------------------------------------- */

static bool is_count(const char *name, int n)
{
    int value;
    return number(name, &value) && value == n;
}

/* 0 when one of the two is missing. */
static uint64_t hash_of(const char *a, const char *b)
{
    if (!a || !*a || !b || !*b)
        return 0;
    const uint64_t hash = XXH3_64bits_withSeed(b, strlen(b), XXH3_64bits(a, strlen(a)));
    return hash ? hash : 1;
}

/* Of mpirun of MPICH: the process on the other side of its socket, among those that have numbers like this one's. */
static uint64_t proxy(void)
{
#ifdef SO_PEERCRED
    struct ucred its = {0};
    struct stat numbers;
    socklen_t n = sizeof its;
    char pid[24], space[24];
    int fd;
    if (!number("PMI_FD", &fd) || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &its, &n) || its.pid <= 0 || stat("/proc/self/ns/pid", &numbers))
        return 0;
    snprintf(pid, sizeof pid, "%d", (int)its.pid);
    snprintf(space, sizeof space, "%llu", (unsigned long long)numbers.st_ino);
    return hash_of(pid, space);
#else
    return 0;
#endif
}

static uint64_t job_on_node(const struct gt_launcher *launcher)
{
    if (strcmp(launcher->name, "srun") == 0)
        return is_count("SLURM_STEP_NUM_NODES", 1) ? hash_of(getenv("SLURM_JOB_ID"), getenv("SLURM_STEP_ID")) : 0;
    if (launcher->by_abort)
        return is_count("MPI_LOCALNRANKS", launcher->size) ? proxy() : 0;
    return is_count("OMPI_COMM_WORLD_LOCAL_SIZE", launcher->size) ? hash_of(getenv("PMIX_NAMESPACE"), getenv("PMIX_SERVER_TMPDIR")) : 0;
}

/* ---------------------------------------------------------------------------------------- */

static void find(struct gt_launcher *launcher)
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

void gt_launcher_get(struct gt_launcher *launcher)
{
    find(launcher);
    if (launcher->size > 1 && launcher->size <= GT_NODE_MOST)
        launcher->node = job_on_node(launcher);
}
