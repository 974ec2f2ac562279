/* Small text files, line by line: lists of samples and of regions. */
#ifndef GT_GENO_LINES_H
#define GT_GENO_LINES_H

#include <stdint.h>

#include "core/base/err.h"

/* Calls line(ctx, text, number) for each line, number from 1, without its end
 * ("\n" or "\r\n") and without a byte order mark of UTF-8; the text may be changed.  Plain or gzip; "-" is GT_USAGE, since
 * an input may be read from there.  Stops at the first status that is not 0 and returns it. */
int gt_lines_read(const char *path, int (*line)(void *ctx, char *text, int64_t number, struct gt_err *err), void *ctx, struct gt_err *err);

/* What stands between the columns of a line: tabs if it has one, else blanks. */
const char *gt_line_between(const char *text);

#endif
