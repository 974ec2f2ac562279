/* Built without libcurl. */
#include "config.h"

#include "storage/http/http.h"
#include "storage/http/url.h"

void gt_url_configure(const struct gt_url_opts *opts)
{
    (void)opts;
}

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
