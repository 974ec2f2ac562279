/* Accumulators: what blocks of sites are added to, for numbers about every two samples.
 *
 * For a pair of samples i, j a plane is the sum over all sites of a small function of
 * their values there.  What is done with the planes (a distance, a kinship) is the
 * caller's business; how they are counted, and on what device, the implementation's: it
 * owns the form of a block that was made ready and that of its sums.
 *
 * A run: init; for each block of sites prepare (any thread, blocks side by side), then
 * add for every part from 0 to parts - 1 (parts side by side; all of a block before any
 * of the next); finish once; then tile from any thread.
 *
 * Planes of packed rows are integers below 2^53 in absolute value, or whole multiples of
 * GT_SITE_UNIT made a double at the end, and do not depend on threads, blocks, parts,
 * instruction set or device.  Planes of float64 rows are summed site after site
 * (kernels/kernels.h), so that neither do they. */
#ifndef GT_CALC_ACCUMULATOR_H
#define GT_CALC_ACCUMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/budget.h"
#include "core/engine/comm.h"
#include "kernels/kernels.h"

/* What rows of a block hold; a row is a site with a value of every sample. */
enum gt_row_kind {
    GT_ROWS_PACKED, /* codes of two bits (kernels/kernels.h), GT_KERNEL_PAD readable behind the last row */
    GT_ROWS_F64,    /* double; NaN is missing */
    GT_ROWS_COUNTS, /* sums made before: data is a struct gt_counts_part (calc/counts.h) */
};
struct gt_rows {
    const void *data;
    size_t stride; /* bytes from row to row */
    int64_t n;     /* rows, maybe 0 */
    int64_t first; /* how many stand before them, of float64 rows */
    bool marked;   /* of packed rows: the last byte of each is 1 where it is of one allele, else 0 */
};

/* What code x of sample i and code y of sample j add at one site, where counts[c] samples of the
 * row have code c, in GT_SITE_UNIT: a(x) + b(y) + g(x, y), with g symmetric, and of two that are not
 * 3 g is w (x - 1)(y - 1), with w from 0 to the number of samples + 1. */
struct gt_plane;
typedef void gt_site_weights(const struct gt_plane *plane, const int64_t counts[4], int64_t add[4][4]);
#define GT_SITE_UNIT 0x1p-31

/* What of the terms is not always 0. */
enum gt_site_weights_reach {
    GT_SITE_WEIGHTS_ALONE,    /* a and b */
    GT_SITE_WEIGHTS_MISSING,  /* and g where a code is 3 */
    GT_SITE_WEIGHTS_PRODUCTS, /* and w */
};

struct gt_plane {
    const char *name;
    int8_t f[4][4];                   /* packed rows: what code x of sample i and code y of sample j add, -9 to 9; any where one is 3 */
    int8_t of_alleles[4][4];          /* the same of rows of one allele, in halves; 0 where one is 3 */
    gt_site_weights *terms;           /* and beside that, site by site; NULL: nothing */
    enum gt_site_weights_reach reach; /* of the terms */
    bool sided;                       /* their a and b are not the same */
    double (*of)(double x, double y); /* for the terms */
    enum gt_float_term term;          /* float64 rows */
    bool unweighted;                  /* float64 rows: weights are not for this one */
    int ploidy;                       /* packed rows: of the data, see geno/model/ploidy.h; for the terms */
};

/* What is done with float64 values: they are compared as (x - shift) / scale. */
struct gt_numbers {
    const double *shift, *scale; /* by sample; NULL: 0, 1 */
    const double *weights;       /* of all sites; NULL: 1 */
    bool by_variance;            /* the weight of a site is 1 / the variance of its values, over n - 1 */
    bool fill;                   /* missing values are the mean of their site's others, before all that */
    double p;                    /* of POWER */
    bool whole;                  /* before all that, values are whole numbers from -128 to 255, or missing */
};

/* Rows [row0, row1) by columns [col0, col1) of the square of pairs. */
struct gt_pair_box {
    int64_t row0, row1, col0, col1;
};
/* Cells (i, j) of it with i <= j. */
static inline int64_t gt_box_cells(const struct gt_pair_box *box)
{
    const int64_t beyond = box->col1 - box->col0, left = (box->row1 < box->col0 ? box->row1 : box->col0) - box->row0;
    const int64_t from = box->row0 > box->col0 ? box->row0 : box->col0, to = box->row1 < box->col1 ? box->row1 : box->col1;
    const int64_t n = from < to ? to - from : 0, longest = box->col1 - from;
    return (left > 0 && beyond > 0 ? left * beyond : 0) + n * longest - n * (n - 1) / 2;
}
/* row0 and col0 of the box that an accumulator counts are multiples of this. */
#define GT_PAIR_STEP 64
#define GT_MAX_PLANES 8

struct gt_acc_setup {
    enum gt_row_kind rows;
    int64_t n_samples;      /* in a row */
    struct gt_pair_box box; /* counted are the pairs i <= j with i in its rows, j in its columns */
    const struct gt_plane *planes;
    int n_planes;
    int64_t block_rows;        /* most rows of a block */
    int64_t parts_wanted;      /* at least, if there is work for so many */
    struct gt_budget *budget;  /* of blocks */
    struct gt_budget *sums;    /* of sums; NULL: budget */
    struct gt_numbers numbers; /* of float64 rows */
    bool alleles;              /* of packed rows: some may be of one allele; they are no sites */
    int rank, ranks;           /* of float64 rows: each rank is given all of them and counts a share of the pairs; ranks 0: one */
};

/* What an implementation's own structs begin with. */
struct gt_acc {
    const struct gt_acc_ops *ops;
    struct gt_acc_setup setup; /* setup.planes are borrowed */
    int64_t parts;
    int64_t sites; /* rows added; all of them after finish */
};
struct gt_acc_block {
    int64_t sites;
    bool any_missing;
};

struct gt_acc_ops {
    const char *name;
    /* Can this be counted here?  The others ask for no setup that cannot. */
    bool (*takes)(const struct gt_acc_setup *setup);
    /* Bytes that the sums take at most, and a block of setup->block_rows. */
    int64_t (*sums_bytes)(const struct gt_acc_setup *setup);
    int64_t (*block_bytes)(const struct gt_acc_setup *setup);
    int (*init)(struct gt_acc **out, const struct gt_acc_setup *setup, struct gt_err *err);
    /* *block: NULL for a new one, else one that is not needed any more.  rows are not needed
     * afterwards. */
    int (*prepare)(struct gt_acc *acc, const struct gt_rows *rows, struct gt_acc_block **block, struct gt_err *err);
    int (*add)(struct gt_acc *acc, const struct gt_acc_block *block, int64_t part, struct gt_err *err);
    /* Nothing more will be added; what several ranks have is put together on rank 0. */
    int (*finish)(struct gt_acc *acc, struct gt_comm *comm, struct gt_err *err);
    /* The sums of the same setup and other sites are added; both are finished. */
    int (*merge)(struct gt_acc *acc, const struct gt_acc *from, struct gt_err *err);
    /* The planes of all pairs of a box, [rows][columns] each; sample i is the row.  For every
     * (i, j) in it, (i, j) or (j, i) is a pair that was counted. */
    void (*tile)(const struct gt_acc *acc, const struct gt_pair_box *box, double *const planes[]);
    void (*block_free)(struct gt_acc_block *block); /* NULL is fine, here and below */
    void (*free)(struct gt_acc *acc);
};

/* Packed rows on the cpu, with the kernels in use.  Takes planes whose f(0,2) = f(2,0) once
 * what either sample adds alone is taken off, which is all that are symmetric. */
extern const struct gt_acc_ops gt_acc_cpu;
/* The same, where some rows may be of one allele: two of gt_acc_cpu, the other one for these. */
extern const struct gt_acc_ops gt_acc_alleles;
/* Float64 rows on the cpu, with the kernels in use.  Planes of X come with one of Y, those of
 * XX with one of YY. */
extern const struct gt_acc_ops gt_acc_float;

/* Sums made before, added up.  Takes planes of which each has its mirror image among them. */
extern const struct gt_acc_ops gt_acc_counts;

/* The implementation for a setup; NULL when there is none. */
const struct gt_acc_ops *gt_acc_choose(const struct gt_acc_setup *setup);

#endif
