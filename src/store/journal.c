#include "config.h"

#include "store/journal.h"

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

#include "base/mem.h"
#include "base/outfile.h"
#include "base/str.h"

#define HEAD "gt-journal 1 "
#define END "end\n"
#define NOTE "+ "

enum { READ_BYTES = 64 << 10 };

/* What a line says of a value.  Keys are known by their hash: where two had the same one, neither
 * would be found whole. */
struct entry {
    uint64_t key, hash;
    int64_t size;
    size_t line; /* number of it: the last of a key is what counts */
};

struct gt_journal {
    int root, fd;
    char *store;
    pthread_mutex_t lock;
    struct gt_str lines; /* that are being written; under the lock */
    struct entry *had;   /* of the run before, by key and line */
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

/* --- lines ------------------------------------------------------------------------------- */

static void add_line(struct gt_str *lines, const char *key, int64_t size, uint64_t hash)
{
    gt_str_addf(lines, "%lld %016llx %s\n", (long long)size, (unsigned long long)hash, key);
}

/* false: no line that add_line wrote. */
static bool parse_line(const char *line, struct entry *entry, const char **key)
{
    long long size;
    unsigned long long hash;
    int n = 0;
    if (sscanf(line, "%lld %16llx %n", &size, &hash, &n) < 2 || n == 0 || !line[n] || size < 0)
        return false;
    *key = line + n;
    *entry = (struct entry){.key = XXH3_64bits(line + n, strlen(line + n)), .hash = hash, .size = size};
    return true;
}

static int by_key(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* The last entry of a key; NULL. */
static const struct entry *find(const struct entry *entry, size_t n, uint64_t key)
{
    size_t from = 0, to = n;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (entry[mid].key <= key)
            from = mid + 1;
        else
            to = mid;
    }
    return from > 0 && entry[from - 1].key == key ? &entry[from - 1] : NULL;
}

/* --- reading it ------------------------------------------------------------------------------ */

/* The journal as a file that is read from its start, up to what is not a whole line. */
struct reading {
    FILE *file;
    char *line;
    size_t cap, n_lines;
    int64_t end; /* of the last whole line */
};

static int open_reading(struct reading *r, const struct gt_journal *j, struct gt_err *err)
{
    int fd = openat(j->root, GT_JOURNAL, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    *r = (struct reading){.file = fd < 0 ? NULL : fdopen(fd, "r")};
    if (r->file)
        return GT_OK;
    int status = gt_fail_errno(err, errno, "cannot read '%s/" GT_JOURNAL "'", j->store);
    if (fd >= 0)
        close(fd);
    return status;
}

static void close_reading(struct reading *r)
{
    if (r->file)
        fclose(r->file);
    free(r->line);
}

/* The plan that the journal begins with; GT_NOENT where it is not there to its end. */
static int read_plan(struct reading *r, char **plan, struct gt_err *err)
{
    long long n = -1;
    *plan = NULL;
    if (fscanf(r->file, HEAD "%lld", &n) != 1 || n < 0 || n > 1 << 24 || fgetc(r->file) != '\n')
        return GT_NOENT;
    char *text = gt_alloc((size_t)n + 1, 1, err);
    if (!text)
        return GT_FAIL;
    if (fread(text, 1, (size_t)n, r->file) != (size_t)n || fgetc(r->file) != '\n') {
        free(text);
        return GT_NOENT;
    }
    text[n] = 0;
    *plan = text;
    r->end = ftell(r->file);
    return GT_OK;
}

/* The next line that says something of a value; notes on the way to it are added to `notes`, where that is not NULL.
 * false: there are no more, or what follows was not written to its end. */
static bool next_line(struct reading *r, struct gt_str *notes, struct entry *entry, const char **key)
{
    const size_t mark = strlen(NOTE);
    ssize_t n;
    while ((n = getline(&r->line, &r->cap, r->file)) > (ssize_t)mark && r->line[n - 1] == '\n' && strncmp(r->line, NOTE, mark) == 0) {
        if (notes)
            gt_str_addn(notes, r->line + mark, (size_t)n - mark);
        r->end += n;
    }
    if (n <= 0 || r->line[n - 1] != '\n')
        return false;
    r->line[n - 1] = 0;
    if (!parse_line(r->line, entry, key))
        return false;
    entry->line = r->n_lines++;
    r->end += n;
    return true;
}

static int read_entries(struct reading *r, struct gt_str *notes, struct entry **entries, size_t *n, size_t *cap, struct gt_err *err)
{
    struct entry entry;
    const char *key;
    int status = GT_OK;
    while (!status && next_line(r, notes, &entry, &key)) {
        status = gt_grow(entries, cap, *n + 1, sizeof **entries, err);
        if (!status)
            (*entries)[(*n)++] = entry;
    }
    if (!status && *n > 0)
        qsort(*entries, *n, sizeof **entries, by_key);
    return !status && notes && notes->len ? gt_str_check(notes, err) : status;
}

/* --- plans that differ --------------------------------------------------------------------------- */

static bool has_line(const char *plan, const char *line, size_t n)
{
    for (const char *p = plan; *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : p + strlen(p))
        if (strcspn(p, "\n") == n && strncmp(p, line, n) == 0)
            return true;
    return false;
}

/* The first line of a plan that the other one lacks; "" with n = 0. */
static const char *odd_line(const char *plan, const char *other, size_t *n)
{
    for (const char *p = plan; *p; p += *n + (p[*n] == '\n')) {
        *n = strcspn(p, "\n");
        if (*n > 0 && !has_line(other, p, *n))
            return p;
    }
    *n = 0;
    return "";
}

static int check_plan(const char *store, const char *had, const char *plan, struct gt_err *err)
{
    size_t n_was, n_is;
    const char *was = odd_line(had, plan, &n_was), *is = odd_line(plan, had, &n_is);
    if (n_was == 0 && n_is == 0)
        return GT_OK;
    gt_fail(err, GT_INPUT, "'%s.partial' was begun differently: %s%.*s%s%s%.*s", store, n_was ? "with " : "", (int)n_was, was,
            n_was && n_is ? ", now with " : "", !n_was ? "without " : "", (int)n_is, is);
    gt_hint(err, "without --resume it is begun anew");
    return GT_INPUT;
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
    gt_str_addf(&j->lines, HEAD "%zu\n%s\n", strlen(plan), plan);
    return flush(j, err);
}

static int take_over(struct gt_journal *j, const char *plan, struct gt_err *err)
{
    struct reading r;
    char *had = NULL;
    int status = open_reading(&r, j, err);
    status = status ? status : read_plan(&r, &had, err);
    status = status ? status : check_plan(j->store, had, plan, err);
    status = status ? status : read_entries(&r, &j->notes, &j->had, &j->n_had, &j->cap_had, err);
    if (!status && ftruncate(j->fd, r.end) != 0)
        status = gt_fail_errno(err, errno, "cannot write '%s/" GT_JOURNAL "'", j->store);
    close_reading(&r);
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
    add_line(&j->lines, key, (int64_t)n, hash);
    int status = flush(j, err);
    pthread_mutex_unlock(&j->lock);
    return status;
}

int gt_journal_note(struct gt_journal *j, const char *text, struct gt_err *err)
{
    pthread_mutex_lock(&j->lock);
    gt_str_addf(&j->lines, NOTE "%s\n", text);
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
static int is_whole(const struct gt_journal *j, const char *key, const struct entry *entry, bool drop, bool *whole, struct gt_err *err)
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
    const struct entry *entry = find(j->had, j->n_had, XXH3_64bits(key, strlen(key)));
    bool whole;
    if (!entry)
        return GT_NOENT;
    int status = is_whole(j, key, entry, false, &whole, err);
    *size = entry->size;
    return status ? status : whole ? GT_OK : GT_NOENT;
}

static int verify_lines(const struct gt_journal *j, struct reading *r, const struct entry *entries, size_t n, int64_t *values,
                        int64_t *bytes, struct gt_err *err)
{
    struct entry entry;
    const char *key;
    int status = GT_OK;
    while (!status && next_line(r, NULL, &entry, &key)) {
        bool whole;
        if (find(entries, n, entry.key)->line != entry.line)
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
    struct reading r = {0};
    struct entry *entries = NULL;
    size_t n = 0, cap = 0;
    char *plan = NULL;
    *values = *bytes = 0;
    int status = GT_OK;
    if (syncfs(j->root) != 0 && errno != EINVAL && errno != ENOSYS)
        status = gt_fail_errno(err, errno, "cannot write '%s'", j->store);
    for (int pass = 0; pass < 2 && !status; pass++) {
        status = open_reading(&r, j, err);
        status = status ? status : read_plan(&r, &plan, err);
        if (!status)
            status = pass ? verify_lines(j, &r, entries, n, values, bytes, err) : read_entries(&r, NULL, &entries, &n, &cap, err);
        close_reading(&r);
        free(plan);
        plan = NULL;
    }
    free(entries);
    return status == GT_NOENT ? gt_fail(err, GT_INPUT, "'%s/" GT_JOURNAL "' is damaged", j->store) : status;
}
