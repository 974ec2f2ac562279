#include "config.h"

#include "storage/store/journal_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "core/base/lock.h"
#include "core/base/mem.h"
#include "core/base/outfile.h"
#include "core/base/str.h"
#include "core/os/os_files.h"
#include "storage/store/dir_output.h"

#define END "end\n"

enum { READ_BYTES = 64 << 10 };

int gt_journal_flush(struct gt_journal *j, struct gt_err *err)
{
    int status = gt_str_check(&j->lines, err);
    status = status || !j->lines.len ? status : gt_write_all(j->fd, j->lines.s, j->lines.len, j->store, err);
    gt_str_clear(&j->lines);
    return status;
}

/* --- open and close -------------------------------------------------------------------------------- */

static char *journal_path(const char *dir, const char *name, struct gt_err *err)
{
    struct gt_str path = {0};
    gt_str_addf(&path, "%s/%s", dir, name);
    if (gt_str_check(&path, err) == GT_OK)
        return path.s;
    gt_str_release(&path);
    return NULL;
}

int gt_journal_alloc(struct gt_journal **out, int root, const char *path, const char *name, const char *store, struct gt_err *err)
{
    struct gt_journal *j = gt_alloc(1, sizeof *j, err);
    *out = NULL;
    if (!j)
        return GT_FAIL;
    *j = (struct gt_journal){.root = root, .fd = -1, .store = gt_strdup(store, err), .path = journal_path(path, name, err)};
    pthread_mutex_init(&j->lock, NULL);
    if (j->store && j->path)
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
    free(j->path);
    free(j->store);
    free(j);
}

static int open_journal(struct gt_journal *j, struct gt_err *err)
{
    const int flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
    j->fd = openat(j->root, GT_JOURNAL, flags);
    if (j->fd < 0 && errno == ENOENT) {
        if (!gt_dir_is_empty(j->root, NULL))
            return gt_journal_exists(j->root) ? GT_NOENT : GT_END;
        j->fd = openat(j->root, GT_JOURNAL, flags | O_CREAT | O_EXCL, 0666);
        if (j->fd < 0 && (errno == EEXIST || errno == ENOENT))
            return GT_NOENT;
    }
    return j->fd < 0 ? gt_fail_errno(err, errno, "cannot create '%s'", j->store) : GT_OK;
}

int gt_journal_claim(struct gt_journal **out, int root, const char *path, const char *store, bool *fresh, struct gt_err *err)
{
    int status = gt_journal_alloc(out, root, path, GT_JOURNAL, store, err);
    if (status)
        return status;
    struct gt_journal *j = *out;
    status = open_journal(j, err);
    const enum gt_lock lock = status ? GT_LOCK_GONE : gt_lock_take(j->fd, j->path);
    if (!status && (lock == GT_LOCK_TAKEN || (lock != GT_LOCK_GONE && gt_journal_ranks_write(root))))
        status = gt_fail(err, GT_FAIL, "cannot create '%s': another process is writing it", store);
    else if (!status && lock == GT_LOCK_GONE)
        status = GT_NOENT;
    if (!status) {
        *fresh = lseek(j->fd, 0, SEEK_END) == 0 && gt_dir_is_empty(root, GT_JOURNAL);
    } else {
        gt_journal_free(j);
        *out = NULL;
    }
    return status;
}

bool gt_journal_is_ours(const struct gt_journal *j)
{
    return gt_lock_names(j->fd, j->path);
}

int gt_journal_begin(struct gt_journal *j, const char *plan, struct gt_err *err)
{
    gt_str_addf(&j->lines, GT_JOURNAL_HEAD "%zu\n%s\n", strlen(plan), plan);
    return gt_journal_flush(j, err);
}

/* Without what follows the last whole line. */
static int read_entries(struct gt_journal *j, const char *plan, struct gt_err *err)
{
    struct gt_journal_file r;
    char *had = NULL;
    gt_str_clear(&j->notes);
    j->n_had = 0;
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

int gt_journal_resume(struct gt_journal *j, const char *plan, struct gt_err *err)
{
    bool any = false;
    int status = read_entries(j, plan, err);
    status = status ? status : gt_journal_absorb(j, &any, err);
    return status || !any ? status : read_entries(j, plan, err);
}

bool gt_journal_exists(int dir)
{
    struct stat st;
    return fstatat(dir, GT_JOURNAL, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool has_ended(int fd)
{
    char end[sizeof END] = "";
    const off_t size = lseek(fd, 0, SEEK_END), n = sizeof END - 1;
    return size > n && pread(fd, end, (size_t)n, size - n) == n && memcmp(end, END, (size_t)n) == 0;
}

int gt_journal_take_ended(int dir, const char *path, int *fd, struct gt_err *err)
{
    char *name = journal_path(path, GT_JOURNAL, err);
    int status = name ? GT_OK : GT_FAIL;
    *fd = name ? openat(dir, GT_JOURNAL, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
    const enum gt_lock lock = *fd < 0 ? GT_LOCK_GONE : gt_lock_take(*fd, name);
    if (lock == GT_LOCK_TAKEN)
        status = gt_fail(err, GT_FAIL, "cannot create '%s': another process is writing it", path);
    if (*fd >= 0 && (status || lock == GT_LOCK_GONE || !has_ended(*fd))) {
        close(*fd);
        *fd = -1;
    }
    free(name);
    return status;
}

/* --- values -------------------------------------------------------------------------------------------- */

int gt_journal_add(struct gt_journal *j, const char *key, const void *data, size_t n, struct gt_err *err)
{
    const uint64_t hash = XXH3_64bits(data, n);
    pthread_mutex_lock(&j->lock);
    gt_journal_add_line(&j->lines, key, (int64_t)n, hash);
    int status = gt_journal_flush(j, err);
    pthread_mutex_unlock(&j->lock);
    return status;
}

int gt_journal_add_checkpoint(struct gt_journal *j, const char *text, struct gt_err *err)
{
    pthread_mutex_lock(&j->lock);
    gt_str_addf(&j->lines, GT_JOURNAL_CHECKPOINT "%s\n", text);
    int status = gt_journal_flush(j, err);
    pthread_mutex_unlock(&j->lock);
    return status;
}

const char *gt_journal_checkpoints(const struct gt_journal *j)
{
    return j->notes.len ? j->notes.s : "";
}

int gt_journal_end(struct gt_journal *j, struct gt_err *err)
{
    pthread_mutex_lock(&j->lock);
    gt_str_add(&j->lines, END);
    int status = gt_journal_flush(j, err);
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
            gt_drop_cached(fd);
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
            status = gt_fail(err, GT_INPUT, "'%s/%s' differs from what was written", j->store, key);
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
    if (gt_sync_tree(j->root) != 0)
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
