/* A block of columns made orthogonal to a basis, and orthonormal.
 *
 * Projection and normalisation are repeated until a round changes the block by little: a column that loses nearly all of its
 * length to the basis is orthogonal to it nonetheless.  A column without anything of its own becomes a random one, so that the
 * block stays as wide as it can be. */
#ifndef GT_ARRAYS_LINALG_BLOCK_ORTH_H
#define GT_ARRAYS_LINALG_BLOCK_ORTH_H

#include <stdint.h>

/* Matrices are column major; narrow ones are n rows apart, seen and more `lead`, rest and work `width`. */
struct gt_block_orth {
    int64_t n, width, lead;
    uint64_t seed;       /* of random columns */
    const double *basis; /* n x m, orthonormal */
    int64_t m;
    double *block;   /* n x columns; overwritten */
    int64_t columns; /* at most width */
    double *out;     /* n x made */
    int64_t made;    /* min(columns, n - m): set by the call */
    /* block = basis seen + out rest, up to rounding: */
    double *seen; /* m x columns */
    double *rest; /* made x columns */
    /* scratch: */
    double *more; /* m x columns */
    double *work; /* GT_BLOCK_ORTH_WORK(width) numbers */
};

#define GT_BLOCK_ORTH_WORK(width) (2 * (width) * (width) + (width))

void gt_block_orth(struct gt_block_orth *o);

#endif
