/* Ranks of one node without an MPI: a module (core/mpi/mpi_module.h) of libgt itself.  The ranks find each other by the name that the
 * launcher gives the job, and talk through Unix sockets; they use nothing that the launcher has for an MPI. */
#ifndef GT_MPI_NODE_MODULE_H
#define GT_MPI_NODE_MODULE_H

#include "core/mpi/mpi_module.h"

#define GT_MPI_NODE "node" /* its name, beside those of the MPIs */

extern const struct gt_mpi_module gt_mpi_node;

#endif
