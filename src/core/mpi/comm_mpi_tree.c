#include "config.h"

#include <string.h>

#include "core/mpi/comm_mpi_internal.h"

/* The place of a rank in the tree below root, and the rank of a place. */
static int place_of(const struct gt_comm *comm, int root)
{
    return (comm->rank - root + comm->size) % comm->size;
}

static int rank_of(const struct gt_comm *comm, int root, int place)
{
    return (root + place) % comm->size;
}

static void add(void *to, const void *from, size_t n, size_t size)
{
    uint64_t *sums = to;
    const uint64_t *terms = from;
    uint32_t *small_sums = to;
    const uint32_t *small_terms = from;
    for (size_t k = 0; k < n && size == sizeof *sums; k++)
        sums[k] += terms[k];
    for (size_t k = 0; k < n && size == sizeof *small_sums; k++)
        small_sums[k] += small_terms[k];
}

/* Up the tree: root has the sums then. */
static int reduce(struct gt_comm *comm, void *data, size_t n, size_t size, int root, struct gt_err *err)
{
    struct gt_mpi *mpi = comm->impl;
    const int place = place_of(comm, root);
    int status = GT_OK;
    for (int step = 1; step < comm->size && !status; step *= 2) {
        if (place & step)
            return gt_mpi_pass(comm, true, rank_of(comm, root, place - step), data, n * size, err);
        if (place + step >= comm->size)
            continue;
        status = gt_mpi_pass(comm, false, rank_of(comm, root, place + step), mpi->out[0], n * size, err);
        if (!status)
            add(data, mpi->out[0], n, size);
    }
    return status;
}

int gt_mpi_tree_broadcast(struct gt_comm *comm, void *data, size_t n, int root, struct gt_err *err)
{
    const int place = place_of(comm, root);
    int step = 1, status = GT_OK;
    while (step < comm->size && !(place & step))
        step *= 2;
    if (place)
        status = gt_mpi_pass(comm, false, rank_of(comm, root, place - step), data, n, err);
    for (step /= 2; step && !status; step /= 2)
        if (place + step < comm->size)
            status = gt_mpi_pass(comm, true, rank_of(comm, root, place + step), data, n, err);
    return status;
}

int gt_mpi_tree_sum(struct gt_comm *comm, void *data, size_t n, size_t size, int root, struct gt_err *err)
{
    int status = reduce(comm, data, n, size, root < 0 ? 0 : root, err);
    return status || root >= 0 ? status : gt_mpi_tree_broadcast(comm, data, n * size, 0, err);
}

int gt_mpi_tree_barrier(struct gt_comm *comm, struct gt_err *err)
{
    return gt_mpi_tree_sum(comm, NULL, 0, sizeof(uint32_t), -1, err);
}

int gt_mpi_tree_gatherv(struct gt_comm *comm, const void *data, size_t n, void *all, const size_t *sizes, int root, struct gt_err *err)
{
    uint8_t *at = all;
    int status = GT_OK;
    if (comm->rank != root)
        return gt_mpi_pass(comm, true, root, (void *)data, n, err);
    for (int r = 0; r < comm->size && !status; r++) {
        if (r != root)
            status = gt_mpi_pass(comm, false, r, at, sizes[r], err);
        else if (n)
            memcpy(at, data, n);
        at += sizes[r];
    }
    return status;
}
