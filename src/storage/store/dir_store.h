/* Stores that are directories of files. */
#ifndef GT_STORE_DIR_STORE_H
#define GT_STORE_DIR_STORE_H

#include "storage/store/store.h"

int gt_store_open_dir(struct gt_store **out, const char *path, struct gt_err *err);

/* May a directory store be made at `path`, as things stand?  As gt_store_create_dir would
 * answer; GT_USAGE when it would take an input's place (base/alias_check.h). */
int gt_store_check_dir(const char *path, bool replace, struct gt_err *err);
/* Creates a directory store.  replace: an existing OUT is replaced at finish (--force); without it an existing
 * directory, or a regular file, is GT_FAIL with a hint.  plan: lines that
 * name the inputs and options that values depend on, for gt_store_resume (store/journal.h). */
int gt_store_create_dir(struct gt_store **out, const char *path, bool replace, const char *plan, struct gt_err *err);
/* The same, but that what a dead run left as OUT.partial is gone on with: gt_store_done tells what of it is whole.  Where
 * there is nothing it begins anew.  GT_INPUT: that run had another plan, and the first line that differs is named. */
int gt_store_resume(struct gt_store **out, const char *path, bool replace, const char *plan, struct gt_err *err);
/* Puts in order what a run left that was killed when its output had its name already.  gt_store_create_dir and
 * gt_store_resume do it themselves. */
int gt_store_recover(const char *path, struct gt_err *err);

#endif
