/* Each call borrows a pool: connections that stay open between calls, and a slot for each request in flight.  A request that is to be
 * repeated keeps its slot during the pause before. */
#include "config.h"

#include "storage/http/http_internal.h"

#include <stdlib.h>

#include "core/base/mem.h"

/* A thread's first request always goes. */
static bool may_start(struct call *call)
{
    return call->pool->in_flight == 0 || call->http->in_flight < http_opts.parallel;
}

/* What is due begins; *wait: ms until something has to be looked after. */
static int look_round(struct call *call, int *busy, int64_t *wait)
{
    int64_t now = gt_clock_ms();
    int rc = 0;
    bool more = true;
    *busy = 0;
    *wait = 1000;
    for (int i = 0; i < call->pool->n_slots && !rc; i++) {
        struct slot *slot = &call->pool->slot[i];
        if (slot->state == RUNNING)
            rc = http_check_timeout(call, slot, now);
        else if (slot->state == PAUSED && slot->due <= now)
            rc = http_start(call, slot);
        else if (slot->state == FREE && more && may_start(call)) {
            rc = call->next(call, slot);
            more = rc != GT_END;
            rc = more ? rc : 0;
        }
        int64_t left = slot->state == FREE ? *wait : http_due(slot) - now;
        *wait = left < *wait ? left > 0 ? left : 0 : *wait;
        *busy += slot->state != FREE;
    }
    return rc;
}

/* *ended: some have. */
static int take_messages(struct call *call, bool *ended)
{
    CURLMsg *message;
    int left, rc = 0;
    *ended = false;
    while (!rc && (message = curl_multi_info_read(call->pool->multi, &left)) != NULL) {
        struct slot *slot;
        if (message->msg != CURLMSG_DONE)
            continue;
        CURLcode code = message->data.result; /* the message goes with the handle */
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)(void *)&slot);
        rc = http_end(call, slot, code);
        if (!rc && slot->state == FREE && call->ended)
            call->ended(call, slot);
        *ended = true;
    }
    return rc;
}

/* What this thread spent on other things, memory that it waited for, is no silence of a server. */
static void forget(struct pool *pool, int64_t ms)
{
    for (int i = 0; i < pool->n_slots && ms > 50; i++) {
        pool->slot[i].begun += ms;
        pool->slot[i].last_byte += ms;
    }
}

int http_run(struct call *call)
{
    int64_t wait;
    bool ended;
    int busy = 0, running, rc;
    while (!(rc = look_round(call, &busy, &wait)) && busy > 0) {
        int64_t before = gt_clock_ms();
        if (curl_multi_perform(call->pool->multi, &running) != CURLM_OK)
            return gt_no_memory(call->err);
        forget(call->pool, gt_clock_ms() - before);
        if ((rc = take_messages(call, &ended)) != 0)
            break;
        if (!ended && curl_multi_poll(call->pool->multi, NULL, 0, (int)wait, NULL) != CURLM_OK)
            return gt_no_memory(call->err);
    }
    return rc;
}

/* After a failure: what is on its way is let go. */
void http_clear(struct call *call)
{
    for (int i = 0; i < call->pool->n_slots; i++) {
        struct slot *slot = &call->pool->slot[i];
        if (slot->state == RUNNING)
            curl_multi_remove_handle(call->pool->multi, slot->easy);
        slot->state = FREE;
        slot->get = NULL;
        slot->gets = NULL;
        slot->send = NULL;
        slot->n_gets = 0;
    }
    http_count_in_flight(call, -call->pool->in_flight);
}

static void free_pool(struct pool *pool)
{
    for (int i = 0; i < pool->n_slots; i++) {
        if (pool->slot[i].easy)
            curl_easy_cleanup(pool->slot[i].easy);
        curl_slist_free_all(pool->slot[i].headers);
    }
    curl_multi_cleanup(pool->multi);
    free(pool);
}

struct pool *http_take_pool(struct gt_http *http, int n_slots, struct gt_err *err)
{
    struct pool **at = &http->pools, *pool;
    pthread_mutex_lock(&http->lock);
    while ((pool = *at) != NULL && pool->n_slots < n_slots)
        at = &pool->next;
    if (pool)
        *at = pool->next;
    pthread_mutex_unlock(&http->lock);
    if (pool || !(pool = gt_alloc(1, sizeof *pool + (size_t)n_slots * sizeof *pool->slot, err)))
        return pool;
    pool->n_slots = n_slots;
    pool->multi = curl_multi_init();
    if (!pool->multi) {
        gt_no_memory(err);
        free(pool);
        return NULL;
    }
    curl_multi_setopt(pool->multi, CURLMOPT_MAXCONNECTS, (long)n_slots);
    return pool;
}

void http_put_pool(struct gt_http *http, struct pool *pool)
{
    pthread_mutex_lock(&http->lock);
    pool->next = http->pools;
    http->pools = pool;
    pthread_mutex_unlock(&http->lock);
}

/* --- values ------------------------------------------------------------------------------ */

struct getting {
    struct gt_get **next, **end;
};

static int next_get(struct call *call, struct slot *slot)
{
    struct getting *gets = call->ctx;
    if (gets->next == gets->end)
        return GT_END;
    gets->next += http_join(slot, gets->next, (size_t)(gets->end - gets->next));
    return http_start_get(call, slot);
}

int gt_http_get_many(struct gt_http *http, struct gt_get *gets, size_t n, bool look, struct gt_err *err)
{
    if (n == 0)
        return 0;
    struct gt_get **order = gt_alloc(n, sizeof *order, err);
    struct getting getting = {order, order ? order + n : NULL};
    struct call call = {.http = http, .next = next_get, .ctx = &getting, .look = look, .err = err};
    call.pool = order ? http_take_pool(http, SLOTS, err) : NULL;
    if (!call.pool) {
        free(order);
        return GT_FAIL;
    }
    for (size_t i = 0; i < n; i++)
        order[i] = &gets[i];
    qsort(order, n, sizeof *order, http_compare_gets);
    int rc = http_run(&call);
    http_clear(&call);
    free(order);
    http_put_pool(http, call.pool);
    return rc;
}

/* --- the client ------------------------------------------------------------------------------ */

static void init_curl(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

int gt_http_new(struct gt_http **out, const struct gt_http_endpoint *site, const char *name, struct gt_err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct gt_http *http = gt_alloc(1, sizeof *http, err);
    *out = NULL;
    if (!http)
        return GT_FAIL;
    pthread_once(&once, init_curl);
    http->site = site;
    http->name = name;
    pthread_mutex_init(&http->lock, NULL);
    for (int i = 0; i < 2 && site->header[i]; i++) {
        struct curl_slist *more = curl_slist_append(http->headers, site->header[i]);
        if (!more) {
            gt_http_free(http);
            return gt_no_memory(err);
        }
        http->headers = more;
    }
    *out = http;
    return 0;
}

void gt_http_free(struct gt_http *http)
{
    if (!http)
        return;
    while (http->pools) {
        struct pool *pool = http->pools;
        http->pools = pool->next;
        free_pool(pool);
    }
    curl_slist_free_all(http->headers);
    pthread_mutex_destroy(&http->lock);
    free(http);
}
