/* Ranks: the processes that share one computation.  Commands use this interface and never call
 * MPI.  An implementation (gt_comm_ops) only exchanges messages between two ranks; the
 * collective operations are built on that here.
 *
 * All ranks make the same calls in the same order, with the same root and, unless stated
 * otherwise, the same n; only one thread of a rank may call at a time, and another one with the
 * struct of gt_comm_second.  A call may block until the other ranks make it.  n may be 0 (data may then be NULL) and is limited only by
 * memory: long data is sent in parts of GT_COMM_PART bytes.
 *
 * An implementation may have its own barrier, broadcast, integer sums and gather.  Otherwise, and
 * for the sums of float64, data runs along the chain of ranks, part by part: a rank sends and
 * receives its data once or twice, whatever the number of ranks, and needs memory for one
 * extra part.
 *
 * Errors.  When a call fails on one rank, or a rank calls gt_comm_fail, every pending and
 * later call of the other ranks fails with the status of the rank that failed first; its
 * message is prefixed with "rank 3: ", or "rank 3 on HOST: ". */
#ifndef GT_ENGINE_COMM_H
#define GT_ENGINE_COMM_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/budget.h"
#include "core/base/err.h"

#define GT_COMM_PART ((size_t)256 << 10)
/* Most bytes of a rank in one call of a collective operation of gt_comm_ops. */
#define GT_COMM_BLOCK ((size_t)1 << 20)
/* Ways between two ranks, on which messages overtake each other. */
enum { GT_COMM_LANES = 2 };

struct gt_comm;

/* Operations of an implementation.  The peer is never the calling rank; n <= GT_COMM_PART. */
struct gt_comm_ops {
    /* Messages between two ranks on a lane arrive in the order they were sent.  send may block until
     * the message is received; recv fails when the message does not have n bytes. */
    int (*send)(struct gt_comm *comm, int to, const void *data, size_t n, struct gt_err *err);
    int (*recv)(struct gt_comm *comm, int from, void *data, size_t n, struct gt_err *err);
    /* Makes all sends and receives on all ranks fail with this error, unless a rank has
     * already failed. */
    void (*fail)(struct gt_comm *comm, const struct gt_err *err);
    void (*release)(struct gt_comm *comm);

    /* Collective operations: all, or none (NULL), and then they are built from messages. */
    int (*barrier)(struct gt_comm *comm, struct gt_err *err);
    int (*broadcast)(struct gt_comm *comm, void *data, size_t n, int root, struct gt_err *err);
    /* Sums modulo 2^64 and 2^32, on root or (-1) on all ranks; data is undefined on the others. */
    int (*sum_i64)(struct gt_comm *comm, int64_t *data, size_t n, int root, struct gt_err *err);
    int (*sum_u32)(struct gt_comm *comm, uint32_t *data, size_t n, int root, struct gt_err *err);
    /* all, sizes: as gt_comm_gatherv, but sizes[] is known on root before; their sum is at most GT_COMM_BLOCK. */
    int (*gatherv)(struct gt_comm *comm, const void *data, size_t n, void *all, const size_t *sizes, int root, struct gt_err *err);
};

struct gt_comm {
    int rank, size;
    int lane;                      /* 0, or 1: of gt_comm_second */
    char host[64];                 /* for messages; may be empty */
    const struct gt_comm_ops *ops; /* unused with a single rank */
    void *impl;
};

/* A single rank. */
void gt_comm_self(struct gt_comm *comm);
void gt_comm_release(struct gt_comm *comm);
/* The same ranks for one more thread, which may call gt_comm_send, gt_comm_recv and gt_comm_fail meanwhile.  Valid as long as
 * `comm`; not released. */
void gt_comm_second(const struct gt_comm *comm, struct gt_comm *second);
/* Rank 0 of `size` that do not run, for plans: nothing is called. */
void gt_comm_planned(struct gt_comm *comm, int size);

/* Aborts the computation on all ranks without waiting.  err: the reason; may be NULL. */
void gt_comm_fail(struct gt_comm *comm, const struct gt_err *err);

/* First index of part i of n items split into `of` parts, 0 <= i <= of, of > 0.  Parts are
 * contiguous, sizes differ by at most one, larger parts come first. */
int64_t gt_comm_partition(int64_t n, int64_t i, int64_t of);

/* Blocks until all ranks have called it. */
int gt_comm_barrier(struct gt_comm *comm, struct gt_err *err);

/* Copies n bytes from root to all ranks. */
int gt_comm_broadcast(struct gt_comm *comm, void *data, size_t n, int root, struct gt_err *err);

/* Sends or receives n bytes; the peer makes the matching call with the same n. */
int gt_comm_send(struct gt_comm *comm, int to, const void *data, size_t n, struct gt_err *err);
int gt_comm_recv(struct gt_comm *comm, int from, void *data, size_t n, struct gt_err *err);

/* data[k] becomes the sum over ranks of data[k], on root (data is undefined on the others) or,
 * with allreduce, on all ranks.  i64: GT_FAIL on overflow; u32: modulo 2^32. */
int gt_comm_reduce_i64(struct gt_comm *comm, int64_t *data, size_t n, int root, struct gt_err *err);
int gt_comm_reduce_u32(struct gt_comm *comm, uint32_t *data, size_t n, int root, struct gt_err *err);
int gt_comm_allreduce_i64(struct gt_comm *comm, int64_t *data, size_t n, struct gt_err *err);

/* sums[k] becomes 0 + terms[0][k] + terms[1][k] + ... of rank 0, then of rank 1 and so on, added
 * from left to right; on root or on all ranks, as above.  terms is [n_terms][n]; n_terms may
 * differ between ranks and may be 0; sums may alias the start of terms.
 *
 * Terms that are fixed in index space and distributed with gt_comm_partition therefore give
 * bit-identical sums for any number of ranks. */
int gt_comm_reduce_f64(struct gt_comm *comm, const double *terms, size_t n_terms, size_t n, double *sums, int root, struct gt_err *err);
int gt_comm_allreduce_f64(struct gt_comm *comm, const double *terms, size_t n_terms, size_t n, double *sums, struct gt_err *err);

/* On root, `all` receives the data of the ranks in rank order (its contents are replaced) and
 * sizes[r] the number of bytes from rank r; ignored on other ranks.  n may differ between ranks. */
int gt_comm_gatherv(struct gt_comm *comm, const void *data, size_t n, struct gt_buf *all, uint64_t *sizes, int root, struct gt_err *err);

#endif
