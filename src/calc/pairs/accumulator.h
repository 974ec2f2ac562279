/* Accumulators: sums over sites for all pairs of samples.
 *
 * For a pair of samples i, j a plane is the sum over all sites of a small function of their values.  The caller defines what the
 * planes mean (a distance, a kinship); the implementation decides how and on which device they are counted, and owns the formats of
 * prepared blocks and of sums.
 *
 * Sequence of calls: init; for each block of sites prepare (any thread, blocks concurrently), then add for each part 0 to parts - 1
 * (concurrently; all parts of a block before any of the next); finish once; then tile from any thread.
 *
 * Planes of packed rows are integers below 2^53 in absolute value, or multiples of GT_SITE_UNIT converted to double at the end, and do
 * not depend on threads, blocks, parts, instruction set or device.  Planes of float64 rows are summed in site order
 * (kernels/kernels.h) and are reproducible in the same way. */
#ifndef GT_CALC_ACCUMULATOR_H
#define GT_CALC_ACCUMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/budget.h"
#include "core/engine/comm.h"
#include "kernels/kernels.h"

/* Contents of rows; a row is a site with a value per sample. */
enum gt_row_kind {
    GT_ROWS_PACKED, /* 2-bit codes (kernels/kernels.h), GT_KERNEL_PAD readable bytes after the last row */
    GT_ROWS_F64,    /* double; NaN is missing */
    GT_ROWS_COUNTS, /* precomputed sums: data is a struct gt_counts_part (calc/pairs/counts_file.h) */
};
struct gt_rows {
    const void *data;
    size_t stride; /* bytes from row to row */
    int64_t n;     /* rows, maybe 0 */
    int64_t first; /* how many stand before them, of float64 rows */
    bool marked;   /* of packed rows: the last byte of each is 1 where it is of one allele, else 0 */
};

/* What code x of sample i and code y of sample j add at a site where counts[c] samples have code c, in GT_SITE_UNIT:
 * a(x) + b(y) + g(x, y), with g symmetric and, for non-missing codes, g = w (x - 1)(y - 1), 0 <= w <= number of samples + 1. */
struct gt_plane;
typedef void gt_site_weights(const struct gt_plane *plane, const int64_t counts[4], int64_t add[4][4]);
#define GT_SITE_UNIT 0x1p-31

/* Which parts of the weights can be non-zero. */
enum gt_site_weights_reach {
    GT_SITE_WEIGHTS_ALONE,    /* a and b */
    GT_SITE_WEIGHTS_MISSING,  /* also g where a code is 3 */
    GT_SITE_WEIGHTS_PRODUCTS, /* also w */
};

struct gt_plane {
    const char *name;
    int8_t f[4][4];                   /* packed rows: what code x of sample i and code y of sample j add, -9 to 9; any where one is 3 */
    int8_t of_alleles[4][4];          /* the same of rows of one allele, in halves; 0 where one is 3 */
    gt_site_weights *terms;           /* and beside that, site by site; NULL: nothing */
    enum gt_site_weights_reach reach; /* of the terms */
    bool sided;                       /* a and b differ */
    double (*of)(double x, double y); /* parameter of the weights */
    enum gt_float_term term;          /* float64 rows */
    bool unweighted;                  /* float64 rows: site weights do not apply */
    int ploidy;                       /* packed rows: ploidy of the data, see geno/model/ploidy.h; for the weights */
};

/* Preprocessing of float64 values: (x - shift) / scale. */
struct gt_numbers {
    const double *shift, *scale; /* by sample; NULL: 0, 1 */
    const double *weights;       /* of all sites; NULL: 1 */
    bool by_variance;            /* the weight of a site is 1 / the variance of its values, over n - 1 */
    bool fill;                   /* first replace missing values by the mean of their site */
    double p;                    /* of POWER */
    bool whole;                  /* the input values are integers from -128 to 255, or missing */
};

/* Rows [row0, row1) by columns [col0, col1) of the square of pairs. */
struct gt_pair_box {
    int64_t row0, row1, col0, col1;
};
/* Number of cells (i, j) with i <= j. */
static inline int64_t gt_box_cells(const struct gt_pair_box *box)
{
    const int64_t beyond = box->col1 - box->col0, left = (box->row1 < box->col0 ? box->row1 : box->col0) - box->row0;
    const int64_t from = box->row0 > box->col0 ? box->row0 : box->col0, to = box->row1 < box->col1 ? box->row1 : box->col1;
    const int64_t n = from < to ? to - from : 0, longest = box->col1 - from;
    return (left > 0 && beyond > 0 ? left * beyond : 0) + n * longest - n * (n - 1) / 2;
}
/* row0 and col0 of the box of an accumulator are multiples of this. */
#define GT_PAIR_STEP 64
#define GT_MAX_PLANES 8

/* Sites where few samples differ from the rest may be summed over those alone; the sums are the same. */
enum gt_rare {
    GT_RARE_BY_COST, /* where that is predicted to be faster */
    GT_RARE_DENSE,   /* none, which takes less memory; the next two are for tests and benchmarks */
    GT_RARE_LISTS,   /* all sites, pair by pair */
    GT_RARE_SPARSE,  /* all sites, by bit rows */
};

struct gt_acc_setup {
    enum gt_row_kind rows;
    int64_t n_samples;      /* per row */
    struct gt_pair_box box; /* counted pairs: i <= j, i in its rows, j in its columns */
    const struct gt_plane *planes;
    int n_planes;
    int64_t block_rows;        /* maximum number of rows of a block */
    int64_t parts_wanted;      /* minimum number of parts, if there is enough work */
    struct gt_budget *budget;  /* of blocks */
    struct gt_budget *sums;    /* of sums; NULL: budget */
    struct gt_numbers numbers; /* of float64 rows */
    bool alleles;              /* of packed rows: some may be of one allele; they are no sites */
    enum gt_rare rare;         /* of packed rows */
    struct gt_device *device;  /* where to count; NULL: the cpu */
    int64_t device_side;       /* samples along a tile of a device; 0: as is best.  Others are for tests */
    int rank, ranks;           /* of float64 rows: each rank is given all of them and counts a share of the pairs; ranks 0: one */
};

/* First member of the structs of implementations. */
struct gt_acc {
    const struct gt_acc_ops *ops;
    struct gt_acc_setup setup; /* setup.planes is borrowed */
    int64_t parts;
    int64_t sites; /* rows added; the total after finish */
};
struct gt_acc_block {
    int64_t sites;
    bool any_missing;
    bool light; /* no part of add takes long: it has listed sites alone */
};

struct gt_acc_ops {
    const char *name;
    /* Does the implementation support this setup?  The other operations require it. */
    bool (*takes)(const struct gt_acc_setup *setup);
    /* Upper bounds of the memory of the sums and of a block of setup->block_rows. */
    int64_t (*sums_bytes)(const struct gt_acc_setup *setup);
    int64_t (*block_bytes)(const struct gt_acc_setup *setup);
    int (*init)(struct gt_acc **out, const struct gt_acc_setup *setup, struct gt_err *err);
    /* *block: NULL for a new block, or a block to reuse.  rows may be freed afterwards. */
    int (*prepare)(struct gt_acc *acc, const struct gt_rows *rows, struct gt_acc_block **block, struct gt_err *err);
    int (*add)(struct gt_acc *acc, const struct gt_acc_block *block, int64_t part, struct gt_err *err);
    /* Makes a block of the rows that were kept for a later one; called once, after all blocks.  *block: as for prepare, and the caller's
     * whatever is returned.  GT_END: no rows were kept.  The rows were counted, and checked for missing calls, with the blocks that they
     * came in.  NULL: this accumulator keeps none. */
    int (*rest)(struct gt_acc *acc, struct gt_acc_block **block, struct gt_err *err);
    /* Ends the input, after rest was added; combines the sums of all ranks on rank 0. */
    int (*finish)(struct gt_acc *acc, struct gt_comm *comm, struct gt_err *err);
    /* Adds the sums of another accumulator with the same setup and other sites; both are finished. */
    int (*merge)(struct gt_acc *acc, const struct gt_acc *from, struct gt_err *err);
    /* The planes of all pairs of a box, [rows][columns] each; sample i is the row.  For every (i, j) in the box, (i, j) or (j, i)
     * was counted. */
    void (*tile)(const struct gt_acc *acc, const struct gt_pair_box *box, double *const planes[]);
    void (*block_free)(struct gt_acc_block *block); /* NULL is allowed, here and below */
    void (*free)(struct gt_acc *acc);
};

/* Packed rows on the cpu.  Supports planes whose f(0,2) = f(2,0) after subtracting what each sample adds alone; this includes all
 * symmetric planes. */
extern const struct gt_acc_ops gt_acc_cpu;
/* The same, where some rows may be of one allele: two of gt_acc_cpu or gt_acc_device, the other one for these. */
extern const struct gt_acc_ops gt_acc_alleles;
/* The planes of gt_acc_cpu on setup->device. */
extern const struct gt_acc_ops gt_acc_device;
/* Bytes of its memory that they take, and those of gt_acc_float. */
int64_t gt_acc_device_bytes(const struct gt_acc_setup *setup);
/* Float64 rows, on the cpu with the kernels in use, or on setup->device; there powers and logarithms may be rounded otherwise.  Planes of X
 * come with one of Y, those of XX with one of YY. */
extern const struct gt_acc_ops gt_acc_float;

/* Precomputed sums, added up.  Every plane needs its mirror image in the setup. */
extern const struct gt_acc_ops gt_acc_counts;

/* The implementation for a setup; NULL if there is none. */
const struct gt_acc_ops *gt_acc_choose(const struct gt_acc_setup *setup);

#endif
