/* Inputs by URL that are stores. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/mem.h"
#include "core/base/str.h"
#include "storage/http/url.h"
#include "storage/input/url_input.h"

/* Does the path, without what follows a question mark, end like a file of another kind? */
static bool is_file(const char *url)
{
    static const char *const ends[] = {".vcf", ".gz", ".bgz", ".bcf", ".bed", ".tar", ".npy"};
    size_t n = strcspn(url, "?#");
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t k = strlen(ends[i]);
        if (n > k && strncasecmp(url + n - k, ends[i], k) == 0)
            return true;
    }
    return false;
}

/* Length of the URL up to the end of the first part of its path that is named as stores are; 0: none is. */
static size_t named_store(const char *url, bool *zip)
{
    static const char *const ends[] = {".zarr", ".vcz", ".zip"};
    size_t n = strcspn(url, "?#");
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
            size_t end = i + strlen(ends[k]);
            *zip = k == 2;
            if (end <= n && strncasecmp(url + i, ends[k], end - i) == 0 && (end == n || url[end] == '/'))
                return end;
        }
    return *zip = 0;
}

/* Is there metadata at the URL?  0 or GT_NOENT. */
static int has_metadata(const char *url, struct gt_err *err)
{
    static const char *const names[] = {".zgroup", "zarr.json", ".zarray"};
    struct gt_store *store = NULL;
    int rc = gt_store_open_url(&store, url, err);
    if (!rc)
        rc = GT_NOENT;
    for (size_t i = 0; i < sizeof names / sizeof *names && rc == GT_NOENT && store; i++)
        rc = gt_store_has(store, names[i], err);
    gt_store_free(store);
    return rc;
}

/* "a%20b" -> "a b", in place.  %00 stays. */
static void unescape(char *text)
{
    static const char digits[] = "0123456789ABCDEFabcdef";
    char *to = text;
    for (const char *from = text; *from; from++) {
        const bool escape = *from == '%' && strspn(from + 1, digits) >= 2 && strncmp(from, "%00", 3) != 0;
        *to++ = escape ? (char)strtoul((const char[]){from[1], from[2], 0}, NULL, 16) : *from;
        from += escape ? 2 : 0;
    }
    *to = 0;
}

/* The first n characters of the URL and its query are the store's, what is between is inside: a name, without what a URL of the web
 * escapes. */
static int cut(const char *url, size_t n, char **path, char **inner, struct gt_err *err)
{
    size_t end = strcspn(url, "?#");
    struct gt_str text = {0};
    while (n > 0 && url[n - 1] == '/')
        n--;
    gt_str_addn(&text, url, n);
    gt_str_add(&text, url + end);
    const int rc = gt_str_take(&text, path, err);
    while (n < end && url[n] == '/')
        n++;
    while (end > n && url[end - 1] == '/')
        end--;
    *inner = gt_strndup(url + n, end - n, err);
    if (*inner && strncasecmp(url, "http", 4) == 0)
        unescape(*inner);
    return rc ? rc : *inner ? 0 : GT_FAIL;
}

/* Up from an array or group to the root of its store: the highest URL with metadata, as long as each on the way has some. */
static int climb(const char *url, size_t *n, struct gt_err *err)
{
    const char *host = strstr(url, "://") + 3, *first = strchr(host, '/');
    size_t at = *n;
    int rc = 0;
    while (!rc && first && at > (size_t)(first - url)) {
        char *path = NULL, *inner = NULL;
        while (at > 0 && url[at - 1] == '/')
            at--;
        while (at > 0 && url[at - 1] != '/')
            at--;
        if (at <= (size_t)(first - url) + 1)
            break;
        rc = cut(url, at, &path, &inner, err);
        if (!rc && (rc = has_metadata(path, err)) == 0)
            *n = at;
        free(path);
        free(inner);
    }
    return rc == GT_NOENT ? 0 : rc;
}

int gt_url_find_store(struct gt_input *input, struct gt_err *err)
{
    const char *url = input->path;
    bool zip;
    size_t n = named_store(url, &zip);
    char *path = NULL, *inner = NULL;
    int rc = 0;
    if (n == 0 && is_file(url))
        return GT_NOENT;
    if (n == 0) {
        n = strcspn(url, "?#");
        rc = cut(url, n, &path, &inner, err);
        if (!rc && (rc = has_metadata(path, err)) == 0)
            rc = climb(url, &n, err);
        free(path);
        free(inner);
    }
    path = inner = NULL;
    if (!rc)
        rc = cut(url, n, &path, &inner, err);
    if (rc) {
        free(path);
        free(inner);
        return rc;
    }
    free(input->path);
    free(input->inner);
    input->path = path;
    input->inner = inner;
    input->kind = zip ? GT_KIND_ZIP : GT_KIND_ZARR_DIR;
    return 0;
}
