/* URLs of stores -> where to ask: what s3:// and gs:// mean, by the variables that the
 * tools of either have. */
#include "config.h"

#include "storage/http/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/mem.h"
#include "core/base/str.h"
#include "storage/http/credentials.h"
#include "storage/http/url.h"

static const char *after(const char *url, const char *scheme)
{
    size_t n = strlen(scheme);
    return strncasecmp(url, scheme, n) == 0 ? url + n : NULL;
}

bool gt_store_is_url(const char *path)
{
    static const char *const schemes[] = {"http://", "https://", "s3://", "gs://"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (after(path, schemes[i]))
            return true;
    return false;
}

static bool is_bucket(const char *text, const char *behind_scheme)
{
    return behind_scheme - text >= 5 && (after(behind_scheme - 5, "s3://") || after(behind_scheme - 5, "gs://"));
}

void gt_url_add_public(struct gt_str *out, const char *text)
{
    for (const char *at; (at = strstr(text, "://")) != NULL; text = at) {
        const bool bucket = is_bucket(text, at += 3);
        const char *from = at, *host_end = at + strcspn(at, "/?# \t\n\"'");
        while (host_end > at && host_end[-1] != '@')
            host_end--;
        gt_str_addn(out, text, (size_t)(from - text));
        gt_str_add(out, host_end > at ? "...@" : "");
        at = host_end + strcspn(host_end, bucket ? " \t\n\"'" : "? \t\n\"'");
        gt_str_addn(out, host_end, (size_t)(at - host_end));
        if (*at == '?') {
            gt_str_add(out, "?...");
            at += strcspn(at, " \t\n\"'");
        }
    }
    gt_str_add(out, text);
}

/* A variable that is set to something. */
static const char *env(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

void gt_http_escape(struct gt_str *url, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || strchr("-._~/", *c))
            gt_str_addn(url, c, 1);
        else
            gt_str_addf(url, "%%%02X", *c);
}

static void trim(struct gt_str *url)
{
    while (url->len > 0 && url->s[url->len - 1] == '/')
        url->s[--url->len] = 0;
}

/* --- s3 ------------------------------------------------------------------------------ */

/* Without credentials requests are anonymous. */
static int sign_s3(struct gt_http_endpoint *site, const char *region, bool own_endpoint, struct gt_err *err)
{
    struct gt_aws_credentials found;
    struct gt_str text = {0};
    int rc = gt_aws_credentials_find(&found, own_endpoint, err);
    if (!rc && found.key.len && found.secret.len) {
        gt_str_addf(&text, "aws:amz:%s:s3", region);
        site->sign = text.s ? gt_strdup(text.s, err) : NULL;
        gt_str_clear(&text);
        gt_str_addf(&text, "%s:%s", found.key.s, found.secret.s);
        site->user = text.s ? gt_strdup(text.s, err) : NULL;
        gt_str_clear(&text);
        gt_str_addf(&text, "x-amz-security-token: %s", found.token.len ? found.token.s : "");
        site->header[0] = gt_strdup("x-amz-content-sha256: UNSIGNED-PAYLOAD", err); /* a GET has none, others have a checksum */
        if (found.token.len && text.s)
            site->header[1] = gt_strdup(text.s, err);
        rc = site->sign && site->user && site->header[0] && (!found.token.len || site->header[1]) ? 0 : gt_no_memory(err);
    }
    gt_aws_credentials_release(&found);
    gt_str_release(&text);
    return rc;
}

/* From the environment, else from the profile. */
static const char *setting(const char *variable, const char *other, const char *name, struct gt_str *value)
{
    if (env(variable) || env(other))
        return env(variable) ? env(variable) : env(other);
    return gt_aws_setting(name, value) ? value->s : NULL;
}

/* On a server of one's own the bucket is in the path; at Amazon it is in the host's name, unless
 * its dots would not go with the certificate. */
static int parse_s3(struct gt_http_endpoint *site, const char *place, bool sign, struct gt_str *url, struct gt_err *err)
{
    struct gt_str from[2] = {{0}, {0}};
    const char *endpoint = setting("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "endpoint_url", &from[0]);
    const char *region = setting("AWS_REGION", "AWS_DEFAULT_REGION", "region", &from[1]);
    region = region ? region : "us-east-1";
    int bucket = (int)strcspn(place, "/");
    if (endpoint) {
        gt_str_add(url, endpoint);
        trim(url);
        gt_str_addf(url, "/%.*s", bucket, place);
    } else if (memchr(place, '.', (size_t)bucket)) {
        gt_str_addf(url, "https://s3.%s.amazonaws.com/%.*s", region, bucket, place);
    } else {
        gt_str_addf(url, "https://%.*s.s3.%s.amazonaws.com", bucket, place, region);
    }
    site->kind = GT_HTTP_S3;
    site->bucket = url->len;
    gt_http_escape(url, place + bucket);
    int rc = sign ? sign_s3(site, region, endpoint != NULL, err) : 0;
    gt_str_release(&from[0]);
    gt_str_release(&from[1]);
    return rc;
}

/* --- gs, http ------------------------------------------------------------------------- */

static int parse_gs(struct gt_http_endpoint *site, const char *place, struct gt_str *url, struct gt_err *err)
{
    const char *host = env("STORAGE_EMULATOR_HOST"), *token = env("GCS_OAUTH_TOKEN");
    struct gt_str header = {0};
    gt_str_addf(url, "%s%s", !host ? "https://" : strstr(host, "://") ? "" : "http://", host ? host : "storage.googleapis.com");
    trim(url);
    gt_str_addf(url, "/%.*s", (int)strcspn(place, "/"), place);
    site->kind = GT_HTTP_GS;
    site->bucket = url->len;
    gt_http_escape(url, place + strcspn(place, "/"));
    if (!token)
        return 0;
    gt_str_addf(&header, "Authorization: Bearer %s", token);
    site->header[0] = header.s ? gt_strdup(header.s, err) : NULL;
    gt_str_release(&header);
    return site->header[0] ? 0 : gt_no_memory(err);
}

/* What is in a URL of the web is escaped already where it has to be. */
static int parse_http(struct gt_http_endpoint *site, const char *url, struct gt_str *base, struct gt_err *err)
{
    size_t n = strcspn(url, "?#"), query = strcspn(url + n, "#");
    gt_str_addn(base, url, n);
    free(site->query);
    site->query = gt_strndup(url + n, query, err);
    return site->query ? 0 : GT_FAIL;
}

/* sign: look for credentials. */
static int parse(struct gt_http_endpoint *site, const char *url, bool sign, struct gt_err *err)
{
    struct gt_str base = {0};
    const char *place = NULL;
    *site = (struct gt_http_endpoint){.query = gt_strdup("", err)};
    int rc = site->query ? 0 : GT_FAIL;
    if (!rc && (place = after(url, "s3://")))
        rc = parse_s3(site, place, sign, &base, err);
    else if (!rc && (place = after(url, "gs://")))
        rc = parse_gs(site, place, &base, err);
    else if (!rc)
        rc = gt_store_is_url(url) ? parse_http(site, url, &base, err) : gt_fail(err, GT_USAGE, "'%s' is not the URL of a store", url);
    if (!rc && place && (*place == '/' || *place == 0))
        rc = gt_fail(err, GT_USAGE, "'%s' names no bucket", url);
    trim(&base);
    const int whole = gt_str_take(&base, &site->base, err);
    rc = rc ? rc : whole;
    if (rc)
        gt_http_endpoint_release(site);
    return rc;
}

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

static void add_normal_path(struct gt_str *out, const char *path)
{
    for (; *path; path++) {
        const bool escaped = *path == '%' && hex(path[1]) >= 0 && hex(path[2]) >= 0;
        const char c = escaped ? (char)(16 * hex(path[1]) + hex(path[2])) : *path;
        path += escaped ? 2 : 0;
        if (c != '/' || (path[1] && path[1] != '/'))
            gt_str_addn(out, &c, 1);
    }
}

void gt_url_add_normal(struct gt_str *out, const char *url)
{
    struct gt_http_endpoint site;
    if (parse(&site, url, false, NULL)) {
        gt_str_add(out, url);
        return;
    }
    const bool tls = after(site.base, "https://");
    const char *host = strstr(site.base, "://") + 3, *path = host + strcspn(host, "/"), *user = memchr(host, '@', (size_t)(path - host));
    host = user ? user + 1 : host;
    size_t n = (size_t)(path - host);
    const char *port = tls ? ":443" : ":80";
    if (n > strlen(port) && memcmp(path - strlen(port), port, strlen(port)) == 0)
        n -= strlen(port);
    gt_str_add(out, tls ? "https://" : "http://");
    for (size_t i = 0; i < n; i++)
        gt_str_addf(out, "%c", host[i] >= 'A' && host[i] <= 'Z' ? host[i] - 'A' + 'a' : host[i]);
    add_normal_path(out, path);
    gt_http_endpoint_release(&site);
}

int gt_http_endpoint_parse(struct gt_http_endpoint *site, const char *url, struct gt_err *err)
{
    return parse(site, url, true, err);
}

int64_t gt_url_connection_bytes(const char *url)
{
    struct gt_http_endpoint site;
    if (!gt_store_is_url(url) || parse(&site, url, false, NULL))
        return 0;
    const bool tls = after(site.base, "https://");
    gt_http_endpoint_release(&site);
    return tls ? INT64_C(10) << 20 : 0;
}

void gt_http_endpoint_release(struct gt_http_endpoint *site)
{
    free(site->base);
    free(site->query);
    free(site->sign);
    free(site->user);
    free(site->header[0]);
    free(site->header[1]);
    memset(site, 0, sizeof *site);
}
