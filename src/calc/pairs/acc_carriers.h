/* Rare variants by their carriers, inside gt_acc_cpu.
 *
 * Let 0 stand for the homozygote that most samples have at a site; all others, those with a missing call too, are its carriers.  What
 * a pair adds there is
 *
 *     f(x, y) = f(x, 0) + f(0, y) - f(0, 0) + h(x, y)
 *
 * where h is 0 unless both are carriers.  So a listed site, one with few carriers, adds a number of its own, numbers per carrier, and an
 * update of each pair of carriers.  All are integers, so the sums are those of the dense kernels (kernels/kernels.h).  Products:
 *
 *     AGREE   1 - a_x - a_y + h, where a is 1 and h is 1, or 2 for two homozygotes
 *     DOT     1 - v_x - v_y + v_x v_y, where v is 2 for a homozygote, else 1
 *     ALT     h, which is 1 for two homozygotes; where code 2 is that of most, 1 - a_x - a_y + 1
 *
 * Updates are made by panels of rows, so that their sums stay in the cache.  Which sites are listed is a prediction of what is cheaper;
 * some more are sparse, see calc/pairs/acc_sparse.h.  Sparse sites and the others of a block are kept until several blocks have enough of
 * them (struct gt_cpu_pending). */
#ifndef GT_CALC_ACC_CARRIERS_H
#define GT_CALC_ACC_CARRIERS_H

#include <stdatomic.h>

#include "calc/pairs/accumulator.h"
#include "kernels/kernels.h"

struct gt_cpu_acc;
struct gt_cpu_block;

/* Carriers [first, end) of a block; those that are columns of the box: [column, end_column). */
struct gt_cpu_listed {
    uint32_t first, end, column, end_column;
    uint32_t row; /* of the block */
    bool alt;     /* code 2 is that of most samples */
    bool in_bits; /* it has missing calls, which bit rows count */
};

/* Carriers of a site from the first one of a panel of rows on. */
struct gt_cpu_carrier_rows {
    uint32_t site, first;
};

/* What a site adds to a plane with per-site weights, in units of GT_SITE_UNIT / 2: any two samples; next to one that is no carrier, as
 * row and as column; a pair of carriers, h above; bounds of what each adds. */
struct gt_cpu_listed_weights {
    int64_t most, alone[2][GT_CARRIER_KINDS], pair[GT_CARRIER_KINDS][GT_CARRIER_KINDS];
    int64_t most_size, size[GT_CARRIER_KINDS]; /* of one that is no carrier; less that */
    bool any[GT_CARRIER_KINDS];                /* is any of pair[kind] not 0? */
};

/* The listed sites of a block. */
struct gt_cpu_carriers {
    int64_t n;
    struct gt_buf sites;                  /* struct gt_cpu_listed [n] */
    struct gt_buf carriers;               /* uint32_t, see GT_CARRIER */
    struct gt_buf rows;                   /* struct gt_cpu_carrier_rows, by panel */
    struct gt_buf panel_start;            /* uint32_t [row panels + 1] */
    struct gt_buf dense, sparse;          /* uint32_t: the other rows of the block */
    struct gt_buf gathered;               /* packed rows: those that are encoded, then sparse ones */
    int64_t n_carriers;                   /* of `carriers` */
    int64_t n_dense, n_sparse;            /* of `dense` and `sparse` */
    int64_t n_in_bits;                    /* sites that are */
    int64_t n_alt, plain_alt;             /* sites that are `alt`; of those not in bits */
    bool any_missing;                     /* of all rows of the block */
    struct gt_buf weights[GT_MAX_PLANES]; /* struct gt_cpu_listed_weights [n] */
};

/* Rows of a kind, dense or sparse, that are not listed and not in a block yet. */
struct gt_cpu_pending {
    struct gt_buf rows;
    int64_t n, most;
};

/* Sums of listed sites per carrier, by gt_pair_product: of a or v, int64_t [GT_PAIR_PRODUCTS][samples]; behind them, h of the carrier with
 * itself at sites where it is the last one and alone in its panel.  How often sites count 1. */
struct gt_cpu_listed_sums {
    struct gt_buf alone;
    bool of_last; /* those h are made here, and their sites have no row for it: no plane has sums by site weights */
    int64_t sites[GT_PAIR_PRODUCTS];
};

/* Largest number of carriers of a listed site; 0: none are listed. */
int64_t gt_cpu_most_carriers(const struct gt_cpu_acc *acc);
int64_t gt_cpu_carriers_sums_bytes(const struct gt_cpu_acc *acc);
int64_t gt_cpu_carriers_block_bytes(const struct gt_cpu_acc *acc);
int gt_cpu_carriers_init(struct gt_cpu_acc *acc, struct gt_err *err);
void gt_cpu_carriers_free(struct gt_cpu_acc *acc);
void gt_cpu_carriers_block_init(struct gt_cpu_block *block, struct gt_budget *budget);
void gt_cpu_carriers_block_free(struct gt_cpu_block *block);

/* Lists the sites of rows, if that is worth while: then *rows are those left, of which the first *n_dense are to be encoded and the
 * next *n_sparse are sparse.  Bit rows are made of these, and of the listed ones with missing calls. */
int gt_cpu_list(struct gt_cpu_acc *acc, struct gt_rows *rows, int64_t *n_dense, int64_t *n_sparse, struct gt_cpu_block *block,
                struct gt_err *err);
/* All rows that are pending, of both kinds, as gt_cpu_list leaves them; the block owns them and has no lists.  Errors: of memory. */
int gt_cpu_take_pending(struct gt_cpu_acc *acc, struct gt_rows *rows, int64_t *n_dense, int64_t *n_sparse, struct gt_cpu_block *block,
                        struct gt_err *err);
/* Are there any?  After all blocks. */
bool gt_cpu_is_pending(const struct gt_cpu_acc *acc);
/* How many dense rows can be pending. */
int64_t gt_cpu_most_pending(const struct gt_cpu_acc *acc);

/* The share of rectangle `part`, after its other sums: updates of some panels of rows. */
void gt_cpu_add_carriers(struct gt_cpu_acc *acc, const struct gt_cpu_block *block, int64_t part);
/* Sums per sample. */
void gt_cpu_add_carrier_counts(struct gt_cpu_acc *acc, const struct gt_cpu_block *block);

/* acc_carriers_weights.c.  Planes with per-site weights: of a block; the updates of row panel a; sums per sample. */
int gt_cpu_list_weights(const struct gt_cpu_acc *acc, const struct gt_rows *rows, struct gt_cpu_carriers *lists, struct gt_err *err);
void gt_cpu_add_listed_weights(struct gt_cpu_acc *acc, const struct gt_cpu_carriers *lists, int k, int64_t a);
void gt_cpu_add_listed_samples(struct gt_cpu_acc *acc, const struct gt_cpu_carriers *lists);
int gt_cpu_carriers_reduce(struct gt_cpu_acc *acc, struct gt_comm *comm, struct gt_err *err);
void gt_cpu_carriers_merge(struct gt_cpu_acc *acc, const struct gt_cpu_acc *from);
/* Adds what listed sites add per site and sample to the sums of a product, modulo 2^32. */
void gt_cpu_carriers_tile(const struct gt_cpu_acc *acc, int product, int64_t a, int64_t b, int32_t sums[GT_PANEL][GT_PANEL]);

#endif
