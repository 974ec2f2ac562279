#include "config.h"

#include "storage/http/objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

enum { PART = 16 << 20, MOST_PARTS = 10000, PAGE = 1000, ID_LEN = 1024 };

int gt_http_place_open(struct gt_http_place *place, const char *url, struct gt_err *err)
{
    *place = (struct gt_http_place){0};
    int rc = gt_http_endpoint_parse(&place->site, url, err);
    return rc ? rc : gt_http_new(&place->http, &place->site, url, err);
}

void gt_http_place_close(struct gt_http_place *place)
{
    gt_http_free(place->http);
    gt_http_endpoint_release(&place->site);
}

/* What stands between <name> and </name> of the first such element at or after *at, moved behind it; NULL: none. */
static const char *element(const char **at, const char *name, size_t *n)
{
    char open[64], close[64];
    snprintf(open, sizeof open, "<%s>", name);
    snprintf(close, sizeof close, "</%s>", name);
    const char *from = strstr(*at, open), *to = from ? strstr(from, close) : NULL;
    if (!to)
        return NULL;
    from += strlen(open);
    *n = (size_t)(to - from);
    *at = to + strlen(close);
    return from;
}

/* As in a query: slashes too. */
static void escape_all(struct gt_str *to, const char *text)
{
    for (const char *part = text;; part++) {
        const size_t n = strcspn(part, "/");
        char *copy = gt_strndup(part, n, NULL);
        if (copy)
            gt_http_escape(to, copy);
        else
            gt_str_fail(to);
        free(copy);
        part += n;
        if (!*part)
            return;
        gt_str_add(to, "%2F");
    }
}

static int send_one(struct gt_http *http, struct gt_http_send *send, struct gt_err *err)
{
    int rc = gt_http_send_many(http, send, 1, err);
    return rc ? rc : send->status;
}

/* --- a value in parts ------------------------------------------------------------------------- */

struct upload {
    struct gt_http *http;
    const char *key;
    bool s3;
    char id[ID_LEN]; /* escaped */
    struct gt_http_send *parts;
    struct gt_str *queries;
    size_t n_parts;
    bool gone; /* the server does not know the upload any more */
};

static int begin_upload(struct upload *up, struct gt_err *err)
{
    struct gt_buf answer = {0};
    struct gt_str id = {0};
    struct gt_http_send send = {.method = "POST",
                                .key = up->key,
                                .query = "uploads=",
                                .header = up->s3 ? "x-amz-checksum-algorithm: CRC32C" : NULL,
                                .answer = &answer};
    size_t n = 0;
    int rc = send_one(up->http, &send, err);
    rc = rc ? rc : gt_buf_append(&answer, "", 1, err);
    const char *at = (const char *)answer.data, *from = rc ? NULL : element(&at, "UploadId", &n);
    char *text = from ? gt_strndup(from, n, err) : NULL;
    if (!rc && !from)
        rc = gt_fail(err, GT_FAIL, "cannot write '%s': the server does not begin an upload in parts", up->key);
    if (text)
        escape_all(&id, text);
    rc = rc ? rc : gt_str_check(&id, err);
    if (!rc && snprintf(up->id, sizeof up->id, "%s", id.s) >= (int)sizeof up->id)
        rc = gt_fail(err, GT_FAIL, "cannot write '%s': the server's upload id is too long", up->key);
    free(text);
    gt_str_release(&id);
    gt_buf_release(&answer);
    return rc;
}

static int send_parts(struct upload *up, const uint8_t *data, size_t n, struct gt_err *err)
{
    size_t size = PART;
    while (n / size >= MOST_PARTS)
        size *= 2;
    const size_t n_parts = n / size + (n % size > 0);
    up->parts = gt_alloc(n_parts, sizeof *up->parts, err);
    up->queries = gt_alloc(n_parts, sizeof *up->queries, err);
    if (!up->parts || !up->queries)
        return GT_FAIL;
    up->n_parts = n_parts;
    int rc = 0;
    for (size_t i = 0; i < n_parts && !rc; i++) {
        gt_str_addf(&up->queries[i], "partNumber=%zu&uploadId=%s", i + 1, up->id);
        rc = gt_str_check(&up->queries[i], err);
        up->parts[i] = (struct gt_http_send){.method = "PUT",
                                             .key = up->key,
                                             .query = up->queries[i].s,
                                             .data = data + i * size,
                                             .n = i + 1 < n_parts ? size : n - i * size,
                                             .checksum = true};
    }
    return rc ? rc : gt_http_send_many(up->http, up->parts, n_parts, err);
}

static int complete_upload(struct upload *up, struct gt_err *err)
{
    struct gt_str text = {0}, query = {0};
    struct gt_buf answer = {0};
    char crc[9];
    gt_str_add(&text, "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
    for (size_t i = 0; i < up->n_parts; i++) {
        gt_http_crc32c(crc, up->parts[i].data, up->parts[i].n);
        gt_str_addf(&text, "<Part><PartNumber>%zu</PartNumber><ETag>%s</ETag>", i + 1, up->parts[i].etag);
        gt_str_addf(&text, up->s3 ? "<ChecksumCRC32C>%s</ChecksumCRC32C></Part>" : "%.0s</Part>", crc);
    }
    gt_str_add(&text, "</CompleteMultipartUpload>");
    gt_str_addf(&query, "uploadId=%s", up->id);
    int rc = gt_str_check(&text, err);
    rc = rc ? rc : gt_str_check(&query, err);
    struct gt_http_send send = {.method = "POST", .key = up->key, .query = query.s, .data = text.s, .n = text.len, .answer = &answer};
    rc = rc ? rc : send_one(up->http, &send, err);
    up->gone = send.gone;
    gt_str_release(&text);
    gt_str_release(&query);
    gt_buf_release(&answer);
    return rc;
}

/* If the answer to a request to complete it was lost, another one fails though the value is there. */
static bool is_complete(struct upload *up, size_t n)
{
    struct gt_http_send send = {.method = "HEAD", .key = up->key};
    return up->gone && send_one(up->http, &send, NULL) == 0 && send.size == (int64_t)n;
}

/* After a failure: the parts take space until they are removed. */
static void abort_upload(struct upload *up)
{
    struct gt_str query = {0};
    gt_str_addf(&query, "uploadId=%s", up->id);
    struct gt_http_send send = {.method = "DELETE", .key = up->key, .query = query.s};
    if (*up->id && !query.failed)
        send_one(up->http, &send, NULL);
    gt_str_release(&query);
}

int gt_http_put_large(struct gt_http *http, const struct gt_http_endpoint *site, const char *key, const void *data, size_t n,
                      struct gt_err *err)
{
    struct upload up = {.http = http, .key = key, .s3 = site->kind == GT_HTTP_S3};
    struct gt_http_send whole = {.method = "PUT", .key = key, .data = data, .n = n, .checksum = true};
    if (site->kind == GT_HTTP_WEB || n < (size_t)GT_HTTP_LARGE)
        return send_one(http, &whole, err);
    int rc = begin_upload(&up, err);
    rc = rc ? rc : send_parts(&up, data, n, err);
    if (!rc && (rc = complete_upload(&up, err)) != 0 && is_complete(&up, n)) {
        gt_err_clear(err);
        rc = 0;
    }
    if (rc)
        abort_upload(&up);
    for (size_t i = 0; i < up.n_parts; i++)
        gt_str_release(&up.queries[i]);
    free(up.queries);
    free(up.parts);
    return rc;
}

/* --- listing ------------------------------------------------------------------------------------ */

/* Names in a listing are escaped as in forms. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        unsigned byte;
        if (*from == '%' && sscanf(from + 1, "%2x", &byte) == 1) {
            *to++ = (char)byte;
            from += from[1] && from[2] ? 2 : 0;
        } else {
            *to++ = *from == '+' ? ' ' : *from;
        }
    }
    *to = 0;
}

/* The keys of one page; *token: where the next one begins, empty = there is none. */
static int take_page(const char *text, size_t skip, struct gt_strs *keys, struct gt_str *token, struct gt_err *err)
{
    const char *at = text, *name;
    size_t n;
    int rc = 0;
    while (!rc && (at = strstr(at, "<Contents>")) != NULL && (name = element(&at, "Key", &n)) != NULL) {
        char *key = gt_strndup(name, n, err);
        rc = key ? 0 : GT_FAIL;
        if (key)
            unescape(key);
        if (!rc && strlen(key) > skip)
            rc = gt_strs_add(keys, key + skip, strlen(key + skip), err);
        free(key);
    }
    gt_str_clear(token);
    at = text;
    if (!rc && (name = element(&at, "NextContinuationToken", &n)) != NULL) {
        char *copy = gt_strndup(name, n, err);
        if (copy)
            escape_all(token, copy);
        free(copy);
        rc = copy ? gt_str_check(token, err) : GT_FAIL;
    }
    return rc;
}

int gt_http_list(struct gt_http *http, const struct gt_http_endpoint *site, int most, struct gt_strs *keys, struct gt_err *err)
{
    struct gt_str token = {0}, query = {0}, prefix = {0};
    struct gt_buf answer = {0};
    if (site->kind == GT_HTTP_WEB)
        return GT_END;
    char *path = gt_strdup(site->base + site->bucket + (site->base[site->bucket] == '/'), err);
    int rc = path ? 0 : GT_FAIL;
    if (path) {
        unescape(path);
        escape_all(&prefix, path);
        gt_str_add(&prefix, *path ? "%2F" : "");
    }
    const size_t skip = path && *path ? strlen(path) + 1 : 0;
    do {
        gt_str_clear(&query);
        gt_str_addf(&query, "%s%s%sencoding-type=url&list-type=2&max-keys=%d&prefix=%s", token.len ? "continuation-token=" : "",
                    token.len ? token.s : "", token.len ? "&" : "", most ? most : PAGE, prefix.len ? prefix.s : "");
        struct gt_http_send send = {.method = "GET", .key = "", .of_bucket = true, .query = query.s, .answer = &answer};
        rc = rc ? rc : gt_str_check(&query, err);
        rc = rc ? rc : send_one(http, &send, err);
        rc = rc ? rc : gt_buf_append(&answer, "", 1, err);
        rc = rc ? rc : take_page((const char *)answer.data, skip, keys, &token, err);
    } while (!rc && token.len && (!most || keys->n < (size_t)most));
    free(path);
    gt_str_release(&token);
    gt_str_release(&query);
    gt_str_release(&prefix);
    gt_buf_release(&answer);
    return rc;
}

int gt_http_remove_all(struct gt_http *http, const struct gt_http_endpoint *site, const char *but, struct gt_err *err)
{
    struct gt_strs keys = {0};
    struct gt_http_send folder = {.method = "DELETE", .key = "/", .header = "Depth: infinity"};
    if (site->kind == GT_HTTP_WEB) {
        int rc = send_one(http, &folder, err);
        if (rc)
            gt_hint(err, "remove it on the server, which needs WebDAV for --force");
        return rc;
    }
    int rc = gt_http_list(http, site, 0, &keys, err);
    struct gt_http_send *sends = rc ? NULL : gt_alloc(keys.n, sizeof *sends, err);
    size_t n = 0;
    for (size_t i = 0; sends && i < keys.n; i++)
        if (strcmp(gt_strs_get(&keys, i), but) != 0)
            sends[n++] = (struct gt_http_send){.method = "DELETE", .key = gt_strs_get(&keys, i)};
    if (!rc)
        rc = sends ? gt_http_send_many(http, sends, n, err) : GT_FAIL;
    free(sends);
    gt_strs_release(&keys);
    return rc;
}
