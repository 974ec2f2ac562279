/* Components of samples as an SVG drawing: pairs of them against one another, and the eigenvalues. */
#ifndef GT_OUT_PCA_PLOT_H
#define GT_OUT_PCA_PLOT_H

#include "core/base/outfile.h"
#include "geno/samples/groups.h"

struct gt_pca_plot {
    int64_t samples, k;
    const double *vectors;          /* [k][samples] */
    const double *values;           /* [k]: eigenvalues, largest first */
    double trace;                   /* the sum of all of them; 0 = not known */
    const uint8_t *fit;             /* [samples]: 0 = projected, with a mark of its own; NULL: all made the axes */
    const struct gt_groups *groups; /* colours; NULL: none */
};

/* Up to three pairs (1 and 2, 3 and 4, 5 and 6), and the eigenvalues.  Samples that are on one place are drawn once, so
 * that the file has a bound, however many there are. */
int gt_pca_plot_write(struct gt_outfile *file, const struct gt_pca_plot *plot, struct gt_err *err);

#endif
