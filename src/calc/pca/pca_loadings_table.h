/* Writes loadings in PLINK 2's format (.eigenvec.var). */
#ifndef GT_OUT_LOADINGS_H
#define GT_OUT_LOADINGS_H

#include "calc/pca/pca_model.h"
#include "core/base/outfile.h"

/* A table "#CHROM ID MAJ NONMAJ PC1 ...", 6 digits: U times the root of the number of variants, for the minor
 * allele.  GT_INPUT for a string that a table cannot contain. */
int gt_loadings_write(struct gt_outfile *file, const struct gt_svd_model *model, struct gt_err *err);

#endif
