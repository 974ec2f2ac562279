#include "config.h"

#include "core/engine/pool.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/engine/shared_cpus.h"
#include "core/os/os_process.h"

/* Bulk data is never on the stack; this is for libraries. */
#define STACK_BYTES (1 << 20)

struct start {
    const char *name;
    void *(*run)(void *);
    void *arg;
};

/* A thread takes its name itself: a trace reads it when the thread has its first task. */
static void *run_named(void *arg)
{
    const struct start start = *(struct start *)arg;
    free(arg);
    gt_thread_set_name(pthread_self(), start.name);
    return start.run(start.arg);
}

int gt_thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *arg, struct gt_err *err)
{
    struct start *start = gt_alloc(1, sizeof *start, err);
    pthread_attr_t attr;
    sigset_t all, old;
    int rc;
    if (!start)
        return GT_FAIL;
    *start = (struct start){.name = name, .run = run, .arg = arg};
    sigfillset(&all);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    /* signals are for the thread of the command that waits for them */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    rc = pthread_create(thread, &attr, run_named, start);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    if (rc) {
        free(start);
        return gt_fail_errno(err, rc, "cannot start a thread");
    }
    return GT_OK;
}

static int computing(const struct gt_pool *pool)
{
    return pool->n_threads - pool->idle - pool->blocked;
}

static int most_of(const struct gt_pool *pool)
{
    return pool->most + (pool->shared ? gt_shared_cpus_spare(pool->shared) : 0);
}

bool gt_pool_has_idle(const struct gt_pool *pool)
{
    return pool->idle > 0 && computing(pool) < most_of(pool);
}

static void say_computing(const struct gt_pool *pool)
{
    if (pool->shared)
        gt_shared_cpus_say(pool->shared, computing(pool));
}

static void wait_for_tasks(struct gt_pool *pool)
{
    pool->idle++;
    pool->active--;
    say_computing(pool);
    if (pool->idles)
        pool->idles(pool);
    pthread_cond_wait(&pool->tasks, &pool->lock);
    pool->idle--;
    pool->active++;
    say_computing(pool);
}

static void *worker(void *arg)
{
    struct gt_pool *pool = arg;
    pthread_mutex_lock(&pool->lock);
    if (pool->shared && !gt_cpu_set_use(&pool->shared->cpus)) /* it would only take time of this rank's own */
        pool->shared = NULL;
    while (!pool->stop) {
        struct gt_pool_source *source = computing(pool) <= most_of(pool) ? pool->sources : NULL;
        while (source && !source->run_one(source))
            source = source->next;
        if (!source)
            wait_for_tasks(pool);
        else if (pool->shared && gt_pool_has_idle(pool)) /* other ranks may have begun to wait since tasks were added */
            pthread_cond_signal(&pool->tasks);
        /* a task ran with the lock dropped: look at all of them again */
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* With the lock, or before anybody else knows the pool. */
static int add_thread(struct gt_pool *pool, struct gt_err *err)
{
    int status = gt_thread_start(&pool->threads[pool->n_threads], "gt-worker", worker, pool, err);
    if (!status) {
        pool->n_threads++;
        pool->active++;
    }
    return status;
}

int gt_pool_start(struct gt_pool **out, int threads, struct gt_err *err)
{
    struct gt_pool *pool = gt_alloc(1, sizeof *pool, err);
    int status = GT_OK;
    *out = NULL;
    if (!pool)
        return GT_FAIL;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->tasks, NULL);
    pthread_cond_init(&pool->answered, NULL);
    pool->most = threads;
    pool->cap_threads = 2 * threads + 2;
    pool->active = 1; /* the caller */
    pool->last_waiter = &pool->waiters;
    pool->threads = gt_alloc((size_t)pool->cap_threads, sizeof *pool->threads, err);
    if (!pool->threads)
        status = GT_FAIL;
    pthread_mutex_lock(&pool->lock);
    while (pool->n_threads < threads && !status)
        status = add_thread(pool, err);
    pthread_mutex_unlock(&pool->lock);
    if (status) {
        gt_pool_stop(pool);
        pool = NULL;
    }
    *out = pool;
    return status;
}

void gt_pool_share(struct gt_pool *pool, const struct gt_shared_cpus *shared)
{
    pthread_mutex_lock(&pool->lock);
    pool->shared = shared->page ? shared : NULL;
    const int most = shared->page ? shared->most : 0;
    say_computing(pool);
    while (pool->n_threads < most && pool->n_threads < pool->cap_threads && !add_thread(pool, NULL))
        ;
    pthread_mutex_unlock(&pool->lock);
}

void gt_pool_stop(struct gt_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_cond_broadcast(&pool->tasks);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->n_threads; i++)
        pthread_join(pool->threads[i], NULL);
    if (pool->shared)
        gt_shared_cpus_say(pool->shared, 0);
    pthread_cond_destroy(&pool->tasks);
    pthread_cond_destroy(&pool->answered);
    pthread_mutex_destroy(&pool->lock);
    free(pool->threads);
    free(pool);
}

void gt_pool_block(struct gt_pool *pool)
{
    pool->blocked++;
    if (pool->idle > 0)
        pthread_cond_signal(&pool->tasks);
    else if (pool->n_threads < pool->cap_threads)
        add_thread(pool, NULL); /* without it others may be refused memory, that is all */
}

void gt_pool_unblock(struct gt_pool *pool)
{
    pool->blocked--;
}

void gt_pool_add(struct gt_pool *pool, struct gt_pool_source *source)
{
    source->next = pool->sources;
    pool->sources = source;
}

void gt_pool_remove(struct gt_pool *pool, struct gt_pool_source *source)
{
    struct gt_pool_source **at = &pool->sources;
    while (*at != source)
        at = &(*at)->next;
    *at = source->next;
}

void gt_pool_tasks(struct gt_pool *pool, int64_t n)
{
    if (pool->shared && !gt_pool_has_idle(pool)) /* those that compute look for tasks before they wait */
        return;
    if (n >= pool->idle)
        pthread_cond_broadcast(&pool->tasks);
    else
        while (n-- > 0)
            pthread_cond_signal(&pool->tasks);
}

void gt_pool_wake_all(struct gt_pool *pool)
{
    pthread_cond_broadcast(&pool->tasks);
    for (struct gt_pool_source *source = pool->sources; source; source = source->next)
        source->wake(source);
}
