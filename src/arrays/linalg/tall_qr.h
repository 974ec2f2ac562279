/* QR of a tall matrix in memory, by a tree of blocks whose shape depends on the matrix's alone. */
#ifndef GT_CALC_TALL_QR_H
#define GT_CALC_TALL_QR_H

#include "core/base/budget.h"

/* Rows of a block that is factored at once: it stays in the second cache, unless columns are many.  The last block of a matrix may
 * be longer, so that none has fewer rows than columns. */
int64_t gt_qr_block_rows(int64_t columns);

/* a: rows x columns, row major, lead >= columns, rows >= columns.  a becomes Q; r, column
 * major, columns x columns, becomes R. */
int gt_tall_qr(int64_t rows, int64_t columns, double *a, int64_t lead, double *r, struct gt_budget *budget, struct gt_err *err);
/* a becomes a b, b column major, columns x columns. */
int gt_tall_times(int64_t rows, int64_t columns, double *a, int64_t lead, const double *b, struct gt_budget *budget, struct gt_err *err);
/* Bytes that the first takes of the budget, at most. */
int64_t gt_tall_qr_bytes(int64_t rows, int64_t columns);

#endif
