#include "config.h"

#include "storage/store/journal_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "core/base/mem.h"
#include "storage/store/journal.h"

/* --- lines ------------------------------------------------------------------------------- */

void gt_journal_add_line(struct gt_str *lines, const char *key, int64_t size, uint64_t hash)
{
    gt_str_addf(lines, "%lld %016llx %s\n", (long long)size, (unsigned long long)hash, key);
}

/* false: no line that gt_journal_add_line wrote. */
static bool parse_line(const char *line, struct gt_journal_entry *entry, const char **key)
{
    long long size;
    unsigned long long hash;
    int n = 0;
    if (sscanf(line, "%lld %16llx %n", &size, &hash, &n) < 2 || n == 0 || !line[n] || size < 0)
        return false;
    *key = line + n;
    *entry = (struct gt_journal_entry){.key = XXH3_64bits(line + n, strlen(line + n)), .hash = hash, .size = size};
    return true;
}

static int by_key(const void *a, const void *b)
{
    const struct gt_journal_entry *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

const struct gt_journal_entry *gt_journal_find(const struct gt_journal_entry *entry, size_t n, uint64_t key)
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

int gt_journal_open(struct gt_journal_file *r, int root, const char *store, struct gt_err *err)
{
    int fd = openat(root, GT_JOURNAL, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    *r = (struct gt_journal_file){.file = fd < 0 ? NULL : fdopen(fd, "r")};
    if (r->file)
        return GT_OK;
    int status = gt_fail_errno(err, errno, "cannot read '%s/" GT_JOURNAL "'", store);
    if (fd >= 0)
        close(fd);
    return status;
}

void gt_journal_close(struct gt_journal_file *r)
{
    if (r->file)
        fclose(r->file);
    free(r->line);
}

int gt_journal_read_plan(struct gt_journal_file *r, char **plan, struct gt_err *err)
{
    long long n = -1;
    *plan = NULL;
    if (fscanf(r->file, GT_JOURNAL_HEAD "%lld", &n) != 1 || n < 0 || n > 1 << 24 || fgetc(r->file) != '\n')
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

bool gt_journal_next(struct gt_journal_file *r, struct gt_str *notes, struct gt_journal_entry *entry, const char **key)
{
    const size_t mark = strlen(GT_JOURNAL_CHECKPOINT);
    ssize_t n;
    while ((n = getline(&r->line, &r->cap, r->file)) > (ssize_t)mark && r->line[n - 1] == '\n' &&
           strncmp(r->line, GT_JOURNAL_CHECKPOINT, mark) == 0) {
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

int gt_journal_read_entries(struct gt_journal_file *r, struct gt_str *notes, struct gt_journal_entry **entries, size_t *n, size_t *cap,
                            struct gt_err *err)
{
    struct gt_journal_entry entry;
    const char *key;
    int status = GT_OK;
    while (!status && gt_journal_next(r, notes, &entry, &key)) {
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

int gt_journal_check_plan(const char *store, const char *had, const char *plan, struct gt_err *err)
{
    size_t n_was, n_is;
    const char *was = odd_line(had, plan, &n_was), *is = odd_line(plan, had, &n_is);
    if (n_was == 0 && n_is == 0)
        return GT_OK;
    gt_fail(err, GT_INPUT, "the unfinished '%s' was begun differently: %s%.*s%s%s%.*s", store, n_was ? "with " : "", (int)n_was, was,
            n_was && n_is ? ", now with " : "", !n_was ? "without " : "", (int)n_is, is);
    gt_hint(err, "start again with --force, or without --resume");
    return GT_INPUT;
}
