/* The worker threads of an engine, and the one lock that all scheduling state
 * of its flows lives under.
 *
 * One lock is enough: it is held for well under a microsecond per task, and
 * tasks are meant to take a hundred times that.  It makes chains of flows, and
 * tearing them down, easy to reason about. */
#ifndef GT_ENGINE_POOL_H
#define GT_ENGINE_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"

struct gt_budget;
struct gt_flow_waiter;
struct gt_shared_cpus;

/* Something that has tasks for workers: a flow.  Both are called with the lock held. */
struct gt_pool_source {
    /* Takes one task and runs it, with the lock dropped while it runs and held
     * again on return; false when there is nothing to do now. */
    bool (*run_one)(struct gt_pool_source *source);
    /* Wakes every thread that waits for the source's state to change. */
    void (*wake)(struct gt_pool_source *source);
    struct gt_pool_source *next; /* started before this one */
};

struct gt_pool {
    pthread_mutex_t lock;
    pthread_cond_t tasks;           /* idle workers wait here */
    struct gt_pool_source *sources; /* the one added last comes first */
    pthread_t *threads;
    int n_threads, cap_threads;
    int idle;                            /* workers that wait for tasks */
    int most;                            /* workers that may compute at once, beside those of `shared` */
    const struct gt_shared_cpus *shared; /* with other ranks; NULL: none */
    int blocked;                         /* workers that wait for memory: others stand in for them */
    bool stop;
    /* Who waits for memory, see flow_memory.c. */
    int active; /* threads of the engine, and the one that uses it, that do not wait for another one */
    struct gt_budget *budget;
    struct gt_flow_waiter *waiters, **last_waiter;
    pthread_cond_t answered;             /* a waiter was */
    bool starved;                        /* a flow does not start its next task for want of memory */
    _Atomic int short_of;                /* waiters, and 1 when one is starved */
    void (*idles)(struct gt_pool *pool); /* a thread is about to wait; may be NULL */
};

int gt_pool_start(struct gt_pool **out, int threads, struct gt_err *err);
/* From now on the threads of ranks that have nothing to compute are used, too: up to as many more as there are, and two.  Borrowed until
 * the pool stops.  Nothing happens if no cpus are shared, and where a thread cannot be started fewer are used. */
void gt_pool_share(struct gt_pool *pool, const struct gt_shared_cpus *shared);
/* No source may be left.  NULL is fine. */
void gt_pool_stop(struct gt_pool *pool);

/* With the lock held: */
void gt_pool_add(struct gt_pool *pool, struct gt_pool_source *source);
void gt_pool_remove(struct gt_pool *pool, struct gt_pool_source *source);
void gt_pool_tasks(struct gt_pool *pool, int64_t n); /* n more tasks are ready */
void gt_pool_wake_all(struct gt_pool *pool);         /* workers, and all that wait for any source */

/* A worker waits from now on, until gt_pool_unblock: another one may compute in its place. */
void gt_pool_block(struct gt_pool *pool);
void gt_pool_unblock(struct gt_pool *pool);
/* May an idle worker take up a task? */
bool gt_pool_has_idle(const struct gt_pool *pool);

/* A thread with a small stack, all signals blocked, and a name for the trace, a literal.  GT_FAIL: there is no memory or no thread. */
int gt_thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *arg, struct gt_err *err);

#endif
