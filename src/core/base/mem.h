/* Memory for small things: names, tables, the objects themselves.  Bulk data is
 * in a counted gt_buf (base/budget.h).  Running out is an error like another:
 * every function here that returns NULL or GT_FAIL has said so in *err. */
#ifndef GT_BASE_MEM_H
#define GT_BASE_MEM_H

#include <stddef.h>

#include "core/base/err.h"

/* "out of memory"; returns GT_FAIL. */
int gt_no_memory(struct gt_err *err);

/* n items of `size` bytes, zeroed; n may be 0. */
void *gt_alloc(size_t n, size_t size, struct gt_err *err);

/* Room for n items of `size` bytes in an array that *cap items fit in; grows by half.
 * array: the address of the pointer to the first item.  New items are not initialised. */
int gt_grow(void *array, size_t *cap, size_t n, size_t size, struct gt_err *err);

/* What gt_grow makes of cap when n items are to fit. */
size_t gt_grown(size_t cap, size_t n);

/* As gt_grow, without room for more: exactly n items, *cap is not looked at. */
int gt_resize(void *array, size_t n, size_t size, struct gt_err *err);

char *gt_strdup(const char *s, struct gt_err *err);
char *gt_strndup(const char *s, size_t n, struct gt_err *err);

#endif
