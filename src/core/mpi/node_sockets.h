/* The sockets between the ranks of one node (node_module.c), and how they find each other. */
#ifndef GT_MPI_NODE_SOCKETS_H
#define GT_MPI_NODE_SOCKETS_H

#include <stdint.h>

#include "core/engine/comm.h"

enum {
    GT_NODE_CHANNELS = GT_COMM_LANES + 1, /* sockets between two ranks: of each lane, and of control messages */
    GT_NODE_MOST = 128,                   /* ranks of one node that talk so: more have too many sockets */
    GT_NODE_WAIT_S = 60,                  /* for ranks that have not come */
};

/* Connects this rank with all others of the job, which call it too: fds[r] become the sockets to rank r; those to itself stay as they are.
 * Only processes of this user are let in.  0, ETIMEDOUT (*missing has not come), or another errno; *fds are then for the caller to close.
 */
int gt_node_connect(uint64_t job, int rank, int size, int (*fds)[GT_NODE_CHANNELS], int *missing);

#endif
