/* Sparse sites, inside gt_acc_cpu: those with too many carriers for an update of each pair of them (calc/pairs/acc_carriers.h), but fewer
 * than are worth a column of the dense kernels.
 *
 * Let c and h indicate a carrier, and one that is a homozygote.  Products of gt_pair_product:
 *
 *     AGREE   1 - c_x - c_y + c_x c_y + h_x h_y
 *     DOT     1 - v_x - v_y + v_x v_y, where v = c + h
 *     ALT     h_x h_y; where code 2 is that of most, 1 - c_x - c_y + c_x c_y
 *
 * The last terms are made sample by sample: the bit rows of c and h at the sites that a sample carries are summed over all other samples
 * (bits_tally). */
#ifndef GT_CALC_ACC_SPARSE_H
#define GT_CALC_ACC_SPARSE_H

#include "calc/pairs/accumulator.h"
#include "kernels/kernels.h"

struct gt_cpu_acc;
struct gt_cpu_block;

/* Order of sites: those with homozygotes among their carriers first, and of these, those of which code 2 is that of most; of the others,
 * these last. */
enum gt_cpu_sparse_kind { GT_CPU_SPARSE_HOM_ALT, GT_CPU_SPARSE_HOM, GT_CPU_SPARSE_PLAIN, GT_CPU_SPARSE_ALT, GT_CPU_SPARSE_KINDS };

/* The sparse sites of a block. */
struct gt_cpu_sparse {
    int64_t n, from[GT_CPU_SPARSE_KINDS + 1]; /* sites; where those of a kind begin */
    int64_t n_entries;                        /* of a product, at the most */
    struct gt_buf order;                      /* uint32_t [n]: row of the block of a site */
    struct gt_buf kinds;                      /* uint8_t [n], by row */
    struct gt_buf bits;                       /* by vector: rows of c of all sites, then those of h of the first from[PLAIN] ones */
    struct gt_buf turned;                     /* uint64_t, of a vector; and lists of sites */
    struct gt_buf entries[GT_PAIR_PRODUCTS];  /* uint16_t: rows of `bits` that are summed for a sample, sample by sample */
    struct gt_buf start[GT_PAIR_PRODUCTS];    /* uint32_t [samples + 1]: where those of a sample begin */
    struct gt_buf alone[GT_PAIR_PRODUCTS];    /* int32_t [samples]: sums of c or v, of sites that count 1 */
};

/* Entries of a product that a site has, at the most, where counts[c] samples have code c; and the largest number of these that a sparse
 * site has, 0: none are sparse. */
int64_t gt_cpu_sparse_entries(const struct gt_cpu_acc *acc, const int64_t counts[4]);
int64_t gt_cpu_most_sparse(const struct gt_cpu_acc *acc);
/* Number of pending sparse rows, at the most. */
int64_t gt_cpu_most_sparse_pending(const struct gt_cpu_acc *acc);
int64_t gt_cpu_sparse_block_bytes(const struct gt_cpu_acc *acc);
void gt_cpu_sparse_block_init(struct gt_cpu_block *block, struct gt_budget *budget);
void gt_cpu_sparse_block_free(struct gt_cpu_block *block);

/* Rows [first, first + n) of rows, which the block has bit rows of, are sparse. */
int gt_cpu_sparse_prepare(const struct gt_cpu_acc *acc, const struct gt_rows *rows, int64_t first, int64_t n, struct gt_cpu_block *block,
                          struct gt_err *err);
/* Sums of the samples of row panels [a0, a1). */
void gt_cpu_sparse_add(struct gt_cpu_acc *acc, const struct gt_cpu_sparse *sparse, int64_t a0, int64_t a1);
/* Sums per sample. */
void gt_cpu_sparse_add_counts(struct gt_cpu_acc *acc, const struct gt_cpu_sparse *sparse);

#endif
