/* Each call borrows a bench: connections that stay open between calls, with as many
 * requests on their way at once as there are seats.  A request that is to be put again
 * keeps its seat until its time has come. */
#include "config.h"

#include "storage/http/http_internal.h"

#include <stdlib.h>

#include "core/base/mem.h"

/* A thread's first request always goes. */
static bool may_sit(struct call *call)
{
    return call->bench->sitting == 0 || call->http->sitting < http_opts.parallel;
}

/* What is due begins; *wait: ms until something has to be looked after. */
static int look_round(struct call *call, struct gt_get ***next, struct gt_get **end, int *busy, int64_t *wait)
{
    int64_t now = http_now();
    int rc = 0;
    *busy = 0;
    *wait = 1000;
    for (int i = 0; i < SEATS && !rc; i++) {
        struct seat *seat = &call->bench->seat[i];
        if (seat->state == RUNNING)
            rc = http_check_silence(call, seat, now);
        else if (seat->state == PAUSED && seat->due <= now)
            rc = http_start(call, seat);
        else if (seat->state == FREE && *next < end && may_sit(call)) {
            *next += http_join(seat, *next, (size_t)(end - *next));
            rc = http_sit_down(call, seat);
        }
        int64_t left = seat->state == FREE ? *wait : http_due(seat) - now;
        *wait = left < *wait ? left > 0 ? left : 0 : *wait;
        *busy += seat->state != FREE;
    }
    return rc;
}

/* *ended: some have. */
static int take_messages(struct call *call, bool *ended)
{
    CURLMsg *message;
    int left, rc = 0;
    *ended = false;
    while (!rc && (message = curl_multi_info_read(call->bench->multi, &left)) != NULL) {
        struct seat *seat;
        if (message->msg != CURLMSG_DONE)
            continue;
        CURLcode code = message->data.result; /* the message goes with the handle */
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)(void *)&seat);
        rc = http_end(call, seat, code);
        *ended = true;
    }
    return rc;
}

/* What this thread spent on other things, memory that it waited for, is no silence of a server. */
static void forget(struct bench *bench, int64_t ms)
{
    for (int i = 0; i < SEATS && ms > 50; i++) {
        bench->seat[i].begun += ms;
        bench->seat[i].heard += ms;
    }
}

static int run(struct call *call, struct gt_get **gets, size_t n)
{
    struct gt_get **next = gets;
    int64_t wait;
    bool ended;
    int busy = 0, running, rc;
    while (!(rc = look_round(call, &next, gets + n, &busy, &wait)) && busy > 0) {
        int64_t before = http_now();
        if (curl_multi_perform(call->bench->multi, &running) != CURLM_OK)
            return gt_no_memory(call->err);
        forget(call->bench, http_now() - before);
        if ((rc = take_messages(call, &ended)) != 0)
            break;
        if (!ended && curl_multi_poll(call->bench->multi, NULL, 0, (int)wait, NULL) != CURLM_OK)
            return gt_no_memory(call->err);
    }
    return rc;
}

/* After a failure: what is on its way is let go. */
static void clear(struct call *call)
{
    for (int i = 0; i < SEATS; i++) {
        struct seat *seat = &call->bench->seat[i];
        if (seat->state == RUNNING)
            curl_multi_remove_handle(call->bench->multi, seat->easy);
        seat->state = FREE;
        seat->get = NULL;
        seat->gets = NULL;
        seat->n_gets = 0;
    }
    http_sit(call, -call->bench->sitting);
}

static void free_bench(struct bench *bench)
{
    for (int i = 0; i < SEATS; i++)
        if (bench->seat[i].easy)
            curl_easy_cleanup(bench->seat[i].easy);
    curl_multi_cleanup(bench->multi);
    free(bench);
}

static struct bench *take_bench(struct gt_http *http, struct gt_err *err)
{
    pthread_mutex_lock(&http->lock);
    struct bench *bench = http->benches;
    if (bench)
        http->benches = bench->next;
    pthread_mutex_unlock(&http->lock);
    if (bench || !(bench = gt_alloc(1, sizeof *bench, err)))
        return bench;
    bench->multi = curl_multi_init();
    if (!bench->multi) {
        gt_no_memory(err);
        free(bench);
        return NULL;
    }
    curl_multi_setopt(bench->multi, CURLMOPT_MAXCONNECTS, (long)SEATS);
    return bench;
}

int gt_http_get_many(struct gt_http *http, struct gt_get *gets, size_t n, bool look, struct gt_err *err)
{
    struct call call = {.http = http, .look = look, .err = err};
    if (n == 0)
        return 0;
    struct gt_get **order = gt_alloc(n, sizeof *order, err);
    call.bench = order ? take_bench(http, err) : NULL;
    if (!call.bench) {
        free(order);
        return GT_FAIL;
    }
    for (size_t i = 0; i < n; i++)
        order[i] = &gets[i];
    qsort(order, n, sizeof *order, http_compare_gets);
    int rc = run(&call, order, n);
    clear(&call);
    free(order);
    pthread_mutex_lock(&http->lock);
    call.bench->next = http->benches;
    http->benches = call.bench;
    pthread_mutex_unlock(&http->lock);
    return rc;
}

static void init_curl(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

int gt_http_new(struct gt_http **out, const struct gt_http_site *site, const char *name, struct gt_err *err)
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
    while (http->benches) {
        struct bench *bench = http->benches;
        http->benches = bench->next;
        free_bench(bench);
    }
    curl_slist_free_all(http->headers);
    pthread_mutex_destroy(&http->lock);
    free(http);
}
