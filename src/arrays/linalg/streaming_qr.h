/* The triangle R of a tall matrix A = Q R whose rows come by and by: blocks of a fixed number of rows are
 * factored, and their triangles one after another; so its bits do not depend on how rows come. */
#ifndef GT_LINALG_STREAMING_QR_H
#define GT_LINALG_STREAMING_QR_H

#include "core/base/budget.h"

/* a, rows x columns, column major, becomes anything; r, likewise, its triangle R, 0 below the diagonal. */
typedef int gt_qr_factor(void *ctx, int64_t rows, int64_t columns, double *a, double *r, struct gt_err *err);

struct gt_streaming_qr {
    int64_t columns, rows;  /* rows: of a block */
    int64_t filled;         /* rows that stand in it */
    bool begun;             /* r is that of the blocks before */
    struct gt_buf block;    /* double [rows][columns], the next one */
    struct gt_buf turned;   /* the same by columns */
    struct gt_buf r, below; /* double columns x columns, column major */
    struct gt_budget *budget;
    gt_qr_factor *factor; /* of a block below the triangle of those before, elsewhere than on the cpu; NULL: none */
    void *ctx;            /* of it */
};

/* Zero-initialise first.  columns > 0; rows of a block, at least as many: gt_qr_block_rows (tall_qr.h), or fewer to save memory. */
int gt_streaming_qr_start(struct gt_streaming_qr *qr, int64_t columns, int64_t rows, struct gt_budget *budget, struct gt_err *err);
/* After start: blocks are factored by another function, below the triangle of those before.  Takes columns x columns numbers more. */
int gt_streaming_qr_by(struct gt_streaming_qr *qr, gt_qr_factor *factor, void *ctx, struct gt_err *err);
/* Where the next rows go: *n of them at most. */
double *gt_streaming_qr_next(struct gt_streaming_qr *qr, int64_t *n);
/* That many have been put there. */
int gt_streaming_qr_add(struct gt_streaming_qr *qr, int64_t n, struct gt_err *err);
/* R, in qr->r: after the last row. */
int gt_streaming_qr_finish(struct gt_streaming_qr *qr, struct gt_err *err);
void gt_streaming_qr_release(struct gt_streaming_qr *qr);
int64_t gt_streaming_qr_bytes(int64_t columns, int64_t rows);

#endif
