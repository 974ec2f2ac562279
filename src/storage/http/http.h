/* HTTP client for values by URL: whole bodies and closed ranges with libcurl, many concurrently, over persistent connections.
 * Transient failures (5xx, 429, broken or silent connections) are retried with increasing delays until the timeout of
 * storage/http/url.h.  Private to src/storage. */
#ifndef GT_STORE_HTTP_H
#define GT_STORE_HTTP_H

#include "storage/store/store.h"

enum gt_http_kind { GT_HTTP_WEB, GT_HTTP_S3, GT_HTTP_GS };

/* Base URL and credentials of a store. */
struct gt_http_endpoint {
    enum gt_http_kind kind;
    char *base;      /* "https://host/path", without trailing slash */
    size_t bucket;   /* s3, gs: length of the URL of the bucket in base */
    char *query;     /* "?token=...", appended to each key, or "" */
    char *sign;      /* s3: "aws:amz:REGION:s3"; NULL: requests are not signed */
    char *user;      /* for signed requests: "KEY:SECRET" */
    char *header[2]; /* sent with each request; NULL: none */
};

/* Parses an s3:// or gs:// URL with credentials and servers from the environment, or http(s)://.  GT_USAGE for other schemes. */
int gt_http_endpoint_parse(struct gt_http_endpoint *site, const char *url, struct gt_err *err);
void gt_http_endpoint_release(struct gt_http_endpoint *site);
/* Percent-encodes text for a path: everything but letters, digits, -._~ and slashes. */
struct gt_str;
void gt_http_escape(struct gt_str *url, const char *text);

struct gt_http;

/* name: of the store, for messages; borrowed, like the endpoint.  Sends no request. */
int gt_http_new(struct gt_http **out, const struct gt_http_endpoint *site, const char *name, struct gt_err *err);
void gt_http_free(struct gt_http *http); /* NULL is allowed */

/* A request that is not for a value.  The caller owns all memory. */
struct gt_http_send {
    const char *method; /* "PUT", "POST", "DELETE", "GET" or "HEAD", static text */
    const char *key;    /* below the base; "" = the base, "/" = the same with a slash at its end */
    bool of_bucket;     /* s3, gs: of the bucket, key is "" */
    const char *query;  /* s3, gs: "list-type=2&prefix=a%2Fb", escaped and in the order of names, or NULL */
    const void *data;   /* the body */
    size_t n;
    const char *header;    /* one more, or NULL */
    bool checksum;         /* s3, gs: send a CRC-32C of the body, which the server compares */
    struct gt_buf *answer; /* out: body of the response; NULL: not needed */
    char etag[128];        /* out: as the server gives it, or "" */
    int64_t size;          /* out: of a HEAD: length of the value, -1 if not known */
    int64_t modified;      /* out: when the value was last modified, in seconds since 1970, -1 if not known */
    bool gone;             /* out: it failed with status 404 or 410, and had been tried before */
    int status;            /* out: 0, or GT_NOENT for a HEAD or GET of what does not exist; removing it is not a failure */
};

/* Runs the requests concurrently, from any thread, and retries as for values.  Returns the first failure. */
int gt_http_send_many(struct gt_http *http, struct gt_http_send *sends, size_t n, struct gt_err *err);
/* CRC-32C as headers and S3's documents have it: base64, 8 characters. */
void gt_http_crc32c(char text[9], const void *data, size_t n);

/* Values that are sent in the background, up to `parallel` of url.h at once. */
struct gt_http_queue;
/* ended: called on the thread of the queue for each value that the server has confirmed, in any order. */
int gt_http_queue_new(struct gt_http_queue **out, struct gt_http *http,
                      void (*ended)(void *ctx, const char *key, int64_t size, uint64_t tag), void *ctx, struct gt_err *err);
/* Puts a value of key, from any thread; it is copied unless it is large, then the call returns when it was sent.  tag: for `ended`.
 * A failure of any earlier value is returned, too. */
int gt_http_queue_put(struct gt_http_queue *queue, const char *key, const void *data, size_t n, uint64_t tag, struct gt_err *err);
/* Waits until all values were sent. */
int gt_http_queue_drain(struct gt_http_queue *queue, struct gt_err *err);
/* The number of values that were put, and the number of the first of them that is not confirmed yet (the former if all are). */
int64_t gt_http_queue_count(struct gt_http_queue *queue);
int64_t gt_http_queue_confirmed(struct gt_http_queue *queue);
bool gt_http_queue_failed(struct gt_http_queue *queue);
/* Ends the requests in flight and drops values that were not sent; put must not follow.  NULL is allowed, for both. */
void gt_http_queue_stop(struct gt_http_queue *queue);
void gt_http_queue_free(struct gt_http_queue *queue);

/* As gt_store_get_many, from any thread.  look: only check for existence; bufs may be NULL. */
int gt_http_get_many(struct gt_http *http, struct gt_get *gets, size_t n, bool look, struct gt_err *err);

#endif
