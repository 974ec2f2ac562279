/* Internals of the HTTP client.  http_request.c runs a request, http_parts.c merges ranges, http_send.c makes requests other than for
 * values, http.c runs requests concurrently. */
#ifndef GT_STORE_HTTP_IMPL_H
#define GT_STORE_HTTP_IMPL_H

#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>

#include "core/base/monotonic.h"
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
    struct gt_http_send *send; /* NULL: requests for values; else get is `lead`, with its key and its buffer for the response */
    struct gt_get lead;
    struct curl_slist *headers; /* of this request; NULL: those of the endpoint alone */
    int64_t sent;               /* bytes of the body */
    int64_t end;                /* ranges from the start: end of the last range; 0: other requests */
    int64_t at;                 /* ranges from the start: offset of the next byte in the value; -1: none received */
    size_t part;                /* gets before this one are complete */
    int tries, timeouts;        /* timeouts: tries that timed out */
    int64_t due;                /* PAUSED: time of the next try */
    int64_t begun;              /* start of this try, or its last byte */
    int64_t last_byte;          /* last byte of any try, or start of the first try */
    bool looked;                /* response headers were checked */
    bool too_long;              /* more data than requested */
    struct gt_err why;          /* out of memory for the response */
    char answer[256];           /* start of the body of a response that reports a failure */
    char message[CURL_ERROR_SIZE];
};

struct pool {
    struct pool *next;
    CURLM *multi;
    int in_flight;
    int n_slots;
    struct slot slot[];
};

struct gt_http {
    const struct gt_http_endpoint *site;
    const char *name;
    struct curl_slist *headers;
    _Atomic bool answered; /* a server is there, or was */
    _Atomic int in_flight; /* requests in flight of all pools */
    pthread_mutex_t lock;  /* protects pools */
    struct pool *pools;    /* unused pools */
};

/* Requests that one thread runs concurrently. */
struct call {
    struct gt_http *http;
    struct pool *pool;
    /* Starts the next request in the slot, with http_start_get or http_start_send.  GT_END: there is none now. */
    int (*next)(struct call *call, struct slot *slot);
    void (*ended)(struct call *call, struct slot *slot); /* a request of the slot has its status; may be NULL */
    void *ctx;                                           /* of these */
    bool look;
    struct gt_err *err;
};

/* Runs requests until there is none in flight and next has no more.  Afterwards, and after a failure, http_clear. */
int http_run(struct call *call);
/* Aborts what is in flight. */
void http_clear(struct call *call);
/* An unused pool with n slots or more, or NULL.  To be returned with http_put_pool. */
struct pool *http_take_pool(struct gt_http *http, int n_slots, struct gt_err *err);
void http_put_pool(struct gt_http *http, struct pool *pool);

/* Options set by gt_url_configure. */
extern struct gt_url_opts http_opts;

/* Starts what http_join selected, or a send, in a FREE slot; http_start continues a PAUSED one. */
int http_start_get(struct call *call, struct slot *slot);
int http_start_send(struct call *call, struct slot *slot, struct gt_http_send *send);
/* What is common to both: the handle and its URL. */
int http_prepare(struct call *call, struct slot *slot);
/* A response to a send is complete. */
int http_judge_send(struct call *call, struct slot *slot, long status);
/* Fails the call with status and a message that names the key; or pauses the slot for another try if there were fewer than `most` and
 * the timeout leaves time for it. */
int http_fail(const struct call *call, const struct slot *slot, int status, const char *why);
int http_again_or(struct call *call, struct slot *slot, int most, const char *why);
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
