#include "config.h"

#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/guard.h"
#include "base/str.h"

/* Temporary names are the target's plus this many characters. */
#define TAIL_LEN 12

bool gt_is_stdout(const char *path)
{
    return !strcmp(path, "-") || !strcmp(path, "/dev/stdout");
}

static int refuse_terminal(int fd, struct gt_err *err)
{
    if (!isatty(fd))
        return GT_OK;
    gt_fail(err, GT_USAGE, "refusing to write binary data to a terminal");
    gt_hint(err, "use -o FILE, or a pipe");
    return GT_USAGE;
}

static int open_in_place(struct gt_outfile *out, const char *path, bool binary, struct gt_err *err)
{
    bool std = gt_is_stdout(path);
    int status;
    out->in_place = true;
    out->fd = std ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    out->path = gt_xstrdup(std ? "standard output" : path);
    if (out->fd < 0)
        return std ? gt_fail_errno(err, errno, "cannot write to standard output")
                   : gt_fail_errno(err, errno, "cannot open '%s' for writing", path);
    status = binary ? refuse_terminal(out->fd, err) : GT_OK;
    return status;
}

/* Creates target + ".xxxxxxx.tmp". */
static int open_temp(struct gt_outfile *out, const char *target, struct gt_err *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    unsigned char random[7];
    size_t n = strlen(target);
    out->temp = gt_xmalloc(n + TAIL_LEN + 1);
    for (int attempt = 0; attempt < 100; attempt++) {
        if (getrandom(random, sizeof random, 0) != sizeof random)
            return gt_fail_errno(err, errno, "cannot make a temporary name for '%s'", out->path);
        memcpy(out->temp, target, n);
        out->temp[n] = '.';
        for (size_t i = 0; i < sizeof random; i++)
            out->temp[n + 1 + i] = letters[random[i] & 31];
        memcpy(out->temp + n + 1 + sizeof random, ".tmp", 5);
        gt_cleanup_add(out->temp);
        out->fd = open(out->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out->fd >= 0)
            return GT_OK;
        gt_cleanup_forget(out->temp);
        if (errno != EEXIST)
            break;
    }
    free(out->temp);
    out->temp = NULL;
    return gt_fail_errno(err, errno, "cannot create '%s'", out->path);
}

int gt_outfile_open(struct gt_outfile *out, const char *path, bool binary, struct gt_err *err)
{
    struct stat st;
    char *target = NULL;
    int status;
    *out = (struct gt_outfile){.fd = -1};
    if ((status = gt_is_stdout(path) ? GT_OK : gt_guard_output(path, err)))
        return status;
    bool exists = stat(path, &st) == 0;
    if (gt_is_stdout(path) || (exists && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))) {
        status = open_in_place(out, path, binary, err);
    } else {
        out->path = gt_xstrdup(path);
        /* through a link to the file it means, so that the link stays a link */
        target = exists ? realpath(path, NULL) : NULL;
        if (exists && S_ISDIR(st.st_mode))
            status = gt_fail_errno(err, EISDIR, "cannot write '%s'", path);
        else if (exists && access(path, W_OK))
            status = gt_fail_errno(err, errno, "cannot write '%s'", path);
        else
            status = open_temp(out, target ? target : path, err);
        free(target);
    }
    if (status)
        gt_outfile_abort(out);
    return status;
}

int gt_write_all(int fd, const void *data, size_t n, const char *name, struct gt_err *err)
{
    const char *at = data;
    while (n) {
        ssize_t done = write(fd, at, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
            continue;
        }
        if (done < 0)
            return gt_fail_errno(err, errno, "cannot write '%s'", name);
        at += done;
        n -= (size_t)done;
    }
    return GT_OK;
}

int gt_outfile_write(struct gt_outfile *out, const void *data, size_t n, struct gt_err *err)
{
    int status = gt_write_all(out->fd, data, n, out->path, err);
    if (!status)
        out->pos += (int64_t)n;
    return status;
}

int gt_outfile_pwrite(struct gt_outfile *out, const void *data, size_t n, int64_t offset, struct gt_err *err)
{
    const char *at = data;
    while (n) {
        ssize_t done = pwrite(out->fd, at, n, offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return gt_fail_errno(err, errno, "cannot write '%s'", out->path);
        at += done;
        offset += done;
        n -= (size_t)done;
    }
    return GT_OK;
}

static void release(struct gt_outfile *out)
{
    free(out->path);
    free(out->temp);
    *out = (struct gt_outfile){.fd = -1};
}

int gt_outfile_commit(struct gt_outfile *out, struct gt_err *err)
{
    int status = GT_OK, fd = out->fd;
    out->fd = -1;
    if (close(fd) && errno != EINTR)
        status = gt_fail_errno(err, errno, "cannot write '%s'", out->path);
    if (!status && out->temp) {
        char *target = gt_xstrndup(out->temp, strlen(out->temp) - TAIL_LEN);
        if (rename(out->temp, target))
            status = gt_fail_errno(err, errno, "cannot rename to '%s'", out->path);
        else
            gt_cleanup_forget(out->temp);
        free(target);
    }
    if (status)
        gt_outfile_abort(out);
    else
        release(out);
    return status;
}

void gt_outfile_abort(struct gt_outfile *out)
{
    if (!out->path) /* zeroed, or released */
        return;
    if (out->fd >= 0)
        close(out->fd);
    if (out->temp) {
        unlink(out->temp);
        gt_cleanup_forget(out->temp);
    }
    release(out);
}
