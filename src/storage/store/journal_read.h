/* The lines of a journal (store/journal.h), and a journal as it is read back.  Private to src/store. */
#ifndef GT_STORE_JOURNAL_READ_H
#define GT_STORE_JOURNAL_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/str.h"

/* Before the plan's length and the plan; and before a line of the writer's own. */
#define GT_JOURNAL_HEAD "gt-journal 1 "
#define GT_JOURNAL_CHECKPOINT "+ "

/* What a line says of a value.  Keys are known by their hash: where two had the same one, neither
 * would be found whole. */
struct gt_journal_entry {
    uint64_t key, hash;
    int64_t size;
    size_t line; /* number of it: the last of a key is what counts */
};

/* The journal as a file that is read from its start, up to what is not a whole line. */
struct gt_journal_file {
    FILE *file;
    char *line;
    size_t cap, n_lines;
    int64_t end; /* of the last whole line */
};

void gt_journal_add_line(struct gt_str *lines, const char *key, int64_t size, uint64_t hash);

/* The journal below a directory; store: its name, for messages.  Close it whatever comes of it. */
int gt_journal_open(struct gt_journal_file *r, int root, const char *store, struct gt_err *err);
void gt_journal_close(struct gt_journal_file *r);
/* The plan that the journal begins with, the caller's to free; GT_NOENT where it is not there to its end. */
int gt_journal_read_plan(struct gt_journal_file *r, char **plan, struct gt_err *err);
/* The next line that says something of a value; notes on the way to it are added to `notes`, where that is not NULL.
 * false: there are no more, or what follows was not written to its end.  *key is the file's until the next line. */
bool gt_journal_next(struct gt_journal_file *r, struct gt_str *notes, struct gt_journal_entry *entry, const char **key);
/* All that follow, sorted for gt_journal_find: appended to `entries`, the caller's to free. */
int gt_journal_read_entries(struct gt_journal_file *r, struct gt_str *notes, struct gt_journal_entry **entries, size_t *n, size_t *cap,
                            struct gt_err *err);
/* The last entry of a key, by its hash (XXH3); NULL. */
const struct gt_journal_entry *gt_journal_find(const struct gt_journal_entry *entry, size_t n, uint64_t key);

/* GT_INPUT: plans differ, with the first lines in which they do. */
int gt_journal_check_plan(const char *store, const char *had, const char *plan, struct gt_err *err);

#endif
