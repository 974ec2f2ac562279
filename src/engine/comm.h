/* Ranks.  Commands see this and never MPI itself; a module fills the table
 * when the process is one of several.  Now: one rank, every call a no-op. */
#ifndef GT_ENGINE_COMM_H
#define GT_ENGINE_COMM_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct gt_comm {
    int rank, size;
    void *impl;
    int (*barrier)(struct gt_comm *comm, struct gt_err *err);
    int (*broadcast)(struct gt_comm *comm, void *data, size_t n, int root, struct gt_err *err);
    /* Sums of int64 on `root`, in rank order; data is overwritten there. */
    int (*reduce_i64)(struct gt_comm *comm, int64_t *data, size_t n, int root, struct gt_err *err);
    /* n bytes of each rank to root, rank after rank; `all` is size * n bytes on root, NULL elsewhere. */
    int (*gather)(struct gt_comm *comm, const void *data, size_t n, void *all, int root, struct gt_err *err);
    void (*release)(struct gt_comm *comm);
};

void gt_comm_self(struct gt_comm *comm);

#endif
