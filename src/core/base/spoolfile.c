#include "config.h"

#include "core/base/spoolfile.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/os/os_files.h"

int gt_spoolfile_open(struct gt_spoolfile *spool, struct gt_err *err)
{
    if (spool->fd >= 0)
        return 0;
    spool->fd = gt_open_unnamed(spool->tmpdir);
    if (spool->fd >= 0)
        return 0;
    int rc = gt_fail_errno(err, errno, "cannot create a temporary file in '%s'", spool->tmpdir);
    gt_hint(err, "choose another directory with --tmpdir");
    return rc;
}

int gt_spoolfile_write(struct gt_spoolfile *spool, const void *data, size_t n, int64_t offset, struct gt_err *err)
{
    for (const uint8_t *at = data; n > 0;) {
        ssize_t done = pwrite(spool->fd, at, n, offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            int rc = gt_fail_errno(err, errno, "cannot write a temporary file in '%s'", spool->tmpdir);
            gt_hint(err, "choose another directory with --tmpdir");
            return rc;
        }
        at += done, offset += done, n -= (size_t)done;
    }
    for (int64_t end = spool->end; offset > end && !atomic_compare_exchange_weak(&spool->end, &end, offset);)
        continue;
    return 0;
}

int gt_spoolfile_read(const struct gt_spoolfile *spool, void *data, size_t n, int64_t offset, struct gt_err *err)
{
    for (uint8_t *at = data; n > 0;) {
        ssize_t done = pread(spool->fd, at, n, offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return gt_fail_errno(err, done < 0 ? errno : EIO, "cannot read a temporary file in '%s'", spool->tmpdir);
        at += done, offset += done, n -= (size_t)done;
    }
    return 0;
}

void gt_spoolfile_release(struct gt_spoolfile *spool)
{
    if (spool->fd >= 0)
        close(spool->fd);
    spool->fd = -1;
}
