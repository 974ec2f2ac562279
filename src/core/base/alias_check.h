/* What this process reads, so that nothing it writes takes its place.
 *
 * Files and directories are distinguished by device and inode: links and other
 * spellings of a path hide nothing.  Inputs are registered before anything is
 * opened for writing; whatever opens an output asks first.  Only files,
 * directories and pipes count, not devices.  All functions may be called from
 * any thread. */
#ifndef GT_BASE_ALIAS_CHECK_H
#define GT_BASE_ALIAS_CHECK_H

#include <time.h>

#include "core/base/err.h"
#include "core/base/str.h"

/* Registers `path` and, for a directory, everything below it.  name: as the user wrote it, for
 * messages; both are copied.  A path that does not exist is ignored. */
int gt_alias_add_input(const char *path, const char *name, struct gt_err *err);
int gt_alias_add_input_fd(int fd, const char *name, struct gt_err *err);

/* GT_USAGE, naming the input, when `path` is an input, is inside an input directory, or is a
 * directory that contains an input. */
int gt_alias_check_output(const char *path, struct gt_err *err);
int gt_alias_check_output_fd(int fd, const char *name, struct gt_err *err);

/* Appends a line per input: path, size, modification time and a hash of 1 MiB sampled evenly; for a directory the number of files
 * below it, their total size and the newest modification time.  *newest: the newest of all.  Inputs without a path are omitted. */
int gt_alias_print_inputs(struct gt_str *text, struct timespec *newest, struct gt_err *err);

/* The name of an input that is a pipe; NULL: there is none.  Valid until gt_alias_release. */
const char *gt_alias_read_once(void);

void gt_alias_release(void); /* forgets all inputs */

#endif
