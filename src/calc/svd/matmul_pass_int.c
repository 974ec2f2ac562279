#include "calc/svd/matmul_pass_int.h"

#include <math.h>

#include "calc/svd/fixed_point.h"
#include "core/base/size.h"

/* Columns of the array whose sums are made at a time: they stay in the first caches. */
enum { SOME = 256 };
/* Bits of doubles, with those that a column's largest one leaves to others. */
enum { ALL_BITS = 53 };
enum { MOST_DIGITS = 1 + (ALL_BITS - 2) / GT_SVD_DIGIT };
/* Codes of a row that kernels take. */
enum { MOST_COLUMNS = 1 << 22 };

struct item {
    struct gt_array_code_block codes;
    struct gt_buf own;    /* of the block, where it is not kept */
    struct gt_buf y;      /* int64_t [rows][digits * width] */
    struct gt_buf left;   /* of P, where that need not stay */
    struct gt_buf turned; /* the codes, a packed row for each column of the array */
    size_t turned_stride;
    struct gt_svd_fixed fixed; /* P */
};

struct run {
    struct gt_array_pass *pass;
    const struct gt_array_products *products;
    struct gt_svd_fixed right;
    struct gt_svd_on_device *device; /* NULL: the cpu */
    int64_t columns, row_group;
    int bits; /* of P */
};

bool gt_matmul_int_possible(const struct gt_matrix_info *info)
{
    return info->type < GT_F16 && info->columns <= MOST_COLUMNS;
}

int64_t gt_matmul_int_bytes(int64_t columns, int64_t width)
{
    const int64_t rows = gt_array_code_rows(columns), sums = gt_bytes_mul(MOST_DIGITS * width, (int64_t)sizeof(int64_t));
    const int64_t codes = gt_bytes_add(gt_array_code_bytes(columns), gt_bytes_add(gt_bytes_mul(columns, rows / 4), GT_KERNEL_PAD));
    const int64_t narrow = gt_bytes_add(gt_bytes_mul(rows, gt_bytes_add(sums, width * (int64_t)sizeof(double))),
                                        gt_svd_fixed_narrow_bytes(rows, width, MOST_DIGITS));
    return gt_bytes_add(gt_bytes_add(codes, narrow), gt_bytes_mul(SOME, sums));
}

int64_t gt_matmul_int_fixed_bytes(int64_t columns, int64_t width)
{
    return gt_bytes_add(gt_svd_fixed_narrow_bytes(columns, width, MOST_DIGITS), columns + GT_KERNEL_PAD);
}

/* Four digits are columns of twice the width. */
enum { DEVICE_WIDTHS = MOST_DIGITS / 2 };

int64_t gt_matmul_int_device_bytes(const struct gt_device *device, int64_t columns, int64_t width)
{
    return gt_svd_device_bytes(device, columns, gt_array_code_rows(columns), DEVICE_WIDTHS * width);
}

int64_t gt_matmul_int_device_host_bytes(int64_t columns, int64_t width)
{
    return gt_bytes_add(gt_svd_device_host_bytes(gt_array_code_rows(columns), DEVICE_WIDTHS * width),
                        gt_bytes_mul(gt_bytes_mul(columns, MOST_DIGITS * width), (int64_t)sizeof(int64_t)));
}

/* --- a block ------------------------------------------------------------------------------ */

static int read_block(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    struct item *item = it;
    (void)task;
    item->own.budget = item->y.budget = item->left.budget = item->turned.budget = &run->pass->engine->budget;
    gt_svd_fixed_budget(&item->fixed, &run->pass->engine->budget);
    return gt_array_codes_next(&run->pass->codes, &item->codes, &item->own, err);
}

static void release(void *ctx, void *it)
{
    struct item *item = it;
    (void)ctx;
    gt_buf_release(&item->own);
    gt_buf_release(&item->y);
    gt_buf_release(&item->left);
    gt_buf_release(&item->turned);
    gt_svd_fixed_release(&item->fixed);
}

/* The number of column c, whose digits stand `width` apart. */
static inline double of_digits(const int64_t *sums, int64_t c, int64_t width, int digits, double scale)
{
    double sum = (double)sums[(digits - 1) * width + c];
    for (int d = digits - 1; d > 0; d--)
        sum = sum * (1.0 / (1 << GT_SVD_DIGIT)) + (double)sums[(d - 1) * width + c];
    return sum * scale;
}

static struct gt_svd_device_rows rows_of(const struct run *run, const struct item *item)
{
    return (struct gt_svd_device_rows){.block = item->codes.first / gt_array_code_rows(run->columns),
                                       .n = item->codes.n,
                                       .data = item->codes.rows,
                                       .stride = gt_array_code_stride(run->columns)};
}

/* P = M right. */
static int forward(const struct run *run, struct item *item, double *left, struct gt_err *err)
{
    const struct gt_svd_fixed *right = &run->right;
    const int64_t n = item->codes.n, width = right->width, sums = right->digits * width;
    int status = gt_buf_zeros(&item->y, (size_t)(n * sums) * sizeof(int64_t), err);
    if (status)
        return status;
    if (run->device) {
        const struct gt_svd_device_rows rows = rows_of(run, item);
        status = gt_svd_device_forward(run->device, &rows, gt_buf_i64(&item->y), NULL, err);
    } else {
        gt_svd_fixed_multiply(right, item->codes.rows, gt_array_code_stride(run->columns), n, 0, gt_buf_i64(&item->y));
    }
    for (int64_t r = 0; r < n && !status; r++)
        for (int64_t c = 0; c < width; c++)
            left[r * width + c] = of_digits(gt_buf_i64(&item->y) + r * sums, c, width, right->digits, gt_buf_f64(&right->scales)[c]);
    return status;
}

/* P in fixed point, and on the cpu the codes by columns. */
static int prepare(const struct run *run, struct item *item, double *left, struct gt_err *err)
{
    const int64_t n = item->codes.n;
    item->turned_stride = (size_t)(n + 63) / 64 * 16;
    int status = gt_svd_fixed_narrow(&item->fixed, left, n, run->products->width, run->bits, err);
    if (status || run->device)
        return status;
    status = gt_buf_resize(&item->turned, (size_t)run->columns * item->turned_stride + GT_KERNEL_PAD, err);
    if (!status)
        gt_kernels()->turn_codes(item->codes.rows, gt_array_code_stride(run->columns), n, run->columns, item->turned.data,
                                 item->turned_stride);
    return status;
}

static int work(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    const struct gt_array_products *of = run->products;
    struct item *item = it;
    (void)task;
    int status = of->left ? GT_OK : gt_buf_resize(&item->left, (size_t)(item->codes.n * of->width) * sizeof(double), err);
    double *left = of->left ? of->left + item->codes.first * of->width : gt_buf_f64(&item->left);
    if (!status && of->right)
        status = forward(run, item, left, err);
    return status || !of->sum ? status : prepare(run, item, left, err);
}

/* Columns [from, from + n) of M'P grow by sums of digits. */
static void add_numbers(const struct run *run, const struct gt_svd_fixed *fixed, int64_t from, int64_t n, const int64_t *sums)
{
    const int64_t width = fixed->width, step = fixed->digits * width;
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < width; c++)
            run->products->sum[(from + i) * width + c] +=
                of_digits(sums + i * step, c, width, fixed->digits, gt_buf_f64(&fixed->scales)[c]);
}

/* All columns of M'P, of a block by its number, one block at a time. */
static int add_up_on_device(void *ctx, int64_t task, int64_t part, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    const struct item *item = it;
    const int64_t columns = item->fixed.digits * item->fixed.width;
    const struct gt_svd_device_rows rows = rows_of(run, item);
    struct gt_buf sums = {.budget = &run->pass->engine->budget};
    (void)task, (void)part;
    int status = gt_buf_resize(&sums, (size_t)(run->columns * columns) * sizeof(int64_t), err);
    if (!status)
        status = gt_svd_device_begin_back(run->device, columns, err);
    if (!status)
        status = gt_svd_device_back(run->device, &rows, &item->fixed, false, 0, err);
    if (!status)
        status = gt_svd_device_sums(run->device, gt_buf_i64(&sums), err);
    if (!status)
        add_numbers(run, &item->fixed, 0, run->columns, gt_buf_i64(&sums));
    gt_buf_release(&sums);
    return status;
}

/* A row group of columns of M'P.  Blocks come one after another, and their rows are decided by the shape alone. */
static int add_up(void *ctx, int64_t task, int64_t part, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    const struct item *item = it;
    const struct gt_svd_fixed *fixed = &item->fixed;
    const int64_t end = gt_min_i64(run->columns, (part + 1) * run->row_group), sums = fixed->digits * fixed->width;
    struct gt_buf some = {.budget = &run->pass->engine->budget};
    int status = GT_OK;
    (void)task;
    for (int64_t from = part * run->row_group; from < end && !status; from += SOME) {
        const int64_t n = gt_min_i64(end - from, SOME);
        status = gt_buf_zeros(&some, (size_t)(n * sums) * sizeof(int64_t), err);
        if (status)
            break;
        gt_svd_fixed_multiply(fixed, item->turned.data + (size_t)from * item->turned_stride, item->turned_stride, n, 0, gt_buf_i64(&some));
        add_numbers(run, fixed, from, n, gt_buf_i64(&some));
    }
    gt_buf_release(&some);
    return status;
}

/* --- a pass --------------------------------------------------------------------------------- */

/* Bits that P = M right takes: of numbers of that many bits no more than that, the largest code and as many columns. */
static int bits_of_product(int right_bits, int64_t columns)
{
    int exponent;
    frexp(2 * (double)columns, &exponent);
    return gt_min_i64(right_bits + exponent, ALL_BITS);
}

/* The device's part, made in the first pass, gets the operand. */
static int begin_on_device(struct gt_array_pass *pass, struct run *run, struct gt_err *err)
{
    int status = pass->codes_on ? GT_OK
                                : gt_svd_device_new(&pass->codes_on, pass->device, &pass->engine->budget, run->columns,
                                                    gt_array_code_rows(run->columns), DEVICE_WIDTHS * run->products->width, err);
    run->device = pass->codes_on;
    return status || !run->products->right ? status : gt_svd_device_begin(run->device, &run->right, err);
}

int gt_matmul_int_run(struct gt_array_pass *pass, const struct gt_array_products *products, struct gt_err *err)
{
    const int64_t columns = gt_matrix_info(pass->matrix)->columns;
    const int right_bits = products->right_bits ? products->right_bits : ALL_BITS;
    const int all_bits = products->right ? bits_of_product(right_bits, columns) : ALL_BITS;
    const struct gt_array_stages stages = {.item_size = sizeof(struct item),
                                           .read = read_block,
                                           .work = work,
                                           .part = pass->device ? add_up_on_device : add_up,
                                           .release = release};
    struct run run = {.pass = pass,
                      .products = products,
                      .columns = columns,
                      .row_group = pass->device ? columns : gt_array_row_group(pass, SOME),
                      .bits = products->left_bits ? products->left_bits : all_bits};
    struct gt_err ignored;
    gt_svd_fixed_budget(&run.right, &pass->engine->budget);
    pass->codes.matrix = pass->matrix;
    int status = pass->passes++ ? gt_matrix_rewind(pass->matrix, err) : GT_OK;
    if (!status && products->right)
        status = gt_svd_fixed_narrow(&run.right, products->right, columns, products->width, right_bits, err);
    if (!status && pass->device)
        status = begin_on_device(pass, &run, err);
    if (!status)
        status = gt_array_codes_begin(&pass->codes, pass->engine, gt_array_pass_rows(gt_matrix_info(pass->matrix)), err);
    if (!status)
        status = gt_array_flow(pass, &stages, products->sum ? run.row_group : 0, gt_matmul_int_bytes(columns, products->width), &run, err);
    const int ended = gt_array_codes_end(&pass->codes, status ? &ignored : err);
    gt_svd_fixed_release(&run.right);
    return status ? status : ended;
}
