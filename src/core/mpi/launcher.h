/* The launcher that started this process as one of several ranks, from its environment variables. */
#ifndef GT_MPI_LAUNCHER_H
#define GT_MPI_LAUNCHER_H

#include <stdbool.h>
#include <stdint.h>

struct gt_launcher {
    int rank, size;   /* size 0: none was found */
    const char *name; /* "mpirun of Open MPI", "srun": static text */
    const char *mpi;  /* its MPI: "openmpi", "mpich"; NULL: it offers none */
    bool by_abort;    /* its exit status after a failure is that of MPI_Abort, else that of the processes which it kills then */
    uint64_t node;    /* a number of the job, the same for all its ranks, if all run on this node; 0: they do not, or it is not known */
};

/* mpirun of Open MPI and MPICH (and launchers that set PMI_SIZE as it does), and srun.  A batch
 * script of Slurm is one process, whatever the number of tasks of its job. */
void gt_launcher_get(struct gt_launcher *launcher);

#endif
