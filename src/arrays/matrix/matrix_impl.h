/* Inside a matrix: the view, and what each kind of input provides. */
#ifndef GT_MATRIX_MATRIX_IMPL_H
#define GT_MATRIX_MATRIX_IMPL_H

#include "arrays/matrix/matrix.h"
#include "arrays/matrix/view.h"
#include "core/engine/flow.h"

/* --- what a block goes through ----------------------------------------------------- */

struct gt_matrix_item {
    struct gt_matrix_block block; /* first: next hands out its address */
    bool ready;                   /* buffers know their budget */
    struct gt_region region;
    struct gt_buf stored; /* the block's items as they are stored, one after another */
    struct gt_buf hull, scratch[2];
    struct gt_chunk **held; /* Zarr: chunks whose bytes are there, the first of the region */
    size_t n_held, cap_held;
};

/* An array as an input has it. */
struct gt_matrix_back;
struct gt_matrix_back_ops {
    /* A pass begins.  May be NULL. */
    int (*start)(struct gt_matrix_back *back, struct gt_err *err);
    /* What item->region needs is read; on an I/O thread. */
    int (*fetch)(struct gt_matrix_back *back, const int64_t *stride, struct gt_matrix_item *item, struct gt_err *err);
    /* ... and is put into item->stored, little endian; on any thread. */
    int (*make)(struct gt_matrix_back *back, const int64_t *stride, struct gt_matrix_item *item, struct gt_err *err);
    /* What item holds of it is given back.  May be NULL. */
    void (*drop)(struct gt_matrix_back *back, struct gt_matrix_item *item);
    void (*free)(struct gt_matrix_back *back);
};
struct gt_matrix_back {
    const struct gt_matrix_back_ops *ops;
    int ndim;
    int64_t shape[GT_MAX_DIMS];
    int64_t unit[GT_MAX_DIMS]; /* what is read at once; 1 where that does not matter */
    const char *axis[GT_MAX_DIMS];
    struct gt_dtype dtype;
    int64_t read_bytes; /* of memory, for one unit */
    bool raw;           /* local files have the values as they are, uncompressed */
    bool fast;          /* likewise, or compressed with LZ4 */
    int outer_axis;     /* of the array: what is at one index along it stands together in the file; matters where raw is set */
    /* set by the matrix: */
    int64_t fetch_bytes; /* that fetch may read ahead, of units */
    int row_axis;        /* of the array: blocks follow one another along it */
    bool keep;           /* units stay until the blocks are past them */
    const char *kind;
    struct gt_budget *budget;
};

/* Take over *input on success, and borrow `array`. */
int gt_matrix_open_npy(struct gt_matrix_back **out, struct gt_engine *engine, struct gt_input *input, struct gt_err *err);
int gt_matrix_of_array(struct gt_matrix_back **out, struct gt_engine *engine, struct gt_array *array, struct gt_err *err);
int gt_matrix_open_zarr(struct gt_matrix_back **out, struct gt_engine *engine, struct gt_input *input, const char *array,
                        struct gt_err *err);

/* --- npy_header.c ------------------------------------------------------------------ */

struct gt_npy {
    struct gt_dtype dtype;
    bool fortran;
    int ndim;
    int64_t shape[GT_MAX_DIMS];
    int64_t items;
    int64_t data; /* where the values begin in the file */
};
/* name: for messages.  The first n bytes of the file at data, or all; more is asked for by *need. */
int gt_npy_parse(struct gt_npy *npy, const char *name, const uint8_t *data, size_t n, size_t *need, struct gt_err *err);
/* npy_array.c: of a seekable input, whose length has to be what the header says. */
int gt_npy_read_head(struct gt_npy *head, struct gt_input *input, struct gt_budget *budget, struct gt_err *err);

/* --- cast.c ------------------------------------------------------------------------ */

/* n numbers as they are stored -> double or float, rounded to the nearest.  Was one made NaN for being below 0? */
bool gt_matrix_cast(enum gt_type from, const void *src, enum gt_type to, void *dst, size_t n, bool negative_missing);
/* Reverses the byte order of n numbers. */
void gt_matrix_swap(size_t size, void *data, size_t n);

#endif
