#include "config.h"

#include <sched.h>
#include <string.h>
#include <time.h>

#include "core/base/monotonic.h"
#include "core/mpi/comm_mpi_internal.h"

enum {
    BUSY_ROUNDS = 200,  /* of asking for the end of an operation without sleeping */
    FEW_ROUNDS = 4,     /* the same on lane 1, whose thread reads blocks before they are needed, and where the module can sleep */
    MAX_SLEEP_US = 100, /* after that: Open MPI resumes a collective operation, which takes many steps, only when it is asked */
};

static int hear(const struct gt_mpi *mpi, struct gt_err *err)
{
    if (err && !err->status)
        *err = mpi->failure;
    return mpi->failure.status;
}

/* Asks for the end of the operation in progress; GT_END: not yet. */
static int ask(struct gt_comm *comm, const char *what, size_t *n, struct gt_err *err)
{
    struct gt_mpi *mpi = comm->impl;
    int complete = 0, received = 0, code, status = GT_END;
    pthread_mutex_lock(&mpi->lock);
    if (!mpi->failure.status)
        gt_mpi_look(comm);
    if (mpi->failure.status) {
        status = hear(mpi, err);
    } else if ((code = mpi->module->test(comm->lane, &complete, &received)) != 0) {
        status = gt_mpi_error(comm, code, what, err);
    } else if (complete) {
        mpi->in_progress[comm->lane] = false;
        *n = (size_t)received;
        status = GT_OK;
    }
    pthread_mutex_unlock(&mpi->lock);
    return status;
}

/* Waits for an operation that was started with this code. */
static int wait_for(struct gt_comm *comm, int code, const char *what, size_t *n, struct gt_err *err)
{
    struct gt_mpi *mpi = comm->impl;
    const int64_t start = gt_clock_ns();
    long us = 10;
    int status;
    if (code)
        return gt_mpi_error(comm, code, what, err);
    for (int round = 0; (status = ask(comm, what, n, err)) == GT_END; round++) {
        if (round < (comm->lane || mpi->module->rest ? FEW_ROUNDS : BUSY_ROUNDS)) {
            sched_yield();
            continue;
        }
        if (mpi->module->rest) {
            mpi->module->rest(comm->lane);
            continue;
        }
        gt_mpi_sleep_us(us);
        us = us * 2 < MAX_SLEEP_US ? us * 2 : MAX_SLEEP_US;
    }
    atomic_fetch_add(&mpi->waited_ns, gt_clock_ns() - start);
    return status;
}

/* Begins an operation: the lock is held afterwards unless a failure is reported. */
static int begin(struct gt_comm *comm, struct gt_err *err)
{
    struct gt_mpi *mpi = comm->impl;
    pthread_mutex_lock(&mpi->lock);
    if (!mpi->failure.status) {
        mpi->in_progress[comm->lane] = true;
        return GT_OK;
    }
    int status = hear(mpi, err);
    pthread_mutex_unlock(&mpi->lock);
    return status;
}

/* Ends what begin began, and waits. */
static int finish(struct gt_comm *comm, int code, const char *what, size_t *n, struct gt_err *err)
{
    struct gt_mpi *mpi = comm->impl;
    size_t unused;
    pthread_mutex_unlock(&mpi->lock);
    return wait_for(comm, code, what, n ? n : &unused, err);
}

int gt_mpi_pass(struct gt_comm *comm, bool sends, int peer, void *data, size_t n, struct gt_err *err)
{
    const struct gt_mpi_module *module = ((struct gt_mpi *)comm->impl)->module;
    size_t received = n;
    int status = begin(comm, err);
    if (status)
        return status;
    if (sends)
        return finish(comm, module->send(comm->lane, peer, data, (int)n), "send", NULL, err);
    status = finish(comm, module->recv(comm->lane, peer, data, (int)n), "receive", &received, err);
    if (!status && received != n)
        status = gt_fail(err, GT_FAIL, "rank %d sent %zu bytes, not %zu", peer, received, n);
    return status;
}

/* Where an operation has its data: there, or in a buffer that stays. */
static void *place(const struct gt_mpi *mpi, const void *data, void *buffer)
{
    return mpi->module->direct ? (void *)data : buffer;
}

static void copy(void *to, const void *from, size_t n)
{
    if (n && to != from)
        memcpy(to, from, n);
}

static void count(struct gt_mpi *mpi, size_t sent, size_t received)
{
    atomic_fetch_add_explicit(&mpi->sent, (int64_t)sent, memory_order_relaxed);
    atomic_fetch_add_explicit(&mpi->received, (int64_t)received, memory_order_relaxed);
}

/* Of n bytes that are added up on root, or (-1) everywhere. */
static void count_sum(const struct gt_comm *comm, size_t n, int root)
{
    count(comm->impl, comm->rank == root ? 0 : n, root < 0 || comm->rank == root ? n : 0);
}

int gt_mpi_send(struct gt_comm *comm, int to, const void *data, size_t n, struct gt_err *err)
{
    struct gt_mpi *mpi = comm->impl;
    void *out = place(mpi, data, mpi->out[comm->lane]);
    copy(out, data, n);
    count(mpi, n, 0);
    return gt_mpi_pass(comm, true, to, out, n, err);
}

int gt_mpi_recv(struct gt_comm *comm, int from, void *data, size_t n, struct gt_err *err)
{
    struct gt_mpi *mpi = comm->impl;
    void *in = place(mpi, data, mpi->in[comm->lane]);
    int status = gt_mpi_pass(comm, false, from, in, n, err);
    if (!status)
        copy(data, in, n);
    count(mpi, 0, n);
    return status;
}

int gt_mpi_barrier(struct gt_comm *comm, struct gt_err *err)
{
    const struct gt_mpi_module *module = ((struct gt_mpi *)comm->impl)->module;
    if (!module->barrier)
        return gt_mpi_tree_barrier(comm, err);
    int status = begin(comm, err);
    return status ? status : finish(comm, module->barrier(), "barrier", NULL, err);
}

int gt_mpi_broadcast(struct gt_comm *comm, void *data, size_t n, int root, struct gt_err *err)
{
    struct gt_mpi *mpi = comm->impl;
    void *in = place(mpi, data, mpi->in[comm->lane]);
    int status;
    if (comm->rank == root)
        copy(in, data, n);
    count(mpi, comm->rank == root ? n : 0, comm->rank == root ? 0 : n);
    if (!mpi->module->broadcast)
        status = gt_mpi_tree_broadcast(comm, in, n, root, err);
    else if ((status = begin(comm, err)) == GT_OK)
        status = finish(comm, mpi->module->broadcast(in, (int)n, root), "broadcast", NULL, err);
    if (!status && comm->rank != root)
        copy(data, in, n);
    return status;
}

/* Sums of n numbers of `size` bytes: int64_t or uint32_t. */
static int sum(struct gt_comm *comm, void *data, size_t n, size_t size, int root, struct gt_err *err)
{
    struct gt_mpi *mpi = comm->impl;
    void *in = place(mpi, data, mpi->in[comm->lane]);
    int status;
    copy(in, data, n * size);
    count_sum(comm, n * size, root);
    if (!mpi->module->sum_i64)
        status = gt_mpi_tree_sum(comm, in, n, size, root, err);
    else if ((status = begin(comm, err)) == GT_OK)
        status = finish(comm, size == sizeof(int64_t) ? mpi->module->sum_i64(in, (int)n, root) : mpi->module->sum_u32(in, (int)n, root),
                        "sum", NULL, err);
    if (!status && (root < 0 || comm->rank == root))
        copy(data, in, n * size);
    return status;
}

int gt_mpi_sum_i64(struct gt_comm *comm, int64_t *data, size_t n, int root, struct gt_err *err)
{
    return sum(comm, data, n, sizeof *data, root, err);
}

int gt_mpi_sum_u32(struct gt_comm *comm, uint32_t *data, size_t n, int root, struct gt_err *err)
{
    return sum(comm, data, n, sizeof *data, root, err);
}

int gt_mpi_gatherv(struct gt_comm *comm, const void *data, size_t n, void *all, const size_t *sizes, int root, struct gt_err *err)
{
    struct gt_mpi *mpi = comm->impl;
    void *out = place(mpi, data, mpi->out[comm->lane]), *in = place(mpi, all, mpi->in[comm->lane]);
    size_t total = 0;
    int status;
    for (int r = 0; r < comm->size && comm->rank == root; r++) {
        mpi->sizes[r] = (int)sizes[r];
        mpi->offsets[r] = (int)total;
        total += sizes[r];
    }
    copy(out, data, n);
    count(mpi, comm->rank == root ? 0 : n, comm->rank == root ? total - n : 0);
    if (!mpi->module->gatherv)
        status = gt_mpi_tree_gatherv(comm, out, n, in, sizes, root, err);
    else if ((status = begin(comm, err)) == GT_OK)
        status = finish(comm, mpi->module->gatherv(out, (int)n, in, mpi->sizes, mpi->offsets, root), "gather", NULL, err);
    if (!status)
        copy(all, in, total);
    return status;
}
