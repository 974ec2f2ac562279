/* Plots PCs as SVG: scatter plots of pairs of PCs and a scree plot. */
#ifndef GT_OUT_PCA_PLOT_H
#define GT_OUT_PCA_PLOT_H

#include "core/base/outfile.h"
#include "geno/samples/groups.h"

struct gt_pca_plot {
    int64_t samples, k;
    const double *vectors;          /* [k][samples] */
    const double *values;           /* [k]: eigenvalues, descending */
    double trace;                   /* sum of all eigenvalues; 0 = not known */
    const uint8_t *fit;             /* [samples]: 0 = projected, drawn with another symbol; NULL: all samples are in the fit */
    const struct gt_groups *groups; /* colours and symbols; NULL: none */
    const struct gt_strs *ids;      /* of the samples: titles of the points, up to 10,000 of them; NULL: none */
};

/* Up to three pairs (1 and 2, 3 and 4, 5 and 6) and the eigenvalues.  Samples at the same pixel are drawn once, which bounds the file
 * size. */
int gt_pca_plot_write(struct gt_outfile *file, const struct gt_pca_plot *plot, struct gt_err *err);

#endif
