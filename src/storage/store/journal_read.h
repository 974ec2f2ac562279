/* Reads the lines of a journal (store/journal.h).  Private to src/storage. */
#ifndef GT_STORE_JOURNAL_READ_H
#define GT_STORE_JOURNAL_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/str.h"

/* Prefix of the plan's length and the plan, and prefix of a checkpoint line. */
#define GT_JOURNAL_HEAD "gt-journal 1 "
#define GT_JOURNAL_CHECKPOINT "+ "

/* The entry of a value.  Keys are identified by hash; in a collision neither value would verify. */
struct gt_journal_entry {
    uint64_t key, hash;
    int64_t size;
    size_t line; /* line number; the last line of a key is valid */
};

/* A journal opened for reading, up to the first incomplete line. */
struct gt_journal_file {
    FILE *file;
    char *line;
    size_t cap, n_lines;
    int64_t end; /* end of the last complete line */
};

void gt_journal_add_line(struct gt_str *lines, const char *key, int64_t size, uint64_t hash);

/* Opens the journal below a directory; store: its name, for messages.  Close it even after a failure. */
int gt_journal_open(struct gt_journal_file *r, int root, const char *store, struct gt_err *err);
void gt_journal_close(struct gt_journal_file *r);
/* Reads the plan, to be freed by the caller; GT_NOENT if it is incomplete. */
int gt_journal_read_plan(struct gt_journal_file *r, char **plan, struct gt_err *err);
/* Reads the next value entry; checkpoint lines before it are appended to `notes` unless NULL.  false at the end or at an
 * incomplete line.  *key is valid until the next call. */
bool gt_journal_next(struct gt_journal_file *r, struct gt_str *notes, struct gt_journal_entry *entry, const char **key);
/* Reads all remaining entries, sorted for gt_journal_find, into an array that the caller frees. */
int gt_journal_read_entries(struct gt_journal_file *r, struct gt_str *notes, struct gt_journal_entry **entries, size_t *n, size_t *cap,
                            struct gt_err *err);
/* The last entry of a key by its hash (XXH3), or NULL. */
const struct gt_journal_entry *gt_journal_find(const struct gt_journal_entry *entry, size_t n, uint64_t key);

/* GT_INPUT with the first lines that differ, if the plans differ. */
int gt_journal_check_plan(const char *store, const char *had, const char *plan, struct gt_err *err);

#endif
