/* The journal of a directory store that is being written: what it is made of, and which of its
 * values are whole, so that another run can go on where this one was ended.
 *
 * It begins with the plan, lines that name the inputs and the options that the values depend on;
 * then comes a line for each value that was put (size, XXH3, key), and lines of the writer's own, behind "+ ".  It is locked while its
 * writer lives, which tells a store that is being written from one that a dead run left.  A
 * value counts as whole when its bytes have the size and the hash that a line says. */
#ifndef GT_STORE_JOURNAL_H
#define GT_STORE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

#define GT_JOURNAL ".gt-journal"

struct gt_journal;

/* A new journal in the directory `root`, which has none; store: its name for messages.  Both
 * directory and plan are the caller's.  Freed by gt_journal_free, also after a failure. */
int gt_journal_new(struct gt_journal **out, int root, const char *store, const char *plan, struct gt_err *err);
/* The journal that a dead run left, to be written on.  GT_NOENT: there is none, or its plan was not written to the
 * end; GT_FAIL: its writer lives; GT_INPUT: its plan is another, and what differs is named. */
int gt_journal_reopen(struct gt_journal **out, int root, const char *store, const char *plan, struct gt_err *err);

/* A value that was written to its end.  Any thread. */
int gt_journal_add(struct gt_journal *journal, const char *key, const void *data, size_t n, struct gt_err *err);
/* A line of the writer's own, which has no line end in it; in order with gt_journal_add of the same thread. */
int gt_journal_note(struct gt_journal *journal, const char *text, struct gt_err *err);
/* Those that runs before this one left, in order, each with a line end; "" = none. */
const char *gt_journal_notes(const struct gt_journal *journal);
/* Is the value of key whole, by what a run before this one wrote of it?  Its bytes are read.  0 with its size; GT_NOENT.
 * Any thread. */
int gt_journal_done(struct gt_journal *journal, const char *key, int64_t *size, struct gt_err *err);
/* Every value that was put is what it was, read from the disk.  GT_INPUT, naming the first that is not. */
int gt_journal_verify(struct gt_journal *journal, int64_t *values, int64_t *bytes, struct gt_err *err);
/* All is written: nothing is to be added. */
int gt_journal_end(struct gt_journal *journal, struct gt_err *err);
/* NULL is fine. */
void gt_journal_free(struct gt_journal *journal);

enum gt_journal_state { GT_JOURNAL_NONE, GT_JOURNAL_LIVE, GT_JOURNAL_DEAD, GT_JOURNAL_ENDED };
/* Is there a journal, is its writer alive, had it come to its end? */
enum gt_journal_state gt_journal_look(int root);

#endif
