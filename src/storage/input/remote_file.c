#include "config.h"

#include "storage/input/remote_file.h"

#include <errno.h>
#include <htslib/hfile.h>
#include <htslib/hts_log.h>
#include <stdio.h>
#include <string.h>

bool gt_remote_named(const char *path)
{
    return strstr(path, "://") != NULL && hisremote(path);
}

int gt_remote_open(struct hFILE **out, int64_t *size, const char *url, struct gt_err *err)
{
    hts_set_log_level(HTS_LOG_OFF);
    errno = 0;
    struct hFILE *file = hopen(url, "r");
    if (!file)
        return gt_fail_errno(err, errno ? errno : EIO, "cannot open '%s'", url);
    *size = hseek(file, 0, SEEK_END);
    if (*size >= 0 && hseek(file, 0, SEEK_SET) < 0) {
        int status = gt_fail_errno(err, errno, "cannot read '%s'", url);
        gt_remote_close(file);
        return status;
    }
    hclearerr(file);
    *out = file;
    return 0;
}

/* hread, whose errno for a connection that breaks off is that of a closed pipe. */
static ssize_t read_on(struct hFILE *file, void *data, size_t n)
{
    ssize_t got = hread(file, data, n);
    if (got < 0 && errno == EPIPE)
        errno = ECONNRESET;
    return got;
}

ssize_t gt_remote_read(struct hFILE *file, void *data, size_t n)
{
    return read_on(file, data, n);
}

ssize_t gt_remote_pread(struct hFILE *file, void *data, size_t n, int64_t offset)
{
    if (htell(file) != offset && hseek(file, offset, SEEK_SET) < 0)
        return -1;
    return read_on(file, data, n);
}

void gt_remote_close(struct hFILE *file)
{
    hclose_abruptly(file); /* it was read only: nothing can get lost */
}
