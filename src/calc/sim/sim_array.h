/* Simulated plain matrices, for decompositions and for benchmarks of storage.
 *
 * Element (row, column) comes from word column % 4 of the Philox group column / 4 with
 * the row as variant and purpose GT_SIM_VALUE (calc/sim.h), so chunks may be made in any
 * order and shape:
 *   uniform, whole numbers   low + floor(word * (high - low + 1) / 2^32)
 *   uniform, floats          low + (high - low) * (word + 0.5) / 2^32
 *   normal                   Box and Muller on words 0, 1 and on words 2, 3
 *   rank R                   sum over r < R of s_r u_r v_r' + noise * normal, with
 *                            s_r = sqrt(rows * columns) / (r + 1)
 * u_r and v_r are cosine vectors (DCT-II), which are orthonormal for any length, with a random
 * sign for each row and each column: without noise the singular values are s_r exactly. */
#ifndef GT_CALC_SIM_ARRAY_H
#define GT_CALC_SIM_ARRAY_H

#include "core/engine/engine.h"
#include "storage/codec/dtype.h"
#include "storage/store/store.h"

#define GT_SIM_MAX_RANK 10000

enum gt_sim_array_kind { GT_SIM_UNIFORM, GT_SIM_NORMAL, GT_SIM_RANK };

struct gt_sim_array {
    uint64_t seed;
    int64_t rows, columns;
    enum gt_sim_array_kind kind;
    double low, high; /* uniform; whole numbers for whole types, both included */
    int64_t rank;
    double noise; /* standard deviation of what is added to rank */
    enum gt_type type;
    /* storage */
    int64_t chunk[2];  /* 0 = chosen; of shards, where there are any */
    int64_t shard[2];  /* of what is requested, as in struct gt_vcz_request */
    int64_t inner[2];  /* chosen: of the chunks in shards; 0 = there are none */
    const char *codec; /* NULL = zstd:1 for whole numbers, blosc:lz4:1:shuffle for floats */
    int zarr_format;   /* 0 = 2 */
    const char *history;
};

/* GT_USAGE when it makes no sense; fills in what is to be chosen. */
int gt_sim_array_check(struct gt_sim_array *array, struct gt_err *err);
/* *memory: the share of chunks on their way.  GT_NOFIT, as gt_memory_plan_fit says. */
int gt_sim_array_fit_memory(const struct gt_sim_array *array, const struct gt_engine *engine, int64_t *memory, struct gt_err *err);
/* The matrix as the array at the root of a new store, which the caller finishes. */
int gt_sim_array_run(const struct gt_sim_array *array, struct gt_engine *engine, struct gt_store *out, struct gt_err *err);
double gt_sim_array_singular(const struct gt_sim_array *array, int64_t r);

#endif
