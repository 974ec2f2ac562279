/* What is tried on ranks of every kind (engine/comm.h): the bodies that each rank runs. */
#ifndef GT_TEST_COMM_TRIALS_H
#define GT_TEST_COMM_TRIALS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/comm.h"

enum { MOST_RANKS = 9 };

/* Items of 8 bytes: none, few, and about the borders of pieces. */
static const size_t lengths[] = {0, 1, 7, GT_COMM_PART / 8 - 1, GT_COMM_PART / 8, GT_COMM_PART / 8 + 1, 3 * GT_COMM_PART / 8 + 5};
enum { N_LENGTHS = sizeof lengths / sizeof *lengths };

/* --- every call, every root, every length -------------------------------------------- */

struct trial {
    size_t n;
    int root;
    _Atomic int wrong, came;
};

static int64_t value_of(int rank, size_t k)
{
    return (int64_t)((uint64_t)(k + 1) * 0x9e3779b97f4a7c15 >> 8) * (rank % 2 ? -1 : 1) + rank;
}

static int64_t sum_of(int ranks, size_t k)
{
    int64_t sum = 0;
    for (int r = 0; r < ranks; r++)
        sum += value_of(r, k);
    return sum;
}

static void fill(int64_t *data, size_t n, int rank)
{
    for (size_t k = 0; k < n; k++)
        data[k] = value_of(rank, k);
}

static int try_sums(struct gt_comm *comm, void *ctx, struct gt_err *err)
{
    struct trial *trial = ctx;
    size_t n = trial->n;
    int64_t *data = malloc(n * 8 + 1);
    uint32_t *low = malloc(n * 4 + 1);
    int wrong = 0;
    fill(data, n, comm->rank);
    int status = gt_comm_allreduce_i64(comm, data, n, err);
    for (size_t k = 0; k < n && !status; k++)
        wrong += data[k] != sum_of(comm->size, k);
    fill(data, n, comm->rank);
    for (size_t k = 0; k < n; k++)
        low[k] = (uint32_t)data[k];
    if (!status)
        status = gt_comm_reduce_i64(comm, data, n, trial->root, err);
    if (!status)
        status = gt_comm_reduce_u32(comm, low, n, trial->root, err);
    for (size_t k = 0; k < n && !status && comm->rank == trial->root; k++)
        wrong += data[k] != sum_of(comm->size, k) || low[k] != (uint32_t)sum_of(comm->size, k);
    trial->wrong += wrong;
    free(data);
    free(low);
    return status;
}

static int try_moves(struct gt_comm *comm, void *ctx, struct gt_err *err)
{
    struct trial *trial = ctx;
    size_t n = trial->n;
    int64_t *data = malloc(n * 8 + 1);
    int wrong = 0, above = (comm->rank + 1) % comm->size, below = (comm->rank + comm->size - 1) % comm->size, status;
    fill(data, n, comm->rank);
    status = gt_comm_broadcast(comm, data, n * 8, trial->root, err);
    for (size_t k = 0; k < n && !status; k++)
        wrong += data[k] != value_of(trial->root, k);
    fill(data, n, comm->rank);
    if (!status && comm->rank % 2 == 0 && above) /* pairs 0 -> 1, 2 -> 3, ... */
        status = gt_comm_send(comm, above, data, n * 8, err);
    if (!status && comm->rank % 2 == 1)
        status = gt_comm_recv(comm, below, data, n * 8, err);
    for (size_t k = 0; k < n && !status && comm->rank % 2 == 1; k++)
        wrong += data[k] != value_of(below, k);
    trial->wrong += wrong;
    free(data);
    return status;
}

/* Rank r has r % 3 times n items: also none. */
static int try_gather(struct gt_comm *comm, void *ctx, struct gt_err *err)
{
    struct trial *trial = ctx;
    size_t n = trial->n * (size_t)(comm->rank % 3);
    int64_t *data = malloc(n * 8 + 1);
    struct gt_buf all = {0};
    uint64_t got[MOST_RANKS];
    bool here = comm->rank == trial->root;
    fill(data, n, comm->rank);
    int status = gt_comm_gatherv(comm, n ? data : NULL, n * 8, here ? &all : NULL, here ? got : NULL, trial->root, err), wrong = 0;
    const int64_t *at = (const int64_t *)(const void *)all.data;
    for (int r = 0; r < comm->size && !status && here; r++) {
        wrong += got[r] != trial->n * (size_t)(r % 3) * 8;
        for (size_t k = 0; k < got[r] / 8; k++)
            wrong += *at++ != value_of(r, k);
    }
    wrong += !status && here && at && (const uint8_t *)at != all.data + all.len;
    trial->wrong += wrong;
    gt_buf_release(&all);
    free(data);
    return status;
}

static int try_barrier(struct gt_comm *comm, void *ctx, struct gt_err *err)
{
    struct trial *trial = ctx;
    for (int round = 1; round <= 20; round++) {
        trial->came++;
        int status = gt_comm_barrier(comm, err);
        if (status)
            return status;
        trial->wrong += trial->came < round * comm->size;
    }
    return GT_OK;
}

/* --- float64 ------------------------------------------------------------------------------ */

enum { TERMS = 11, ITEMS = GT_COMM_PART / 8 + 100 };

struct floats {
    double terms[TERMS][ITEMS], sums[ITEMS];
    _Atomic int wrong;
};

/* Terms of such different sizes that every order of adding them gives other bits. */
static void make_floats(struct floats *f)
{
    uint64_t x = 88172645463325252;
    for (int t = 0; t < TERMS; t++)
        for (int k = 0; k < ITEMS; k++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            f->terms[t][k] = ((double)(x >> 11) * 0x1p-53 - 0.5) * (double)(1 << x % 20);
        }
    for (int k = 0; k < ITEMS; k++) {
        f->sums[k] = 0;
        for (int t = 0; t < TERMS; t++)
            f->sums[k] += f->terms[t][k];
    }
}

static int try_floats(struct gt_comm *comm, void *ctx, struct gt_err *err)
{
    struct floats *f = ctx;
    int64_t first = gt_comm_partition(TERMS, comm->rank, comm->size), end = gt_comm_partition(TERMS, comm->rank + 1, comm->size);
    size_t bytes = (size_t)(end - first) * sizeof f->terms[0];
    double *sums = malloc(sizeof f->sums), *own = malloc(bytes > sizeof f->sums ? bytes : sizeof f->sums);
    int status = gt_comm_allreduce_f64(comm, f->terms[first], (size_t)(end - first), ITEMS, sums, err);
    f->wrong += !status && memcmp(sums, f->sums, sizeof f->sums) != 0;
    memcpy(own, f->terms[first], bytes);
    if (!status)
        status = gt_comm_reduce_f64(comm, own, (size_t)(end - first), ITEMS, own, comm->size / 2, err);
    f->wrong += !status && comm->rank == comm->size / 2 && memcmp(own, f->sums, sizeof f->sums) != 0;
    free(sums);
    free(own);
    return status;
}

/* --- faults --------------------------------------------------------------------------------- */

enum call { SUM, SUM_ALL, FLOATS, BROADCAST, GATHER, BARRIER, CALLS };

struct fault {
    int failing;
    enum call call;
};

static int make_call(struct gt_comm *comm, enum call call, struct gt_err *err)
{
    static int64_t zeros[100000];
    int64_t *data = calloc(100000, 8);
    struct gt_buf all = {0};
    uint64_t got[MOST_RANKS];
    int status = GT_OK, last = comm->size - 1;
    if (call == SUM)
        status = gt_comm_reduce_i64(comm, data, 100000, last, err);
    if (call == SUM_ALL)
        status = gt_comm_allreduce_i64(comm, data, 100000, err);
    if (call == FLOATS)
        status = gt_comm_reduce_f64(comm, (double *)data, 1, 100000, (double *)data, 0, err);
    if (call == BROADCAST)
        status = gt_comm_broadcast(comm, data, 800000, 1, err);
    if (call == GATHER)
        status = gt_comm_gatherv(comm, zeros, sizeof zeros, &all, got, 0, err);
    if (call == BARRIER)
        status = gt_comm_barrier(comm, err);
    gt_buf_release(&all);
    free(data);
    return status;
}

/* Calls until one fails: a rank that others wait for fails after its first ones. */
static int try_fault(struct gt_comm *comm, void *ctx, struct gt_err *err)
{
    const struct fault *fault = ctx;
    for (int round = 0;; round++) {
        if (comm->rank == fault->failing && round == 3) {
            gt_fail(err, GT_INPUT, "the disk of this one is broken");
            return GT_INPUT;
        }
        int status = make_call(comm, fault->call, err);
        if (status)
            return status;
    }
}

#endif
