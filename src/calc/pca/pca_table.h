/* Writes PCs as files: a table of samples, and the eigenvalues. */
#ifndef GT_OUT_COMPONENTS_H
#define GT_OUT_COMPONENTS_H

#include "calc/pca/pca_model.h"
#include "core/base/outfile.h"

struct gt_components {
    const struct gt_strs *ids;       /* of the samples */
    const struct gt_strs *plink_ids; /* "FID<tab>IID" of each; empty: not known */
    int64_t k;
    const uint8_t *fit;               /* [samples]: 1 = was in the fit, a column of the table; NULL: no such column */
    bool refit;                       /* these samples were projected as the others: the column is REFIT, not FIT */
    const double *vectors;            /* [k][samples] */
    const double *values;             /* [k]: eigenvalues */
    const struct gt_svd_model *model; /* model whose loadings are written; NULL: none */
    const struct gt_strs *pruned;     /* ids of the variants kept by pruning; NULL: no pruning */
};

/* A format.  write: writes the vectors. */
struct gt_components_format {
    int (*write)(struct gt_outfile *, const struct gt_components *, struct gt_err *);
    char *(*number)(char *at, double value); /* formats eigenvalues, like gt_decimal_double */
    bool binary;                             /* vectors are binary, with ids in PATH.id */
};
extern const struct gt_components_format
    gt_components_plink, /* as PLINK 2 --pca: "#FID IID PC1 ...", without FID if no sample has one; 6 digits */
    gt_components_tsv,   /* a table "id PC1 ...", 10 digits */
    gt_components_npy;   /* NumPy .npy 1.0, float64, samples x components; ids in PATH.id */

struct gt_components_paths {
    const char *vectors;
    const char *values;   /* eigenvalues, one per line; NULL: not written */
    const char *loadings; /* see pca_loadings_table.h; NULL: not written */
    const char *pruned;   /* ids, one per line, as PLINK's .prune.in; NULL: not written */
};

/* Vectors, ids, eigenvalues, pruned ids, loadings; and a file that the caller opens and writes. */
enum { GT_COMPONENTS_MORE = 5, GT_COMPONENTS_FILES };
struct gt_components_files {
    struct gt_outfile file[GT_COMPONENTS_FILES];
};

void gt_components_begin(struct gt_components_files *files);
/* Writes all files; gt_components_commit renames all or none.  GT_INPUT for an id that a table cannot
 * contain. */
int gt_components_write(struct gt_components_files *files, const struct gt_components *c, const struct gt_components_format *format,
                        const struct gt_components_paths *paths, struct gt_err *err);
int gt_components_commit(struct gt_components_files *files, struct gt_err *err);
void gt_components_abort(struct gt_components_files *files); /* also after a failure or commit */

#endif
