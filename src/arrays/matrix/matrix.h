/* A plain numeric array, of a Zarr store or a .npy file, as a matrix that is read
 * in blocks of rows: what a genotype source is for genotypes, for numbers.
 *
 * The view.  The array's axes are sliced, then reversed when `transpose` says so
 * (numpy's x[slice].T); the first axis of what results is the rows, all others
 * together, in C order, are the columns.  So blocks of columns are blocks of rows of
 * the transposed view: x of (samples, sites) as blocks of sites is x.T.  An axis that
 * is sliced to one index goes, as in numpy; a view without an axis has one row.
 *
 * Values come as the element type that was asked for, little endian, C order. */
#ifndef GT_MATRIX_MATRIX_H
#define GT_MATRIX_MATRIX_H

#include "core/base/nd.h"
#include "core/base/str.h"
#include "core/engine/engine.h"
#include "storage/codec/dtype.h"
#include "storage/input/input.h"

struct gt_matrix;
struct gt_array;

struct gt_matrix_info {
    int64_t rows, columns; /* of the view */
    int ndim;              /* of the view, as are shape and axis */
    int64_t shape[GT_MAX_DIMS];
    char *axis[GT_MAX_DIMS];                       /* names (dimension_names, _ARRAY_DIMENSIONS), NULL where there is none */
    enum gt_type stored, type;                     /* in the file; as delivered */
    int64_t start[GT_MAX_DIMS], step[GT_MAX_DIMS]; /* item i of an axis is number start + i * step of the array's */
    int64_t block_rows;                            /* of every block but the last */
    int64_t block_bytes;                           /* memory for a block's values */
    bool raw;  /* rows stand uncompressed in local files: another pass, from the page cache, takes about as long as from a copy in memory */
    bool fast; /* likewise, or compressed with LZ4, which is decoded about as fast as a copy is made */
    int64_t read_minimum, read_preferred; /* memory for reading: at the least, and when all threads are kept busy */
    const char *kind;                     /* "npy", "Zarr array" */
    char *name;                           /* for messages */
};

struct gt_matrix_opts {
    const char *array; /* --array: path inside the store, or NULL */
    const char *slice; /* numpy basic slicing, steps above 0: "::10,:100"; NULL = all */
    bool transpose;    /* reverse the axes */
    bool cast;         /* deliver `type`, GT_F64 or GT_F32; else what is stored */
    enum gt_type type;
    bool negative_missing; /* with cast: integers below 0 become NaN */
    int64_t block_rows;    /* 0 = chosen by the chunks and the memory */
    int64_t memory;        /* share of the budget; 0 = a third */
};

/* A block of rows, whole: n * columns values. */
struct gt_matrix_block {
    int64_t first, n; /* rows */
    struct gt_buf values;
};

/* Takes over *input, which is then as released.  A pipe is spooled.  GT_INPUT for what is no array of
 * numbers (strings, complex numbers, structures) and for a header that does not hold;
 * GT_USAGE for a slice that does not suit; GT_NOFIT when one row is more than memory leaves. */
int gt_matrix_open(struct gt_matrix **out, struct gt_engine *engine, struct gt_input *input, const struct gt_matrix_opts *opts,
                   struct gt_err *err);
/* Of an array of a store that is open; both are borrowed. */
int gt_matrix_open_array(struct gt_matrix **out, struct gt_engine *engine, struct gt_array *array, const struct gt_matrix_opts *opts,
                         struct gt_err *err);
const struct gt_matrix_info *gt_matrix_info(const struct gt_matrix *matrix);
/* Has negative_missing made NaN of a number in what was read? */
bool gt_matrix_any_negative(const struct gt_matrix *matrix);

/* The next block, in order; GT_END after the last.  The block is the caller's until
 * gt_matrix_done, which any thread may call.  One caller of next at a time (it may be
 * the read callback of a flow). */
int gt_matrix_next(struct gt_matrix *matrix, const struct gt_matrix_block **block, struct gt_err *err);
void gt_matrix_done(struct gt_matrix *matrix, const struct gt_matrix_block *block);

/* Delivers values as `type`: what is stored, GT_F64 or GT_F32; before the first next or after rewind. */
int gt_matrix_deliver(struct gt_matrix *matrix, enum gt_type type, struct gt_err *err);
/* The view with its axes reversed once more, before the first next. */
int gt_matrix_transpose(struct gt_matrix *matrix, struct gt_err *err);
/* Sets the memory for reading, at least read_minimum; before gt_matrix_reblock. */
void gt_matrix_set_memory(struct gt_matrix *matrix, int64_t memory);
/* Limits blocks to `most` rows from the next rewind or the first next on; the chunks of the array determine the actual number.
 * GT_NOFIT as above. */
int gt_matrix_reblock(struct gt_matrix *matrix, int64_t most, struct gt_err *err);
/* Restricts reading to rows [from, to) from the next rewind or the first next on.  GT_USAGE if they are not in the view. */
int gt_matrix_range(struct gt_matrix *matrix, int64_t from, int64_t to, struct gt_err *err);
/* Restarts for another pass; possible for all inputs. */
int gt_matrix_rewind(struct gt_matrix *matrix, struct gt_err *err);
void gt_matrix_free(struct gt_matrix *matrix); /* NULL is fine; stops its flow */

#endif
