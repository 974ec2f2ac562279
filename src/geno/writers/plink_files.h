/* What the writers of PLINK 1 and 2 filesets share. */
#ifndef GT_GENO_WRITERS_PLINK_FILES_H
#define GT_GENO_WRITERS_PLINK_FILES_H

#include "core/base/outfile.h"
#include "geno/model/geno_info.h"

/* Appends lines of a .fam, which a .psam has too: family, id, father, mother, sex and phenotype of each sample.  families: FID of each;
 * NULL or empty: as info has them, else 0.  GT_INPUT for ids with white space. */
int gt_fam_text(struct gt_str *text, const struct gt_geno_info *info, const struct gt_strs *families, struct gt_err *err);

/* Opens n files, zeroed: prefix and each suffix.  prefix: NULL for files that are not kept. */
int gt_plink_files_open(struct gt_outfile *files, int n, const char *prefix, const char *const suffixes[], struct gt_err *err);

#endif
