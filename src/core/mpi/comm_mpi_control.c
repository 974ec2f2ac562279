#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/monotonic.h"
#include "core/mpi/comm_mpi_internal.h"
#include "core/os/os_process.h"

enum {
    LOOK_MS = 20,   /* between two looks for a failure of another rank */
    POST_MS = 2000, /* that the last text of a rank waits for the one before it */
};

size_t gt_mpi_message_size(const struct gt_comm *comm)
{
    return sizeof(struct gt_mpi_control) + (comm->rank == 0 ? GT_COMM_POST_MOST : 0);
}

/* A text replaces the one before it; without memory, that stays. */
static void take_text(struct gt_mpi *mpi, const struct gt_mpi_control *control, const uint8_t *text, size_t n)
{
    struct gt_mpi_posted *posted = &mpi->posted[control->rank];
    char *copy = n ? malloc(n) : NULL;
    posted->last |= control->last != 0;
    if (!copy)
        return;
    memcpy(copy, text, n);
    free(posted->text);
    posted->text = copy;
    posted->n = n;
}

static void take(struct gt_mpi *mpi, const struct gt_mpi_control *control)
{
    if (control->kind == GT_MPI_RANK_FAILED && !mpi->failure.status)
        mpi->failure = control->err;
    if (control->kind == GT_MPI_RANK_ENDED) {
        mpi->ended += !mpi->posted[control->rank].ended; /* one that has said so may be lost afterwards */
        mpi->posted[control->rank].ended = true;
        mpi->all_idle &= control->idle != 0;
    }
    if (control->kind == GT_MPI_ALL_LEAVE) {
        mpi->leave = true;
        mpi->all_idle = control->idle != 0;
    }
}

/* Of a rank that ended without a message: as if it had sent those of a failure. */
static void take_lost(struct gt_mpi *mpi)
{
    int rank;
    while (mpi->module->lost && (rank = mpi->module->lost()) >= 0) {
        struct gt_mpi_control failed = {.kind = GT_MPI_RANK_FAILED, .rank = rank};
        const struct gt_mpi_control ended = {.kind = rank ? GT_MPI_RANK_ENDED : GT_MPI_ALL_LEAVE, .rank = rank, .idle = 1};
        gt_fail(&failed.err, GT_FAIL, "rank %d has ended before its work was done", rank);
        take(mpi, &failed);
        take(mpi, &ended);
    }
}

static void take_messages(struct gt_comm *comm)
{
    struct gt_mpi *mpi = comm->impl;
    struct gt_mpi_control control;
    int n = 0;
    while (n >= 0) {
        if (mpi->module->control_recv(mpi->message, (int)gt_mpi_message_size(comm), &n))
            return;
        if (n < (int)sizeof control)
            continue;
        memcpy(&control, mpi->message, sizeof control);
        if (control.kind == GT_MPI_POSTED)
            take_text(mpi, &control, mpi->message + sizeof control, (size_t)n - sizeof control);
        else
            take(mpi, &control);
    }
}

void gt_mpi_look(struct gt_comm *comm)
{
    take_messages(comm);
    take_lost(comm->impl);
}

void gt_mpi_tell(struct gt_comm *comm, int to, const struct gt_mpi_control *control)
{
    struct gt_mpi *mpi = comm->impl;
    (void)mpi->module->control_send(to, control, sizeof *control); /* a rank that it does not reach is ended by the launcher */
}

void gt_mpi_tell_others(struct gt_comm *comm, const struct gt_mpi_control *control)
{
    for (int r = 0; r < comm->size; r++)
        if (r != comm->rank)
            gt_mpi_tell(comm, r, control);
}

bool gt_mpi_all_sent(struct gt_comm *comm)
{
    const struct gt_mpi *mpi = comm->impl;
    int complete = 0;
    return mpi->module->control_sent(&complete) || complete;
}

void gt_mpi_sleep_us(long us)
{
    nanosleep(&(struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}, NULL);
}

bool gt_mpi_wait_until(struct gt_comm *comm, bool (*done)(struct gt_comm *comm), int ms)
{
    struct gt_mpi *mpi = comm->impl;
    for (int waited = 0;; waited++) {
        pthread_mutex_lock(&mpi->lock);
        gt_mpi_look(comm);
        bool is_done = done(comm);
        pthread_mutex_unlock(&mpi->lock);
        if (is_done || waited >= ms)
            return is_done;
        gt_mpi_sleep_us(1000);
    }
}

/* --- failures ------------------------------------------------------------------------ */

void gt_mpi_fail(struct gt_comm *comm, const struct gt_err *err)
{
    struct gt_mpi *mpi = comm->impl;
    pthread_mutex_lock(&mpi->lock);
    gt_mpi_look(comm);
    if (!mpi->failure.status) {
        mpi->failure = *err;
        mpi->failed_here = true;
        mpi->failed_message = (struct gt_mpi_control){.kind = GT_MPI_RANK_FAILED, .rank = comm->rank, .err = *err};
        gt_mpi_tell_others(comm, &mpi->failed_message);
    }
    pthread_mutex_unlock(&mpi->lock);
}

bool gt_comm_mpi_failure(const struct gt_comm *comm, struct gt_err *failure, bool *here)
{
    struct gt_mpi *mpi = comm->impl;
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
    struct gt_mpi *mpi = comm->impl;
    if (!mpi)
        return;
    pthread_mutex_lock(&mpi->lock);
    mpi->on_failure = failed;
    mpi->on_failure_ctx = ctx;
    pthread_mutex_unlock(&mpi->lock);
}

/* With the lock: LOOK_MS, or until the watcher is to stop. */
static void rest(struct gt_mpi *mpi)
{
    const struct timespec until = gt_deadline_ms(GT_COND_CLOCK, LOOK_MS);
    while (!mpi->stop && !pthread_cond_timedwait(&mpi->wake, &mpi->lock, &until))
        ;
}

void *gt_mpi_watch(void *arg)
{
    struct gt_comm *comm = arg;
    struct gt_mpi *mpi = comm->impl;
    pthread_mutex_lock(&mpi->lock);
    for (bool stop = false; !stop; rest(mpi)) {
        gt_mpi_look(comm);
        stop = mpi->stop;
        if (mpi->failure.status && mpi->on_failure) {
            mpi->on_failure(mpi->on_failure_ctx);
            mpi->on_failure = NULL;
        }
    }
    pthread_mutex_unlock(&mpi->lock);
    return NULL;
}

/* --- texts for rank 0 ------------------------------------------------------------------- */

static bool is_last_posted(struct gt_comm *comm)
{
    const struct gt_mpi *mpi = comm->impl;
    for (int r = 1; r < comm->size; r++)
        if (!mpi->posted[r].last)
            return false;
    return true;
}

void gt_comm_mpi_post(struct gt_comm *comm, const char *text, size_t n, bool last)
{
    struct gt_mpi *mpi = comm->impl;
    const struct gt_mpi_control head = {.kind = GT_MPI_POSTED, .rank = comm->rank, .last = last};
    const bool sent = gt_mpi_wait_until(comm, gt_mpi_all_sent, last ? POST_MS : 0);
    if (!sent && !last)
        return;
    pthread_mutex_lock(&mpi->lock);
    if (sent && n <= GT_COMM_POST_MOST && (mpi->post || (mpi->post = malloc(sizeof head + GT_COMM_POST_MOST)) != NULL)) {
        memcpy(mpi->post, &head, sizeof head);
        if (n)
            memcpy(mpi->post + sizeof head, text, n);
        (void)mpi->module->control_send(0, mpi->post, (int)(sizeof head + n));
    } else if (last) {
        mpi->last_message = head;
        gt_mpi_tell(comm, 0, &mpi->last_message);
    }
    pthread_mutex_unlock(&mpi->lock);
}

bool gt_comm_mpi_posted(struct gt_comm *comm, int rank, struct gt_str *to)
{
    struct gt_mpi *mpi = comm->impl;
    pthread_mutex_lock(&mpi->lock);
    const struct gt_mpi_posted *posted = &mpi->posted[rank];
    const bool last = posted->last;
    gt_str_addn(to, posted->text ? posted->text : "", posted->n);
    pthread_mutex_unlock(&mpi->lock);
    return last;
}

bool gt_comm_mpi_all_posted(struct gt_comm *comm)
{
    return gt_mpi_wait_until(comm, is_last_posted, 0);
}
