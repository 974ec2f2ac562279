/* The variants' side of components as PLINK 2 writes it (.eigenvec.var). */
#ifndef GT_OUT_LOADINGS_H
#define GT_OUT_LOADINGS_H

#include "core/base/outfile.h"
#include "calc/pca/pca_model.h"

/* A table "#CHROM ID MAJ NONMAJ PC1 ...", 6 digits: U times the root of the number of variants, of the allele that is not the most
 * frequent one.  GT_INPUT for a text that a table cannot hold. */
int gt_loadings_write(struct gt_outfile *file, const struct gt_svd_model *model, struct gt_err *err);

#endif
