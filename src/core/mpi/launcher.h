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
    uint64_t node; /* the same for all ranks of a job which all run on this node, and of this job only; 0: they do not, or nothing tells */
};

/* mpirun of Open MPI and MPICH (and launchers that set PMI_SIZE as it does), and srun.  A batch
 * script of Slurm is one process, whatever the number of tasks of its job. */
void gt_launcher_get(struct gt_launcher *launcher);

#endif
