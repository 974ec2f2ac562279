/* HTTP client for values by URL: whole bodies and closed ranges with libcurl, many concurrently, over persistent connections.
 * Transient failures (5xx, 429, broken or silent connections) are retried with increasing delays until the timeout of
 * storage/http/url.h.  Private to src/storage. */
#ifndef GT_STORE_HTTP_H
#define GT_STORE_HTTP_H

#include "storage/store/store.h"

/* Base URL and credentials of a store. */
struct gt_http_endpoint {
    char *base;      /* "https://host/path", without trailing slash */
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

/* As gt_store_get_many, from any thread.  look: only check for existence; bufs may be NULL. */
int gt_http_get_many(struct gt_http *http, struct gt_get *gets, size_t n, bool look, struct gt_err *err);

#endif
