/* Internals of the HTTP client.  http_request.c runs a request, http_parts.c merges ranges, http.c runs requests concurrently. */
#ifndef GT_STORE_HTTP_IMPL_H
#define GT_STORE_HTTP_IMPL_H

#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "storage/http/http.h"
#include "storage/http/url.h"

enum { SLOTS = 32 };

enum slot_state { FREE, PAUSED, RUNNING };

struct slot {
    CURL *easy;
    enum slot_state state;
    struct gt_get *get;   /* the first request served */
    struct gt_get **gets; /* the requests served: one, or consecutive ranges of one value */
    size_t n_gets;
    int64_t end;         /* ranges from the start: end of the last range; 0: other requests */
    int64_t at;          /* ranges from the start: offset of the next byte in the value; -1: none received */
    size_t part;         /* gets before this one are complete */
    int tries, timeouts; /* timeouts: tries that timed out */
    int64_t due;         /* PAUSED: time of the next try */
    int64_t begun;       /* start of this try, or its last byte */
    int64_t last_byte;   /* last byte of any try, or start of the first try */
    bool looked;         /* response headers were checked */
    bool too_long;       /* more data than requested */
    struct gt_err why;   /* out of memory for the response */
    char message[CURL_ERROR_SIZE];
};

struct pool {
    struct pool *next;
    CURLM *multi;
    int in_flight;
    struct slot slot[SLOTS];
};

struct gt_http {
    const struct gt_http_endpoint *site;
    const char *name;
    struct curl_slist *headers;
    _Atomic int in_flight; /* requests in flight of all pools */
    pthread_mutex_t lock;  /* protects pools */
    struct pool *pools;    /* unused pools */
};

/* A call of gt_http_get_many. */
struct call {
    struct gt_http *http;
    struct pool *pool;
    bool look;
    struct gt_err *err;
};

static inline int64_t http_now(void) /* ms */
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Options set by gt_url_configure. */
extern struct gt_url_opts http_opts;

/* Assigns what http_join selected to a slot and starts it; http_start continues a PAUSED one. */
int http_start_slot(struct call *call, struct slot *slot);
int http_start(struct call *call, struct slot *slot);
/* Ends a try: the slot becomes FREE with get->status set, or PAUSED, or the call fails. */
int http_end(struct call *call, struct slot *slot, CURLcode code);
/* Aborts a try that received nothing for too long.  http_due: when that happens, or when a pause ends. */
int http_check_timeout(struct call *call, struct slot *slot, int64_t now);
int64_t http_due(const struct slot *slot);
/* qsort order that places ranges that can be merged next to each other. */
int http_compare_gets(const void *a, const void *b);
/* Assigns the first of n >= 1 gets, and those that can be merged with it, to the slot; returns their number. */
size_t http_join(struct slot *slot, struct gt_get **gets, size_t n);
/* Copies received ranges to their buffers. */
int http_take_parts(struct slot *slot, const char *data, size_t n);
/* Changes the number of requests in flight of the call and of the store by n. */
void http_count_in_flight(struct call *call, int n);

#endif
