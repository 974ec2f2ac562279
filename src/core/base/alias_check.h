/* What this process reads, so that nothing it writes takes its place.
 *
 * Files and directories are told apart by device and inode: links and other
 * spellings of a path hide nothing.  Inputs are registered before anything is
 * opened for writing; whatever opens an output asks first.  Only files,
 * directories and pipes count, not devices.  All functions may be called from
 * any thread. */
#ifndef GT_BASE_ALIAS_CHECK_H
#define GT_BASE_ALIAS_CHECK_H

#include <time.h>

#include "core/base/err.h"
#include "core/base/str.h"

/* `path` is read, and if it is a directory all that is below it.  name: as the
 * user wrote it, for messages; both are copied.  What does not exist is left out. */
int gt_alias_add_input(const char *path, const char *name, struct gt_err *err);
int gt_alias_add_input_fd(int fd, const char *name, struct gt_err *err);

/* GT_USAGE, naming the input, when `path` is an input, lies in one, or is a
 * directory in which one lies. */
int gt_alias_check_output(const char *path, struct gt_err *err);
int gt_alias_check_output_fd(int fd, const char *name, struct gt_err *err);

/* A line for each input: its path, its size, when it changed, and a hash of 1 MiB of it, evenly spread; of a directory
 * the files below it, their bytes and the time of the newest.  *newest: that of all of them.  What has no path is left out. */
int gt_alias_print_inputs(struct gt_str *text, struct timespec *newest, struct gt_err *err);

void gt_alias_release(void); /* forgets all inputs */

#endif
