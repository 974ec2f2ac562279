/* Files that are written to URLs. */
#include "config.h"

#include <errno.h>
#include <sys/mman.h>

#include "core/base/outfile.h"
#include "storage/http/objects.h"
#include "storage/http/url.h"
#include "storage/http/url_writer.h"

static int send_file(const char *url, int fd, int64_t size, struct gt_err *err)
{
    struct gt_http_place place;
    void *data = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0) : NULL;
    if (data == MAP_FAILED)
        return gt_fail_errno(err, errno, "cannot read what is to be written to '%s'", url);
    int rc = gt_http_place_open(&place, url, err);
    rc = rc ? rc : gt_http_put_large(place.http, &place.site, "", data ? data : "", (size_t)size, err);
    gt_http_place_close(&place);
    if (data)
        munmap(data, (size_t)size);
    return rc;
}

static int request(const char *url, const char *method, struct gt_err *err)
{
    struct gt_http_place place;
    struct gt_http_send send = {.method = method, .key = ""};
    int rc = gt_http_place_open(&place, url, err);
    rc = rc ? rc : gt_http_send_many(place.http, &send, 1, err);
    gt_http_place_close(&place);
    return rc ? rc : send.status;
}

static void remove_file(const char *url)
{
    request(url, "DELETE", NULL);
}

int gt_file_exists_at_url(const char *url, bool *exists, struct gt_err *err)
{
    int rc = request(url, "HEAD", err);
    *exists = !rc;
    return rc == GT_NOENT ? 0 : rc;
}

void gt_url_accept_files(const char *tmpdir)
{
    static const struct gt_outfile_remote remote = {gt_store_is_url, send_file, remove_file};
    gt_outfile_set_remote(&remote, tmpdir);
}
