/* Where gt-svd's components of genotypes go: names of its files, of -o and -O. */
#ifndef GT_CMD_SVD_NAMES_H
#define GT_CMD_SVD_NAMES_H

#include "cmd/common/cli.h"

#define SVD_FORMATS "plink|tsv|npy|zarr"
enum { SVD_PLINK, SVD_TSV, SVD_NPY, SVD_ZARR };

/* What there is beside components. */
enum { SVD_VALUES = 1, SVD_PRUNED = 2, SVD_LOADINGS = 4 };

/* Texts are "" (len 0) where there is no such file. */
struct svd_names {
    int format;
    bool stream;                   /* components alone go to standard output or a device */
    struct gt_str vectors;         /* PREFIX.eigenvec, or the name that says more */
    struct gt_str values, pruned;  /* PREFIX.eigenval, PREFIX.prune.in */
    struct gt_str ids;             /* beside .npy */
    struct gt_str loadings, model; /* PREFIX.eigenvec.var, PREFIX.model.zip */
};

/* given: index into SVD_FORMATS, -1 = -O was not given.  Every name is checked as an output. */
int svd_names_choose(struct svd_names *names, struct gt_cli *cli, int given, unsigned beside, struct gt_err *err);
void svd_names_release(struct svd_names *names);

#endif
