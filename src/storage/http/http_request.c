/* One request: how it is put, what its answer says, and whether it is put again. */
#include "config.h"

#include "storage/http/http_internal.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/base/str.h"
#include "storage/store/range.h"

enum {
    TRIES = 15,        /* of one request */
    CONNECT_TRIES = 4, /* of a server that has never answered */
    FIRST_PAUSE = 100, /* ms */
    LONGEST_PAUSE = 4000,
    LAST_TRY = 1000,        /* it is made as long before the time is over, or an eighth of that time */
    LONGEST_ACTION = 30000, /* of a server that names a pause */
    RECEIVE = 60 << 10      /* libcurl takes and frees such a buffer for each request: malloc keeps it below 64 kB, and maps 256 kB anew */
};

struct gt_url_opts http_opts = {.timeout = 60, .parallel = SLOTS / 2};
static _Atomic int64_t n_requests, n_bytes, n_retries;

void gt_url_configure(const struct gt_url_opts *opts)
{
    http_opts = *opts;
}

void gt_url_counts(struct gt_url_counts *counts)
{
    *counts = (struct gt_url_counts){.requests = n_requests, .bytes = n_bytes, .retries = n_retries};
}

static int64_t timeout_ms(void)
{
    return (int64_t)(http_opts.timeout * 1000);
}

/* How long a try may be silent: more than one that was given up before. */
static int64_t patience_ms(const struct slot *slot)
{
    return timeout_ms() / (slot->timeouts ? 2 : 4);
}

/* --- what comes in -------------------------------------------------------------------- */

static long status_of(const struct slot *slot)
{
    long status = 0;
    curl_easy_getinfo(slot->easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

/* Room for all of it where the server tells how much it is. */
static int make_room(struct slot *slot, size_t n)
{
    curl_off_t length = -1;
    struct gt_buf *buf = slot->get->buf;
    curl_easy_getinfo(slot->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    if (buf->len == 0 && length > 0)
        return gt_buf_reserve(buf, (size_t)length, &slot->why);
    return gt_buf_reserve(buf, buf->len + n <= buf->cap ? buf->len + n : 2 * buf->len + n, &slot->why);
}

/* Of a value that is sent in another form than it is stored in, ranges mean nothing; NULL: it is sent as it is.  aws-chunked is how it
 * was uploaded. */
static const char *encoding_of(const struct slot *slot)
{
    struct curl_header *header;
    if (curl_easy_header(slot->easy, "Content-Encoding", 0, CURLH_HEADER, -1, &header) != CURLHE_OK || !*header->value ||
        strcasecmp(header->value, "identity") == 0 || strcasecmp(header->value, "aws-chunked") == 0)
        return NULL;
    return header->value;
}

static size_t on_data(char *data, size_t size, size_t n, void *ctx)
{
    struct slot *slot = ctx;
    struct gt_buf *buf = slot->get->buf;
    long status = status_of(slot);
    n *= size;
    n_bytes += (int64_t)n;
    slot->begun = slot->last_byte = gt_clock_ms();
    if (slot->send ? status / 100 != 2 : status != 200 && status != 206) { /* what it says of a failure */
        const size_t had = strlen(slot->answer), room = sizeof slot->answer - 1 - had;
        memcpy(slot->answer + had, data, n < room ? n : room);
        return n;
    }
    if (slot->send && !buf)
        return n;
    if (!slot->looked && encoding_of(slot))
        return 0;
    slot->looked = true;
    if (slot->end > 0) {
        slot->at = slot->at >= 0 ? slot->at : status == 206 ? slot->get->offset : 0;
        slot->too_long = status == 206 && slot->at + (int64_t)n > slot->end;
        return slot->too_long || http_take_parts(slot, data, n) ? 0 : n;
    }
    slot->too_long = (status == 206 || slot->get->at_most) && slot->get->range && buf->len + n > slot->get->n;
    if (slot->too_long || make_room(slot, n) || gt_buf_append(buf, data, n, &slot->why))
        return 0;
    return n;
}

/* --- requests --------------------------------------------------------------------------- */

static const char *verb(const struct slot *slot)
{
    const char *method = slot->send ? slot->send->method : "GET";
    return strcmp(method, "PUT") == 0 || strcmp(method, "POST") == 0 ? "write" : strcmp(method, "DELETE") == 0 ? "remove" : "read";
}

int http_fail(const struct call *call, const struct slot *slot, int status, const char *why)
{
    const char *name = call->http->name, *key = slot->get->key;
    gt_fail(call->err, status, "cannot %s '%.*s%s%s': %s%s", verb(slot), (int)strcspn(name, "?"), name, *key && *key != '/' ? "/" : "", key,
            why, slot->tries > 1 ? ", after retries" : "");
    return status;
}

static int set_url(struct call *call, struct slot *slot)
{
    const struct gt_http_endpoint *site = call->http->site;
    struct gt_str url = {0};
    const char *key = slot->get->key, *query = slot->send ? slot->send->query : NULL;
    const size_t base = slot->send && slot->send->of_bucket ? site->bucket : strlen(site->base);
    gt_str_addf(&url, "%.*s%s", (int)base, site->base, *key && *key != '/' ? "/" : "");
    gt_http_escape(&url, key);
    gt_str_addf(&url, "%s%s%s", site->query, query ? "?" : "", query ? query : "");
    int rc = gt_str_check(&url, call->err);
    if (!rc && curl_easy_setopt(slot->easy, CURLOPT_URL, url.s) != CURLE_OK)
        rc = gt_no_memory(call->err);
    gt_str_release(&url);
    return rc;
}

static void set_range(struct slot *slot)
{
    const struct gt_get *get = slot->get;
    char range[64];
    if (get->offset < 0)
        snprintf(range, sizeof range, "%lld", (long long)get->offset); /* "-n": the last ones */
    else
        snprintf(range, sizeof range, "%lld-%lld", (long long)get->offset,
                 (long long)(slot->end > 0 ? slot->end : get->offset + (int64_t)get->n) - 1);
    curl_easy_setopt(slot->easy, CURLOPT_RANGE, get->range && get->n > 0 ? range : NULL);
}

int http_start(struct call *call, struct slot *slot)
{
    for (size_t i = 0; i < slot->n_gets; i++)
        if (slot->gets[i]->buf)
            slot->gets[i]->buf->len = 0;
    slot->at = -1;
    slot->part = 0;
    slot->too_long = slot->looked = false;
    slot->message[0] = 0;
    memset(slot->answer, 0, sizeof slot->answer);
    slot->sent = 0;
    slot->begun = gt_clock_ms();
    if (slot->tries++ == 0)
        slot->last_byte = slot->begun;
    else
        n_retries++;
    n_requests++;
    curl_easy_setopt(slot->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)patience_ms(slot));
    if (curl_multi_add_handle(call->pool->multi, slot->easy) != CURLM_OK)
        return gt_no_memory(call->err);
    slot->state = RUNNING;
    return 0;
}

static bool has_files(const char *path)
{
    int n = 0;
    DIR *dir = path ? opendir(path) : NULL;
    while (dir && n <= 2 && readdir(dir)) /* more than . and .. */
        n++;
    if (dir)
        closedir(dir);
    return n > 2;
}

/* The file of trusted certificates, or NULL if libcurl's default will do.  Variables name one, as for curl and htslib.  A libcurl of
 * another system, as in a Python wheel, looks in the wrong place by default. */
static const char *ca_file(void)
{
    static const char *const names[] = {"CURL_CA_BUNDLE", "SSL_CERT_FILE"};
    static const char *const places[] = {"/etc/ssl/certs/ca-certificates.crt", /* Debian, Arch */
                                         "/etc/pki/tls/certs/ca-bundle.crt",   /* Fedora */
                                         "/etc/ssl/ca-bundle.pem",             /* openSUSE */
                                         "/etc/ssl/cert.pem"};                 /* Alpine, macOS */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]) && *getenv(names[i]))
            return getenv(names[i]);
    const curl_version_info_data *curl = curl_version_info(CURLVERSION_NOW);
    if ((curl->cainfo && access(curl->cainfo, R_OK) == 0) || has_files(curl->capath) || !(curl->cainfo || curl->capath))
        return NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (access(places[i], R_OK) == 0)
            return places[i];
    return NULL;
}

static CURL *new_easy(struct gt_http *http, struct slot *slot)
{
    CURL *easy = curl_easy_init();
    if (!easy)
        return NULL;
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, slot);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_data);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, slot);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, slot->message);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(easy, CURLOPT_MAXREDIRS, 5L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_USERAGENT, PACKAGE_NAME "/" PACKAGE_VERSION);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)RECEIVE);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, http->headers);
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "identity"); /* no header of ours: these are signed, and proxies change this one */
    curl_easy_setopt(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L); /* HTTP/2 has all on one connection */
    const char *trusted = ca_file();
    if (trusted)
        curl_easy_setopt(easy, CURLOPT_CAINFO, trusted);
    if (http->site->sign) {
        curl_easy_setopt(easy, CURLOPT_AWS_SIGV4, http->site->sign);
        curl_easy_setopt(easy, CURLOPT_USERPWD, http->site->user);
    }
    return easy;
}

void http_count_in_flight(struct call *call, int n)
{
    call->pool->in_flight += n;
    call->http->in_flight += n;
}

int http_prepare(struct call *call, struct slot *slot)
{
    slot->tries = slot->timeouts = 0;
    gt_err_clear(&slot->why);
    if (!slot->easy && !(slot->easy = new_easy(call->http, slot)))
        return gt_no_memory(call->err);
    curl_easy_setopt(slot->easy, CURLOPT_HTTPHEADER, slot->headers ? slot->headers : call->http->headers);
    http_count_in_flight(call, 1);
    return set_url(call, slot);
}

int http_start_get(struct call *call, struct slot *slot)
{
    curl_slist_free_all(slot->headers);
    slot->headers = NULL;
    slot->send = NULL;
    int rc = http_prepare(call, slot);
    if (rc)
        return rc;
    curl_easy_setopt(slot->easy, CURLOPT_CUSTOMREQUEST, NULL);
    curl_easy_setopt(slot->easy, CURLOPT_NOBODY, call->look ? 1L : 0L);
    if (!call->look)
        curl_easy_setopt(slot->easy, CURLOPT_HTTPGET, 1L);
    set_range(slot);
    return http_start(call, slot);
}

/* --- what became of them ------------------------------------------------------------------ */

/* ms that the server asks to wait for; 0: it does not say. */
static int64_t asked_pause(const struct slot *slot)
{
    curl_off_t seconds = 0;
    curl_easy_getinfo(slot->easy, CURLINFO_RETRY_AFTER, &seconds);
    return seconds <= 0 ? 0 : gt_min_i64(seconds, LONGEST_ACTION / 1000) * 1000;
}

/* Ends with this, or comes again. */
int http_again_or(struct call *call, struct slot *slot, int most, const char *why)
{
    int64_t pause = (int64_t)FIRST_PAUSE << (slot->tries < 10 ? slot->tries - 1 : 9), now = gt_clock_ms();
    const int64_t answer = gt_min_i64(timeout_ms() / 8, LAST_TRY), left = slot->last_byte + timeout_ms() - answer - now;
    pause = gt_max_i64(gt_min_i64(gt_min_i64(pause, LONGEST_PAUSE), left), asked_pause(slot));
    if (slot->tries >= most || left <= 0 || pause > left)
        return http_fail(call, slot, GT_FAIL, why);
    slot->state = PAUSED;
    slot->due = now + pause;
    return 0;
}

static int64_t number_at(const char *text)
{
    return text && *text >= '0' && *text <= '9' ? strtoll(text, NULL, 10) : -1;
}

/* "bytes 100-199/1234" -> 100 and 1234; -1: it does not say. */
static int64_t told_range(const struct slot *slot, int64_t *size)
{
    struct curl_header *header;
    *size = -1;
    if (curl_easy_header(slot->easy, "Content-Range", 0, CURLH_HEADER, -1, &header) != CURLHE_OK)
        return -1;
    const char *slash = strchr(header->value, '/');
    *size = slash ? number_at(slash + 1) : -1;
    return number_at(header->value + strcspn(header->value, "0123456789/"));
}

/* Did a range come from another place than it was asked for? */
static bool is_elsewhere(const struct slot *slot)
{
    const struct gt_get *get = slot->get;
    int64_t size, first = told_range(slot, &size);
    if (!get->range || get->n == 0 || first < 0 || (get->offset < 0 && size < 0))
        return false;
    return first != (get->offset >= 0 ? get->offset : gt_max_i64(0, size + get->offset));
}

/* The last bytes, or all of it. */
static int take_end(struct slot *slot, long status)
{
    struct gt_get *get = slot->get;
    if (status == 200)
        get->size = (int64_t)get->buf->len;
    else
        told_range(slot, &get->size);
    if (get->size < (int64_t)get->buf->len)
        get->size = -1;
    return 0;
}

/* A range, as it was asked for: of a server that knows none, all of the value came. */
static int check_body(struct call *call, struct slot *slot, long status)
{
    struct gt_get *get = slot->get;
    int64_t offset = get->offset;
    if (!get->range)
        return 0;
    if (get->at_most)
        return take_end(slot, status);
    if (slot->end > 0 ? slot->part == slot->n_gets : status == 206 && get->buf->len == get->n)
        return 0;
    if (status == 206 || slot->end > 0)
        return http_fail(call, slot, GT_INPUT, "it is truncated: it has fewer bytes than needed");
    int rc = gt_range_resolve(call->http->name, get->key, (int64_t)get->buf->len, &offset, get->n, call->err);
    if (!rc && get->n > 0)
        memmove(get->buf->data, get->buf->data + offset, get->n);
    get->buf->len = get->n;
    return rc;
}

static void set_status(struct slot *slot, int status)
{
    for (size_t i = 0; i < slot->n_gets; i++)
        slot->gets[i]->status = status;
}

/* An answer is complete. */
static int judge(struct call *call, struct slot *slot)
{
    long status = status_of(slot);
    char why[64];
    call->http->answered = true;
    if (slot->send)
        return http_judge_send(call, slot, status);
    snprintf(why, sizeof why, "the server answers with status %ld", status);
    if (status == 404 || (status == 403 && http_opts.missing_403)) {
        set_status(slot, GT_NOENT);
        return 0;
    }
    const bool later = status == 408 || status == 429 || (status >= 500 && status != 501);
    /* what is requested ahead may not be needed: only a server that names a pause is asked again */
    if (status != 200 && status != 206 && slot->get->keep && !(later && asked_pause(slot))) {
        slot->get->status = GT_CANCEL;
        return 0;
    }
    if (later)
        return http_again_or(call, slot, TRIES, why);
    if (status == 416)
        return http_fail(call, slot, GT_INPUT, "it is truncated: it has fewer bytes than needed");
    if (status != 200 && status != 206) {
        http_fail(call, slot, GT_FAIL, why);
        if (status == 403)
            gt_hint(call->err, "some servers answer 403 for missing objects: --missing-403 treats 403 as missing");
        return GT_FAIL;
    }
    if (status == 206 && !call->look && is_elsewhere(slot))
        return http_fail(call, slot, GT_FAIL, "the server returned other bytes than requested");
    int rc = call->look ? 0 : check_body(call, slot, status);
    if (!rc)
        set_status(slot, 0);
    return rc;
}

static int fail_encoded(struct call *call, const struct slot *slot)
{
    char why[192];
    snprintf(why, sizeof why, "the server sent Content-Encoding %.64s, although identity was requested", encoding_of(slot));
    http_fail(call, slot, GT_FAIL, why);
    gt_hint(call->err, "store the files without a Content-Encoding, or turn compression off for them in the server");
    return GT_FAIL;
}

static int weigh(struct call *call, struct slot *slot, CURLcode code)
{
    const char *why = slot->message[0] ? slot->message : curl_easy_strerror(code);
    switch (code) {
    case CURLE_OK:
        return judge(call, slot);
    case CURLE_WRITE_ERROR:
        if (!slot->looked && !slot->why.status && encoding_of(slot))
            return fail_encoded(call, slot);
        if (!slot->why.status)
            return http_fail(call, slot, GT_FAIL,
                             !slot->too_long                                ? why
                             : slot->get->at_most && status_of(slot) == 200 ? "the server does not support range requests"
                                                                            : "the server sent more bytes than requested");
        if (call->err && !call->err->status)
            *call->err = slot->why;
        return slot->why.status;
    case CURLE_COULDNT_RESOLVE_HOST:
        return http_again_or(call, slot, CONNECT_TRIES, why);
    case CURLE_COULDNT_CONNECT:
        return http_again_or(call, slot, call->http->answered || http_opts.waits ? INT_MAX : CONNECT_TRIES, why);
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        return http_again_or(call, slot, TRIES, why);
    default:
        return http_fail(call, slot, GT_FAIL, why);
    }
}

int http_end(struct call *call, struct slot *slot, CURLcode code)
{
    curl_multi_remove_handle(call->pool->multi, slot->easy);
    slot->state = FREE;
    int rc = weigh(call, slot, code);
    if (slot->state == FREE)
        http_count_in_flight(call, -1);
    return rc;
}

/* Nothing comes any more: the connection is given up. */
int http_check_timeout(struct call *call, struct slot *slot, int64_t now)
{
    if (now - slot->begun < patience_ms(slot) && now - slot->last_byte < timeout_ms())
        return 0;
    slot->timeouts++;
    snprintf(slot->message, sizeof slot->message, "no answer for %.3g s", (double)(now - slot->last_byte) / 1000);
    return http_end(call, slot, CURLE_OPERATION_TIMEDOUT);
}

int64_t http_due(const struct slot *slot)
{
    return slot->state == PAUSED ? slot->due : slot->begun + patience_ms(slot);
}
