/* Built without libcurl. */
#include "config.h"

#include "storage/http/credentials.h"
#include "storage/http/http.h"
#include "storage/http/url.h"

void gt_url_configure(const struct gt_url_opts *opts)
{
    (void)opts;
}

void gt_url_cancel(void) {}

void gt_url_counts(struct gt_url_counts *counts)
{
    *counts = (struct gt_url_counts){0};
}

int gt_http_new(struct gt_http **out, const struct gt_http_endpoint *site, const char *name, struct gt_err *err)
{
    (void)site;
    *out = NULL;
    return gt_fail(err, GT_FAIL, "cannot open '%s': built without libcurl, which is needed for URLs", name);
}

void gt_http_free(struct gt_http *http)
{
    (void)http;
}

int gt_http_get_many(struct gt_http *http, struct gt_get *gets, size_t n, bool look, struct gt_err *err)
{
    (void)http, (void)gets, (void)n, (void)look;
    return gt_fail(err, GT_FAIL, "built without libcurl");
}

int gt_http_send_many(struct gt_http *http, struct gt_http_send *sends, size_t n, struct gt_err *err)
{
    (void)http, (void)sends, (void)n;
    return gt_fail(err, GT_FAIL, "built without libcurl");
}

void gt_http_crc32c(char text[9], const void *data, size_t n)
{
    (void)data, (void)n;
    text[0] = 0;
}

int gt_http_queue_new(struct gt_http_queue **out, struct gt_http *http, void (*ended)(void *, const char *, int64_t, uint64_t), void *ctx,
                      struct gt_err *err)
{
    (void)http, (void)ended, (void)ctx;
    *out = NULL;
    return gt_fail(err, GT_FAIL, "built without libcurl");
}

int gt_http_queue_put(struct gt_http_queue *queue, const char *key, const void *data, size_t n, uint64_t tag, struct gt_err *err)
{
    (void)queue, (void)key, (void)data, (void)n, (void)tag;
    return gt_fail(err, GT_FAIL, "built without libcurl");
}

int gt_http_queue_drain(struct gt_http_queue *queue, struct gt_err *err)
{
    (void)queue;
    return gt_fail(err, GT_FAIL, "built without libcurl");
}

int64_t gt_http_queue_count(struct gt_http_queue *queue)
{
    (void)queue;
    return 0;
}

int64_t gt_http_queue_confirmed(struct gt_http_queue *queue)
{
    (void)queue;
    return 0;
}

bool gt_http_queue_failed(struct gt_http_queue *queue)
{
    (void)queue;
    return true;
}

void gt_http_queue_stop(struct gt_http_queue *queue)
{
    (void)queue;
}

void gt_http_queue_free(struct gt_http_queue *queue)
{
    (void)queue;
}

int gt_http_fetch(const char *method, const char *url, const char *header, struct gt_buf *text, struct gt_err *err)
{
    (void)method, (void)url, (void)header, (void)text;
    return gt_fail(err, GT_FAIL, "built without libcurl");
}
