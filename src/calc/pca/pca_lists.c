#include "calc/pca/pca_lists.h"

#include <math.h>

#include "core/engine/memory_plan.h"

/* The first ones are determined by the rows of a block; the others are used for a time. */
enum { MADE = 7, BUFFERS = MADE + 4 };

static void list(struct gt_svd_lists *lists, struct gt_buf *bufs[BUFFERS])
{
    struct gt_buf *const all[BUFFERS] = {&lists->rows,     &lists->listed,    &lists->others,       &lists->entries,
                                         &lists->starts,   &lists->by_sample, &lists->sample_start, &lists->packed,
                                         &lists->carriers, &lists->numbers,   &lists->sums};
    memcpy(bufs, all, sizeof all);
}

void gt_svd_lists_budget(struct gt_svd_lists *lists, struct gt_budget *budget)
{
    struct gt_buf *bufs[BUFFERS];
    list(lists, bufs);
    for (int i = 0; i < BUFFERS; i++)
        bufs[i]->budget = budget;
}

void gt_svd_lists_release(struct gt_svd_lists *lists)
{
    struct gt_buf *bufs[BUFFERS];
    list(lists, bufs);
    for (int i = 0; i < BUFFERS; i++)
        gt_buf_release(bufs[i]);
}

void gt_svd_lists_exchange(struct gt_svd_lists *a, struct gt_svd_lists *b)
{
    struct gt_buf *of_a[BUFFERS], *of_b[BUFFERS];
    const int64_t n = a->n, n_packed = a->n_packed;
    list(a, of_a);
    list(b, of_b);
    for (int i = 0; i < MADE; i++)
        gt_buf_swap(of_a[i], of_b[i]);
    a->n = b->n, a->n_packed = b->n_packed;
    b->n = n, b->n_packed = n_packed;
}

int64_t gt_svd_lists_made(const struct gt_svd_lists *lists)
{
    struct gt_svd_lists copy = *lists;
    struct gt_buf *bufs[BUFFERS];
    int64_t bytes = 0;
    list(&copy, bufs);
    for (int i = 0; i < MADE; i++)
        bytes += (int64_t)bufs[i]->cap;
    return bytes;
}

/* --- predictions --------------------------------------------------------------------------- */

/* Lists of more than one sample in so many would take as much memory as packed rows. */
enum { FEWEST_SAMPLES = 16 };

int64_t gt_svd_most_listed(int64_t samples)
{
    return (int64_t)((double)samples * fmin(gt_kernels()->lists_speed / gt_kernels()->sketch_speed, 1.0 / FEWEST_SAMPLES));
}

/* Entries of a block, at most; few blocks have that many. */
static int64_t most_entries(int64_t most, int64_t rows)
{
    return rows * gt_max_i64(8, most / 4);
}

int64_t gt_svd_lists_most_made(int64_t samples, int64_t rows)
{
    const int64_t most = gt_svd_most_listed(samples), word = (int64_t)sizeof(uint32_t);
    const int64_t of_rows = gt_bytes_mul(rows, (int64_t)sizeof(struct gt_svd_row) + 4 * word), of_samples = gt_bytes_mul(samples, word);
    return most == 0 ? of_rows : gt_bytes_add(gt_bytes_mul(most_entries(most, rows), 2 * word), gt_bytes_add(of_rows, of_samples + 4096));
}

int64_t gt_svd_lists_bytes(int64_t samples, int64_t rows, int64_t width)
{
    const int64_t columns = 2 * width, made = gt_svd_lists_most_made(samples, rows);
    const int64_t packed = gt_bytes_mul(rows / 2, (int64_t)gt_svd_lists_stride(samples)),
                  carriers = gt_bytes_mul(samples, (int64_t)sizeof(uint32_t));
    const int64_t products = gt_bytes_mul(2 * rows, columns * (int64_t)(sizeof(int64_t) + sizeof(int16_t)));
    return gt_svd_most_listed(samples) == 0 ? made : gt_bytes_add(gt_bytes_add(made, packed), gt_bytes_add(products, carriers));
}

/* --- lists ------------------------------------------------------------------------------------- */

static bool few(const struct gt_svd_lists *lists, const struct gt_svd_row *row)
{
    return lists->most > 0 && row->carriers <= lists->most;
}

/* Divides the rows into those that are listed and others; entries: of the listed ones. */
static int divide(struct gt_svd_lists *lists, int64_t rows, int64_t *entries, struct gt_err *err)
{
    int status = gt_buf_resize(&lists->listed, (size_t)rows * sizeof(uint32_t), err);
    if (!status)
        status = gt_buf_resize(&lists->others, (size_t)rows * sizeof(uint32_t), err);
    lists->n = lists->n_packed = *entries = 0;
    for (int64_t v = 0; v < rows && !status; v++) {
        const struct gt_svd_row *row = gt_svd_lists_row(lists, v);
        if (few(lists, row)) {
            gt_buf_u32(&lists->listed)[lists->n++] = (uint32_t)v;
            *entries += row->carriers + (row->major ? row->missing : 0);
        } else
            gt_buf_u32(&lists->others)[lists->n_packed++] = (uint32_t)v;
    }
    return status;
}

/* Both sparse rows of a listed row behind the n entries that are there; start: where each begins.  Returns their number. */
static uint32_t add_row(struct gt_svd_lists *lists, const uint8_t *packed, const struct gt_svd_row *row, int64_t samples, uint32_t n,
                        uint32_t start[2])
{
    static const int8_t added[2][GT_CARRIER_KINDS] = {{1, 2, 0}, {-1, -2, -2}};
    uint32_t *carriers = gt_buf_u32(&lists->carriers), *entries = gt_buf_u32(&lists->entries);
    const int64_t found = gt_kernels()->list_carriers(packed, samples, row->major, samples, carriers);
    start[0] = n;
    for (int64_t i = 0; i < found; i++) {
        const int times = added[row->major != 0][carriers[i] & 3];
        if (times)
            entries[n++] = GT_SKETCH_ENTRY(GT_CARRIER_SAMPLE(carriers[i]), times);
    }
    start[1] = n;
    for (int64_t i = 0; i < found && row->missing; i++)
        if ((carriers[i] & 3) == GT_CARRIER_MISSING)
            entries[n++] = GT_SKETCH_ENTRY(GT_CARRIER_SAMPLE(carriers[i]), 1);
    return n;
}

int gt_svd_lists_pack(struct gt_svd_lists *lists, const struct gt_block *from, int64_t samples, struct gt_err *err)
{
    const size_t bytes = gt_svd_lists_stride(samples);
    int status = lists->n ? gt_buf_resize(&lists->packed, (size_t)lists->n_packed * bytes + GT_KERNEL_PAD, err) : GT_OK;
    for (int64_t i = 0; lists->n && i < lists->n_packed && !status; i++)
        memcpy(lists->packed.data + (size_t)i * bytes, gt_block_row(from, gt_buf_u32(&lists->others)[i]), bytes);
    return status;
}

int gt_svd_lists_make(struct gt_svd_lists *lists, const struct gt_block *from, int64_t samples, struct gt_err *err)
{
    int64_t entries;
    int status = divide(lists, from->n, &entries, err);
    if (status)
        return status;
    if (2 * lists->n < from->n || lists->n == 0 || entries > most_entries(lists->most, from->n)) {
        lists->n = 0, lists->n_packed = from->n;
        return GT_OK;
    }
    status = gt_buf_resize(&lists->carriers, (size_t)samples * sizeof(uint32_t), err);
    if (!status)
        status = gt_buf_resize(&lists->entries, (size_t)entries * sizeof(uint32_t), err);
    if (!status)
        status = gt_buf_resize(&lists->starts, (size_t)(2 * lists->n + 1) * sizeof(uint32_t), err);
    uint32_t n = 0;
    for (int64_t i = 0; i < lists->n && !status; i++) {
        const uint32_t v = gt_buf_u32(&lists->listed)[i];
        n = add_row(lists, gt_block_row(from, v), gt_svd_lists_row(lists, v), samples, n, gt_buf_u32(&lists->starts) + 2 * i);
    }
    if (!status)
        gt_buf_u32(&lists->starts)[2 * lists->n] = n;
    return status;
}

/* --- products ------------------------------------------------------------------------------------ */

int gt_svd_lists_forward(struct gt_svd_lists *lists, const struct gt_svd_fixed *columns, int64_t *y, int64_t *gaps, struct gt_err *err)
{
    const int64_t n_columns = columns->digits * columns->width;
    int status = gt_buf_zeros(&lists->sums, (size_t)(2 * lists->n * n_columns) * sizeof(int64_t), err);
    if (status)
        return status;
    gt_kernels()->sketch_lists(gt_buf_u32(&lists->entries), gt_buf_u32(&lists->starts), 2 * lists->n,
                               (const int16_t *)(const void *)columns->numbers.data, n_columns / GT_SKETCH, 0, gt_buf_i64(&lists->sums));
    const int64_t *sums = gt_buf_i64(&lists->sums), *all = gt_buf_i64(&columns->sums);
    for (int64_t i = 0; i < lists->n; i++, sums += 2 * n_columns) {
        const uint32_t v = gt_buf_u32(&lists->listed)[i];
        const int64_t base = gt_svd_lists_row(lists, v)->major;
        for (int64_t c = 0; c < n_columns; c++) {
            y[v * n_columns + c] = base * all[c] + sums[c];
            gaps[v * n_columns + c] = sums[n_columns + c];
        }
    }
    return GT_OK;
}

/* A counting sort: by_sample has the entries of each sample in order of sparse rows. */
int gt_svd_lists_turn(struct gt_svd_lists *lists, int64_t samples, struct gt_err *err)
{
    const uint32_t *starts = gt_buf_u32(&lists->starts), n = lists->n ? starts[2 * lists->n] : 0;
    int status = lists->n ? gt_buf_zeros(&lists->sample_start, (size_t)(samples + 1) * sizeof(uint32_t), err) : GT_OK;
    if (!status && lists->n)
        status = gt_buf_resize(&lists->by_sample, (size_t)n * sizeof(uint32_t), err);
    if (status || lists->n == 0)
        return status;
    const uint32_t *entries = gt_buf_u32(&lists->entries);
    uint32_t *start = gt_buf_u32(&lists->sample_start), *out = gt_buf_u32(&lists->by_sample), before = 0;
    for (uint32_t i = 0; i < n; i++)
        start[GT_SKETCH_INDEX(entries[i])]++;
    for (int64_t s = 0; s <= samples; s++) {
        const uint32_t here = start[s];
        start[s] = before;
        before += here;
    }
    for (int64_t r = 0; r < 2 * lists->n; r++)
        for (uint32_t i = starts[r]; i < starts[r + 1]; i++)
            out[start[GT_SKETCH_INDEX(entries[i])]++] = GT_SKETCH_ENTRY(r, GT_SKETCH_TIMES(entries[i]));
    /* each start is now where the next one belongs */
    memmove(start + 1, start, (size_t)samples * sizeof *start);
    start[0] = 0;
    return GT_OK;
}

int gt_svd_lists_weigh(struct gt_svd_lists *lists, struct gt_svd_fixed *f, const double *values, const double *means, int exponent,
                       struct gt_err *err)
{
    const int64_t columns = f->digits * f->width;
    int status = gt_buf_resize(&lists->numbers, (size_t)(2 * lists->n * columns) * sizeof(int16_t), err);
    int16_t *number = (int16_t *)(void *)lists->numbers.data;
    for (int64_t i = 0; i < lists->n && !status; i++, number += 2 * columns) {
        const uint32_t v = gt_buf_u32(&lists->listed)[i];
        gt_svd_fixed_listed(f, values + v * f->width, means[v], exponent, gt_svd_lists_row(lists, v)->major, number, number + columns);
    }
    return status;
}

void gt_svd_lists_back(const struct gt_svd_lists *lists, int64_t from, int64_t n, int64_t columns, int shift, int64_t *sums)
{
    if (lists->n)
        gt_kernels()->sketch_lists(gt_buf_u32(&lists->by_sample), gt_buf_u32(&lists->sample_start) + from, n,
                                   (const int16_t *)(const void *)lists->numbers.data, columns / GT_SKETCH, shift, sums);
}
