/* The first reading of a table of sites: what has to be known of it before sites are read.  Private to their reader. */
#ifndef GT_GENO_BIM_SCAN_H
#define GT_GENO_BIM_SCAN_H

#include "geno/plink/plink.h"

/* Up to n bytes at an offset; *got: how many, 0 at the end of the file. */
int bim_read_piece(const struct gt_bim *bim, char *data, size_t n, int64_t offset, size_t *got, struct gt_err *err);
/* Fills in a table that is open, of `size` bytes, and has nothing yet but its kind, path and budgets. */
int bim_scan(struct gt_bim *bim, int64_t size, struct gt_bim_threads threads, struct gt_err *err);
/* Checks the lines that begin at *offset or behind it, before `to`, and adds them to the table.  header: only up to the one that names the
 * columns, or the last of those that begin with '#'.  *offset: behind the last of them. */
int bim_scan_lines(struct gt_bim *bim, int64_t *offset, int64_t to, bool header, struct gt_err *err);
/* The same for all lines from *offset to the end of the file, by several threads; the table has no sites yet.  *scanned: false if one
 * thread has to do it, as the file is short, or has blank lines, or there is little memory; then nothing was added. */
int bim_scan_parts(struct gt_bim *bim, int64_t *offset, int64_t size, struct gt_bim_threads threads, bool *scanned, struct gt_err *err);

#endif
