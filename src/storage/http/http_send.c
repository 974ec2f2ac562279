/* Requests that are not for values: to store, remove, list and look. */
#include "config.h"

#include "storage/http/http_internal.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/str.h"
#include "kernels/kernels.h"

enum { TRIES = 15, LONGEST_CODE = 64 };

void gt_http_crc32c(char text[9], const void *data, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint64_t bits = (uint64_t)gt_kernels()->crc32c(0, data, n) << 4; /* 32 bits and 4 of padding: 6 digits */
    for (int i = 0; i < 6; i++)
        text[i] = digits[bits >> (30 - 6 * i) & 63];
    memcpy(text + 6, "==", 3);
}

/* --- headers ----------------------------------------------------------------------------------- */

static int add_header(struct slot *slot, const char *text, struct gt_err *err)
{
    struct curl_slist *more = curl_slist_append(slot->headers, text);
    if (!more)
        return gt_no_memory(err);
    slot->headers = more;
    return 0;
}

/* The server refuses a body that has another checksum. */
static int add_checksum(struct call *call, struct slot *slot)
{
    char text[64], crc[9];
    const bool s3 = call->http->site->kind == GT_HTTP_S3;
    if (!slot->send->checksum || call->http->site->kind == GT_HTTP_WEB)
        return 0;
    gt_http_crc32c(crc, slot->send->data, slot->send->n);
    snprintf(text, sizeof text, "%s%s", s3 ? "x-amz-checksum-crc32c: " : "x-goog-hash: crc32c=", crc);
    return add_header(slot, text, call->err);
}

static int set_headers(struct call *call, struct slot *slot)
{
    const struct gt_http_send *send = slot->send;
    int rc = 0;
    curl_slist_free_all(slot->headers);
    slot->headers = NULL;
    for (struct curl_slist *h = call->http->headers; h && !rc; h = h->next)
        rc = add_header(slot, h->data, call->err);
    if (!rc && send->data)
        rc = add_header(slot, "Content-Type: application/octet-stream", call->err);
    rc = rc ? rc : add_header(slot, "Expect:", call->err); /* no pause before the body */
    rc = rc ? rc : add_checksum(call, slot);
    return !rc && send->header ? add_header(slot, send->header, call->err) : rc;
}

/* --- a request ----------------------------------------------------------------------------------- */

/* A body that goes out is a sign of life. */
static int on_progress(void *ctx, curl_off_t down_all, curl_off_t down, curl_off_t up_all, curl_off_t up)
{
    struct slot *slot = ctx;
    (void)down_all, (void)down, (void)up_all;
    if (up > slot->sent) {
        slot->sent = up;
        slot->begun = slot->last_byte = gt_clock_ms();
    }
    return 0;
}

static void set_method(CURL *easy, const struct gt_http_send *send)
{
    const bool head = strcmp(send->method, "HEAD") == 0, body = send->data || strcmp(send->method, "POST") == 0;
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, NULL);
    curl_easy_setopt(easy, CURLOPT_RANGE, NULL);
    curl_easy_setopt(easy, CURLOPT_NOBODY, head ? 1L : 0L);
    if (head)
        return;
    curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
    if (body) {
        curl_easy_setopt(easy, CURLOPT_POST, 1L);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, send->data ? send->data : "");
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)send->n);
    }
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, send->method);
}

int http_start_send(struct call *call, struct slot *slot, struct gt_http_send *send)
{
    slot->send = send;
    slot->lead = (struct gt_get){.key = send->key, .buf = send->answer};
    slot->get = &slot->lead;
    slot->gets = &slot->get;
    slot->n_gets = 1;
    slot->end = 0;
    int rc = set_headers(call, slot);
    rc = rc ? rc : http_prepare(call, slot);
    if (rc)
        return rc;
    set_method(slot->easy, send);
    curl_easy_setopt(slot->easy, CURLOPT_POSTREDIR, (long)CURL_REDIR_POST_ALL);
    curl_easy_setopt(slot->easy, CURLOPT_FILETIME, 1L);
    curl_easy_setopt(slot->easy, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(slot->easy, CURLOPT_XFERINFODATA, slot);
    curl_easy_setopt(slot->easy, CURLOPT_NOPROGRESS, send->data ? 0L : 1L);
    return http_start(call, slot);
}

/* --- its response ---------------------------------------------------------------------------------- */

static void take_headers(struct slot *slot)
{
    struct gt_http_send *send = slot->send;
    struct curl_header *header;
    curl_off_t size = -1, modified = -1;
    send->etag[0] = 0;
    if (curl_easy_header(slot->easy, "ETag", 0, CURLH_HEADER, -1, &header) == CURLHE_OK)
        snprintf(send->etag, sizeof send->etag, "%s", header->value);
    curl_easy_getinfo(slot->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &size);
    curl_easy_getinfo(slot->easy, CURLINFO_FILETIME_T, &modified);
    send->size = size;
    send->modified = modified;
}

/* "<Error><Code>NoSuchBucket</Code>": the words of S3 and of Google. */
static bool read_code(const char *text, char code[LONGEST_CODE])
{
    const char *at = strstr(text, "<Code>");
    code[0] = 0;
    return at && sscanf(at, "<Code>%63[A-Za-z]", code) == 1;
}

/* A request to complete an upload may fail with status 200. */
static bool is_error_document(const struct gt_http_send *send, char code[LONGEST_CODE])
{
    char text[256];
    if (strcmp(send->method, "POST") != 0 || !send->answer || send->answer->len == 0)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)(send->answer->len < 255 ? send->answer->len : 255), (const char *)send->answer->data);
    return strstr(text, "<Error>") && (read_code(text, code) || true);
}

/* Status 207 of WebDAV: some of what was to be removed is still there. */
static bool is_success(const struct gt_http_send *send, long status, char code[LONGEST_CODE])
{
    return status / 100 == 2 && status != 207 && !is_error_document(send, code);
}

/* Of a value, not of a listing. */
static bool is_hidden(const struct gt_http_send *send, long status)
{
    return status == 403 && http_opts.missing_403 && strcmp(send->method, "DELETE") != 0 && !send->query;
}

int http_judge_send(struct call *call, struct slot *slot, long status)
{
    struct gt_http_send *send = slot->send;
    char code[LONGEST_CODE] = "", why[160];
    const bool changes = strcmp(send->method, "PUT") == 0 || strcmp(send->method, "POST") == 0;
    if (is_success(send, status, code)) {
        take_headers(slot);
        return send->status = 0;
    }
    if (status / 100 != 2)
        read_code(slot->answer, code);
    if ((status == 404 || status == 410 || is_hidden(send, status)) && !changes && strcmp(code, "NoSuchBucket") != 0) {
        send->status = strcmp(send->method, "DELETE") == 0 ? 0 : GT_NOENT;
        return 0;
    }
    snprintf(why, sizeof why, "the server answers with status %ld%s%s%s", status, *code ? " (" : "", code, *code ? ")" : "");
    if (status == 408 || status == 429 || (status >= 500 && status != 501 && status != 507) || status == 200 ||
        strcmp(code, "RequestTimeout") == 0 || strcmp(code, "OperationAborted") == 0)
        return http_again_or(call, slot, TRIES, why);
    send->gone = slot->tries > 1 && (status == 404 || status == 410);
    send->status = http_fail(call, slot, GT_FAIL, why);
    if (status == 405 && changes)
        gt_hint(call->err, "the server does not accept uploads (PUT)");
    return GT_FAIL;
}

/* --- many ------------------------------------------------------------------------------------------- */

struct sending {
    struct gt_http_send *next, *end;
};

static int next_send(struct call *call, struct slot *slot)
{
    struct sending *sends = call->ctx;
    return sends->next == sends->end ? GT_END : http_start_send(call, slot, sends->next++);
}

int gt_http_send_many(struct gt_http *http, struct gt_http_send *sends, size_t n, struct gt_err *err)
{
    struct sending sending = {sends, sends + n};
    struct call call = {.http = http, .next = next_send, .ctx = &sending, .err = err};
    if (n == 0)
        return 0;
    for (size_t i = 0; i < n; i++)
        sends[i].status = GT_CANCEL;
    call.pool = http_take_pool(http, SLOTS, err);
    if (!call.pool)
        return GT_FAIL;
    int rc = http_run(&call);
    http_clear(&call);
    http_put_pool(http, call.pool);
    return rc;
}
