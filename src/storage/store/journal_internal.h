/* Internals of a journal: journal.c, journal_ranks.c. */
#ifndef GT_STORE_JOURNAL_INTERNAL_H
#define GT_STORE_JOURNAL_INTERNAL_H

#include <pthread.h>

#include "storage/store/journal.h"
#include "storage/store/journal_read.h"

struct gt_journal {
    int root, fd;
    char *store, *path; /* of the journal, where it was claimed */
    pthread_mutex_t lock;
    struct gt_str lines;          /* that are being written; under the lock */
    struct gt_journal_entry *had; /* of the run before, by key and line */
    size_t n_had, cap_had;
    struct gt_str notes; /* of that run */
};

/* path: of the folder that the journal is in, name: of its file. */
int gt_journal_alloc(struct gt_journal **out, int root, const char *path, const char *name, const char *store, struct gt_err *err);
/* Writes the lines that were added.  Under the lock.  One write: a kill leaves whole lines, and at most the last one in part. */
int gt_journal_flush(struct gt_journal *journal, struct gt_err *err);

#endif
