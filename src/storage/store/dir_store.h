/* Stores that are directories of files. */
#ifndef GT_STORE_DIR_STORE_H
#define GT_STORE_DIR_STORE_H

#include "storage/store/store.h"

int gt_store_open_dir(struct gt_store **out, const char *path, struct gt_err *err);

/* Checks whether gt_store_create_dir would succeed; GT_USAGE if `path` is an input (base/alias_check.h). */
int gt_store_check_dir(const char *path, bool replace, struct gt_err *err);
/* Creates a directory store.  replace: an existing OUT is replaced at finish (--force); otherwise an existing directory or
 * regular file is GT_FAIL with a hint.  plan: lines that name the inputs and options that the values depend on, for gt_store_resume
 * (store/journal.h). */
int gt_store_create_dir(struct gt_store **out, const char *path, bool replace, const char *plan, struct gt_err *err);
/* The same, but resumes from OUT.partial of an interrupted run; gt_store_done reports which values are complete.  If there is
 * none, starts anew.  GT_INPUT, naming the first line that differs, if that run had another plan. */
int gt_store_resume(struct gt_store **out, const char *path, bool replace, const char *plan, struct gt_err *err);
/* gt_store_join (store_create.h) of a directory: gt_store_finish sees to it that its values are on disk.  When rank 0 gives up, it waits
 * some seconds for the others to free theirs. */
int gt_store_join_dir(struct gt_store **out, const char *path, int rank, struct gt_err *err);
/* Recovers a store whose writer was killed after the final rename.  gt_store_create_dir and gt_store_resume do this
 * themselves. */
int gt_store_recover(const char *path, struct gt_err *err);

#endif
