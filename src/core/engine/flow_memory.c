/* Who gets memory when it is short.
 *
 * The first task of a flow is the oldest one whose item was not handed back: what the
 * later ones hold comes back after it.  It takes memory up to the limit, as do threads
 * outside of callbacks.  Later tasks start, and take, only in addition to what is set aside for
 * the first ones of all flows: for each what a task of its flow takes, as planned or as
 * seen, less what it has.
 *
 * Who finds no room waits, and the buffers of free items are given back.  While a worker
 * waits another thread stands in for it.  Waiters are served in the order in which they
 * came, when something was given back.
 *
 * Should all threads wait, for memory or for one another, then nothing will come: the first
 * waiter is served for whom there is room, set aside or not, and when there is none, one
 * is refused.  So no wait is for ever, and no clock is needed to know it. */
#include "config.h"

#include <string.h>

#include "core/engine/flow_impl.h"

_Thread_local struct on_thread gt_flow_on_thread;

struct gt_flow_waiter { /* on the stack of the thread that waits */
    struct gt_flow_waiter *next;
    struct on_thread thread;
    int64_t n;
    enum { WAITING, SERVED, REFUSED } answer;
};

static int64_t positive(int64_t n)
{
    return n > 0 ? n : 0;
}

/* What one callback takes another may give back: the counters may be negative.
 *
 * What is taken is in `used` first and in these then.  Who looks at them first and at `used` then
 * may see it as used and still to come, but not as neither.  What callbacks give back leaves both
 * under the lock, which who looks holds. */
static int64_t counter(const _Atomic int64_t *n)
{
    return positive(atomic_load_explicit(n, memory_order_acquire));
}

/* --- what is set aside ------------------------------------------------------------ */

/* What a task takes. */
static int64_t expected(const struct gt_flow *flow)
{
    int64_t seen = counter(&flow->most_taken), n = flow->task_bytes > seen ? flow->task_bytes : seen;
    return n < flow->pool->budget->limit ? n : flow->pool->budget->limit;
}

/* What the task of an item may still take.  (Buffers that it kept from the task before
 * are not known here; when memory is short there are none.) */
static int64_t rest_of(const struct gt_flow *flow, const struct item *item)
{
    return positive(expected(flow) - counter(&item->taken));
}

/* For the first task, or for all that are begun. */
static int64_t set_aside(const struct gt_flow *flow, bool all)
{
    int64_t sum = flow->first == flow->next_start ? expected(flow) : 0;
    if (gt_flow_halted(flow) || flow->first >= gt_flow_stop_at(flow))
        return 0;
    for (const struct item *item = flow->all_items; item; item = item->all)
        if (item->state != ITEM_FREE && (item->task == flow->first || (all && item->state != ITEM_FINISHED)))
            sum += rest_of(flow, item);
    return sum;
}

static int64_t set_aside_in_all(const struct gt_pool *pool, bool all)
{
    int64_t sum = 0;
    for (struct gt_pool_source *source = pool->sources; source; source = source->next)
        sum += set_aside(gt_flow_of(source), all);
    return sum;
}

void gt_flow_memory_update(struct gt_pool *pool)
{
    int64_t easy = pool->budget->limit;
    for (struct gt_pool_source *source = pool->sources; source; source = source->next)
        easy -= expected(gt_flow_of(source));
    atomic_store_explicit(&pool->budget->easy, easy, memory_order_relaxed);
}

/* --- starting tasks ---------------------------------------------------------------- */

void gt_flow_find_first(struct gt_flow *flow)
{
    flow->first = flow->next_start;
    for (const struct item *item = flow->all_items; item; item = item->all)
        if (item->state != ITEM_FREE && item->task < flow->first)
            flow->first = item->task;
}

/* Beside what those that are begun may still take. */
static bool has_room(const struct gt_flow *flow)
{
    const struct gt_budget *budget = flow->pool->budget;
    if (flow->first == flow->next_start)
        return true;
    const int64_t rest = set_aside_in_all(flow->pool, true);
    return expected(flow) <= budget->limit - rest - atomic_load(&budget->used);
}

static bool has_item(const struct gt_flow *flow)
{
    return flow->next_start < gt_flow_stop_at(flow) && flow->free_items;
}

bool gt_flow_could_start(const struct gt_flow *flow)
{
    return has_item(flow) && has_room(flow);
}

bool gt_flow_can_start(struct gt_flow *flow)
{
    if (gt_flow_could_start(flow))
        return true;
    if (!has_item(flow))
        return false;
    if (!flow->pool->starved)
        atomic_fetch_add(&flow->pool->short_of, 1);
    flow->pool->starved = true;
    return has_room(flow); /* something may have been given before it was known that we wait */
}

void gt_flow_wake_starters(struct gt_flow *flow)
{
    if (flow->ops.read)
        pthread_cond_broadcast(&flow->can_read);
    else
        gt_pool_tasks(flow->pool, flow->items);
}

static void wake_starved(struct gt_pool *pool)
{
    if (!pool->starved)
        return;
    pool->starved = false;
    atomic_fetch_sub(&pool->short_of, 1);
    for (struct gt_pool_source *source = pool->sources; source; source = source->next)
        gt_flow_wake_starters(gt_flow_of(source));
}

/* --- waiters ---------------------------------------------------------------------------- */

/* Adds n to used unless that leaves less than `rest`. */
static bool add_sidecar(struct gt_budget *budget, int64_t n, int64_t rest)
{
    int64_t used = atomic_load(&budget->used);
    do {
        if (n > budget->limit - rest - used)
            return false;
    } while (!atomic_compare_exchange_weak(&budget->used, &used, used + n));
    return true;
}

/* May it take what is set aside? */
static bool is_first(const struct on_thread *thread)
{
    return !thread->item || thread->item->task == thread->flow->first;
}

static bool take_in_turn(struct gt_pool *pool, const struct on_thread *thread, int64_t n)
{
    return add_sidecar(pool->budget, n, is_first(thread) ? 0 : set_aside_in_all(pool, false));
}

static struct gt_engine *engine_of(struct gt_budget *budget)
{
    return (struct gt_engine *)((char *)budget - offsetof(struct gt_engine, budget));
}

/* Nobody will ask for what it makes. */
static bool is_needless(const struct gt_pool *pool, const struct on_thread *thread)
{
    if (gt_engine_stopped(engine_of(pool->budget)))
        return true;
    return thread->flow && (gt_flow_halted(thread->flow) || thread->item->task >= gt_flow_stop_at(thread->flow));
}

static void answer(struct gt_pool *pool, struct gt_flow_waiter **at, int with)
{
    struct gt_flow_waiter *waiter = *at;
    *at = waiter->next;
    if (!*at)
        pool->last_waiter = at;
    waiter->answer = with;
    pool->active++; /* it is on its way, even if it does not run yet */
    atomic_fetch_sub(&pool->short_of, 1);
    pthread_cond_broadcast(&pool->answered);
}

static void serve(struct gt_pool *pool)
{
    for (struct gt_flow_waiter **at = &pool->waiters; *at;) {
        struct gt_flow_waiter *waiter = *at;
        if (is_needless(pool, &waiter->thread))
            answer(pool, at, REFUSED);
        else if (take_in_turn(pool, &waiter->thread, waiter->n))
            answer(pool, at, SERVED);
        else
            at = &waiter->next;
    }
}

/* Is there a thread that waits for something that has come? */
static bool moves(const struct gt_flow *flow)
{
    bool finished = flow->next_deliver >= gt_flow_stop_at(flow) ||
                    (flow->next_deliver < flow->next_start && flow->slots[flow->next_deliver % flow->items]->state == ITEM_FINISHED);
    if (gt_flow_halted(flow) || (flow->consumers && finished))
        return true;
    if (flow->waiting_readers && (flow->next_start >= gt_flow_stop_at(flow) || gt_flow_could_start(flow)))
        return true;
    return gt_pool_has_idle(flow->pool) && gt_flow_has_task(flow);
}

static bool stands_still(const struct gt_pool *pool)
{
    struct gt_pool_source *source = pool->sources;
    while (source && !moves(gt_flow_of(source)))
        source = source->next;
    return pool->active == 0 && !source;
}

/* What is answered when nothing will come any more. */
static void answer_one(struct gt_pool *pool)
{
    struct gt_flow_waiter **at = &pool->waiters;
    while (*at && !add_sidecar(pool->budget, (*at)->n, 0))
        at = &(*at)->next;
    if (*at) {
        answer(pool, at, SERVED);
        return;
    }
    for (at = &pool->waiters; (*at)->next && !is_first(&(*at)->thread);)
        at = &(*at)->next;
    answer(pool, at, REFUSED);
}

void gt_flow_memory_event(struct gt_pool *pool)
{
    if (!atomic_load(&pool->short_of))
        return;
    serve(pool);
    wake_starved(pool);
}

/* A thread is about to wait. */
static void idles(struct gt_pool *pool)
{
    if (pool->waiters)
        serve(pool);
    if (pool->waiters && stands_still(pool))
        answer_one(pool);
}

/* --- the budget's keeper ---------------------------------------------------------------------- */

static bool wait_for_turn(struct gt_pool *pool, int64_t n)
{
    struct gt_flow_waiter me = {.thread = gt_flow_on_thread, .n = n};
    atomic_fetch_add(&pool->short_of, 1);
    *pool->last_waiter = &me;
    pool->last_waiter = &me.next;
    if (me.thread.worker)
        gt_pool_block(pool);
    pool->active--;
    idles(pool);
    while (me.answer == WAITING)
        gt_cond_wait(&pool->answered, &pool->lock);
    if (me.thread.worker)
        gt_pool_unblock(pool);
    return me.answer == SERVED;
}

static bool admit(struct gt_budget *budget, int64_t n, bool wait)
{
    struct gt_pool *pool = engine_of(budget)->pool;
    struct on_thread thread = gt_flow_on_thread;
    if (gt_budget_is_locked())
        thread = (struct on_thread){.worker = thread.worker};
    pthread_mutex_lock(&pool->lock);
    bool taken = take_in_turn(pool, &thread, n);
    if (wait && !gt_budget_is_locked() && n <= budget->limit) {
        while (!taken && gt_flow_trim_one(pool))
            taken = take_in_turn(pool, &thread, n);
        taken = taken || wait_for_turn(pool, n);
    }
    pthread_mutex_unlock(&pool->lock);
    return taken;
}

static void raise_to(_Atomic int64_t *most, int64_t n)
{
    int64_t old = atomic_load_explicit(most, memory_order_relaxed);
    while (n > old && !atomic_compare_exchange_weak_explicit(most, &old, n, memory_order_relaxed, memory_order_relaxed))
        continue;
}

static void taken(struct gt_budget *budget, int64_t n)
{
    const struct on_thread *thread = &gt_flow_on_thread;
    (void)budget;
    if (!thread->item)
        return;
    raise_to(&thread->flow->most_taken, atomic_fetch_add_explicit(&thread->item->taken, n, memory_order_release) + n);
    atomic_fetch_add_explicit(&thread->flow->held, n, memory_order_relaxed);
}

static void give(struct gt_budget *budget, int64_t n)
{
    struct gt_pool *pool = engine_of(budget)->pool;
    struct item *item = gt_flow_on_thread.item;
    if (!item) {
        atomic_fetch_sub(&budget->used, n);
        if (!atomic_load(&pool->short_of))
            return;
    }
    pthread_mutex_lock(&pool->lock);
    if (item) {
        atomic_fetch_sub_explicit(&item->taken, n, memory_order_relaxed);
        atomic_fetch_sub_explicit(&gt_flow_on_thread.flow->held, n, memory_order_relaxed);
        atomic_fetch_sub(&budget->used, n);
    }
    gt_flow_memory_event(pool);
    pthread_mutex_unlock(&pool->lock);
}

static void waiting(struct gt_budget *budget, int threads)
{
    struct gt_pool *pool = engine_of(budget)->pool;
    pthread_mutex_lock(&pool->lock);
    pool->active -= threads;
    if (threads > 0)
        idles(pool);
    pthread_mutex_unlock(&pool->lock);
}

void gt_flow_keep_memory(struct gt_engine *engine)
{
    static const struct gt_budget_keeper keeper = {admit, taken, give, waiting};
    pthread_mutex_lock(&engine->pool->lock);
    engine->pool->budget = &engine->budget;
    engine->pool->idles = idles;
    pthread_mutex_unlock(&engine->pool->lock);
    engine->budget.easy = engine->budget.limit;
    engine->budget.keeper = &keeper;
}
