/* Inside the client for HTTP.  http_request.c has one request, http_parts.c which ranges it is for, http.c how many go side by side. */
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
    struct gt_get *get;   /* the first, or only one, of */
    struct gt_get **gets; /* what is asked for: one, or ranges of one value in order */
    size_t n_gets;
    int64_t end;         /* of ranges from the front: where the last of them ends; 0: it is something else */
    int64_t at;          /* of such: what comes next stands there in the value; -1: nothing came */
    size_t part;         /* and those of gets before this one are whole */
    int tries, timeouts; /* silences: tries that were given up for one */
    int64_t due;         /* PAUSED: when it goes on */
    int64_t begun;       /* this try, or the last byte of it */
    int64_t last_byte;   /* the last byte of any try, or the first try's beginning */
    bool looked;         /* at the headers of what comes */
    bool too_long;       /* more came than was asked for */
    struct gt_err why;   /* no room for what comes */
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
    _Atomic int in_flight; /* requests on their way, of all benches */
    pthread_mutex_t lock;  /* of benches */
    struct pool *pools;    /* that nobody uses */
};

/* One call. */
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

/* What was configured. */
extern struct gt_url_opts http_opts;

/* A request, for what http_join said, takes its slot and begins; one that PAUSED goes on. */
int http_start_slot(struct call *call, struct slot *slot);
int http_start(struct call *call, struct slot *slot);
/* A try is over: the slot is FREE and get->status set, or PAUSED, or the call has failed. */
int http_end(struct call *call, struct slot *slot, CURLcode code);
/* Gives up a try that is silent for too long.  http_due: when that would be, or when a pause is over. */
int http_check_timeout(struct call *call, struct slot *slot, int64_t now);
int64_t http_due(const struct slot *slot);
/* The order, for qsort, in which ranges that can be joined stand beside one another. */
int http_compare_gets(const void *a, const void *b);
/* The first of n >= 1 gets, and those that can be joined to it, are what the slot is to ask for; returns how many. */
size_t http_join(struct slot *slot, struct gt_get **gets, size_t n);
/* What came of ranges, to where it belongs. */
int http_take_parts(struct slot *slot, const char *data, size_t n);
/* How many requests of the call and of the store are on their way changes. */
void http_count_in_flight(struct call *call, int n);

#endif
