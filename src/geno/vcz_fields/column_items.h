/* Items of columns as bytes, little endian; what the files of struct gt_column share. */
#ifndef GT_CALC_COLUMN_ITEMS_H
#define GT_CALC_COLUMN_ITEMS_H

#include "geno/vcz_fields/column.h"

/* CHAR and TEXT: no items, but texts one after another. */
static inline bool gt_column_is_text(enum gt_column_kind kind)
{
    return kind >= GT_COLUMN_CHAR;
}

/* The item that stands where a variant has no such field. */
int64_t gt_column_missing(enum gt_column_kind kind);
/* n items of `size` bytes, all that value. */
void gt_items_set(uint8_t *to, int size, int64_t n, int64_t value);
/* n rows of form `from` become rows of form `to`, no narrower; what is after a row's values is the fill value. */
void gt_items_move(enum gt_column_kind kind, const uint8_t *src, struct gt_column_shape from, uint8_t *dst, struct gt_column_shape to,
                   int64_t n);
/* false: too many for memory to have. */
bool gt_items_bytes(int64_t variants, int64_t rows, struct gt_column_shape form, size_t *bytes);
/* GT_NOFIT that says so. */
int gt_items_too_large(struct gt_err *err);

#endif
