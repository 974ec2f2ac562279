#include "calc/pca/pca_block.h"

#include <math.h>

#include "core/engine/memory_plan.h"

enum { BUFFERS = 7 };
/* Genotypes of a block: its rows are a whole number of words of turned rows. */
enum { BLOCK_GENOTYPES = 1 << 20, FEWEST_ROWS = 512, MOST_ROWS = 4096 };

int64_t gt_svd_block_rows(int64_t samples)
{
    const int64_t rows = BLOCK_GENOTYPES / samples / 64 * 64;
    return rows < FEWEST_ROWS ? FEWEST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
}

static void list(struct gt_svd_block *block, struct gt_buf *bufs[BUFFERS])
{
    struct gt_buf *const all[BUFFERS] = {&block->means, &block->weights, &block->values, &block->y,
                                         &block->gaps,  &block->turned,  &block->missing};
    memcpy(bufs, all, sizeof all);
}

void gt_svd_block_budget(struct gt_svd_block *block, struct gt_budget *budget)
{
    struct gt_buf *bufs[BUFFERS];
    list(block, bufs);
    for (int i = 0; i < BUFFERS; i++)
        bufs[i]->budget = budget;
    gt_svd_fixed_budget(&block->fixed, budget);
    gt_svd_lists_budget(&block->lists, budget);
}

void gt_svd_block_release(struct gt_svd_block *block)
{
    struct gt_buf *bufs[BUFFERS];
    list(block, bufs);
    for (int i = 0; i < BUFFERS; i++)
        gt_buf_release(bufs[i]);
    gt_svd_fixed_release(&block->fixed);
    gt_svd_lists_release(&block->lists);
}

/* --- between passes -------------------------------------------------------------------------- */

void gt_svd_block_exchange(struct gt_svd_block *a, struct gt_svd_block *b)
{
    const struct gt_svd_moments moments = a->moments;
    gt_buf_swap(&a->means, &b->means);
    gt_buf_swap(&a->weights, &b->weights);
    gt_svd_lists_exchange(&a->lists, &b->lists);
    a->moments = b->moments, b->moments = moments;
}

int64_t gt_svd_block_made(const struct gt_svd_block *block)
{
    return (int64_t)(block->means.cap + block->weights.cap) + gt_svd_lists_made(&block->lists);
}

int64_t gt_svd_block_most_made(int64_t samples, int64_t rows)
{
    return gt_bytes_add(gt_svd_lists_most_made(samples, rows),
                        gt_bytes_mul(rows, 2 * (int64_t)sizeof(double)) + (int64_t)sizeof(struct gt_svd_block));
}

/* --- memory ---------------------------------------------------------------------------------- */

static int64_t turned_bytes(int64_t samples, int64_t rows)
{
    return gt_bytes_add(gt_bytes_mul(samples, (rows + 63) / 64 * 16), GT_KERNEL_PAD);
}

int64_t gt_svd_block_bytes(int64_t samples, int64_t rows, int64_t width)
{
    const int64_t columns = 2 * width;
    int64_t packed = gt_bytes_add(gt_bytes_mul(rows, (samples + 3) / 4), turned_bytes(samples, rows));
    int64_t narrow = gt_bytes_mul(rows, (2 + 2 * columns + width) * (int64_t)sizeof(int64_t));
    packed = gt_bytes_add(packed, gt_bytes_mul(samples, (int64_t)sizeof(uint32_t))); /* what is missing */
    packed = gt_bytes_add(packed, gt_svd_lists_bytes(samples, rows, width));
    return gt_bytes_add(gt_bytes_add(packed, narrow), gt_bytes_add(gt_svd_fixed_bytes(rows, width, 2), width * width * 8 + 4096));
}

/* --- forward ------------------------------------------------------------------------------- */

/* A row with these numbers of each code. */
static struct gt_svd_site look_at(struct gt_svd_moments *moments, enum gt_svd_scale scale, int ploidy, const int64_t counts[4])
{
    struct gt_svd_site site;
    const bool used = gt_svd_site(scale, ploidy, counts, &site);
    moments->used += used;
    moments->constant += !used;
    moments->trace += site.square;
    moments->weights += site.weight;
    return site;
}

int gt_svd_block_missing(struct gt_svd_block *block, const struct gt_block *from, int64_t samples, struct gt_err *err)
{
    int status = gt_buf_zeros(&block->missing, (size_t)samples * sizeof(uint32_t), err);
    if (!status)
        gt_kernels()->add_missing(from->rows.data, from->stride, from->n, samples, gt_buf_u32(&block->missing));
    return status;
}

int gt_svd_block_look(struct gt_svd_block *block, const struct gt_block *from, int64_t samples, enum gt_svd_scale scale, int ploidy,
                      struct gt_err *err)
{
    block->moments = (struct gt_svd_moments){0};
    for (int64_t v = 0; v < from->n; v++) {
        int64_t counts[4];
        gt_kernels()->count_codes(gt_block_row(from, v), samples, counts);
        look_at(&block->moments, scale, ploidy, counts);
    }
    return gt_svd_block_missing(block, from, samples, err);
}

int gt_svd_block_room(struct gt_svd_block *block, int64_t n, int64_t n_columns, struct gt_err *err)
{
    const size_t rows = (size_t)n, width = (size_t)n_columns;
    block->rows = n;
    int status = gt_buf_resize(&block->means, rows * sizeof(double), err);
    if (!status)
        status = gt_buf_resize(&block->weights, rows * sizeof(double), err);
    return status ? status : gt_buf_resize(&block->values, rows * width * sizeof(double), err);
}

/* What the sums of a row and of its gaps come to, less the mean, as if its weight were 1. */
static void finish_values(struct gt_svd_block *block, const struct gt_svd_fixed *f)
{
    const int64_t columns = f->digits * f->width, *sums = gt_buf_i64(&f->sums), *y = gt_buf_i64(&block->y),
                  *gaps = gt_buf_i64(&block->gaps);
    const double *scales = gt_buf_f64(&f->scales);
    double *values = gt_buf_f64(&block->values);
    for (int64_t v = 0; v < block->rows; v++, y += columns, gaps += columns, values += f->width) {
        const double mean = gt_buf_f64(&block->means)[v];
        for (int64_t c = 0; c < f->width; c++) {
            double value = (double)y[c] - mean * (double)(sums[c] - gaps[c]);
            if (f->digits == 2)
                value += ((double)y[f->width + c] - mean * (double)(sums[f->width + c] - gaps[f->width + c])) * (1.0 / (1 << GT_SVD_DIGIT));
            values[c] = value * scales[c];
        }
    }
}

/* Counts the rows: moments, means, weights, and lists.rows. */
static int count_rows(struct gt_svd_block *block, const struct gt_block *from, int64_t samples, enum gt_svd_scale scale, int ploidy,
                      struct gt_err *err)
{
    int status = gt_buf_resize(&block->lists.rows, (size_t)from->n * sizeof(struct gt_svd_row), err);
    struct gt_svd_row *rows = (struct gt_svd_row *)(void *)block->lists.rows.data;
    block->moments = (struct gt_svd_moments){0};
    for (int64_t v = 0; v < from->n && !status; v++) {
        int64_t counts[4];
        gt_kernels()->count_codes(gt_block_row(from, v), samples, counts);
        const struct gt_svd_site site = look_at(&block->moments, scale, ploidy, counts);
        const uint8_t major = counts[2] > counts[0] ? 2 : 0;
        gt_buf_f64(&block->means)[v] = site.mean;
        gt_buf_f64(&block->weights)[v] = site.weight;
        rows[v] = (struct gt_svd_row){(uint32_t)(samples - counts[major]), (uint32_t)counts[3], major};
    }
    return status;
}

/* Room for y and gaps, zero where products are added up; those of listed rows are set. */
static int start_sums(struct gt_svd_block *block, int64_t sums, struct gt_err *err)
{
    const struct gt_svd_lists *lists = &block->lists;
    const size_t row = (size_t)sums * sizeof(int64_t), bytes = (size_t)block->rows * row;
    if (block->device || !lists->n) {
        int status = gt_buf_zeros(&block->y, bytes, err);
        return status ? status : gt_buf_zeros(&block->gaps, bytes, err);
    }
    int status = gt_buf_resize(&block->y, bytes, err);
    status = status ? status : gt_buf_resize(&block->gaps, bytes, err);
    for (int64_t i = 0; i < lists->n_packed && !status; i++)
        memset(block->gaps.data + gt_buf_u32(&lists->others)[i] * row, 0, row);
    return status;
}

/* gaps of rows that are not listed. */
static void multiply_gaps(struct gt_svd_block *block, const struct gt_block *from, const struct gt_svd_fixed *f)
{
    const struct gt_svd_lists *lists = &block->lists;
    const int64_t sums = f->digits * f->width, piece = gt_svd_fixed_piece(f);
    for (int64_t s = 0; s < f->rows; s += piece)
        for (int64_t i = 0; i < lists->n_packed; i++) {
            const int64_t v = lists->n ? gt_buf_u32(&lists->others)[i] : i;
            if (gt_svd_lists_row(lists, v)->missing == 0)
                continue;
            block->any_gaps = true;
            gt_kernels()->sketch_gaps(gt_block_row(from, v) + s / 4, from->stride, 1, gt_min_i64(piece, f->rows - s),
                                      (const int16_t *)(const void *)f->numbers.data + s * sums, sums / GT_SKETCH, 0,
                                      gt_buf_i64(&block->gaps) + v * sums);
        }
}

/* y and gaps of rows that are not listed: all of the block, or those that lists.packed has. */
static int multiply_packed(struct gt_svd_block *block, const struct gt_block *from, const struct gt_svd_fixed *columns, struct gt_err *err)
{
    struct gt_svd_lists *lists = &block->lists;
    const int64_t samples = columns->rows, sums = columns->digits * columns->width;
    int status = lists->n ? gt_buf_zeros(&lists->sums, (size_t)(lists->n_packed * sums) * sizeof(int64_t), err) : GT_OK;
    if (status)
        return status;
    int64_t *products = gt_buf_i64(lists->n ? &lists->sums : &block->y), *y = gt_buf_i64(&block->y);
    gt_svd_fixed_multiply(columns, lists->n ? lists->packed.data : from->rows.data, lists->n ? gt_svd_lists_stride(samples) : from->stride,
                          lists->n_packed, 0, products);
    if (lists->n)
        for (int64_t i = 0; i < lists->n_packed; i++)
            memcpy(y + gt_buf_u32(&lists->others)[i] * sums, products + i * sums, (size_t)sums * sizeof *y);
    multiply_gaps(block, from, columns);
    return GT_OK;
}

static int multiply_on_device(struct gt_svd_block *block, const struct gt_block *from, struct gt_err *err)
{
    for (int64_t v = 0; v < from->n; v++)
        block->any_gaps |= gt_svd_lists_row(&block->lists, v)->missing > 0;
    return gt_svd_device_forward(block->device, &(struct gt_svd_device_rows){block->number, from->n, from->rows.data, from->stride},
                                 gt_buf_i64(&block->y), block->any_gaps ? gt_buf_i64(&block->gaps) : NULL, err);
}

int gt_svd_block_forward(struct gt_svd_block *block, const struct gt_block *from, enum gt_svd_scale scale, int ploidy,
                         const struct gt_svd_fixed *columns, struct gt_err *err)
{
    block->any_gaps = false;
    int status = gt_svd_block_room(block, from->n, columns->width, err);
    if (!status && !block->prepared)
        status = count_rows(block, from, columns->rows, scale, ploidy, err);
    if (!status && !block->prepared && !block->device)
        status = gt_svd_lists_make(&block->lists, from, columns->rows, err);
    if (!status && !block->device)
        status = gt_svd_lists_pack(&block->lists, from, columns->rows, err);
    if (!status)
        status = start_sums(block, columns->digits * columns->width, err);
    if (!status)
        status = block->device ? multiply_on_device(block, from, err) : multiply_packed(block, from, columns, err);
    if (!status && block->lists.n)
        status = gt_svd_lists_forward(&block->lists, columns, gt_buf_i64(&block->y), gt_buf_i64(&block->gaps), err);
    if (!status)
        finish_values(block, columns);
    return status;
}

/* --- back ---------------------------------------------------------------------------------- */

/* Rows that are multiplied as packed. */
static int64_t n_packed(const struct gt_svd_block *block)
{
    return block->lists.n ? block->lists.n_packed : block->rows;
}

int gt_svd_block_turn(struct gt_svd_block *block, const uint8_t *rows, size_t stride, int64_t samples, struct gt_err *err)
{
    const int64_t n = n_packed(block);
    block->samples = samples;
    block->turned_stride = (size_t)(n + 63) / 64 * 16;
    int status = gt_buf_resize(&block->turned, (size_t)turned_bytes(samples, n), err);
    if (status)
        return status;
    if (block->lists.n == 0) {
        gt_kernels()->turn_codes(rows, stride, n, samples, block->turned.data, block->turned_stride);
        return GT_OK;
    }
    gt_kernels()->turn_codes(block->lists.packed.data, gt_svd_lists_stride(samples), n, samples, block->turned.data, block->turned_stride);
    return block->prepared ? GT_OK : gt_svd_lists_turn(&block->lists, samples, err);
}

int gt_svd_block_weigh(struct gt_svd_block *block, int64_t width, int digits, int unit, struct gt_err *err)
{
    double *values = gt_buf_f64(&block->values);
    const double *means = gt_buf_f64(&block->means), *weights = gt_buf_f64(&block->weights);
    const int64_t n = n_packed(block);
    int status = gt_svd_fixed_start(&block->fixed, n, width, digits, err);
    if (status)
        return status;
    for (int64_t v = 0; v < block->rows; v++)
        for (int64_t c = 0; c < width; c++)
            values[v * width + c] *= weights[v];
    const int exponent = gt_svd_fixed_exponent(values, block->rows * width, unit);
    block->shift = exponent - unit;
    for (int64_t i = 0; i < n; i++) {
        const int64_t v = block->lists.n ? gt_buf_u32(&block->lists.others)[i] : i;
        gt_svd_fixed_row(&block->fixed, i, values + v * width, means[v], exponent);
    }
    return block->lists.n ? gt_svd_lists_weigh(&block->lists, &block->fixed, values, means, exponent, err) : GT_OK;
}

void gt_svd_block_back(const struct gt_svd_block *block, int64_t from, int64_t n, int64_t *sums)
{
    enum { SUMS_BYTES = 1 << 17 }; /* stay in a second cache */
    const struct gt_svd_fixed *f = &block->fixed;
    const int64_t columns = f->digits * f->width, some = gt_max_i64(SUMS_BYTES / (columns * (int64_t)sizeof *sums) / 64, 1) * 64;
    for (int64_t s = 0; s < n; s += some) {
        const uint8_t *rows = block->turned.data + (size_t)(from + s) * block->turned_stride;
        gt_svd_fixed_multiply(f, rows, block->turned_stride, gt_min_i64(some, n - s), block->shift, sums + s * columns);
        if (block->any_gaps)
            gt_kernels()->sketch_gaps(rows, block->turned_stride, gt_min_i64(some, n - s), f->rows,
                                      (const int16_t *)(const void *)f->numbers.data, columns / GT_SKETCH, block->shift,
                                      sums + s * columns);
    }
    if (block->lists.n)
        gt_svd_lists_back(&block->lists, from, n, columns, block->shift, sums);
}

int gt_svd_block_back_on_device(const struct gt_svd_block *block, const struct gt_block *from, struct gt_err *err)
{
    const struct gt_svd_device_rows rows = {block->number, from->n, from->rows.data, from->stride};
    return gt_svd_device_back(block->device, &rows, &block->fixed, block->any_gaps, block->shift, err);
}

void gt_svd_block_means(const struct gt_svd_block *block, int64_t *back)
{
    for (int64_t c = 0; c < block->fixed.digits * block->fixed.width; c++)
        back[c] += (int64_t)((uint64_t)gt_buf_i64(&block->fixed.sums)[c] << block->shift);
}

void gt_svd_block_product(const int64_t *sums, const int64_t *back, int64_t samples, int64_t width, int digits, int unit, double *product)
{
    for (int64_t s = 0; s < samples; s++, sums += digits * width)
        for (int64_t c = 0; c < width; c++) {
            double sum = (double)(sums[c] - back[c]);
            if (digits == 2)
                sum += (double)(sums[width + c] - back[width + c]) * (1.0 / (1 << GT_SVD_DIGIT));
            product[s + c * samples] = ldexp(sum, unit);
        }
}
