/* IDs made of what a variant is: --set-all-var-ids. */
#ifndef GT_GENO_VAR_IDS_H
#define GT_GENO_VAR_IDS_H

#include "geno/model/block.h"

/* GT_USAGE unless the form has one '@' (contig) and one '#' (position), and no blank or ';'.  It may have one $r (REF) and one $a (ALTs,
 * with commas between), or $1 and $2, which are these two in ASCII order, as PLINK 2 has them. */
int gt_var_id_check(const char *form, struct gt_err *err);
/* Appends the ID of a site, whose alleles are in the block. */
void gt_var_id_add(struct gt_str *id, const char *form, const char *contig, const struct gt_block *block, const struct gt_site *site);

#endif
