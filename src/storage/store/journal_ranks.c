/* The journals of other ranks: .gt-ranks/1, .gt-ranks/2, ..., each locked by its rank, with lines as in the journal, without a plan. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/lock.h"
#include "core/base/outfile.h"
#include "storage/store/journal_internal.h"

enum { FLUSH_BYTES = 64 << 10, NAME_BYTES = 64, WAIT_STEP_MS = 20 };

/* --- the journal of a rank --------------------------------------------------------------------------- */

static int read_had(struct gt_journal *j, struct gt_err *err)
{
    struct gt_journal_file r;
    char *plan = NULL;
    int status = gt_journal_open(&r, j->root, j->store, err);
    status = status ? status : gt_journal_read_plan(&r, &plan, err);
    status = status ? status : gt_journal_read_entries(&r, &j->notes, &j->had, &j->n_had, &j->cap_had, err);
    gt_journal_close(&r);
    free(plan);
    return status == GT_NOENT ? gt_fail(err, GT_FAIL, "'%s.partial' was changed by another process", j->store) : status;
}

int gt_journal_join(struct gt_journal **out, int root, const char *path, const char *store, int rank, struct gt_err *err)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, GT_JOURNAL_RANKS "/%d", rank);
    int status = gt_journal_alloc(out, root, path, name, store, err);
    if (status)
        return status;
    struct gt_journal *j = *out;
    if (mkdirat(root, GT_JOURNAL_RANKS, 0777) != 0 && errno != EEXIST)
        status = gt_fail_errno(err, errno, "cannot create '%s/" GT_JOURNAL_RANKS "'", store);
    if (!status && (j->fd = openat(root, name, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_CREAT, 0666)) < 0)
        status = gt_fail_errno(err, errno, "cannot create '%s/%s'", store, name);
    if (!status && gt_lock_take(j->fd, j->path) == GT_LOCK_TAKEN)
        status = gt_fail(err, GT_FAIL, "cannot create '%s': another process is writing it", store);
    status = status ? status : read_had(j, err);
    if (status) {
        gt_journal_free(j);
        *out = NULL;
    }
    return status;
}

/* --- all of them ----------------------------------------------------------------------------------------- */

/* Calls fn for each journal, open; a non-zero result is returned. */
static int each(int root, int (*fn)(void *ctx, int dir, const char *name, int fd, struct gt_err *err), void *ctx, struct gt_err *err)
{
    int dir = openat(root, GT_JOURNAL_RANKS, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), status = GT_OK;
    DIR *entries = dir < 0 ? NULL : fdopendir(dir);
    const struct dirent *entry;
    while (entries && !status && (entry = readdir(entries)) != NULL) {
        int fd = *entry->d_name == '.' ? -1 : openat(dir, entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        if (fd < 0)
            continue;
        status = fn(ctx, dir, entry->d_name, fd, err);
        close(fd);
    }
    if (entries)
        closedir(entries);
    else if (dir >= 0)
        close(dir);
    return status;
}

static int is_taken(void *ctx, int dir, const char *name, int fd, struct gt_err *err)
{
    (void)ctx, (void)dir, (void)name, (void)err;
    return flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK ? GT_END : GT_OK;
}

bool gt_journal_ranks_write(int root)
{
    return each(root, is_taken, NULL, NULL) == GT_END;
}

void gt_journal_ranks_wait(int root, int ms)
{
    const struct timespec step = {.tv_nsec = WAIT_STEP_MS * 1000000L};
    for (int waited = 0; waited < ms && gt_journal_ranks_write(root); waited += WAIT_STEP_MS)
        nanosleep(&step, NULL);
}

/* Adds its whole lines to the journal, and removes it. */
static int take_lines(void *ctx, int dir, const char *name, int fd, struct gt_err *err)
{
    struct gt_journal *j = ctx;
    FILE *file = fdopen(dup(fd), "r");
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    int status = file ? GT_OK : gt_fail_errno(err, errno, "cannot read '%s/" GT_JOURNAL_RANKS "/%s'", j->store, name);
    while (!status && (n = getline(&line, &cap, file)) > 0 && line[n - 1] == '\n') {
        gt_str_addn(&j->lines, line, (size_t)n);
        if (j->lines.len >= FLUSH_BYTES)
            status = gt_journal_flush(j, err);
    }
    if (!status && ferror(file))
        status = gt_fail_errno(err, errno, "cannot read '%s/" GT_JOURNAL_RANKS "/%s'", j->store, name);
    status = status ? status : gt_journal_flush(j, err);
    if (!status && unlinkat(dir, name, 0) != 0 && errno != ENOENT)
        status = gt_fail_errno(err, errno, "cannot remove '%s/" GT_JOURNAL_RANKS "/%s'", j->store, name);
    if (file)
        fclose(file);
    free(line);
    return status;
}

int gt_journal_absorb(struct gt_journal *j, bool *any, struct gt_err *err)
{
    struct stat st;
    *any = fstatat(j->root, GT_JOURNAL_RANKS, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (!*any)
        return GT_OK;
    int status = each(j->root, take_lines, j, err);
    if (!status && unlinkat(j->root, GT_JOURNAL_RANKS, AT_REMOVEDIR) != 0 && errno != ENOENT)
        status = gt_fail_errno(err, errno, "cannot remove '%s/" GT_JOURNAL_RANKS "'", j->store);
    return status;
}
