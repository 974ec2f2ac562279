/* Ranks over MPI (engine/comm.h), through a module that is loaded on request, so that the commands do not link libmpi.
 *
 * Data goes through buffers that live as long as the process where an MPI may still write to them after a failure.
 * A thread looks for failures of other ranks while this one computes. */
#ifndef GT_MPI_COMM_MPI_H
#define GT_MPI_COMM_MPI_H

#include "core/base/str.h"
#include "core/engine/comm.h"
#include "core/mpi/launcher.h"

/* The names of the modules of MPIs in this build, e.g. {"openmpi", "mpich", NULL}. */
const char *const *gt_mpi_names(void);
/* The file name of a module, see core/base/module.h. */
void gt_mpi_file(const char *name, char *file, size_t size);

/* Loads the module and starts its MPI; "node" needs no module: it connects the ranks of the job launcher->node.  GT_USAGE when this build
 * has no such module, or when MPI's number of ranks is not the launcher's.  A process opens at most one; *comm stays where it is. */
int gt_comm_mpi_open(struct gt_comm *comm, const char *name, const struct gt_launcher *launcher, struct gt_err *err);

/* The text that MPI has for its version. */
void gt_comm_mpi_version(const struct gt_comm *comm, char *text, size_t size);

/* The failure that was heard of first; false if there was none.  Rank 0's is the one that counts.  *here: it is this rank's own. */
bool gt_comm_mpi_failure(const struct gt_comm *comm, struct gt_err *failure, bool *here);

/* From now on `failed` is called, at most once and on another thread, when another rank fails; NULL: no more. */
void gt_comm_mpi_watch(struct gt_comm *comm, void (*failed)(void *ctx), void *ctx);

/* Seconds that this rank has waited in operations until the others had come to them too and data was there. */
double gt_comm_mpi_waited(const struct gt_comm *comm);

/* Bytes of data that this rank gave to operations for others, and got from others: of a sum, those of its own numbers and of the sums.  MPI
 * may pass on others for it. */
void gt_comm_mpi_moved(const struct gt_comm *comm, int64_t *sent, int64_t *received);

/* Text for rank 0 beside the data: rank 0 keeps the last one of each rank.  For other ranks; never blocks for long.  A text that comes
 * before the one before it was sent, and one of more than GT_COMM_POST_MOST bytes, is dropped; but `last`, the rank's last one, always
 * arrives, maybe empty, unless the rank or rank 0 ends before. */
#define GT_COMM_POST_MOST GT_COMM_BLOCK
void gt_comm_mpi_post(struct gt_comm *comm, const char *text, size_t n, bool last);
/* On rank 0: the text of another rank is added to *to, nothing where none has come; true: it is the rank's last one. */
bool gt_comm_mpi_posted(struct gt_comm *comm, int rank, struct gt_str *to);
/* On rank 0: have the last ones of all ranks come? */
bool gt_comm_mpi_all_posted(struct gt_comm *comm);

/* gt_comm_release after a failure waits until all ranks have come to it, but not for long, and ends them all by MPI_Abort
 * otherwise; without an MPI, this rank alone ends, which the others see. */

#endif
