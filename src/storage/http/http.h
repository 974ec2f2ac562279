/* Values by URL: whole bodies and closed ranges over HTTP with libcurl, many side by
 * side, on connections that are kept.  What fails in a way that may pass (5xx, 429, a
 * connection that breaks off or falls silent) is asked for again, ever later, until
 * the time that store/url.h sets is over.  Private to src/store. */
#ifndef GT_STORE_HTTP_H
#define GT_STORE_HTTP_H

#include "storage/store/store.h"

/* Where the values of a store are, and who asks. */
struct gt_http_endpoint {
    char *base;      /* "https://host/path", without a slash at its end */
    char *query;     /* "?token=..." for behind each key, or "" */
    char *sign;      /* s3: "aws:amz:REGION:s3"; NULL: requests are not signed */
    char *user;      /* of signed requests: "KEY:SECRET" */
    char *header[2]; /* go with each request; NULL: none */
};

/* An s3:// or gs:// URL by what the environment says of credentials and servers, http(s):// as it is.  GT_USAGE for others. */
int gt_http_endpoint_parse(struct gt_http_endpoint *site, const char *url, struct gt_err *err);
void gt_http_endpoint_release(struct gt_http_endpoint *site);
/* text as it stands in a path: what is neither a letter, a digit, one of -._~ nor a slash is escaped. */
struct gt_str;
void gt_http_escape(struct gt_str *url, const char *text);

struct gt_http;

/* name: of the store, for messages; borrowed, as the site.  Nothing is asked for yet. */
int gt_http_new(struct gt_http **out, const struct gt_http_endpoint *site, const char *name, struct gt_err *err);
void gt_http_free(struct gt_http *http); /* NULL is fine */

/* As gt_store_get_many, from any thread.  look: only whether the values are there; bufs may be NULL. */
int gt_http_get_many(struct gt_http *http, struct gt_get *gets, size_t n, bool look, struct gt_err *err);

#endif
