/* Values that are sent in the background: one thread with as many requests in flight as url.h allows. */
#include "config.h"

#include "storage/http/http_internal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/mem.h"
#include "core/base/monotonic.h"

struct item {
    struct gt_http_send send; /* first: a slot has its address */
    struct item *next;
    struct item *older, *newer; /* of all that have not ended */
    int64_t number;
    char *key;
    void *copy; /* NULL: the caller waits, and the value is its own */
    bool done;  /* for the waiting caller, who frees the item */
    uint64_t tag;
};

struct gt_http_queue {
    struct gt_http *http;
    void (*ended)(void *ctx, const char *key, int64_t size, uint64_t tag);
    void *ctx;
    struct pool *pool;
    pthread_t thread;
    pthread_mutex_t lock; /* protects what follows */
    pthread_cond_t work;  /* for the thread: first, stop */
    pthread_cond_t moved; /* for callers: bytes, open, failed, done */
    struct item *first, **last;
    size_t bytes, limit; /* of copies, queued and in flight */
    int64_t open;        /* items that have not ended */
    int64_t count;       /* items so far */
    int64_t dropped;     /* the first that was not sent and will not be; -1: none */
    struct item *oldest, *newest;
    bool idle; /* the thread found nothing to send when it looked last: it is to be woken */
    bool stop, failed, joined;
    struct gt_err err; /* when failed */
};

static _Atomic bool cancelled;

void gt_url_cancel(void)
{
    cancelled = true;
}

static void free_item(struct item *item)
{
    free(item->copy);
    free(item->key);
    free(item);
}

/* Under the lock.  sent: or it was dropped. */
static void end_item(struct gt_http_queue *queue, struct item *item, bool sent)
{
    if (!sent && (queue->dropped < 0 || item->number < queue->dropped))
        queue->dropped = item->number;
    queue->open--;
    *(item->older ? &item->older->newer : &queue->oldest) = item->newer;
    *(item->newer ? &item->newer->older : &queue->newest) = item->older;
    if (item->copy) {
        queue->bytes -= item->send.n;
        free_item(item);
    } else {
        item->done = true;
    }
    pthread_cond_broadcast(&queue->moved);
}

/* Takes the first item from the queue, or NULL.  Under the lock. */
static struct item *take_item(struct gt_http_queue *queue)
{
    struct item *item = queue->first;
    if (item && !(queue->first = item->next))
        queue->last = &queue->first;
    return item;
}

/* When the run is cancelled, only values are sent that callers wait for. */
static int next_item(struct call *call, struct slot *slot)
{
    struct gt_http_queue *queue = call->ctx;
    struct item *item;
    pthread_mutex_lock(&queue->lock);
    while ((item = queue->stop ? NULL : take_item(queue)) != NULL && cancelled && item->copy)
        end_item(queue, item, false);
    queue->idle = !item;
    pthread_mutex_unlock(&queue->lock);
    return item ? http_start_send(call, slot, &item->send) : GT_END;
}

static void item_ended(struct call *call, struct slot *slot)
{
    struct gt_http_queue *queue = call->ctx;
    struct item *item = (struct item *)slot->send;
    slot->send = NULL;
    queue->ended(queue->ctx, item->key, (int64_t)item->send.n, item->tag);
    pthread_mutex_lock(&queue->lock);
    end_item(queue, item, true);
    pthread_mutex_unlock(&queue->lock);
}

/* Drops everything that has not ended, in slots and in the queue. */
static void drop_all(struct gt_http_queue *queue, struct call *call)
{
    pthread_mutex_lock(&queue->lock);
    for (int i = 0; i < queue->pool->n_slots; i++)
        if (queue->pool->slot[i].send) {
            end_item(queue, (struct item *)queue->pool->slot[i].send, false);
            queue->pool->slot[i].send = NULL;
        }
    for (struct item *item; (item = take_item(queue)) != NULL;)
        end_item(queue, item, false);
    pthread_mutex_unlock(&queue->lock);
    http_clear(call);
}

static void *run_queue(void *ctx)
{
    struct gt_http_queue *queue = ctx;
    struct gt_err err = {0};
    struct call call = {.http = queue->http, .pool = queue->pool, .next = next_item, .ended = item_ended, .ctx = queue, .err = &err};
    pthread_mutex_lock(&queue->lock);
    while (!queue->stop && !queue->failed) {
        while (!queue->stop && !queue->first)
            pthread_cond_wait(&queue->work, &queue->lock);
        pthread_mutex_unlock(&queue->lock);
        const int rc = http_run(&call);
        pthread_mutex_lock(&queue->lock);
        if (rc) {
            queue->failed = true;
            queue->err = err;
        }
    }
    pthread_mutex_unlock(&queue->lock);
    drop_all(queue, &call);
    return NULL;
}

int gt_http_queue_new(struct gt_http_queue **out, struct gt_http *http, void (*ended)(void *, const char *, int64_t, uint64_t), void *ctx,
                      struct gt_err *err)
{
    struct gt_http_queue *queue = gt_alloc(1, sizeof *queue, err);
    const int n_slots = http_opts.parallel > 0 ? http_opts.parallel : 1;
    *out = NULL;
    if (!queue)
        return GT_FAIL;
    queue->http = http;
    queue->ended = ended;
    queue->ctx = ctx;
    queue->last = &queue->first;
    queue->dropped = -1;
    queue->idle = true;
    queue->limit = (size_t)n_slots * GT_URL_OUTPUT_BYTES;
    queue->pool = http_take_pool(http, n_slots, err);
    if (!queue->pool) {
        free(queue);
        return GT_FAIL;
    }
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->work, NULL);
    pthread_cond_init(&queue->moved, NULL);
    const int error = pthread_create(&queue->thread, NULL, run_queue, queue);
    if (error) {
        http_put_pool(http, queue->pool);
        free(queue);
        return gt_fail_errno(err, error, "cannot create a thread");
    }
    *out = queue;
    return 0;
}

/* Waits for a change, or that the run is cancelled.  false: there is nothing to wait for any more. */
static bool wait_moved(struct gt_http_queue *queue)
{
    if (queue->failed || cancelled)
        return false;
    const struct timespec until = gt_deadline_ms(CLOCK_REALTIME, 100);
    pthread_cond_timedwait(&queue->moved, &queue->lock, &until);
    return true;
}

static int failure(const struct gt_http_queue *queue, struct gt_err *err)
{
    if (!queue->failed)
        return GT_CANCEL;
    if (err && !err->status)
        *err = queue->err;
    return queue->err.status ? queue->err.status : GT_FAIL;
}

/* The lock is held.  Waits for room where the value is copied, else for the end of the request. */
static int enqueue(struct gt_http_queue *queue, struct item *item, struct gt_err *err)
{
    while (item->copy && queue->bytes > 0 && queue->bytes + item->send.n > queue->limit && wait_moved(queue))
        continue;
    if (queue->failed || cancelled) {
        free_item(item);
        return failure(queue, err);
    }
    const bool wait = !item->copy;
    queue->bytes += wait ? 0 : item->send.n;
    queue->open++;
    item->number = queue->count++;
    item->older = queue->newest;
    *(item->older ? &item->older->newer : &queue->oldest) = item;
    queue->newest = item;
    *queue->last = item;
    queue->last = &item->next;
    if (queue->idle) {
        queue->idle = false;
        pthread_cond_signal(&queue->work);
        curl_multi_wakeup(queue->pool->multi);
    }
    while (wait && !item->done) /* the value is the caller's: also when the run is cancelled */
        pthread_cond_wait(&queue->moved, &queue->lock);
    if (wait)
        free_item(item);
    return queue->failed ? failure(queue, err) : 0;
}

int gt_http_queue_put(struct gt_http_queue *queue, const char *key, const void *data, size_t n, uint64_t tag, struct gt_err *err)
{
    struct item *item = gt_alloc(1, sizeof *item, err);
    const bool copies = n <= queue->limit / 4;
    if (!item)
        return GT_FAIL;
    item->key = gt_strdup(key, err);
    item->copy = copies ? gt_alloc(n ? n : 1, 1, err) : NULL;
    if (!item->key || (copies && !item->copy)) {
        free_item(item);
        return GT_FAIL;
    }
    if (copies && n > 0)
        memcpy(item->copy, data, n);
    item->tag = tag;
    item->send = (struct gt_http_send){
        .method = "PUT", .key = item->key, .data = copies ? item->copy : data, .n = n, .checksum = true, .status = GT_CANCEL};
    pthread_mutex_lock(&queue->lock);
    int rc = enqueue(queue, item, err);
    pthread_mutex_unlock(&queue->lock);
    return rc;
}

int gt_http_queue_drain(struct gt_http_queue *queue, struct gt_err *err)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->open > 0 && wait_moved(queue))
        continue;
    int rc = queue->failed || cancelled ? failure(queue, err) : 0;
    pthread_mutex_unlock(&queue->lock);
    return rc;
}

int64_t gt_http_queue_count(struct gt_http_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    const int64_t count = queue->count;
    pthread_mutex_unlock(&queue->lock);
    return count;
}

int64_t gt_http_queue_confirmed(struct gt_http_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    int64_t number = queue->oldest ? queue->oldest->number : queue->count;
    if (queue->dropped >= 0 && queue->dropped < number)
        number = queue->dropped;
    pthread_mutex_unlock(&queue->lock);
    return number;
}

bool gt_http_queue_failed(struct gt_http_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    const bool failed = queue->failed;
    pthread_mutex_unlock(&queue->lock);
    return failed;
}

void gt_http_queue_stop(struct gt_http_queue *queue)
{
    if (!queue || queue->joined)
        return;
    pthread_mutex_lock(&queue->lock);
    queue->stop = true;
    pthread_cond_signal(&queue->work);
    curl_multi_wakeup(queue->pool->multi);
    pthread_mutex_unlock(&queue->lock);
    pthread_join(queue->thread, NULL);
    queue->joined = true;
}

void gt_http_queue_free(struct gt_http_queue *queue)
{
    if (!queue)
        return;
    gt_http_queue_stop(queue);
    http_put_pool(queue->http, queue->pool);
    pthread_cond_destroy(&queue->work);
    pthread_cond_destroy(&queue->moved);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}
