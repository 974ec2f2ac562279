/* Numbers about pairs of samples as files: sinks of calc/sink.h. */
#ifndef GT_OUT_PAIRS_H
#define GT_OUT_PAIRS_H

#include "calc/pairs/pair_sink.h"

enum gt_pairs_format {
    GT_PAIRS_TSV,       /* a header line "id", ids; then a line a row, its id first */
    GT_PAIRS_NPY,       /* NumPy .npy 1.0, float64, C order, square */
    GT_PAIRS_CONDENSED, /* the same of one axis, in the order of scipy's pdist: rows of the upper triangle */
    GT_PAIRS_TRIANGLE,  /* a line a sample but the first, its distances to those before it */
    GT_PAIRS_LIST,      /* a table: two ids, the distance, the number of sites */
    GT_PAIRS_PHYLIP,    /* PHYLIP's square matrix, ids of any length */
    GT_PAIRS_PLINK,     /* as PLINK 1.9 --distance and PLINK 2 --make-king write matrices */
    GT_PAIRS_GRM,       /* as GCTA and PLINK 2 --make-grm-bin: two files of float32, PREFIX.grm.bin and .grm.N.bin (sites) */
    GT_PAIRS_KIN0,      /* the table of PLINK 2 --make-king-table */
    GT_PAIRS_UNRELATED, /* PATH.in.id and PATH.out.id: samples with no number above limits.max among them, and those left out for it */
    GT_PAIRS_COUNTS,    /* all that was counted: calc/counts.h */
    GT_PAIRS_ZARR,      /* a store: the square as "distance", ids as "sample_id" or what store.item says */
};

/* Of GT_PAIRS_PLINK.  Numbers are text of 6 digits, or binary. */
enum gt_plink_shape {
    GT_PLINK_TRIANGLE, /* below the diagonal */
    GT_PLINK_SQUARE0,  /* with zeros above the diagonal */
    GT_PLINK_SQUARE,
    GT_PLINK_BIN, /* below the diagonal, float64 */
    GT_PLINK_BIN4,
    GT_PLINK_BIN_SQUARE,
    GT_PLINK_BIN4_SQUARE,
    GT_PLINK_BIN_SQUARE0,
    GT_PLINK_BIN4_SQUARE0,
};

static inline bool gt_plink_is_triangle(enum gt_plink_shape shape)
{
    return shape == GT_PLINK_TRIANGLE || shape == GT_PLINK_BIN || shape == GT_PLINK_BIN4;
}

static inline bool gt_plink_is_square0(enum gt_plink_shape shape)
{
    return shape == GT_PLINK_SQUARE0 || shape == GT_PLINK_BIN_SQUARE0 || shape == GT_PLINK_BIN4_SQUARE0;
}

static inline bool gt_plink_is_float32(enum gt_plink_shape shape)
{
    return shape == GT_PLINK_BIN4 || shape == GT_PLINK_BIN4_SQUARE || shape == GT_PLINK_BIN4_SQUARE0;
}

/* Pairs that are left out of GT_PAIRS_LIST and GT_PAIRS_KIN0: those without a number within. */
struct gt_pairs_limits {
    bool given;
    double min, max;
};

/* Pairs asked for one by one, and what came of them. */
struct gt_selected_pair {
    double value, sites;
    uint32_t row, column; /* the column's sample stands before the row's */
    bool turned;          /* the row's is named first */
};
struct gt_pair_list {
    int64_t n;
    struct gt_selected_pair *pair;
    uint32_t *order; /* of them by rows */
};

struct gt_pairs_opts {
    enum gt_pairs_format format;
    enum gt_plink_shape shape;
    const char *value;  /* what pairs calls the distance */
    bool diagonal;      /* PLINK's triangles include the diagonal, and in PLINK's square0 it is not 0 */
    const double *self; /* what a sample and itself are where the metric has no number for it; NULL: NaN */
    bool fid_header;    /* the ids of GT_PAIRS_PLINK have the header "#FID IID" (PLINK 2) */
    struct gt_pairs_limits limits;
    int64_t neighbours;              /* of GT_PAIRS_LIST: that many of each row, the nearest first; 0 = each pair once */
    bool largest;                    /* numbers are nearest */
    bool rectangle;                  /* rows are not the columns: of GT_PAIRS_TSV, NPY, LIST and ZARR */
    const struct gt_pair_list *list; /* of GT_PAIRS_LIST: these pairs, in their order; NULL = all */
    int64_t *listed;                 /* of GT_PAIRS_UNRELATED: set to the number of samples that stay and that leave */
    int width;                       /* bytes of a number of GT_PAIRS_NPY, CONDENSED and ZARR: 8 or 4 */
    uint32_t counts_flags;           /* of GT_PAIRS_COUNTS: enum gt_counts_flags */
    const char *const *counts;       /* and what it has in addition to the metric's; NULL after the last */
    struct {
        bool replace;               /* as gt_store_create takes them */
        const char *plan, *history; /* history: provenance, NULL = none */
        const char *item;           /* what is compared, by which arrays and axes are named: "sample", "variant" */
    } store;                        /* of GT_PAIRS_ZARR */
};

/* Whole numbers of text are written as such, others with 10 significant digits where not
 * said otherwise.  NPY, CONDENSED and TRIANGLE have row ids in PATH.id, one a line; PLINK, in
 * PATH.id, with family ids; none when path is standard output ("-"), a pipe or a
 * device. */
int gt_pairs_open(struct gt_sink **out, const struct gt_pairs_opts *opts, const char *path, struct gt_err *err);

/* What the sink will ask for. */
struct gt_sink_wants gt_pairs_wants(const struct gt_pairs_opts *opts);

#endif
