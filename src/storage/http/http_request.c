/* One request: how it is put, what its answer says, and whether it is put again. */
#include "config.h"

#include "storage/http/http_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/base/str.h"
#include "storage/store/range.h"

enum {
    TRIES = 15,        /* of one request */
    CONNECT_TRIES = 4, /* where there is no server to speak to */
    FIRST_PAUSE = 100, /* ms */
    LONGEST_PAUSE = 4000,
    LONGEST_WISH = 30000 /* of a server that names a pause */
};

struct gt_url_opts http_opts = {.timeout = 60, .parallel = SEATS / 2};
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
static int64_t patience_ms(const struct seat *seat)
{
    return timeout_ms() / (seat->silences ? 2 : 4);
}

/* --- what comes in -------------------------------------------------------------------- */

static long status_of(const struct seat *seat)
{
    long status = 0;
    curl_easy_getinfo(seat->easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

/* Room for all of it where the server tells how much it is. */
static int make_room(struct seat *seat, size_t n)
{
    curl_off_t length = -1;
    struct gt_buf *buf = seat->get->buf;
    curl_easy_getinfo(seat->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    if (buf->len == 0 && length > 0)
        return gt_buf_reserve(buf, (size_t)length, &seat->why);
    return gt_buf_reserve(buf, buf->len + n <= buf->cap ? buf->len + n : 2 * buf->len + n, &seat->why);
}

/* Of a value that is sent in another form than it is stored in, ranges mean nothing; NULL: it is sent as it is.  aws-chunked is how it
 * was uploaded. */
static const char *encoding_of(const struct seat *seat)
{
    struct curl_header *header;
    if (curl_easy_header(seat->easy, "Content-Encoding", 0, CURLH_HEADER, -1, &header) != CURLHE_OK || !*header->value ||
        strcasecmp(header->value, "identity") == 0 || strcasecmp(header->value, "aws-chunked") == 0)
        return NULL;
    return header->value;
}

static size_t on_data(char *data, size_t size, size_t n, void *ctx)
{
    struct seat *seat = ctx;
    struct gt_buf *buf = seat->get->buf;
    long status = status_of(seat);
    n *= size;
    n_bytes += (int64_t)n;
    seat->begun = seat->heard = http_now();
    if (status != 200 && status != 206) /* what it says of a failure */
        return n;
    if (!seat->looked && encoding_of(seat))
        return 0;
    seat->looked = true;
    if (seat->end > 0) {
        seat->at = seat->at >= 0 ? seat->at : status == 206 ? seat->get->offset : 0;
        seat->too_long = status == 206 && seat->at + (int64_t)n > seat->end;
        return seat->too_long || http_take_parts(seat, data, n) ? 0 : n;
    }
    seat->too_long = (status == 206 || seat->get->at_most) && seat->get->range && buf->len + n > seat->get->n;
    if (seat->too_long || make_room(seat, n) || gt_buf_append(buf, data, n, &seat->why))
        return 0;
    return n;
}

/* --- requests --------------------------------------------------------------------------- */

static int fail(const struct call *call, const struct seat *seat, int status, const char *why)
{
    const char *name = call->http->name;
    gt_fail(call->err, status, "cannot read '%.*s%s%s': %s%s", (int)strcspn(name, "?"), name, *seat->get->key ? "/" : "", seat->get->key,
            why, seat->tries > 1 ? ", after retries" : "");
    return status;
}

static int set_url(struct call *call, struct seat *seat)
{
    const struct gt_http_site *site = call->http->site;
    struct gt_str url = {0};
    gt_str_addf(&url, "%s%s", site->base, *seat->get->key ? "/" : "");
    gt_http_escape(&url, seat->get->key);
    gt_str_add(&url, site->query);
    int rc = gt_str_check(&url, call->err);
    if (!rc && curl_easy_setopt(seat->easy, CURLOPT_URL, url.s) != CURLE_OK)
        rc = gt_no_memory(call->err);
    gt_str_release(&url);
    return rc;
}

static void set_range(struct seat *seat)
{
    const struct gt_get *get = seat->get;
    char range[64];
    if (get->offset < 0)
        snprintf(range, sizeof range, "%lld", (long long)get->offset); /* "-n": the last ones */
    else
        snprintf(range, sizeof range, "%lld-%lld", (long long)get->offset,
                 (long long)(seat->end > 0 ? seat->end : get->offset + (int64_t)get->n) - 1);
    curl_easy_setopt(seat->easy, CURLOPT_RANGE, get->range && get->n > 0 ? range : NULL);
}

int http_start(struct call *call, struct seat *seat)
{
    for (size_t i = 0; i < seat->n_gets; i++)
        if (seat->gets[i]->buf)
            seat->gets[i]->buf->len = 0;
    seat->at = -1;
    seat->part = 0;
    seat->too_long = seat->looked = false;
    seat->message[0] = 0;
    seat->begun = http_now();
    if (seat->tries++ == 0)
        seat->heard = seat->begun;
    else
        n_retries++;
    n_requests++;
    curl_easy_setopt(seat->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)patience_ms(seat));
    if (curl_multi_add_handle(call->bench->multi, seat->easy) != CURLM_OK)
        return gt_no_memory(call->err);
    seat->state = RUNNING;
    return 0;
}

/* As curl and htslib have it: certificates of one's own. */
static const char *ca_file(void)
{
    static const char *const names[] = {"CURL_CA_BUNDLE", "SSL_CERT_FILE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]) && *getenv(names[i]))
            return getenv(names[i]);
    return NULL;
}

static CURL *new_easy(struct gt_http *http, struct seat *seat)
{
    CURL *easy = curl_easy_init();
    if (!easy)
        return NULL;
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, seat);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_data);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, seat);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, seat->message);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(easy, CURLOPT_MAXREDIRS, 5L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_USERAGENT, PACKAGE_NAME "/" PACKAGE_VERSION);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L << 10);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, http->headers);
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "identity"); /* no header of ours: these are signed, and proxies change this one */
    curl_easy_setopt(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L); /* HTTP/2 has all on one connection */
    if (ca_file())
        curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file());
    if (http->site->sign) {
        curl_easy_setopt(easy, CURLOPT_AWS_SIGV4, http->site->sign);
        curl_easy_setopt(easy, CURLOPT_USERPWD, http->site->user);
    }
    return easy;
}

void http_sit(struct call *call, int n)
{
    call->bench->sitting += n;
    call->http->sitting += n;
}

/* A request takes its seat. */
int http_sit_down(struct call *call, struct seat *seat)
{
    seat->tries = seat->silences = 0;
    gt_err_clear(&seat->why);
    if (!seat->easy && !(seat->easy = new_easy(call->http, seat)))
        return gt_no_memory(call->err);
    curl_easy_setopt(seat->easy, CURLOPT_NOBODY, call->look ? 1L : 0L);
    if (!call->look)
        curl_easy_setopt(seat->easy, CURLOPT_HTTPGET, 1L);
    set_range(seat);
    http_sit(call, 1);
    int rc = set_url(call, seat);
    return rc ? rc : http_start(call, seat);
}

/* --- what became of them ------------------------------------------------------------------ */

/* Ends with this, or comes again. */
static int again_or(struct call *call, struct seat *seat, int most, const char *why)
{
    int64_t pause = (int64_t)FIRST_PAUSE << (seat->tries < 10 ? seat->tries - 1 : 9), now = http_now();
    curl_off_t wish = 0;
    pause = pause < LONGEST_PAUSE ? pause : LONGEST_PAUSE;
    curl_easy_getinfo(seat->easy, CURLINFO_RETRY_AFTER, &wish);
    if (wish > 0 && wish * 1000 > pause)
        pause = wish * 1000 < LONGEST_WISH ? wish * 1000 : LONGEST_WISH;
    if (seat->tries >= most || now + pause - seat->heard > timeout_ms())
        return fail(call, seat, GT_FAIL, why);
    seat->state = PAUSED;
    seat->due = now + pause;
    return 0;
}

static int64_t number_at(const char *text)
{
    return text && *text >= '0' && *text <= '9' ? strtoll(text, NULL, 10) : -1;
}

/* "bytes 100-199/1234" -> 100 and 1234; -1: it does not say. */
static int64_t told_range(const struct seat *seat, int64_t *size)
{
    struct curl_header *header;
    *size = -1;
    if (curl_easy_header(seat->easy, "Content-Range", 0, CURLH_HEADER, -1, &header) != CURLHE_OK)
        return -1;
    const char *slash = strchr(header->value, '/');
    *size = slash ? number_at(slash + 1) : -1;
    return number_at(header->value + strcspn(header->value, "0123456789/"));
}

/* Did a range come from another place than it was asked for? */
static bool is_elsewhere(const struct seat *seat)
{
    const struct gt_get *get = seat->get;
    int64_t size, first = told_range(seat, &size);
    if (!get->range || get->n == 0 || first < 0 || (get->offset < 0 && size < 0))
        return false;
    return first != (get->offset >= 0 ? get->offset : gt_max_i64(0, size + get->offset));
}

/* The last bytes, or all of it. */
static int take_end(struct seat *seat, long status)
{
    struct gt_get *get = seat->get;
    if (status == 200)
        get->size = (int64_t)get->buf->len;
    else
        told_range(seat, &get->size);
    if (get->size < (int64_t)get->buf->len)
        get->size = -1;
    return 0;
}

/* A range, as it was asked for: of a server that knows none, all of the value came. */
static int check_body(struct call *call, struct seat *seat, long status)
{
    struct gt_get *get = seat->get;
    int64_t offset = get->offset;
    if (!get->range)
        return 0;
    if (get->at_most)
        return take_end(seat, status);
    if (seat->end > 0 ? seat->part == seat->n_gets : status == 206 && get->buf->len == get->n)
        return 0;
    if (status == 206 || seat->end > 0)
        return fail(call, seat, GT_INPUT, "it is truncated: it has fewer bytes than needed");
    int rc = gt_range_resolve(call->http->name, get->key, (int64_t)get->buf->len, &offset, get->n, call->err);
    if (!rc && get->n > 0)
        memmove(get->buf->data, get->buf->data + offset, get->n);
    get->buf->len = get->n;
    return rc;
}

static void set_status(struct seat *seat, int status)
{
    for (size_t i = 0; i < seat->n_gets; i++)
        seat->gets[i]->status = status;
}

/* An answer is complete. */
static int judge(struct call *call, struct seat *seat)
{
    long status = status_of(seat);
    char why[64];
    snprintf(why, sizeof why, "the server answers with status %ld", status);
    if (status == 404 || (status == 403 && http_opts.missing_403)) {
        set_status(seat, GT_NOENT);
        return 0;
    }
    if (status != 200 && status != 206 && seat->get->keep) {
        seat->get->status = GT_CANCEL;
        return 0;
    }
    if (status == 408 || status == 429 || (status >= 500 && status != 501))
        return again_or(call, seat, TRIES, why);
    if (status == 416)
        return fail(call, seat, GT_INPUT, "it is truncated: it has fewer bytes than needed");
    if (status != 200 && status != 206) {
        fail(call, seat, GT_FAIL, why);
        if (status == 403)
            gt_hint(call->err, "some servers answer 403 for missing objects: --missing-403 treats 403 as missing");
        return GT_FAIL;
    }
    if (status == 206 && !call->look && is_elsewhere(seat))
        return fail(call, seat, GT_FAIL, "the server returned other bytes than requested");
    int rc = call->look ? 0 : check_body(call, seat, status);
    if (!rc)
        set_status(seat, 0);
    return rc;
}

static int fail_encoded(struct call *call, const struct seat *seat)
{
    char why[192];
    snprintf(why, sizeof why, "the server sent Content-Encoding %.64s, although identity was requested", encoding_of(seat));
    fail(call, seat, GT_FAIL, why);
    gt_hint(call->err, "store the files without a Content-Encoding, or turn compression off for them in the server");
    return GT_FAIL;
}

static int weigh(struct call *call, struct seat *seat, CURLcode code)
{
    const char *why = seat->message[0] ? seat->message : curl_easy_strerror(code);
    switch (code) {
    case CURLE_OK:
        return judge(call, seat);
    case CURLE_WRITE_ERROR:
        if (!seat->looked && !seat->why.status && encoding_of(seat))
            return fail_encoded(call, seat);
        if (!seat->why.status)
            return fail(call, seat, GT_FAIL,
                        !seat->too_long                                ? why
                        : seat->get->at_most && status_of(seat) == 200 ? "the server does not support range requests"
                                                                       : "the server sent more bytes than requested");
        if (call->err && !call->err->status)
            *call->err = seat->why;
        return seat->why.status;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
        return again_or(call, seat, CONNECT_TRIES, why);
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        return again_or(call, seat, TRIES, why);
    default:
        return fail(call, seat, GT_FAIL, why);
    }
}

int http_end(struct call *call, struct seat *seat, CURLcode code)
{
    curl_multi_remove_handle(call->bench->multi, seat->easy);
    seat->state = FREE;
    int rc = weigh(call, seat, code);
    if (seat->state == FREE)
        http_sit(call, -1);
    return rc;
}

/* Nothing comes any more: the connection is given up. */
int http_check_silence(struct call *call, struct seat *seat, int64_t now)
{
    if (now - seat->begun < patience_ms(seat) && now - seat->heard < timeout_ms())
        return 0;
    seat->silences++;
    snprintf(seat->message, sizeof seat->message, "no answer for %.3g s", (double)(now - seat->heard) / 1000);
    return http_end(call, seat, CURLE_OPERATION_TIMEDOUT);
}

int64_t http_due(const struct seat *seat)
{
    return seat->state == PAUSED ? seat->due : seat->begun + patience_ms(seat);
}
