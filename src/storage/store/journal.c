#include "config.h"

#include "storage/store/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "core/base/mem.h"
#include "core/base/outfile.h"
#include "core/base/str.h"
#include "storage/store/journal_read.h"

#define END "end\n"

enum { READ_BYTES = 64 << 10 };

struct gt_journal {
    int root, fd;
    char *store;
    pthread_mutex_t lock;
    struct gt_str lines;          /* that are being written; under the lock */
    struct gt_journal_entry *had; /* of the run before, by key and line */
    size_t n_had, cap_had;
    struct gt_str notes; /* of that run */
};

/* Under the lock.  One write: a kill leaves whole lines, and at most the last one in part. */
static int flush(struct gt_journal *j, struct gt_err *err)
{
    int status = gt_str_check(&j->lines, err);
    status = status ? status : gt_write_all(j->fd, j->lines.s, j->lines.len, j->store, err);
    gt_str_clear(&j->lines);
    return status;
}

/* --- open and close -------------------------------------------------------------------------------- */

static int alloc_journal(struct gt_journal **out, int root, const char *store, struct gt_err *err)
{
    struct gt_journal *j = gt_alloc(1, sizeof *j, err);
    *out = NULL;
    if (!j)
        return GT_FAIL;
    *j = (struct gt_journal){.root = root, .fd = -1, .store = gt_strdup(store, err)};
    pthread_mutex_init(&j->lock, NULL);
    if (j->store)
        *out = j;
    else
        gt_journal_free(j);
    return *out ? GT_OK : GT_FAIL;
}

void gt_journal_free(struct gt_journal *j)
{
    if (!j)
        return;
    if (j->fd >= 0)
        close(j->fd);
    gt_str_release(&j->lines);
    gt_str_release(&j->notes);
    pthread_mutex_destroy(&j->lock);
    free(j->had);
    free(j->store);
    free(j);
}

int gt_journal_new(struct gt_journal **out, int root, const char *store, const char *plan, struct gt_err *err)
{
    int status = alloc_journal(out, root, store, err);
    if (status)
        return status;
    struct gt_journal *j = *out;
    j->fd = openat(root, GT_JOURNAL, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (j->fd < 0)
        return gt_fail_errno(err, errno, "cannot create '%s'", store);
    flock(j->fd, LOCK_EX | LOCK_NB); /* where locks do not work, every journal counts as a dead run's */
    gt_str_addf(&j->lines, GT_JOURNAL_HEAD "%zu\n%s\n", strlen(plan), plan);
    return flush(j, err);
}

static int take_over(struct gt_journal *j, const char *plan, struct gt_err *err)
{
    struct gt_journal_file r;
    char *had = NULL;
    int status = gt_journal_open(&r, j->root, j->store, err);
    status = status ? status : gt_journal_read_plan(&r, &had, err);
    status = status ? status : gt_journal_check_plan(j->store, had, plan, err);
    status = status ? status : gt_journal_read_entries(&r, &j->notes, &j->had, &j->n_had, &j->cap_had, err);
    if (!status && ftruncate(j->fd, r.end) != 0)
        status = gt_fail_errno(err, errno, "cannot write '%s/" GT_JOURNAL "'", j->store);
    gt_journal_close(&r);
    free(had);
    return status;
}

int gt_journal_reopen(struct gt_journal **out, int root, const char *store, const char *plan, struct gt_err *err)
{
    int status = alloc_journal(out, root, store, err);
    if (status)
        return status;
    struct gt_journal *j = *out;
    j->fd = openat(root, GT_JOURNAL, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (j->fd < 0)
        status = errno == ENOENT ? GT_NOENT : gt_fail_errno(err, errno, "cannot read '%s/" GT_JOURNAL "'", store);
    else if (flock(j->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        status = gt_fail(err, GT_FAIL, "cannot create '%s': another process is writing it", store);
    status = status ? status : take_over(j, plan, err);
    if (status) {
        gt_journal_free(j);
        *out = NULL;
    }
    return status;
}

enum gt_journal_state gt_journal_look(int root)
{
    char end[sizeof END] = "";
    int fd = openat(root, GT_JOURNAL, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return GT_JOURNAL_NONE;
    const off_t size = lseek(fd, 0, SEEK_END), n = sizeof END - 1;
    const bool live = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    const bool ended = size > n && pread(fd, end, (size_t)n, size - n) == n && memcmp(end, END, (size_t)n) == 0;
    close(fd);
    return live ? GT_JOURNAL_LIVE : ended ? GT_JOURNAL_ENDED : GT_JOURNAL_DEAD;
}

/* --- values -------------------------------------------------------------------------------------------- */

int gt_journal_add(struct gt_journal *j, const char *key, const void *data, size_t n, struct gt_err *err)
{
    const uint64_t hash = XXH3_64bits(data, n);
    pthread_mutex_lock(&j->lock);
    gt_journal_add_line(&j->lines, key, (int64_t)n, hash);
    int status = flush(j, err);
    pthread_mutex_unlock(&j->lock);
    return status;
}

int gt_journal_note(struct gt_journal *j, const char *text, struct gt_err *err)
{
    pthread_mutex_lock(&j->lock);
    gt_str_addf(&j->lines, GT_JOURNAL_NOTE "%s\n", text);
    int status = flush(j, err);
    pthread_mutex_unlock(&j->lock);
    return status;
}

const char *gt_journal_notes(const struct gt_journal *j)
{
    return j->notes.len ? j->notes.s : "";
}

int gt_journal_end(struct gt_journal *j, struct gt_err *err)
{
    pthread_mutex_lock(&j->lock);
    gt_str_add(&j->lines, END);
    int status = flush(j, err);
    pthread_mutex_unlock(&j->lock);
    return status;
}

/* Does the file have these bytes?  drop: they are to come from the disk. */
static int is_whole(const struct gt_journal *j, const char *key, const struct gt_journal_entry *entry, bool drop, bool *whole,
                    struct gt_err *err)
{
    int fd = openat(j->root, key, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), status = GT_OK;
    uint8_t *part = gt_alloc(READ_BYTES, 1, err);
    XXH3_state_t *state = XXH3_createState();
    int64_t size = 0;
    ssize_t n = 0;
    *whole = false;
    if (fd < 0 && errno != ENOENT)
        status = gt_fail_errno(err, errno, "cannot open '%s/%s'", j->store, key);
    if (!part || !state)
        status = status ? status : gt_no_memory(err);
    if (fd >= 0 && !status) {
        if (drop)
            posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        XXH3_64bits_reset(state);
        while ((n = read(fd, part, READ_BYTES)) > 0 || (n < 0 && errno == EINTR))
            if (n > 0) {
                XXH3_64bits_update(state, part, (size_t)n);
                size += n;
            }
        if (n < 0)
            status = gt_fail_errno(err, errno, "cannot read '%s/%s'", j->store, key);
        *whole = !status && size == entry->size && XXH3_64bits_digest(state) == entry->hash;
    }
    if (fd >= 0)
        close(fd);
    XXH3_freeState(state);
    free(part);
    return status;
}

int gt_journal_done(struct gt_journal *j, const char *key, int64_t *size, struct gt_err *err)
{
    const struct gt_journal_entry *entry = gt_journal_find(j->had, j->n_had, XXH3_64bits(key, strlen(key)));
    bool whole;
    if (!entry)
        return GT_NOENT;
    int status = is_whole(j, key, entry, false, &whole, err);
    *size = entry->size;
    return status ? status : whole ? GT_OK : GT_NOENT;
}

static int verify_lines(const struct gt_journal *j, struct gt_journal_file *r, const struct gt_journal_entry *entries, size_t n,
                        int64_t *values, int64_t *bytes, struct gt_err *err)
{
    struct gt_journal_entry entry;
    const char *key;
    int status = GT_OK;
    while (!status && gt_journal_next(r, NULL, &entry, &key)) {
        bool whole;
        if (gt_journal_find(entries, n, entry.key)->line != entry.line)
            continue;
        status = is_whole(j, key, &entry, true, &whole, err);
        if (!status && !whole)
            status = gt_fail(err, GT_INPUT, "'%s/%s' is not what was written", j->store, key);
        ++*values;
        *bytes += entry.size;
    }
    return status;
}

int gt_journal_verify(struct gt_journal *j, int64_t *values, int64_t *bytes, struct gt_err *err)
{
    struct gt_journal_file r = {0};
    struct gt_journal_entry *entries = NULL;
    size_t n = 0, cap = 0;
    char *plan = NULL;
    *values = *bytes = 0;
    int status = GT_OK;
    if (syncfs(j->root) != 0 && errno != EINVAL && errno != ENOSYS)
        status = gt_fail_errno(err, errno, "cannot write '%s'", j->store);
    for (int pass = 0; pass < 2 && !status; pass++) {
        status = gt_journal_open(&r, j->root, j->store, err);
        status = status ? status : gt_journal_read_plan(&r, &plan, err);
        if (!status)
            status =
                pass ? verify_lines(j, &r, entries, n, values, bytes, err) : gt_journal_read_entries(&r, NULL, &entries, &n, &cap, err);
        gt_journal_close(&r);
        free(plan);
        plan = NULL;
    }
    free(entries);
    return status == GT_NOENT ? gt_fail(err, GT_INPUT, "'%s/" GT_JOURNAL "' is damaged", j->store) : status;
}
