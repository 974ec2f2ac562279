/* NumPy's .npy, format 1.0. */
#ifndef GT_OUT_NPY_H
#define GT_OUT_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GT_NPY_HEAD 960

/* The header of an array in C order, or Fortran's, of a type as NumPy calls it, "<f8", of at most 31 characters; shape as
 * Python writes it, "(3, 4)", of at most 767.  Returns its length: data starts at a multiple of 64. */
size_t gt_npy_head(char head[GT_NPY_HEAD], const char *type, const char *shape, bool fortran);
/* As they stand in a file, in place. */
void gt_npy_numbers(double *values, size_t n);

#endif
