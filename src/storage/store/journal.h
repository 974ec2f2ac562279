/* The journal of a directory store that is being written: what it is made of, and which of its
 * values are whole, so that another run can go on where this one was ended.
 *
 * It begins with the plan, lines that name the inputs and the options that the values depend on;
 * then comes a line for each value that was put (size, XXH3, key), and lines of the writer's own, behind "+ ".  It is locked while its
 * writer lives (core/base/lock.h), which tells a store that is being written from one that a dead run left.  A
 * value counts as whole when its bytes have the size and the hash that a line says. */
#ifndef GT_STORE_JOURNAL_H
#define GT_STORE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

#define GT_JOURNAL ".gt-journal"

struct gt_journal;

/* The journal in the directory `path`, of which root is a descriptor: locked, and made where the directory is empty.  store: the
 * output's name, for messages.  *fresh: nothing was written to it.  Of several processes one gets it: whoever has it owns the
 * directory, and alone may rename or remove it.  GT_NOENT: another process renamed or removed it meanwhile, or made it, so that it is worth
 * another try; GT_END: there is none, and the directory is not empty; GT_FAIL: another process has it.  Without locks in the file system,
 * whoever asks.  `root` is the caller's. */
int gt_journal_claim(struct gt_journal **out, int root, const char *path, const char *store, bool *fresh, struct gt_err *err);
/* Of a fresh one: what it begins with. */
int gt_journal_begin(struct gt_journal *journal, const char *plan, struct gt_err *err);
/* Of another one, to be written on.  GT_NOENT: its plan was not written to the end; GT_INPUT: its plan is another, and what
 * differs is named. */
int gt_journal_resume(struct gt_journal *journal, const char *plan, struct gt_err *err);
/* Is it still the one in the directory of that name? */
bool gt_journal_is_ours(const struct gt_journal *journal);

/* A value that was written to its end.  Any thread. */
int gt_journal_add(struct gt_journal *journal, const char *key, const void *data, size_t n, struct gt_err *err);
/* A line of the writer's own, which has no line end in it; in order with gt_journal_add of the same thread. */
int gt_journal_add_checkpoint(struct gt_journal *journal, const char *text, struct gt_err *err);
/* Those that runs before this one left, in order, each with a line end; "" = none. */
const char *gt_journal_checkpoints(const struct gt_journal *journal);
/* Is the value of key whole, by what a run before this one wrote of it?  Its bytes are read.  0 with its size; GT_NOENT.
 * Any thread. */
int gt_journal_done(struct gt_journal *journal, const char *key, int64_t *size, struct gt_err *err);
/* Every value that was put is what it was, read from the disk.  GT_INPUT, naming the first that is not. */
int gt_journal_verify(struct gt_journal *journal, int64_t *values, int64_t *bytes, struct gt_err *err);
/* All is written: nothing is to be added. */
int gt_journal_end(struct gt_journal *journal, struct gt_err *err);
/* NULL is fine. */
void gt_journal_free(struct gt_journal *journal);

/* Of a finished store, `path` with the descriptor dir: a journal that a run left which was killed when the store had its name.
 * *fd: of the journal, locked until it is closed; -1: there is none.  GT_FAIL: its writer lives. */
int gt_journal_take_ended(int dir, const char *path, int *fd, struct gt_err *err);
/* Is there a journal? */
bool gt_journal_exists(int dir);

#endif
