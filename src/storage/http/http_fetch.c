/* Small documents of services on the machine. */
#include "config.h"

#include <curl/curl.h>

#include "core/base/mem.h"
#include "storage/http/credentials.h"

enum { TIMEOUT_MS = 2000, CONNECT_MS = 1000, LONGEST = 64 << 10 };

static size_t on_data(char *data, size_t size, size_t n, void *ctx)
{
    struct gt_buf *text = ctx;
    n *= size;
    return text->len + n <= LONGEST && !gt_buf_append(text, data, n, NULL) ? n : 0;
}

int gt_http_fetch(const char *method, const char *url, const char *header, struct gt_buf *text, struct gt_err *err)
{
    CURL *easy = curl_easy_init();
    struct curl_slist *headers = header ? curl_slist_append(NULL, header) : NULL;
    long status = 0;
    CURLcode code = CURLE_OUT_OF_MEMORY;
    if (easy && (!header || headers)) {
        curl_easy_setopt(easy, CURLOPT_URL, url);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
        curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
        curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
        curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
        curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)TIMEOUT_MS);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_data);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, text);
        code = curl_easy_perform(easy);
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    }
    curl_slist_free_all(headers);
    curl_easy_cleanup(easy);
    if (code == CURLE_OUT_OF_MEMORY)
        return gt_no_memory(err);
    if (code != CURLE_OK || status != 200)
        return gt_fail(err, GT_FAIL, "cannot read credentials from '%s': %s", url,
                       code != CURLE_OK ? curl_easy_strerror(code) : "it has none");
    return 0;
}
