/* What a .fam says of a sample in addition to its id, as arrays of a store.
 *
 * Texts as they stood there, one a sample.  An array that would say of every sample what
 * is said of those that nothing is known of is left out. */
#ifndef GT_GENO_PEDIGREE_H
#define GT_GENO_PEDIGREE_H

#include "geno/model/geno_info.h"

enum gt_fam_column {
    GT_FAM_FAMILY,    /* "0" where nothing is known */
    GT_FAM_MEMBER,    /* the sample's id */
    GT_FAM_FATHER,    /* "0" */
    GT_FAM_MOTHER,    /* "0" */
    GT_FAM_SEX,       /* "0" */
    GT_FAM_PHENOTYPE, /* "-9" */
    GT_FAM_COLUMNS
};

/* Name of the array. */
extern const char *const gt_fam_arrays[GT_FAM_COLUMNS];

/* Has it to be written? */
bool gt_fam_needed(const struct gt_geno_info *info, enum gt_fam_column column);
/* All samples' texts. */
int gt_fam_texts(const struct gt_geno_info *info, enum gt_fam_column column, struct gt_strs *texts, struct gt_err *err);
/* The other way: texts[column] of all samples, none where an array was not there.  GT_INPUT when
 * one contains a blank. */
int gt_fam_take(struct gt_geno_info *info, const struct gt_strs texts[GT_FAM_COLUMNS], struct gt_err *err);

#endif
