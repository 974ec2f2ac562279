/* Small text files, line by line: lists of samples and of regions. */
#ifndef GT_GENO_LINES_H
#define GT_GENO_LINES_H

#include <stdint.h>

#include "core/base/err.h"

/* Calls line(ctx, text, number) for each line, counted from 1, without its line end ("\n" or "\r\n") and without a UTF-8 byte order
 * mark; text may be modified.  Plain or gzip; "-" is GT_USAGE, since standard input may be the genotype input.  Stops at the first
 * non-zero status and returns it. */
int gt_lines_read(const char *path, int (*line)(void *ctx, char *text, int64_t number, struct gt_err *err), void *ctx, struct gt_err *err);

/* Column delimiter of a line: tab if it contains one, otherwise blanks. */
const char *gt_line_between(const char *text);
/* Cuts the first columns of a line, at most max; returns how many there are.  Absent ones are NULL. */
int gt_line_columns(char *text, const char *between, char **columns, int max);

#endif
