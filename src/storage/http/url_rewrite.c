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

/* "key = value" in the section [profile] of the file of credentials. */
static void read_credentials(struct gt_str *key, struct gt_str *secret, struct gt_str *token)
{
    const char *profile = env("AWS_PROFILE") ? env("AWS_PROFILE") : "default", *home = env("HOME");
    char line[4096], name[256], value[2048], section[256] = "";
    struct gt_str path = {0};
    if (env("AWS_SHARED_CREDENTIALS_FILE"))
        gt_str_add(&path, env("AWS_SHARED_CREDENTIALS_FILE"));
    else
        gt_str_addf(&path, "%s/.aws/credentials", home ? home : "");
    FILE *file = path.s ? fopen(path.s, "re") : NULL;
    gt_str_release(&path);
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, " [%255[^]]", section) == 1 || strcmp(section, profile) != 0 ||
            sscanf(line, " %255[^ =] = %2047s", name, value) != 2)
            continue;
        struct gt_str *to = strcmp(name, "aws_access_key_id") == 0       ? key
                            : strcmp(name, "aws_secret_access_key") == 0 ? secret
                            : strcmp(name, "aws_session_token") == 0     ? token
                                                                         : NULL;
        if (to)
            gt_str_add(to, value);
    }
    if (file)
        fclose(file);
}

/* Without credentials, or with AWS_NO_SIGN_REQUEST, requests are anonymous. */
static int sign_s3(struct gt_http_endpoint *site, const char *region, struct gt_err *err)
{
    struct gt_str key = {0}, secret = {0}, token = {0}, text = {0};
    int rc = 0;
    if (env("AWS_ACCESS_KEY_ID") && env("AWS_SECRET_ACCESS_KEY")) {
        gt_str_add(&key, env("AWS_ACCESS_KEY_ID"));
        gt_str_add(&secret, env("AWS_SECRET_ACCESS_KEY"));
        if (env("AWS_SESSION_TOKEN"))
            gt_str_add(&token, env("AWS_SESSION_TOKEN"));
    } else {
        read_credentials(&key, &secret, &token);
    }
    if (key.len && secret.len && !env("AWS_NO_SIGN_REQUEST")) {
        gt_str_addf(&text, "aws:amz:%s:s3", region);
        site->sign = text.s ? gt_strdup(text.s, err) : NULL;
        gt_str_clear(&text);
        gt_str_addf(&text, "%s:%s", key.s, secret.s);
        site->user = text.s ? gt_strdup(text.s, err) : NULL;
        gt_str_clear(&text);
        gt_str_addf(&text, "x-amz-security-token: %s", token.len ? token.s : "");
        site->header[0] = gt_strdup("x-amz-content-sha256: UNSIGNED-PAYLOAD", err); /* a GET has none */
        if (token.len && text.s)
            site->header[1] = gt_strdup(text.s, err);
        rc = site->sign && site->user && site->header[0] && (!token.len || site->header[1]) ? 0 : gt_no_memory(err);
    }
    gt_str_release(&key);
    gt_str_release(&secret);
    gt_str_release(&token);
    gt_str_release(&text);
    return rc;
}

/* On a server of one's own the bucket is in the path; at Amazon it is in the host's name, unless
 * its dots would not go with the certificate. */
static int parse_s3(struct gt_http_endpoint *site, const char *place, struct gt_str *url, struct gt_err *err)
{
    const char *endpoint = env("AWS_ENDPOINT_URL_S3") ? env("AWS_ENDPOINT_URL_S3") : env("AWS_ENDPOINT_URL");
    const char *region = env("AWS_REGION") ? env("AWS_REGION") : env("AWS_DEFAULT_REGION") ? env("AWS_DEFAULT_REGION") : "us-east-1";
    int bucket = (int)strcspn(place, "/");
    if (endpoint) {
        gt_str_add(url, endpoint);
        trim(url);
        gt_str_add(url, "/");
        gt_http_escape(url, place);
    } else {
        if (memchr(place, '.', (size_t)bucket))
            gt_str_addf(url, "https://s3.%s.amazonaws.com/%.*s", region, bucket, place);
        else
            gt_str_addf(url, "https://%.*s.s3.%s.amazonaws.com", bucket, place, region);
        gt_http_escape(url, place + bucket);
    }
    return sign_s3(site, region, err);
}

/* --- gs, http ------------------------------------------------------------------------- */

static int parse_gs(struct gt_http_endpoint *site, const char *place, struct gt_str *url, struct gt_err *err)
{
    const char *host = env("STORAGE_EMULATOR_HOST"), *token = env("GCS_OAUTH_TOKEN");
    struct gt_str header = {0};
    gt_str_addf(url, "%s%s", !host ? "https://" : strstr(host, "://") ? "" : "http://", host ? host : "storage.googleapis.com");
    trim(url);
    gt_str_add(url, "/");
    gt_http_escape(url, place);
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

int gt_http_endpoint_parse(struct gt_http_endpoint *site, const char *url, struct gt_err *err)
{
    struct gt_str base = {0};
    const char *place = NULL;
    *site = (struct gt_http_endpoint){.query = gt_strdup("", err)};
    int rc = site->query ? 0 : GT_FAIL;
    if (!rc && (place = after(url, "s3://")))
        rc = parse_s3(site, place, &base, err);
    else if (!rc && (place = after(url, "gs://")))
        rc = parse_gs(site, place, &base, err);
    else if (!rc)
        rc = gt_store_is_url(url) ? parse_http(site, url, &base, err) : gt_fail(err, GT_USAGE, "'%s' is not the URL of a store", url);
    if (!rc && place && (*place == '/' || *place == 0))
        rc = gt_fail(err, GT_USAGE, "'%s' names no bucket", url);
    trim(&base);
    if (!rc)
        rc = gt_str_check(&base, err);
    site->base = base.s;
    if (rc)
        gt_http_endpoint_release(site);
    return rc;
}

int64_t gt_url_connection_bytes(const char *url)
{
    struct gt_http_endpoint site;
    if (!gt_store_is_url(url) || gt_http_endpoint_parse(&site, url, NULL))
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
