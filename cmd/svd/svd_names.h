/* Where gt-svd's components of genotypes go: names of its files, of -o and -O. */
#ifndef GT_CMD_SVD_NAMES_H
#define GT_CMD_SVD_NAMES_H

#include "cmd/common/cli.h"

/* Formats, the default first: of -O, the kind of file (cmd/common/formats.c), the ends of names that ask for it and are no
 * part of PREFIX, the end that tables get, and who writes components of genotypes; u, s and v of arrays (NULL: a store, or not at all). */
#define SVD_FORMAT_LIST(X)                                                                                                                 \
    X(PLINK, "plink", "eigenvec", ".eigenvec", NULL, ".eigenvec", &gt_components_plink, NULL)                                              \
    X(TSV, "tsv", "tsv", ".tsv", ".tsv.gz", "", &gt_components_tsv, &gt_svd_tsv)                                                           \
    X(NPY, "npy", "npy", ".npy", NULL, "", &gt_components_npy, &gt_svd_npy)                                                                \
    X(ZARR, "zarr", "store", ".zarr", ".zip", "", NULL, NULL)

#define SVD_FORMAT_ID(id, ...) SVD_##id,
#define SVD_FORMAT_CHOICE(id, name, ...) "|" name
enum { SVD_FORMAT_LIST(SVD_FORMAT_ID) SVD_N_FORMATS };
#define SVD_FORMATS (&(SVD_FORMAT_LIST(SVD_FORMAT_CHOICE))[1]) /* "plink|tsv|..." */

struct svd_format {
    const char *name, *kind, *ends[2], *suffix;
    const struct gt_components_format *components;
    const struct gt_svd_format *arrays;
};
extern const struct svd_format svd_formats[SVD_N_FORMATS];
/* Does the name ask for the format? */
bool svd_name_asks(const struct svd_format *format, const char *name);
/* Length of PREFIX in the name. */
size_t svd_prefix_len(const char *name);

/* What there is in addition to components. */
enum { SVD_VALUES = 1, SVD_PRUNED = 2, SVD_LOADINGS = 4 };

/* Texts are "" (len 0) where there is no such file. */
struct svd_names {
    int format;
    bool stream;                   /* components alone go to standard output or a device */
    struct gt_str vectors;         /* PREFIX.eigenvec, or the name that says more */
    struct gt_str values, pruned;  /* PREFIX.eigenval, PREFIX.prune.in */
    struct gt_str ids;             /* next to .npy */
    struct gt_str loadings, model; /* PREFIX.eigenvec.var, PREFIX.model.zip */
};

/* given: index into SVD_FORMATS, -1 = -O was not given.  Every name is checked as an output. */
int svd_names_choose(struct svd_names *names, struct gt_cli *cli, int given, unsigned beside, struct gt_err *err);
void svd_names_release(struct svd_names *names);

#endif
