/* Forms of URLs by which an output is recognised as an input; what is shown of them. */
#include <string.h>

#include "storage/http/url.h"
#include "test/support/tap.h"

static void check(void (*add)(struct gt_str *, const char *), const char *url, const char *want)
{
    struct gt_str got = {0};
    add(&got, url);
    ok(got.s && strcmp(got.s, want) == 0, "%s: %s, wanted %s", url, got.s ? got.s : "nothing", want);
    gt_str_release(&got);
}

static void check_normal(void)
{
    static const char *const urls[][2] = {
        {"http://host/x", "http://host/x"},
        {"http://host:80/x", "http://host/x"},
        {"https://host:443/x", "https://host/x"},
        {"http://host:443/x", "http://host:443/x"},
        {"https://host:80/x", "https://host:80/x"},
        {"http://host:8080/x", "http://host:8080/x"},
        {"http://host:180/x", "http://host:180/x"},
        {"https://host:1443/x", "https://host:1443/x"},
        {"http://HOST.Example/X", "http://host.example/X"},
        {"http://host//a///b/", "http://host/a/b"},
        {"http://host/a%20b%2fc", "http://host/a b/c"},
        {"http://host/a%2", "http://host/a%2"},
        {"http://user:secret@host:80/x?signed=1", "http://host/x"},
        {"http://[::1]:80/x", "http://[::1]/x"},
    };
    for (size_t k = 0; k < sizeof urls / sizeof *urls; k++)
        check(gt_url_add_normal, urls[k][0], urls[k][1]);
}

static void check_public(void)
{
    static const char *const urls[][2] = {
        {"http://host/x.zarr", "http://host/x.zarr"},
        {"http://u:p@host/x.zarr?key=1", "http://...@host/x.zarr?..."},
        {"cannot open http://u:p@host/x: no", "cannot open http://...@host/x: no"},
        {"no URL: a@b?c", "no URL: a@b?c"},
    };
    for (size_t k = 0; k < sizeof urls / sizeof *urls; k++)
        check(gt_url_add_public, urls[k][0], urls[k][1]);
}

static void check_schemes(void)
{
    static const char *const are[] = {"http://h/x", "https://h/x", "s3://b/x", "gs://b/x"};
    static const char *const are_not[] = {"", "x.zarr", "http:/h/x", "/http://h/x", "s3:x", "ftp://h/x", "file:///x"};
    for (size_t k = 0; k < sizeof are / sizeof *are; k++)
        ok(gt_store_is_url(are[k]), "%s is a URL", are[k]);
    for (size_t k = 0; k < sizeof are_not / sizeof *are_not; k++)
        ok(!gt_store_is_url(are_not[k]), "'%s' is none", are_not[k]);
}

int main(void)
{
    check_normal();
    check_public();
    check_schemes();
    return done_testing();
}
