/* Ranks as threads of one process: the second thing behind engine/comm.h.  A message
 * waits until it is taken, so that what could deadlock anywhere does so here; a rank
 * that nobody can hear from any more is an error, not a hang. */
#ifndef GT_TEST_RANK_THREADS_H
#define GT_TEST_RANK_THREADS_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/comm.h"

#ifndef GT_TEST_COMM_TRIALS_H
enum { MOST_RANKS = 9 };
#endif

struct message {
    const void *data;
    size_t n;
    bool full;
};

struct ranks {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct gt_err failed;
    bool left[MOST_RANKS];
    struct message box[GT_COMM_LANES][MOST_RANKS][MOST_RANKS]; /* [lane][from][to] */
};

/* With the lock: waits until the message from `from` to `to` is full, or not.  Fails when a
 * rank has, or when the other one of the two has ended. */
static int ranks_wait(struct ranks *ranks, const struct gt_comm *comm, int from, int to, bool full, struct gt_err *err)
{
    int other = from == comm->rank ? to : from;
    while (!ranks->failed.status && ranks->box[comm->lane][from][to].full != full && !ranks->left[other])
        pthread_cond_wait(&ranks->changed, &ranks->lock);
    if (ranks->failed.status) {
        gt_fail(err, ranks->failed.status, "%s", ranks->failed.msg);
        return ranks->failed.status;
    }
    return ranks->box[comm->lane][from][to].full == full ? GT_OK : gt_fail(err, GT_FAIL, "rank %d has ended", other);
}

static int ranks_send(struct gt_comm *comm, int to, const void *data, size_t n, struct gt_err *err)
{
    struct ranks *ranks = comm->impl;
    struct message *box = &ranks->box[comm->lane][comm->rank][to];
    pthread_mutex_lock(&ranks->lock);
    *box = (struct message){data, n, true};
    pthread_cond_broadcast(&ranks->changed);
    int status = ranks_wait(ranks, comm, comm->rank, to, false, err);
    pthread_mutex_unlock(&ranks->lock);
    return status;
}

static int ranks_recv(struct gt_comm *comm, int from, void *data, size_t n, struct gt_err *err)
{
    struct ranks *ranks = comm->impl;
    struct message *box = &ranks->box[comm->lane][from][comm->rank];
    pthread_mutex_lock(&ranks->lock);
    int status = ranks_wait(ranks, comm, from, comm->rank, true, err);
    if (!status && box->n != n)
        status = gt_fail(err, GT_FAIL, "rank %d sent %zu bytes, not %zu", from, box->n, n);
    if (!status && n)
        memcpy(data, box->data, n);
    box->full = box->full && status;
    pthread_cond_broadcast(&ranks->changed);
    pthread_mutex_unlock(&ranks->lock);
    return status;
}

static void ranks_fail(struct gt_comm *comm, const struct gt_err *err)
{
    struct ranks *ranks = comm->impl;
    pthread_mutex_lock(&ranks->lock);
    if (!ranks->failed.status)
        ranks->failed = *err;
    pthread_cond_broadcast(&ranks->changed);
    pthread_mutex_unlock(&ranks->lock);
}

static void ranks_release(struct gt_comm *comm)
{
    struct ranks *ranks = comm->impl;
    pthread_mutex_lock(&ranks->lock);
    ranks->left[comm->rank] = true;
    pthread_cond_broadcast(&ranks->changed);
    pthread_mutex_unlock(&ranks->lock);
}

static const struct gt_comm_ops ranks_ops = {.send = ranks_send, .recv = ranks_recv, .fail = ranks_fail, .release = ranks_release};

struct ranks_thread {
    pthread_t thread;
    struct gt_comm comm;
    struct gt_err *err;
    void *ctx;
    int (*body)(struct gt_comm *comm, void *ctx, struct gt_err *err);
};

static void *ranks_thread(void *arg)
{
    struct ranks_thread *t = arg;
    int status = t->body(&t->comm, t->ctx, t->err);
    if (status)
        gt_comm_fail(&t->comm, t->err);
    t->err->status = status;
    gt_comm_release(&t->comm);
    return NULL;
}

/* Runs body as n ranks, 1 to MOST_RANKS; err[r] is rank r's, with its status. */
static void ranks_run(int n, int (*body)(struct gt_comm *comm, void *ctx, struct gt_err *err), void *ctx, struct gt_err err[])
{
    static struct ranks ranks;
    struct ranks_thread threads[MOST_RANKS];
    ranks = (struct ranks){0};
    pthread_mutex_init(&ranks.lock, NULL);
    pthread_cond_init(&ranks.changed, NULL);
    for (int r = 0; r < n; r++) {
        err[r] = (struct gt_err){0};
        threads[r] = (struct ranks_thread){
            .comm = {.rank = r, .size = n, .ops = &ranks_ops, .impl = &ranks}, .err = &err[r], .ctx = ctx, .body = body};
        pthread_create(&threads[r].thread, NULL, ranks_thread, &threads[r]);
    }
    for (int r = 0; r < n; r++)
        pthread_join(threads[r].thread, NULL);
    pthread_cond_destroy(&ranks.changed);
    pthread_mutex_destroy(&ranks.lock);
}

#endif
