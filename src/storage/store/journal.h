/* The journal of a directory store that is being written: its plan and the values that are complete, so that an interrupted run
 * can be resumed.
 *
 * It starts with the plan: lines that name the inputs and options that the values depend on.  Then follow a line for each value
 * (size, XXH3, key) and checkpoint lines of the writer, prefixed with "+ ".  It is locked while its writer runs
 * (core/base/lock.h), which distinguishes a store that is being written from one left by an interrupted run.  A value is complete
 * if its bytes have the size and hash of its line.
 *
 * Several ranks may write one store: rank 0 has the journal, and each other rank one of its own, with the values that it wrote.  Rank
 * 0, or a later run, adds their lines to the journal. */
#ifndef GT_STORE_JOURNAL_H
#define GT_STORE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

#define GT_JOURNAL ".gt-journal"
#define GT_JOURNAL_RANKS ".gt-ranks" /* the folder of the journals of other ranks */

struct gt_journal;

/* Opens and locks the journal of directory `path` (descriptor root); creates it if the directory is empty.  store: name of the
 * output, for messages.  *fresh: it is empty.  Only one process gets the journal; it owns the directory and alone may rename or
 * remove it.  GT_NOENT: another process created, renamed or removed it meanwhile, try again; GT_END: there is no journal and the
 * directory is not empty; GT_FAIL: another process holds it.  Without file locks every caller gets it.  The caller keeps
 * ownership of `root`. */
int gt_journal_claim(struct gt_journal **out, int root, const char *path, const char *store, bool *fresh, struct gt_err *err);
/* Writes the plan to a fresh journal. */
int gt_journal_begin(struct gt_journal *journal, const char *plan, struct gt_err *err);
/* Continues an existing journal.  GT_NOENT: its plan is incomplete; GT_INPUT: its plan is different, the message names the first
 * difference. */
int gt_journal_resume(struct gt_journal *journal, const char *plan, struct gt_err *err);
/* Creates the journal of another rank, above 0, in a directory that rank 0 has claimed and begun or resumed. */
int gt_journal_join(struct gt_journal **out, int root, const char *path, const char *store, int rank, struct gt_err *err);
/* Adds the lines of the journals of other ranks, and removes those; *any: there were some.  The ranks write no more. */
int gt_journal_absorb(struct gt_journal *journal, bool *any, struct gt_err *err);
/* Does another rank still write?  Its journal is locked until it frees it. */
bool gt_journal_ranks_write(int root);
/* Waits until none does, at most that many milliseconds. */
void gt_journal_ranks_wait(int root, int ms);
/* Does `path` still contain this journal? */
bool gt_journal_is_ours(const struct gt_journal *journal);

/* Records a value that was written completely.  Any thread. */
int gt_journal_add(struct gt_journal *journal, const char *key, const void *data, size_t n, struct gt_err *err);
/* Adds a checkpoint line, without newline; ordered with gt_journal_add calls of the same thread. */
int gt_journal_add_checkpoint(struct gt_journal *journal, const char *text, struct gt_err *err);
/* The checkpoint lines of earlier runs, in order, each with a newline; "" = none. */
const char *gt_journal_checkpoints(const struct gt_journal *journal);
/* Was the value of key completed by an earlier run?  Verifies its bytes.  0 with its size, or GT_NOENT.  Any thread. */
int gt_journal_done(struct gt_journal *journal, const char *key, int64_t *size, struct gt_err *err);
/* Reads all values back and verifies them.  GT_INPUT names the first that differs. */
int gt_journal_verify(struct gt_journal *journal, int64_t *values, int64_t *bytes, struct gt_err *err);
/* Ends the journal; nothing may be added afterwards. */
int gt_journal_end(struct gt_journal *journal, struct gt_err *err);
/* NULL is allowed. */
void gt_journal_free(struct gt_journal *journal);

/* Opens the journal that a killed run left in a finished store `path` (descriptor dir).  *fd: the journal, locked until it is
 * closed; -1: there is none.  GT_FAIL: its writer is still running. */
int gt_journal_take_ended(int dir, const char *path, int *fd, struct gt_err *err);
/* Does the directory contain a journal? */
bool gt_journal_exists(int dir);

#endif
