/* Ranks: the processes that share one computation.  Commands see this and never MPI
 * itself.  An implementation carries messages between two ranks (gt_comm_ops); what
 * is made of them stands here, once for all implementations.
 *
 * All ranks make the same calls in the same order, with the same root, and the same n
 * where nothing else is said; one thread of a rank at a time.  A call may wait for the
 * same call of other ranks.  n may be 0 (data is not looked at then) and anything that
 * memory holds: long data travels in pieces.
 *
 * Reductions and broadcasts run along the chain of ranks, piece after piece: a rank
 * sends and receives its data once or twice, however many ranks there are, and needs
 * one piece of memory beside it.
 *
 * Faults.  When a call fails on one rank, or a rank calls gt_comm_fail, then every
 * call of the other ranks that waits, and each later one that needs a message, fails
 * with the status of the rank that failed first and its message, "rank 3: ..." in front. */
#ifndef GT_ENGINE_COMM_H
#define GT_ENGINE_COMM_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/budget.h"
#include "core/base/err.h"

#define GT_COMM_PART ((size_t)256 << 10)

struct gt_comm;

/* What an implementation does.  Ranks other than the own one, n up to GT_COMM_PART. */
struct gt_comm_ops {
    /* Messages from one rank to another arrive in the order in which they were sent.
     * send may wait until the message is taken; recv waits for one, and one of another
     * length than n is an error. */
    int (*send)(struct gt_comm *comm, int to, const void *data, size_t n, struct gt_err *err);
    int (*recv)(struct gt_comm *comm, int from, void *data, size_t n, struct gt_err *err);
    /* Makes all sends and receives of all ranks fail with this error, unless a rank has
     * failed before. */
    void (*fail)(struct gt_comm *comm, const struct gt_err *err);
    void (*release)(struct gt_comm *comm);
};

struct gt_comm {
    int rank, size;
    const struct gt_comm_ops *ops; /* not used by a single rank */
    void *impl;
};

/* One rank: nobody to talk to. */
void gt_comm_self(struct gt_comm *comm);
void gt_comm_release(struct gt_comm *comm);

/* This rank gives up: tells the others, waits for nobody.  err says why; it may be NULL. */
void gt_comm_fail(struct gt_comm *comm, const struct gt_err *err);

/* The first of those of n things that are part i of `of`, 0 <= i <= of (of > 0): parts are in order,
 * the longer ones first, and none is longer than another by more than one. */
int64_t gt_comm_partition(int64_t n, int64_t i, int64_t of);

/* Returns when all ranks have called it. */
int gt_comm_barrier(struct gt_comm *comm, struct gt_err *err);

/* n bytes of root to all. */
int gt_comm_broadcast(struct gt_comm *comm, void *data, size_t n, int root, struct gt_err *err);

/* n bytes to and from another rank, which makes the other call with the same n. */
int gt_comm_send(struct gt_comm *comm, int to, const void *data, size_t n, struct gt_err *err);
int gt_comm_recv(struct gt_comm *comm, int from, void *data, size_t n, struct gt_err *err);

/* data[k] becomes the sum of all ranks' data[k]: on root, while what the others have in data
 * is of no use then; with allreduce on all.  GT_FAIL when a sum of i64 does not fit; those of
 * u32 are modulo 2^32. */
int gt_comm_reduce_i64(struct gt_comm *comm, int64_t *data, size_t n, int root, struct gt_err *err);
int gt_comm_reduce_u32(struct gt_comm *comm, uint32_t *data, size_t n, int root, struct gt_err *err);
int gt_comm_allreduce_i64(struct gt_comm *comm, int64_t *data, size_t n, struct gt_err *err);

/* sums[k] becomes 0 + terms[0][k] + terms[1][k] + ... of rank 0, then those of rank 1 and so
 * on, added from left to right: on root or on all, as above.  terms is [n_terms][n], with n_terms
 * of each rank's own, 0 too; sums may be where terms begin.
 *
 * So terms that are fixed in index space, dealt out by gt_comm_partition, have the same
 * sums to the last bit for any number of ranks. */
int gt_comm_reduce_f64(struct gt_comm *comm, const double *terms, size_t n_terms, size_t n, double *sums, int root, struct gt_err *err);
int gt_comm_allreduce_f64(struct gt_comm *comm, const double *terms, size_t n_terms, size_t n, double *sums, struct gt_err *err);

/* On root, all holds what the ranks have in data, rank after rank, and sizes[r] the bytes of
 * rank r; elsewhere neither is looked at.  n is each rank's own.  What was in `all` is lost. */
int gt_comm_gatherv(struct gt_comm *comm, const void *data, size_t n, struct gt_buf *all, uint64_t *sizes, int root, struct gt_err *err);

#endif
