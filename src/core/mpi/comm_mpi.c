#include "config.h"

#include "core/mpi/comm_mpi.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/deadline.h"
#include "core/base/mem.h"
#include "core/mpi/mpi_load.h"
#include "core/mpi/mpi_module.h"
#include "core/os/os_process.h"

enum {
    LOOK_MS = 20,        /* between two looks for a failure of another rank */
    WIND_UP_MS = 10000,  /* that the other ranks have to end after a failure */
    SETTLE_MS = 100,     /* after a failure, for an operation in progress that the others have entered too */
    DELIVER_MS = 10000,  /* that the last message may take */
    POST_MS = 2000,      /* that the last text of a rank waits for the one before it */
    ABORT_MS = 2000,     /* that an abort takes to reach the other ranks */
    BUSY_ROUNDS = 200,   /* of asking for the end of an operation without sleeping */
    MAX_SLEEP_US = 1000, /* after that */
};

enum control_kind { RANK_FAILED, RANK_ENDED, ALL_LEAVE, POSTED };

struct control {
    int kind, rank;
    int idle; /* RANK_ENDED: no operation of the rank is in progress; ALL_LEAVE: of any rank */
    int last; /* POSTED, with the text behind it: the last one of the rank */
    struct gt_err err;
};

/* Of another rank, on rank 0. */
struct posted {
    char *text;
    size_t n;
    bool last;
};

struct mpi {
    const struct gt_mpi_module *module;
    pthread_mutex_t lock; /* of everything below, and of the module */
    pthread_t watcher;
    pthread_cond_t wake; /* the watcher, when it is to stop */
    bool watching, stop;
    void (*on_failure)(void *ctx);
    void *on_failure_ctx;
    struct gt_err failure; /* the first that this rank knows of */
    bool failed_here, in_progress, leave, all_idle;
    bool by_abort; /* a job that failed ends by an abort of rank 0 */
    _Atomic int64_t waited_ns, sent, received;
    int ended; /* other ranks that have said so; counted by rank 0 */
    struct control failed_message, ended_message, last_message;
    uint8_t *message;      /* a control message as it comes */
    uint8_t *post;         /* the text that this rank sends, after its struct control */
    struct posted *posted; /* of each rank */
    uint8_t *in, *out;     /* GT_COMM_BLOCK bytes each */
    int *sizes, *offsets;  /* of gatherv */
};

static void sleep_us(long us)
{
    nanosleep(&(struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}, NULL);
}

static int mpi_error(struct gt_comm *comm, int code, const char *what, struct gt_err *err)
{
    const struct mpi *mpi = comm->impl;
    char text[512];
    mpi->module->error_text(code, text, sizeof text);
    return gt_fail(err, GT_FAIL, "MPI: %s: %s", what, text);
}

/* --- control messages: all with the lock ------------------------------------------- */

static size_t message_size(const struct gt_comm *comm)
{
    return sizeof(struct control) + (comm->rank == 0 ? GT_COMM_POST_MOST : 0);
}

/* A text replaces the one before it; without memory, that stays. */
static void take_text(struct mpi *mpi, const struct control *control, const uint8_t *text, size_t n)
{
    struct posted *posted = &mpi->posted[control->rank];
    char *copy = n ? malloc(n) : NULL;
    posted->last |= control->last != 0;
    if (!copy)
        return;
    memcpy(copy, text, n);
    free(posted->text);
    posted->text = copy;
    posted->n = n;
}

static void take(struct mpi *mpi, const struct control *control)
{
    if (control->kind == RANK_FAILED && !mpi->failure.status)
        mpi->failure = control->err;
    if (control->kind == RANK_ENDED) {
        mpi->ended++;
        mpi->all_idle &= control->idle != 0;
    }
    if (control->kind == ALL_LEAVE) {
        mpi->leave = true;
        mpi->all_idle = control->idle != 0;
    }
}

static void look(struct gt_comm *comm)
{
    struct mpi *mpi = comm->impl;
    struct control control;
    int n = 0;
    while (n >= 0) {
        if (mpi->module->control_recv(mpi->message, (int)message_size(comm), &n))
            return;
        if (n < (int)sizeof control)
            continue;
        memcpy(&control, mpi->message, sizeof control);
        if (control.kind == POSTED)
            take_text(mpi, &control, mpi->message + sizeof control, (size_t)n - sizeof control);
        else
            take(mpi, &control);
    }
}

static void tell(struct gt_comm *comm, int to, const struct control *control)
{
    struct mpi *mpi = comm->impl;
    (void)mpi->module->control_send(to, control, sizeof *control); /* a rank that it does not reach is ended by the launcher */
}

static void tell_others(struct gt_comm *comm, const struct control *control)
{
    for (int r = 0; r < comm->size; r++)
        if (r != comm->rank)
            tell(comm, r, control);
}

static int hear(const struct mpi *mpi, struct gt_err *err)
{
    if (err && !err->status)
        *err = mpi->failure;
    return mpi->failure.status;
}

/* --- data ------------------------------------------------------------------------- */

/* Asks for the end of the operation in progress; GT_END: not yet. */
static int ask(struct gt_comm *comm, const char *what, size_t *n, struct gt_err *err)
{
    struct mpi *mpi = comm->impl;
    int complete = 0, received = 0, code, status = GT_END;
    pthread_mutex_lock(&mpi->lock);
    if (!mpi->failure.status)
        look(comm);
    if (mpi->failure.status) {
        status = hear(mpi, err);
    } else if ((code = mpi->module->test(&complete, &received)) != 0) {
        status = mpi_error(comm, code, what, err);
    } else if (complete) {
        mpi->in_progress = false;
        *n = (size_t)received;
        status = GT_OK;
    }
    pthread_mutex_unlock(&mpi->lock);
    return status;
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Waits for an operation that was started with this code. */
static int wait_for(struct gt_comm *comm, int code, const char *what, size_t *n, struct gt_err *err)
{
    struct mpi *mpi = comm->impl;
    const int64_t start = now_ns();
    long us = 10;
    int status;
    if (code)
        return mpi_error(comm, code, what, err);
    for (int round = 0; (status = ask(comm, what, n, err)) == GT_END; round++) {
        if (round < BUSY_ROUNDS) {
            sched_yield();
            continue;
        }
        sleep_us(us);
        us = us * 2 < MAX_SLEEP_US ? us * 2 : MAX_SLEEP_US;
    }
    atomic_fetch_add(&mpi->waited_ns, now_ns() - start);
    return status;
}

/* Begins an operation: the lock is held afterwards unless a failure is reported. */
static int begin(struct gt_comm *comm, struct gt_err *err)
{
    struct mpi *mpi = comm->impl;
    pthread_mutex_lock(&mpi->lock);
    if (!mpi->failure.status) {
        mpi->in_progress = true;
        return GT_OK;
    }
    int status = hear(mpi, err);
    pthread_mutex_unlock(&mpi->lock);
    return status;
}

/* Ends what begin began, and waits. */
static int finish(struct gt_comm *comm, int code, const char *what, size_t *n, struct gt_err *err)
{
    struct mpi *mpi = comm->impl;
    size_t unused;
    pthread_mutex_unlock(&mpi->lock);
    return wait_for(comm, code, what, n ? n : &unused, err);
}

static void copy(void *to, const void *from, size_t n)
{
    if (n)
        memcpy(to, from, n);
}

static void count(struct mpi *mpi, size_t sent, size_t received)
{
    atomic_fetch_add_explicit(&mpi->sent, (int64_t)sent, memory_order_relaxed);
    atomic_fetch_add_explicit(&mpi->received, (int64_t)received, memory_order_relaxed);
}

/* Of n bytes that are added up on root, or (-1) everywhere. */
static void count_sum(const struct gt_comm *comm, size_t n, int root)
{
    count(comm->impl, comm->rank == root ? 0 : n, root < 0 || comm->rank == root ? n : 0);
}

static int mpi_send(struct gt_comm *comm, int to, const void *data, size_t n, struct gt_err *err)
{
    struct mpi *mpi = comm->impl;
    int status = begin(comm, err);
    if (status)
        return status;
    copy(mpi->out, data, n);
    count(mpi, n, 0);
    return finish(comm, mpi->module->send(to, mpi->out, (int)n), "send", NULL, err);
}

static int mpi_recv(struct gt_comm *comm, int from, void *data, size_t n, struct gt_err *err)
{
    struct mpi *mpi = comm->impl;
    size_t received = n;
    int status = begin(comm, err);
    if (status)
        return status;
    status = finish(comm, mpi->module->recv(from, mpi->in, (int)n), "receive", &received, err);
    if (!status && received != n)
        status = gt_fail(err, GT_FAIL, "rank %d sent %zu bytes, not %zu", from, received, n);
    if (!status)
        copy(data, mpi->in, n);
    count(mpi, 0, received);
    return status;
}

static int mpi_barrier(struct gt_comm *comm, struct gt_err *err)
{
    struct mpi *mpi = comm->impl;
    int status = begin(comm, err);
    return status ? status : finish(comm, mpi->module->barrier(), "barrier", NULL, err);
}

static int mpi_broadcast(struct gt_comm *comm, void *data, size_t n, int root, struct gt_err *err)
{
    struct mpi *mpi = comm->impl;
    int status = begin(comm, err);
    if (status)
        return status;
    if (comm->rank == root)
        copy(mpi->in, data, n);
    count(mpi, comm->rank == root ? n : 0, comm->rank == root ? 0 : n);
    status = finish(comm, mpi->module->broadcast(mpi->in, (int)n, root), "broadcast", NULL, err);
    if (!status && comm->rank != root)
        copy(data, mpi->in, n);
    return status;
}

static int mpi_sum_i64(struct gt_comm *comm, int64_t *data, size_t n, int root, struct gt_err *err)
{
    struct mpi *mpi = comm->impl;
    int status = begin(comm, err);
    if (status)
        return status;
    copy(mpi->in, data, n * sizeof *data);
    count_sum(comm, n * sizeof *data, root);
    status = finish(comm, mpi->module->sum_i64((int64_t *)(void *)mpi->in, (int)n, root), "sum", NULL, err);
    if (!status)
        copy(data, mpi->in, n * sizeof *data);
    return status;
}

static int mpi_sum_u32(struct gt_comm *comm, uint32_t *data, size_t n, int root, struct gt_err *err)
{
    struct mpi *mpi = comm->impl;
    int status = begin(comm, err);
    if (status)
        return status;
    copy(mpi->in, data, n * sizeof *data);
    count_sum(comm, n * sizeof *data, root);
    status = finish(comm, mpi->module->sum_u32((uint32_t *)(void *)mpi->in, (int)n, root), "sum", NULL, err);
    if (!status)
        copy(data, mpi->in, n * sizeof *data);
    return status;
}

static int mpi_gatherv(struct gt_comm *comm, const void *data, size_t n, void *all, const size_t *sizes, int root, struct gt_err *err)
{
    struct mpi *mpi = comm->impl;
    size_t total = 0;
    int status = begin(comm, err);
    if (status)
        return status;
    for (int r = 0; r < comm->size && comm->rank == root; r++) {
        mpi->sizes[r] = (int)sizes[r];
        mpi->offsets[r] = (int)total;
        total += sizes[r];
    }
    copy(mpi->out, data, n);
    count(mpi, comm->rank == root ? 0 : n, comm->rank == root ? total - n : 0);
    status = finish(comm, mpi->module->gatherv(mpi->out, (int)n, mpi->in, mpi->sizes, mpi->offsets, root), "gather", NULL, err);
    if (!status)
        copy(all, mpi->in, total);
    return status;
}

/* --- failures ------------------------------------------------------------------------ */

static void mpi_fail(struct gt_comm *comm, const struct gt_err *err)
{
    struct mpi *mpi = comm->impl;
    pthread_mutex_lock(&mpi->lock);
    look(comm);
    if (!mpi->failure.status) {
        mpi->failure = *err;
        mpi->failed_here = true;
        mpi->failed_message = (struct control){.kind = RANK_FAILED, .rank = comm->rank, .err = *err};
        tell_others(comm, &mpi->failed_message);
    }
    pthread_mutex_unlock(&mpi->lock);
}

bool gt_comm_mpi_failure(const struct gt_comm *comm, struct gt_err *failure, bool *here)
{
    struct mpi *mpi = comm->impl;
    if (!mpi)
        return false;
    pthread_mutex_lock(&mpi->lock);
    *failure = mpi->failure;
    *here = mpi->failed_here;
    pthread_mutex_unlock(&mpi->lock);
    return failure->status != GT_OK;
}

void gt_comm_mpi_watch(struct gt_comm *comm, void (*failed)(void *ctx), void *ctx)
{
    struct mpi *mpi = comm->impl;
    if (!mpi)
        return;
    pthread_mutex_lock(&mpi->lock);
    mpi->on_failure = failed;
    mpi->on_failure_ctx = ctx;
    pthread_mutex_unlock(&mpi->lock);
}

/* With the lock: LOOK_MS, or until the watcher is to stop. */
static void rest(struct mpi *mpi)
{
    const struct timespec until = gt_deadline_ms(GT_COND_CLOCK, LOOK_MS);
    while (!mpi->stop && !pthread_cond_timedwait(&mpi->wake, &mpi->lock, &until))
        ;
}

static void *watch(void *arg)
{
    struct gt_comm *comm = arg;
    struct mpi *mpi = comm->impl;
    pthread_mutex_lock(&mpi->lock);
    for (bool stop = false; !stop; rest(mpi)) {
        look(comm);
        stop = mpi->stop;
        if (mpi->failure.status && mpi->on_failure) {
            mpi->on_failure(mpi->on_failure_ctx);
            mpi->on_failure = NULL;
        }
    }
    pthread_mutex_unlock(&mpi->lock);
    return NULL;
}

/* --- the end -------------------------------------------------------------------------- */

/* Waits until `done`, but no longer than so many milliseconds. */
static bool wait_until(struct gt_comm *comm, bool (*done)(struct gt_comm *comm), int ms)
{
    struct mpi *mpi = comm->impl;
    for (int waited = 0;; waited++) {
        pthread_mutex_lock(&mpi->lock);
        look(comm);
        bool is_done = done(comm);
        pthread_mutex_unlock(&mpi->lock);
        if (is_done || waited >= ms)
            return is_done;
        sleep_us(1000);
    }
}

static bool others_ended(struct gt_comm *comm)
{
    const struct mpi *mpi = comm->impl;
    return mpi->ended == comm->size - 1;
}

static bool may_leave(struct gt_comm *comm)
{
    const struct mpi *mpi = comm->impl;
    return mpi->leave;
}

static bool all_sent(struct gt_comm *comm)
{
    const struct mpi *mpi = comm->impl;
    int complete = 0;
    return mpi->module->control_sent(&complete) || complete;
}

/* Has the operation in progress, which a failure of another rank interrupted, ended all the same? */
static bool is_idle(struct gt_comm *comm)
{
    struct mpi *mpi = comm->impl;
    int complete = 0, received;
    if (mpi->in_progress && !mpi->module->test(&complete, &received) && complete)
        mpi->in_progress = false;
    return !mpi->in_progress;
}

static bool never(struct gt_comm *comm)
{
    (void)comm;
    return false;
}

double gt_comm_mpi_waited(const struct gt_comm *comm)
{
    struct mpi *mpi = comm->impl;
    return (double)atomic_load(&mpi->waited_ns) / 1e9;
}

void gt_comm_mpi_moved(const struct gt_comm *comm, int64_t *sent, int64_t *received)
{
    struct mpi *mpi = comm->impl;
    *sent = atomic_load(&mpi->sent);
    *received = atomic_load(&mpi->received);
}

/* --- texts for rank 0 ------------------------------------------------------------------- */

static bool is_last_posted(struct gt_comm *comm)
{
    const struct mpi *mpi = comm->impl;
    for (int r = 1; r < comm->size; r++)
        if (!mpi->posted[r].last)
            return false;
    return true;
}

void gt_comm_mpi_post(struct gt_comm *comm, const char *text, size_t n, bool last)
{
    struct mpi *mpi = comm->impl;
    const struct control head = {.kind = POSTED, .rank = comm->rank, .last = last};
    const bool sent = wait_until(comm, all_sent, last ? POST_MS : 0);
    if (!sent && !last)
        return;
    pthread_mutex_lock(&mpi->lock);
    if (sent && n <= GT_COMM_POST_MOST && (mpi->post || (mpi->post = malloc(sizeof head + GT_COMM_POST_MOST)) != NULL)) {
        memcpy(mpi->post, &head, sizeof head);
        copy(mpi->post + sizeof head, text, n);
        (void)mpi->module->control_send(0, mpi->post, (int)(sizeof head + n));
    } else if (last) {
        mpi->last_message = head;
        tell(comm, 0, &mpi->last_message);
    }
    pthread_mutex_unlock(&mpi->lock);
}

bool gt_comm_mpi_posted(struct gt_comm *comm, int rank, struct gt_str *to)
{
    struct mpi *mpi = comm->impl;
    pthread_mutex_lock(&mpi->lock);
    const struct posted *posted = &mpi->posted[rank];
    const bool last = posted->last;
    gt_str_addn(to, posted->text ? posted->text : "", posted->n);
    pthread_mutex_unlock(&mpi->lock);
    return last;
}

bool gt_comm_mpi_all_posted(struct gt_comm *comm)
{
    return wait_until(comm, is_last_posted, 0);
}

/* --- leaving ------------------------------------------------------------------------------ */

/* After a failure: rank 0 waits until all have come here, then all leave together.  MPI is only finished where no rank has an operation
 * in progress.  mpirun of MPICH kills the other processes when one ends without that, and its exit status is then 9, unless all ended at
 * the same time: there rank 0 aborts with the status of the failure. */
static void leave(struct gt_comm *comm)
{
    struct mpi *mpi = comm->impl;
    const int root = 0;
    bool together;
    (void)wait_until(comm, is_idle, SETTLE_MS);
    mpi->ended_message =
        (struct control){.kind = comm->rank == root ? ALL_LEAVE : RANK_ENDED, .rank = comm->rank, .idle = !mpi->in_progress};
    if (comm->rank == root) {
        together = wait_until(comm, others_ended, WIND_UP_MS);
        pthread_mutex_lock(&mpi->lock);
        mpi->all_idle &= !mpi->in_progress;
        mpi->ended_message.idle = mpi->all_idle;
        tell_others(comm, &mpi->ended_message);
        pthread_mutex_unlock(&mpi->lock);
    } else {
        pthread_mutex_lock(&mpi->lock);
        tell(comm, root, &mpi->ended_message);
        pthread_mutex_unlock(&mpi->lock);
        together = wait_until(comm, may_leave, WIND_UP_MS);
    }
    together = wait_until(comm, all_sent, DELIVER_MS) && together;
    if (together && mpi->all_idle)
        (void)mpi->module->finish();
    else if (!together || (mpi->by_abort && comm->rank == root))
        mpi->module->abort(mpi->failure.status);
    else if (mpi->by_abort)
        (void)wait_until(comm, never, ABORT_MS); /* rank 0 ends this process */
}

static void free_mpi(struct mpi *mpi, int size)
{
    if (!mpi)
        return;
    for (int r = 0; r < size && mpi->posted; r++)
        free(mpi->posted[r].text);
    free(mpi->posted);
    free(mpi->message);
    free(mpi->post);
    free(mpi->in);
    free(mpi->out);
    free(mpi->sizes);
    free(mpi->offsets);
    free(mpi);
}

/* So that all come to the module's `finish` at about the same time, and no watcher calls MPI then. */
static void meet(struct gt_comm *comm)
{
    (void)wait_until(comm, all_sent, DELIVER_MS);
    (void)mpi_barrier(comm, NULL);
}

static void mpi_release(struct gt_comm *comm)
{
    struct mpi *mpi = comm->impl;
    if (mpi->watching) {
        pthread_mutex_lock(&mpi->lock);
        mpi->stop = true;
        pthread_cond_signal(&mpi->wake);
        pthread_mutex_unlock(&mpi->lock);
        pthread_join(mpi->watcher, NULL);
    }
    if (comm->size > 1 && !mpi->failure.status)
        meet(comm);
    if (mpi->failure.status) {
        leave(comm); /* the buffers stay: operations may be in progress */
        return;
    }
    (void)mpi->module->finish();
    pthread_cond_destroy(&mpi->wake);
    pthread_mutex_destroy(&mpi->lock);
    free_mpi(mpi, comm->size);
}

/* --- the beginning ---------------------------------------------------------------------- */

static const struct gt_comm_ops mpi_ops = {
    .send = mpi_send,
    .recv = mpi_recv,
    .fail = mpi_fail,
    .release = mpi_release,
    .barrier = mpi_barrier,
    .broadcast = mpi_broadcast,
    .sum_i64 = mpi_sum_i64,
    .sum_u32 = mpi_sum_u32,
    .gatherv = mpi_gatherv,
};

static int check_size(const struct gt_comm *comm, const char *name, const struct gt_launcher *launcher, struct gt_err *err)
{
    if (!launcher->size || launcher->size == comm->size)
        return GT_OK;
    gt_fail(err, GT_USAGE, "%s started %d processes, but the MPI of module '%s' finds %d: it is not the launcher of this MPI",
            launcher->name, launcher->size, name, comm->size);
    if (launcher->mpi && strcmp(launcher->mpi, name) != 0)
        gt_hint(err, "use --mpi %s, or the mpirun of %s", launcher->mpi, name);
    return GT_USAGE;
}

static int start_mpi(struct gt_comm *comm, struct mpi *mpi, struct gt_err *err)
{
    int code = mpi->module->start(&comm->rank, &comm->size);
    comm->impl = mpi;
    if (code)
        return mpi_error(comm, code, "cannot start", err);
    mpi->sizes = gt_alloc((size_t)comm->size, sizeof *mpi->sizes, err);
    mpi->offsets = gt_alloc((size_t)comm->size, sizeof *mpi->offsets, err);
    mpi->posted = gt_alloc((size_t)comm->size, sizeof *mpi->posted, err);
    mpi->message = gt_alloc(message_size(comm), 1, err);
    if (!mpi->sizes || !mpi->offsets || !mpi->posted || !mpi->message)
        return GT_FAIL;
    if (gethostname(comm->host, sizeof comm->host - 1))
        comm->host[0] = '\0';
    comm->ops = &mpi_ops;
    return GT_OK;
}

int gt_comm_mpi_open(struct gt_comm *comm, const char *name, const struct gt_launcher *launcher, struct gt_err *err)
{
    struct mpi *mpi = gt_alloc(1, sizeof *mpi, err);
    int status = mpi ? GT_OK : GT_FAIL;
    gt_comm_self(comm);
    if (!status) {
        *mpi = (struct mpi){.all_idle = true, .by_abort = launcher->by_abort};
        pthread_mutex_init(&mpi->lock, NULL);
        gt_cond_init(&mpi->wake);
        mpi->in = gt_alloc(GT_COMM_BLOCK, 1, err);
        mpi->out = gt_alloc(GT_COMM_BLOCK, 1, err);
        status = mpi->in && mpi->out ? gt_mpi_load(name, &mpi->module, err) : GT_FAIL;
    }
    if (!status)
        status = start_mpi(comm, mpi, err);
    if (!status && (status = check_size(comm, name, launcher, err)) != GT_OK) {
        gt_comm_release(comm);
        return status;
    }
    if (status) {
        free_mpi(mpi, 0);
        gt_comm_self(comm);
        return status;
    }
    int code = comm->size > 1 ? pthread_create(&mpi->watcher, NULL, watch, comm) : 0;
    mpi->watching = comm->size > 1 && !code;
    if (code)
        gt_comm_fail(comm, gt_fail_errno(err, code, "cannot start a thread") ? err : NULL);
    return code ? GT_FAIL : GT_OK;
}

void gt_comm_mpi_version(const struct gt_comm *comm, char *text, size_t size)
{
    const struct mpi *mpi = comm->impl;
    mpi->module->version(text, size);
}
