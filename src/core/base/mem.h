/* Allocation of small objects: names, tables, structs.  Bulk data is in gt_buf, which is counted
 * in a budget (base/budget.h).  Every function here that returns NULL or GT_FAIL has
 * set *err. */
#ifndef GT_BASE_MEM_H
#define GT_BASE_MEM_H

#include <stddef.h>

#include "core/base/err.h"

/* "out of memory"; returns GT_FAIL. */
int gt_no_memory(struct gt_err *err);

/* n zeroed items of `size` bytes; n may be 0. */
void *gt_alloc(size_t n, size_t size, struct gt_err *err);

/* Grows an array with capacity *cap to hold n items of `size` bytes; the capacity grows by half.
 * array: address of the pointer to the first item.  New items are not initialised. */
int gt_grow(void *array, size_t *cap, size_t n, size_t size, struct gt_err *err);

/* The capacity that gt_grow would choose for n items. */
size_t gt_grown(size_t cap, size_t n);

/* As gt_grow, but allocates exactly n items and has no capacity. */
int gt_resize(void *array, size_t n, size_t size, struct gt_err *err);

char *gt_strdup(const char *s, struct gt_err *err);
char *gt_strndup(const char *s, size_t n, struct gt_err *err);

#endif
