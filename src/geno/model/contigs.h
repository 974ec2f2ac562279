/* Names of contigs: what somebody means who writes another form of one. */
#ifndef GT_GENO_CONTIGS_H
#define GT_GENO_CONTIGS_H

#include <stdbool.h>

#include "core/base/str.h"

/* The contig of the list that `name` is another form of ("chr22" and "22", "MT" and
 * "chrM", PLINK's "23" and "X", another case), or NULL. */
const char *gt_contigs_like(const struct gt_strs *contigs, const char *name);

/* Are they forms of one name? */
bool gt_contig_same(const char *a, const char *b);

/* May it be an autosome, or what X and Y share (PLINK's XY, 25): none of X, Y, M, MT, 23, 24 and 26, with or without "chr"? */
bool gt_contig_is_autosome(const char *name);

/* The number of a chromosome, with or without "chr": 23 is X, 24 Y, 25 XY, 26 M or MT; 0: it is none. */
int gt_contig_number(const char *name);

#endif
