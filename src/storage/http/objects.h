/* Objects of a bucket, and files of a WebDAV server, below the URL of a store or result.  Private to src/storage. */
#ifndef GT_STORE_OBJECTS_H
#define GT_STORE_OBJECTS_H

#include "core/base/str.h"
#include "storage/http/http.h"

/* A URL, and a client for it.  close also takes a place that could not be opened. */
struct gt_http_place {
    struct gt_http_endpoint site;
    struct gt_http *http;
};
int gt_http_place_open(struct gt_http_place *place, const char *url, struct gt_err *err);
void gt_http_place_close(struct gt_http_place *place);

/* Stores a large value in one piece: as parts that are sent concurrently (s3, gs), else by one request.  Nothing is left of a value
 * that failed. */
int gt_http_put_large(struct gt_http *http, const struct gt_http_endpoint *site, const char *key, const void *data, size_t n,
                      struct gt_err *err);
/* Values from this size on are large. */
#define GT_HTTP_LARGE (INT64_C(32) << 20)

/* Lists keys below the base; most: at most so many, 0 = all.  s3, gs only; GT_END for others. */
int gt_http_list(struct gt_http *http, const struct gt_http_endpoint *site, int most, struct gt_strs *keys, struct gt_err *err);
/* Removes everything below the base: each key but one (s3, gs), or the folder (WebDAV). */
int gt_http_remove_all(struct gt_http *http, const struct gt_http_endpoint *site, const char *but, struct gt_err *err);

#endif
