/* A list of contigs: --contigs and --not-chr. */
#ifndef GT_GENO_CONTIG_LIST_H
#define GT_GENO_CONTIG_LIST_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/base/str.h"

struct gt_contig_list;

/* text: "A,B,...", where A may be a range of numbers such as 1-22 or chr1-chr22, or "autosomes"; '^' before it: all other contigs.
 * excluded: likewise, without the '^'.  A name is the whole name of a contig, but of contigs to exclude it may have another form
 * ("X" is chrX too); a range is of chromosomes, with or without "chr", 23 being X, 24 Y, 25 XY and 26 MT.  A name that `known` holds
 * is no range.  *named: names and ranges; names that `known` lacks are added to `absent`.  Thread-safe after this. */
int gt_contig_list_parse(struct gt_contig_list **list, const char *text, bool excluded, const struct gt_names *known, int64_t *named,
                         struct gt_strs *absent, struct gt_err *err);
void gt_contig_list_free(struct gt_contig_list *list); /* NULL is allowed */
/* Are variants of this contig kept? */
bool gt_contig_list_keeps(const struct gt_contig_list *list, const char *contig);
/* Does the text exclude contigs? */
bool gt_contig_list_excludes(const char *text);

#endif
