#include "arrays/linalg/tall_qr.h"

#include "arrays/linalg/linalg.h"
#include "core/engine/memory_plan.h"
#include "kernels/kernels.h"

enum { BLOCK_VALUES = 1 << 16 };

int64_t gt_qr_block_rows(int64_t columns)
{
    const int64_t rows = BLOCK_VALUES / columns;
    return rows > 4 * columns ? rows : 4 * columns;
}

static int64_t blocks_of(int64_t rows, int64_t columns)
{
    const int64_t blocks = rows / gt_qr_block_rows(columns);
    return blocks > 1 ? blocks : 1;
}

int64_t gt_tall_qr_bytes(int64_t rows, int64_t columns)
{
    const int64_t blocks = blocks_of(rows, columns), block = gt_bytes_mul(2 * gt_qr_block_rows(columns), columns);
    const int64_t own = gt_bytes_mul(gt_bytes_add(gt_bytes_mul(2 * blocks, columns * columns), block), (int64_t)sizeof(double));
    return gt_bytes_add(gt_bytes_add(own, gt_linalg_qr_bytes(columns)), blocks > 1 ? gt_tall_qr_bytes(blocks * columns, columns) : 0);
}

/* n x m numbers, from rows to columns or back; leads count numbers. */
static void turn(int64_t n, int64_t m, const double *from, int64_t from_lead, double *to, int64_t to_lead)
{
    gt_kernels()->transpose(sizeof(double), n, m, (const uint8_t *)from, from_lead * (int64_t)sizeof(double), (uint8_t *)to,
                            to_lead * (int64_t)sizeof(double));
}

struct tree {
    int64_t rows, columns, lead, block, blocks;
    double *a;
    struct gt_buf copy;  /* of a block, by columns */
    struct gt_buf stack; /* the blocks' triangles, row major, one over the other */
    struct gt_budget *budget;
};

/* `rows` rows at a become those of Q, through a copy by columns; r: their triangle. */
static int factor(struct tree *t, int64_t rows, double *a, double *r, struct gt_err *err)
{
    double *copy = gt_buf_f64(&t->copy);
    turn(rows, t->columns, a, t->lead, copy, rows);
    int status = gt_linalg_qr(rows, t->columns, copy, rows, r, false, t->budget, err);
    turn(t->columns, rows, copy, rows, a, t->lead);
    return status;
}

static int64_t rows_of(const struct tree *t, int64_t block)
{
    return block + 1 < t->blocks ? t->block : t->rows - block * t->block;
}

static int start(struct tree *t, struct gt_err *err)
{
    t->block = gt_qr_block_rows(t->columns);
    t->blocks = blocks_of(t->rows, t->columns);
    t->copy.budget = t->stack.budget = t->budget;
    int status = gt_buf_resize(&t->copy, (size_t)(rows_of(t, t->blocks - 1) * t->columns) * sizeof(double), err);
    return status ? status : gt_buf_resize(&t->stack, (size_t)((t->blocks + 1) * t->columns * t->columns) * sizeof(double), err);
}

static int factor_blocks(struct tree *t, struct gt_err *err)
{
    const int64_t n = t->columns;
    double *r = gt_buf_f64(&t->stack) + t->blocks * n * n;
    int status = GT_OK;
    for (int64_t b = 0; b < t->blocks && !status; b++) {
        status = factor(t, rows_of(t, b), t->a + b * t->block * t->lead, r, err);
        turn(n, n, r, n, gt_buf_f64(&t->stack) + b * n * n, n);
    }
    return status;
}

/* Each block times its part of the Q of the stack; as columns of the transposes. */
static void spread(struct tree *t)
{
    const int64_t n = t->columns;
    for (int64_t b = 0; b < t->blocks; b++) {
        double *a = t->a + b * t->block * t->lead;
        const int64_t rows = rows_of(t, b);
        const struct gt_matrix_ref part = {gt_buf_f64(&t->stack) + b * n * n, n, false}, old = {gt_buf_f64(&t->copy), n, false};
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < n; j++)
                gt_buf_f64(&t->copy)[i * n + j] = a[i * t->lead + j];
        gt_linalg_product(n, rows, n, &part, &old, 0, a, t->lead);
    }
}

int gt_tall_qr(int64_t rows, int64_t columns, double *a, int64_t lead, double *r, struct gt_budget *budget, struct gt_err *err)
{
    struct tree t = {.rows = rows, .columns = columns, .lead = lead, .a = a, .budget = budget};
    int status = start(&t, err);
    if (!status && t.blocks == 1)
        status = factor(&t, rows, a, r, err);
    else if (!status) {
        status = factor_blocks(&t, err);
        status = status ? status : gt_tall_qr(t.blocks * columns, columns, gt_buf_f64(&t.stack), columns, r, budget, err);
        if (!status)
            spread(&t);
    }
    gt_buf_release(&t.copy);
    gt_buf_release(&t.stack);
    return status;
}

int gt_tall_times(int64_t rows, int64_t columns, double *a, int64_t lead, const double *b, struct gt_budget *budget, struct gt_err *err)
{
    const int64_t most = gt_qr_block_rows(columns);
    struct gt_buf copy = {.budget = budget};
    int status = gt_buf_resize(&copy, (size_t)(most * columns) * sizeof(double), err);
    for (int64_t at = 0; at < rows && !status; at += most) {
        const int64_t n = rows - at < most ? rows - at : most;
        const struct gt_matrix_ref turned = {b, columns, true}, old = {gt_buf_f64(&copy), columns, false};
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < columns; j++)
                gt_buf_f64(&copy)[i * columns + j] = a[(at + i) * lead + j];
        gt_linalg_product(columns, n, columns, &turned, &old, 0, a + at * lead, lead);
    }
    gt_buf_release(&copy);
    return status;
}
