#include "config.h"

#include "core/base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alias_check.h"
#include "core/base/cleanup.h"
#include "core/base/expect.h"
#include "core/base/lock.h"
#include "core/base/mem.h"
#include "core/base/spoolfile.h"
#include "core/os/os_files.h"
#include "core/os/os_process.h"

/* What is written has the target's name and one of these until it is renamed: the first is locked, and whoever finds it without a
 * lock removes it, as a killed run's; the second is for file systems without locks. */
#define TAIL ".gt-tmp"
#define RANDOM_TAIL ".xxxxxxx.tmp"
#define MAX_TOGETHER 8
#define MAX_ATTEMPTS 1000
#define MAX_LINKS 40

bool gt_is_stdout(const char *path)
{
    return !strcmp(path, "-") || !strcmp(path, "/dev/stdout");
}

/* Is there something that is written in place? */
static bool is_special(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

bool gt_is_stream(const char *path)
{
    const bool device = strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0;
    return gt_is_stdout(path) || device || is_special(path);
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
    out->path = gt_strdup(std ? "standard output" : path, err);
    if (!out->path)
        return GT_FAIL;
    out->fd = std ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (out->fd < 0)
        return std ? gt_fail_errno(err, errno, "cannot write 'standard output'")
                   : gt_fail_errno(err, errno, "cannot open '%s' for writing", path);
    status = binary ? refuse_terminal(out->fd, err) : GT_OK;
    return status;
}

static void name_target(const struct gt_outfile *out, char name[PATH_MAX])
{
    memcpy(name, out->temp, out->target_len);
    name[out->target_len] = '\0';
}

/* Of what the target was, while others that belong to it are renamed: ".old" instead of ".tmp". */
static void name_old(const struct gt_outfile *out, char name[PATH_MAX])
{
    strcpy(name, out->temp);
    strcpy(name + strlen(name) - 3, "old");
}

/* Where locks do not work: target + ".xxxxxxx.tmp". */
static int open_random(struct gt_outfile *out, struct gt_err *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    unsigned char random[7];
    for (int attempt = 0; attempt < 100; attempt++) {
        if (!gt_system_random(random, sizeof random))
            return gt_fail_errno(err, errno, "cannot make a temporary name for '%s'", out->path);
        strcpy(out->temp + out->target_len, RANDOM_TAIL);
        for (size_t i = 0; i < sizeof random; i++)
            out->temp[out->target_len + 1 + i] = letters[random[i] & 31];
        out->fd = open(out->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out->fd >= 0)
            return GT_OK;
        if (errno != EEXIST)
            break;
    }
    return gt_fail_errno(err, errno, "cannot create '%s'", out->path);
}

/* Target + ".gt-tmp", made and locked.  GT_NOENT: that failed because another process came in between, or a dead run's was removed.
 * GT_END: there are no locks here. */
static int open_locked(struct gt_outfile *out, struct gt_err *err)
{
    struct stat st;
    bool made = true;
    int fd = open(out->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST) {
        made = false;
        fd = open(out->temp, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    }
    if (fd < 0 && errno == ENOENT && !made)
        return GT_NOENT;
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        made ? gt_fail_errno(err, errno, "cannot create '%s'", out->path)
             : gt_fail(err, GT_FAIL, "cannot create '%s': '%s' is in the way", out->path, out->temp);
        if (!made)
            gt_hint(err, "move it away");
        if (fd >= 0)
            close(fd);
        return GT_FAIL;
    }
    const enum gt_lock lock = gt_lock_take(fd, out->temp);
    if (lock == GT_LOCK_HELD && made) {
        out->fd = fd;
        return GT_OK;
    }
    if ((lock == GT_LOCK_HELD && !made) || (lock == GT_LOCK_NONE && made))
        unlink(out->temp);
    close(fd);
    if (lock == GT_LOCK_TAKEN)
        return gt_fail(err, GT_FAIL, "cannot create '%s': another process is writing it", out->path);
    return lock == GT_LOCK_NONE ? GT_END : GT_NOENT;
}

/* What is written is open, has a name that is its own, and goes when the process ends early. */
static int open_temp(struct gt_outfile *out, const char *target, struct gt_err *err)
{
    int status = GT_NOENT;
    out->target_len = strlen(target);
    out->temp = gt_alloc(out->target_len + sizeof RANDOM_TAIL, 1, err);
    if (!out->temp)
        return GT_FAIL;
    memcpy(out->temp, target, out->target_len);
    strcpy(out->temp + out->target_len, TAIL);
    for (int attempt = 0; status == GT_NOENT && attempt < MAX_ATTEMPTS; attempt++)
        status = open_locked(out, err);
    if (status < 0)
        status = open_random(out, err);
    if (status) {
        free(out->temp);
        out->temp = NULL;
        return status;
    }
    out->lock = fcntl(out->fd, F_DUPFD_CLOEXEC, 3);
    if (out->lock < 0) {
        status = gt_fail_errno(err, errno, "cannot create '%s'", out->path);
        unlink(out->temp);
        return status;
    }
    char old[PATH_MAX];
    name_old(out, old);
    unlink(old); /* a killed run's */
    return gt_cleanup_add(out->temp, err);
}

int gt_outfile_target(const char *path, char target[PATH_MAX], struct gt_err *err)
{
    char link[PATH_MAX];
    if (strlen(path) >= PATH_MAX)
        return gt_fail_errno(err, ENAMETOOLONG, "cannot create '%s'", path);
    strcpy(target, path);
    for (int links = 0;; links++) {
        ssize_t n = readlink(target, link, sizeof link - 1);
        if (n < 0)
            return GT_OK;
        const char *slash = strrchr(target, '/');
        size_t dir = slash && link[0] != '/' ? (size_t)(slash - target) + 1 : 0;
        if (links == MAX_LINKS || dir + (size_t)n >= PATH_MAX)
            return gt_fail_errno(err, ELOOP, "cannot create '%s'", path);
        memcpy(target + dir, link, (size_t)n);
        target[dir + (size_t)n] = '\0';
    }
}

static int open_beside(struct gt_outfile *out, const char *path, const struct stat *st, struct gt_err *err)
{
    char target[PATH_MAX];
    int status = gt_outfile_target(path, target, err);
    status = status ? status : gt_alias_check_output(target, err);
    if (status)
        return status;
    out->path = gt_strdup(path, err);
    if (!out->path)
        return GT_FAIL;
    if (st && S_ISDIR(st->st_mode))
        return gt_fail_errno(err, EISDIR, "cannot write '%s'", path);
    if (st && access(path, W_OK))
        return gt_fail_errno(err, errno, "cannot write '%s'", path);
    status = open_temp(out, target, err);
    return status ? status : gt_expect_check(path, err); /* with the lock: nobody else writes it from now on */
}

static const struct gt_outfile_remote *remote_outputs;
static const char *remote_tmpdir;

void gt_outfile_set_remote(const struct gt_outfile_remote *remote, const char *tmpdir)
{
    remote_outputs = remote;
    remote_tmpdir = tmpdir;
}

static int open_remote(struct gt_outfile *out, const char *path, struct gt_err *err)
{
    struct gt_spoolfile spool = {.fd = -1, .tmpdir = remote_tmpdir};
    int status = gt_spoolfile_open(&spool, err);
    out->fd = spool.fd;
    out->remote = true;
    if (!status && !(out->path = gt_strdup(path, err))) {
        gt_spoolfile_release(&spool);
        out->fd = -1;
        status = GT_FAIL;
    }
    return status;
}

int gt_outfile_open(struct gt_outfile *out, const char *path, bool binary, struct gt_err *err)
{
    struct stat st;
    int status;
    *out = (struct gt_outfile){.fd = -1, .lock = -1};
    if (remote_outputs && remote_outputs->is_remote(path))
        return open_remote(out, path, err);
    if ((status = gt_is_stdout(path) ? GT_OK : gt_alias_check_output(path, err)))
        return status;
    if (gt_is_stdout(path) || is_special(path))
        status = open_in_place(out, path, binary, err);
    else
        status = open_beside(out, path, stat(path, &st) == 0 ? &st : NULL, err);
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

int gt_outfile_put(struct gt_outfile *out, const void *data, size_t n, struct gt_err *err)
{
    int status = gt_write_all(out->fd, data, n, out->path, err);
    if (!status)
        out->pos += (int64_t)n;
    return status;
}

int gt_outfile_write(struct gt_outfile *out, const void *data, size_t n, struct gt_err *err)
{
    return out->filter ? out->filter->write(out, data, n, err) : gt_outfile_put(out, data, n, err);
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

void gt_outfile_temp_name(const struct gt_outfile *out, char name[PATH_MAX])
{
    if (out->remote)
        snprintf(name, PATH_MAX, "/dev/fd/%d", out->fd);
    else
        snprintf(name, PATH_MAX, "%s", out->temp);
}

static void release(struct gt_outfile *out)
{
    if (out->filter)
        out->filter->free(out);
    if (out->lock >= 0)
        close(out->lock);
    free(out->path);
    free(out->temp);
    *out = (struct gt_outfile){.fd = -1, .lock = -1};
}

/* Everything is in the file. */
static int end(struct gt_outfile *out, struct gt_err *err)
{
    int status = out->filter ? out->filter->finish(out, err) : GT_OK, fd = out->fd;
    if (status || out->remote)
        return status;
    out->fd = -1;
    return close(fd) && errno != EINTR ? gt_fail_errno(err, errno, "cannot write '%s'", out->path) : GT_OK;
}

/* A second name for the file that is about to be replaced, if there is one and the file
 * system has such. */
static bool keep_old(const struct gt_outfile *out)
{
    char target[PATH_MAX], old[PATH_MAX];
    name_target(out, target);
    name_old(out, old);
    return link(target, old) == 0 && gt_cleanup_add(old, NULL) == GT_OK;
}

/* What the target was stands under its name again (back), or goes. */
static void drop_old(const struct gt_outfile *out, bool kept, bool back)
{
    char target[PATH_MAX], old[PATH_MAX];
    name_target(out, target);
    name_old(out, old);
    if (kept)
        gt_cleanup_forget(old);
    if (kept && !(back && rename(old, target) == 0))
        unlink(old);
    else if (!kept && back)
        unlink(target);
}

/* The two files exchange their names, and the old one is removed, with its lock, as that of a killed run.  Some file systems (ext4)
 * write a file to the disk when it replaces another one by rename, but not then.  False: not done. */
static bool exchange(const struct gt_outfile *out, const char *target)
{
    const int old = open(target, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const bool done = old >= 0 && gt_exchange_names(out->temp, target) == 0;
    const enum gt_lock lock = done ? gt_lock_take(old, out->temp) : GT_LOCK_GONE;
    if (lock == GT_LOCK_HELD || lock == GT_LOCK_NONE)
        unlink(out->temp);
    if (old >= 0)
        close(old);
    return done;
}

/* Forgotten first: once it has its name, another process may have one under this. */
static int take_name(const struct gt_outfile *out, struct gt_err *err)
{
    char target[PATH_MAX];
    name_target(out, target);
    gt_cleanup_forget(out->temp);
    if (out->replaced && exchange(out, target))
        return GT_OK;
    return rename(out->temp, target) ? gt_fail_errno(err, errno, "cannot rename to '%s'", out->path) : GT_OK;
}

/* All have ended: they take their names, or none does. */
static int take_names(struct gt_outfile *const out[], int n, struct gt_err *err)
{
    bool kept[MAX_TOGETHER] = {false};
    int status = GT_OK, taken = 0;
    for (int i = 0; i < n && !status; i++) {
        kept[i] = i + 1 < n && keep_old(out[i]);
        status = take_name(out[i], err);
        taken += !status;
        if (status)
            drop_old(out[i], kept[i], false);
    }
    for (int i = 0; i < taken; i++)
        if (i + 1 < n)
            drop_old(out[i], kept[i], status != GT_OK);
    for (int i = 0; i < taken && !status; i++) {
        gt_expect_forget(out[i]->path);
        free(out[i]->temp);
        out[i]->temp = NULL;
    }
    return status;
}

static int send(const struct gt_outfile *out, struct gt_err *err)
{
    struct stat st;
    if (fstat(out->fd, &st) != 0)
        return gt_fail_errno(err, errno, "cannot write '%s'", out->path);
    return remote_outputs->send(out->path, out->fd, st.st_size, err);
}

/* Those at URLs: all of them, or none. */
static int send_all(struct gt_outfile *const out[], int n, struct gt_err *err)
{
    int status = GT_OK, i = 0;
    for (; i < n && !status; i++)
        status = out[i] && out[i]->path && out[i]->remote ? send(out[i], err) : GT_OK;
    for (int k = 0; status && k < i - 1; k++)
        if (out[k] && out[k]->path && out[k]->remote)
            remote_outputs->remove(out[k]->path);
    return status;
}

int gt_outfile_commit_all(struct gt_outfile *const out[], int n, struct gt_err *err)
{
    struct gt_outfile *renamed[MAX_TOGETHER];
    int status = GT_OK, n_renamed = 0;
    for (int i = 0; i < n && !status; i++) {
        if (!out[i] || !out[i]->path)
            continue;
        status = end(out[i], err);
        if (out[i]->temp)
            renamed[n_renamed++] = out[i];
    }
    status = status ? status : send_all(out, n, err);
    if (!status)
        status = take_names(renamed, n_renamed, err);
    for (int i = 0; i < n; i++)
        if (out[i])
            gt_outfile_abort(out[i]);
    return status;
}

int gt_outfile_commit(struct gt_outfile *out, struct gt_err *err)
{
    return gt_outfile_commit_all(&out, 1, err);
}

void gt_outfile_abort(struct gt_outfile *out)
{
    if (!out->path) /* zeroed, or released */
        return;
    if (out->fd >= 0)
        close(out->fd);
    if (out->temp) {
        gt_cleanup_forget(out->temp);
        if (out->lock >= 0 && gt_lock_names(out->lock, out->temp))
            unlink(out->temp);
    }
    release(out);
}
