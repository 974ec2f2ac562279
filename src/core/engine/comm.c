#include "config.h"

#include "core/engine/comm.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"

void gt_comm_self(struct gt_comm *comm)
{
    *comm = (struct gt_comm){.size = 1};
}

void gt_comm_second(const struct gt_comm *comm, struct gt_comm *second)
{
    *second = *comm;
    second->lane = 1;
}

void gt_comm_planned(struct gt_comm *comm, int size)
{
    *comm = (struct gt_comm){.size = size};
}

void gt_comm_release(struct gt_comm *comm)
{
    if (comm->ops)
        comm->ops->release(comm);
    gt_comm_self(comm);
}

void gt_comm_fail(struct gt_comm *comm, const struct gt_err *err)
{
    struct gt_err why = {0};
    if (comm->size == 1)
        return;
    if (err && err->status)
        why = *err;
    else
        gt_fail(&why, GT_FAIL, "failed");
    gt_fail_prefix(&why, comm->host[0] ? "rank %d on %s" : "rank %d", comm->rank, comm->host);
    comm->ops->fail(comm, &why);
}

int64_t gt_comm_partition(int64_t n, int64_t i, int64_t of)
{
    int64_t size = n / of, longer = n % of;
    return i * size + (i < longer ? i : longer);
}

/* The status of a call that is made of messages; a failure is reported to the other ranks. */
static int reported(struct gt_comm *comm, int status, struct gt_err *err)
{
    if (status)
        gt_comm_fail(comm, err);
    return status;
}

/* --- messages of any length ------------------------------------------------------ */

static size_t piece_of(size_t n)
{
    return n < GT_COMM_PART ? n : GT_COMM_PART;
}

static int send_parts(struct gt_comm *comm, int to, const void *data, size_t n, struct gt_err *err)
{
    const char *at = data;
    size_t piece;
    int status;
    do {
        piece = piece_of(n);
        status = comm->ops->send(comm, to, at, piece, err);
        n -= piece;
        at += piece;
    } while (!status && n);
    return status;
}

static int recv_parts(struct gt_comm *comm, int from, void *data, size_t n, struct gt_err *err)
{
    char *at = data;
    size_t piece;
    int status;
    do {
        piece = piece_of(n);
        status = comm->ops->recv(comm, from, at, piece, err);
        n -= piece;
        at += piece;
    } while (!status && n);
    return status;
}

static int check_peer(const struct gt_comm *comm, int peer, struct gt_err *err)
{
    if (peer >= 0 && peer < comm->size && peer != comm->rank)
        return GT_OK;
    return gt_fail(err, GT_USAGE, "rank %d of %d has no other rank %d", comm->rank, comm->size, peer);
}

int gt_comm_send(struct gt_comm *comm, int to, const void *data, size_t n, struct gt_err *err)
{
    int status = check_peer(comm, to, err);
    return reported(comm, status ? status : send_parts(comm, to, data, n, err), err);
}

int gt_comm_recv(struct gt_comm *comm, int from, void *data, size_t n, struct gt_err *err)
{
    int status = check_peer(comm, from, err);
    return reported(comm, status ? status : recv_parts(comm, from, data, n, err), err);
}

/* --- along the chain ---------------------------------------------------------------- */

/* From root to the rank above it and so on, rank 0 being above the last. */
static int pass_on(struct gt_comm *comm, void *data, size_t n, int root, struct gt_err *err)
{
    int above = (comm->rank + 1) % comm->size, below = (comm->rank + comm->size - 1) % comm->size, status = GT_OK;
    char *at = data;
    size_t piece;
    do {
        piece = piece_of(n);
        if (comm->rank != root)
            status = comm->ops->recv(comm, below, at, piece, err);
        if (!status && above != root)
            status = comm->ops->send(comm, above, at, piece, err);
        n -= piece;
        at += piece;
    } while (!status && n);
    return status;
}

/* By the implementation's own broadcast, or along the chain. */
static int broadcast(struct gt_comm *comm, void *data, size_t n, int root, struct gt_err *err)
{
    int status = GT_OK;
    if (!comm->ops->broadcast)
        return pass_on(comm, data, n, root, err);
    for (size_t first = 0, block; first < n && !status; first += block) {
        block = n - first < GT_COMM_BLOCK ? n - first : GT_COMM_BLOCK;
        status = comm->ops->broadcast(comm, (char *)data + first, block, root, err);
    }
    return status;
}

int gt_comm_broadcast(struct gt_comm *comm, void *data, size_t n, int root, struct gt_err *err)
{
    return comm->size == 1 || !n ? GT_OK : reported(comm, broadcast(comm, data, n, root, err), err);
}

int gt_comm_barrier(struct gt_comm *comm, struct gt_err *err)
{
    const int last = comm->size - 1;
    int status = GT_OK;
    if (comm->size == 1)
        return GT_OK;
    if (comm->ops->barrier)
        return reported(comm, comm->ops->barrier(comm, err), err);
    if (comm->rank)
        status = comm->ops->recv(comm, comm->rank - 1, NULL, 0, err);
    if (!status && comm->rank < last)
        status = comm->ops->send(comm, comm->rank + 1, NULL, 0, err);
    if (!status)
        status = pass_on(comm, NULL, 0, last, err);
    return reported(comm, status, err);
}

/* --- sums ----------------------------------------------------------------------------- */

/* What is summed: n items of a size, in n_terms terms. */
struct sum {
    size_t size, n;
    /* sums[k] += term[k] for k < n; false when one does not fit. */
    bool (*add)(void *sums, const void *term, size_t n);
    const char *terms;
    size_t n_terms;
    char *sums;
};

static bool add_i64(void *sums, const void *term, size_t n)
{
    int64_t *sum = sums;
    const int64_t *x = term;
    bool lost = false;
    for (size_t k = 0; k < n; k++)
        lost |= __builtin_add_overflow(sum[k], x[k], &sum[k]);
    return !lost;
}

static bool add_u32(void *sums, const void *term, size_t n)
{
    uint32_t *sum = sums;
    const uint32_t *x = term;
    for (size_t k = 0; k < n; k++)
        sum[k] += x[k];
    return true;
}

static bool add_f64(void *sums, const void *term, size_t n)
{
    double *sum = sums;
    const double *x = term;
    for (size_t k = 0; k < n; k++)
        sum[k] += x[k];
    return true;
}

/* Items [first, first + n): what the ranks below have summed, and the terms of this one. */
static int reduce_part(struct gt_comm *comm, const struct sum *s, size_t first, size_t n, char *piece, struct gt_err *err)
{
    int status = GT_OK;
    if (comm->rank)
        status = comm->ops->recv(comm, comm->rank - 1, piece, n * s->size, err);
    else
        memset(piece, 0, n * s->size);
    for (size_t t = 0; t < s->n_terms && !status; t++)
        if (!s->add(piece, s->terms + (t * s->n + first) * s->size, n))
            status = gt_fail(err, GT_FAIL, "a sum over %d ranks does not fit %zu bits", comm->size, 8 * s->size);
    if (!status && comm->rank < comm->size - 1)
        status = comm->ops->send(comm, comm->rank + 1, piece, n * s->size, err);
    if (!status)
        memcpy(s->sums + first * s->size, piece, n * s->size);
    return status;
}

/* The last rank has the sums afterwards. */
static int reduction(struct gt_comm *comm, const struct sum *s, struct gt_err *err)
{
    const size_t most = GT_COMM_PART / s->size;
    char *piece = gt_alloc(most, s->size, err);
    int status = piece ? GT_OK : GT_FAIL;
    for (size_t first = 0, n; first < s->n && !status; first += n) {
        n = s->n - first < most ? s->n - first : most;
        status = reduce_part(comm, s, first, n, piece, err);
    }
    free(piece);
    return status;
}

/* The sums of the last rank to root, or to all when that is -1. */
static int hand_out(struct gt_comm *comm, const struct sum *s, int root, struct gt_err *err)
{
    const int last = comm->size - 1;
    const size_t bytes = s->n * s->size;
    if (!last || root == last)
        return GT_OK;
    if (root < 0)
        return broadcast(comm, s->sums, bytes, last, err);
    if (comm->rank == last)
        return send_parts(comm, root, s->sums, bytes, err);
    return comm->rank == root ? recv_parts(comm, last, s->sums, bytes, err) : GT_OK;
}

static int reduce(struct gt_comm *comm, const struct sum *s, int root, struct gt_err *err)
{
    int status = s->n ? reduction(comm, s, err) : GT_OK;
    if (!status && s->n)
        status = hand_out(comm, s, root, err);
    return reported(comm, status, err);
}

/* Can no sum over ranks overflow?  The ranks add what their largest value is at most, in units of 2^20. */
static int sums_fit(struct gt_comm *comm, const int64_t *data, size_t n, bool *fit, struct gt_err *err)
{
    uint64_t largest = 0;
    for (size_t k = 0; k < n; k++) {
        uint64_t size = data[k] < 0 ? -(uint64_t)data[k] : (uint64_t)data[k];
        largest = size > largest ? size : largest;
    }
    int64_t sum = (int64_t)(largest >> 20) + 1;
    int status = comm->ops->sum_i64(comm, &sum, 1, -1, err);
    *fit = sum < INT64_C(1) << 43;
    return status;
}

static int sum_i64(struct gt_comm *comm, int64_t *data, size_t n, int root, struct gt_err *err)
{
    const size_t most = GT_COMM_BLOCK / sizeof *data;
    int status = GT_OK;
    for (size_t first = 0, block; first < n && !status; first += block) {
        block = n - first < most ? n - first : most;
        status = comm->ops->sum_i64(comm, data + first, block, root, err);
    }
    return status;
}

static int reduce_i64(struct gt_comm *comm, int64_t *data, size_t n, int root, struct gt_err *err)
{
    const struct sum sum = {sizeof *data, n, add_i64, (const char *)data, 1, (char *)data};
    bool fit = false;
    int status = GT_OK;
    if (comm->size == 1 || !n)
        return GT_OK;
    if (comm->ops->sum_i64)
        status = sums_fit(comm, data, n, &fit, err);
    if (status || fit)
        return reported(comm, status ? status : sum_i64(comm, data, n, root, err), err);
    return reduce(comm, &sum, root, err);
}

int gt_comm_reduce_i64(struct gt_comm *comm, int64_t *data, size_t n, int root, struct gt_err *err)
{
    return reduce_i64(comm, data, n, root, err);
}

int gt_comm_allreduce_i64(struct gt_comm *comm, int64_t *data, size_t n, struct gt_err *err)
{
    return reduce_i64(comm, data, n, -1, err);
}

int gt_comm_reduce_u32(struct gt_comm *comm, uint32_t *data, size_t n, int root, struct gt_err *err)
{
    const struct sum sum = {sizeof *data, n, add_u32, (const char *)data, 1, (char *)data};
    const size_t most = GT_COMM_BLOCK / sizeof *data;
    int status = GT_OK;
    if (comm->size == 1)
        return GT_OK;
    if (!comm->ops->sum_u32)
        return reduce(comm, &sum, root, err);
    for (size_t first = 0, block; first < n && !status; first += block) {
        block = n - first < most ? n - first : most;
        status = comm->ops->sum_u32(comm, data + first, block, root, err);
    }
    return reported(comm, status, err);
}

int gt_comm_reduce_f64(struct gt_comm *comm, const double *terms, size_t n_terms, size_t n, double *sums, int root, struct gt_err *err)
{
    const struct sum sum = {sizeof *sums, n, add_f64, (const char *)terms, n_terms, (char *)sums};
    return reduce(comm, &sum, root, err);
}

int gt_comm_allreduce_f64(struct gt_comm *comm, const double *terms, size_t n_terms, size_t n, double *sums, struct gt_err *err)
{
    return gt_comm_reduce_f64(comm, terms, n_terms, n, sums, -1, err);
}

/* --- gathering ------------------------------------------------------------------------- */

static int check_total(struct gt_comm *comm, const uint64_t *sizes, uint64_t *total, struct gt_err *err)
{
    *total = 0;
    for (int r = 0; r < comm->size; r++)
        if (!gt_add_size(*total, sizes[r], total))
            return gt_fail(err, GT_NOFIT, "the data of %d ranks does not fit in memory", comm->size);
    return GT_OK;
}

static int gather_here(struct gt_comm *comm, const void *data, size_t n, struct gt_buf *all, uint64_t *sizes, struct gt_err *err)
{
    uint64_t total = 0;
    uint8_t *at;
    int status = GT_OK;
    sizes[comm->rank] = n;
    for (int r = 0; r < comm->size && !status; r++)
        if (r != comm->rank)
            status = comm->ops->recv(comm, r, &sizes[r], sizeof sizes[r], err);
    if (!status)
        status = check_total(comm, sizes, &total, err);
    all->len = 0;
    if (!status)
        status = gt_buf_resize(all, total, err);
    at = all->data;
    for (int r = 0; r < comm->size && !status; r++) {
        if (r == comm->rank && n)
            memcpy(at, data, n);
        else if (r != comm->rank && sizes[r])
            status = recv_parts(comm, r, at, sizes[r], err);
        at += sizes[r];
    }
    return status;
}

static int gather_by_messages(struct gt_comm *comm, const void *data, size_t n, struct gt_buf *all, uint64_t *sizes, int root,
                              struct gt_err *err)
{
    const uint64_t size = n;
    if (comm->rank == root)
        return gather_here(comm, data, n, all, sizes, err);
    int status = comm->ops->send(comm, root, &size, sizeof size, err);
    return !status && n ? send_parts(comm, root, data, n, err) : status;
}

/* One round of the implementation's gather: bytes [first, first + slice) of each rank. */
struct round {
    size_t first, slice;
    size_t *sizes;  /* of this round, on root */
    uint8_t *block; /* GT_COMM_BLOCK bytes, on root */
};

static size_t slice_of(const struct round *round, uint64_t size)
{
    return size <= round->first ? 0 : size - round->first < round->slice ? (size_t)(size - round->first) : round->slice;
}

static int gather_round(struct gt_comm *comm, const struct round *round, const void *data, size_t n, struct gt_buf *all,
                        const uint64_t *sizes, int root, struct gt_err *err)
{
    const size_t own = slice_of(round, n);
    const void *from = own ? (const char *)data + round->first : NULL;
    if (comm->rank != root)
        return comm->ops->gatherv(comm, from, own, NULL, NULL, root, err);
    for (int r = 0; r < comm->size; r++)
        round->sizes[r] = slice_of(round, sizes[r]);
    int status = comm->ops->gatherv(comm, from, own, round->block, round->sizes, root, err);
    const uint8_t *at = round->block;
    uint64_t offset = 0;
    for (int r = 0; r < comm->size && !status; r++) {
        if (round->sizes[r])
            memcpy(all->data + offset + round->first, at, round->sizes[r]);
        at += round->sizes[r];
        offset += sizes[r];
    }
    return status;
}

/* Root learns the sizes, and says how many bytes the longest has. */
static int gather_sizes(struct gt_comm *comm, size_t n, struct gt_buf *all, uint64_t *sizes, uint64_t *longest, struct round *round,
                        int root, struct gt_err *err)
{
    const bool here = comm->rank == root;
    const uint64_t size = n;
    uint64_t total = 0;
    for (int r = 0; here && r < comm->size; r++)
        round->sizes[r] = sizeof size;
    int status = comm->ops->gatherv(comm, &size, sizeof size, sizes, here ? round->sizes : NULL, root, err);
    *longest = 0;
    if (!status && here) {
        all->len = 0;
        status = check_total(comm, sizes, &total, err);
        if (!status)
            status = gt_buf_resize(all, total, err);
        for (int r = 0; r < comm->size; r++)
            *longest = sizes[r] > *longest ? sizes[r] : *longest;
    }
    return status ? status : comm->ops->broadcast(comm, longest, sizeof *longest, root, err);
}

static int gather_by_rounds(struct gt_comm *comm, const void *data, size_t n, struct gt_buf *all, uint64_t *sizes, int root,
                            struct gt_err *err)
{
    struct round round = {.slice = GT_COMM_BLOCK / (size_t)comm->size};
    uint64_t longest = 0;
    int status = GT_OK;
    if (comm->rank == root) {
        round.sizes = gt_alloc((size_t)comm->size, sizeof *round.sizes, err);
        round.block = gt_alloc(GT_COMM_BLOCK, 1, err);
        status = round.sizes && round.block ? GT_OK : GT_FAIL;
    }
    if (!status)
        status = gather_sizes(comm, n, all, sizes, &longest, &round, root, err);
    for (; round.first < longest && !status; round.first += round.slice)
        status = gather_round(comm, &round, data, n, all, sizes, root, err);
    free(round.sizes);
    free(round.block);
    return status;
}

int gt_comm_gatherv(struct gt_comm *comm, const void *data, size_t n, struct gt_buf *all, uint64_t *sizes, int root, struct gt_err *err)
{
    int status = comm->size > 1 && comm->ops->gatherv ? gather_by_rounds(comm, data, n, all, sizes, root, err)
                                                      : gather_by_messages(comm, data, n, all, sizes, root, err);
    return reported(comm, status, err);
}
