/* What files are called and how they begin: which format an output's name asks
 * for, and whether a file that is there may be replaced. */
#ifndef GT_CMD_FORMATS_H
#define GT_CMD_FORMATS_H

#include <stdbool.h>

#include "core/base/err.h"

/* The format `path` is to be written in: `given` (-O, an index into choices "a|b|c",
 * -1 = not given), else what the name says, else the first choice.  GT_USAGE when
 * the name is that of something else: of a format that is not among the choices, of
 * another one than -O says, or of a compressed file where the format is none. */
int gt_format_choose(const char *cmd, const char *path, const char *choices, int given, int *format, struct gt_err *err);

/* "a NumPy array" for "npy"; NULL for a kind of file that the table lacks. */
const char *gt_file_what(const char *kind);
/* Is what stands at `path` of this kind: by its name, its first bytes, or empty?
 * A regular file. */
bool gt_file_is(const char *path, const char *kind);

#endif
