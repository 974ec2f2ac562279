/* The end of the sums on the device: they come to the host, where those of ranks are added and tiles are made. */
#include <string.h>

#include "calc/pairs/acc_device.h"
#include "core/base/size.h"

/* --- finish ----------------------------------------------------------------------------------- */

static int bring(struct gt_dev_acc *acc, const struct gt_device_buf *from, struct gt_buf *to, struct gt_err *err)
{
    int status = gt_buf_resize(to, from->bytes, err);
    if (status || !from->bytes)
        return status;
    return gt_device_status(acc->device, acc->device->ops->copy_from(acc->work, to->data, from->data, from->bytes), "copying sums", err);
}

static int bring_all(struct gt_dev_acc *acc, struct gt_err *err)
{
    int status = bring(acc, &acc->samples, &acc->sample_totals, err);
    for (int p = 0; p < GT_DEV_PRODUCTS && !status; p++)
        status = bring(acc, &acc->sums[p], &acc->totals[p], err);
    for (int k = 0; k < GT_MAX_PLANES && !status; k++)
        status = bring(acc, &acc->weighed[k], &acc->weighed_totals[k], err);
    const int waited = acc->device->ops->stream_wait(acc->work); /* also after a failure: nothing writes to the host afterwards */
    return status ? status : gt_device_status(acc->device, waited, "counting pairs", err);
}

static int64_t *sample_sums(const struct gt_dev_acc *acc, int64_t at)
{
    return gt_buf_i64(&acc->sample_totals) + at * acc->n;
}

static int64_t *weight_sums(const struct gt_dev_acc *acc, int k, int table)
{
    return sample_sums(acc, GT_CPU_BITS + k * GT_DEV_WEIGHT_SUMS + table);
}

static int check(const struct gt_dev_acc *acc, struct gt_err *err)
{
    for (int k = 0; k < acc->base.setup.n_planes; k++)
        for (int64_t s = 0; s < acc->n && acc->base.setup.planes[k].terms; s++)
            if (weight_sums(acc, k, GT_CPU_SIZE)[s] >> (62 - GT_CPU_SIZE_SHIFT))
                return gt_fail(err, GT_FAIL, "the weighted sums over this many variants do not fit 64 bits");
    return gt_cpu_check_sites(&acc->base, err);
}

static int reduce_i64(struct gt_comm *comm, struct gt_buf *buf, struct gt_err *err)
{
    return gt_comm_reduce_i64(comm, gt_buf_i64(buf), buf->len / sizeof(int64_t), 0, err);
}

static int reduce(struct gt_dev_acc *acc, struct gt_comm *comm, struct gt_err *err)
{
    int status = gt_comm_reduce_i64(comm, &acc->base.sites, 1, 0, err);
    for (int p = 0; p < GT_DEV_PRODUCTS && !status; p++)
        status = gt_comm_reduce_u32(comm, gt_buf_u32(&acc->totals[p]), acc->totals[p].len / sizeof(uint32_t), 0, err);
    for (int k = 0; k < GT_MAX_PLANES && !status; k++)
        status = reduce_i64(comm, &acc->weighed_totals[k], err);
    for (int k = 0; k < GT_MAX_PLANES && !status; k++) {
        int64_t sum = (int64_t)acc->het_pairs[k];
        status = gt_comm_reduce_i64(comm, &sum, 1, 0, err);
        acc->het_pairs[k] = (uint64_t)sum;
    }
    return status ? status : reduce_i64(comm, &acc->sample_totals, err);
}

int gt_dev_finish(struct gt_acc *base, struct gt_comm *comm, struct gt_err *err)
{
    struct gt_dev_acc *acc = (struct gt_dev_acc *)base;
    int status = bring_all(acc, err);
    gt_dev_leave(acc);
    if (!status && comm->size > 1)
        status = reduce(acc, comm, err);
    return status ? status : check(acc, err);
}

int gt_dev_merge(struct gt_acc *base, const struct gt_acc *other, struct gt_err *err)
{
    struct gt_dev_acc *acc = (struct gt_dev_acc *)base;
    const struct gt_dev_acc *from = (const struct gt_dev_acc *)other;
    for (int p = 0; p < GT_DEV_PRODUCTS; p++)
        for (size_t c = 0; c < acc->totals[p].len / sizeof(uint32_t); c++)
            gt_buf_u32(&acc->totals[p])[c] += gt_buf_u32(&from->totals[p])[c];
    for (int k = 0; k < GT_MAX_PLANES; k++) {
        for (size_t c = 0; c < acc->weighed_totals[k].len / sizeof(int64_t); c++)
            ((uint64_t *)(void *)acc->weighed_totals[k].data)[c] += ((const uint64_t *)(const void *)from->weighed_totals[k].data)[c];
        acc->het_pairs[k] += from->het_pairs[k];
    }
    for (size_t c = 0; c < acc->sample_totals.len / sizeof(int64_t); c++)
        ((uint64_t *)(void *)acc->sample_totals.data)[c] += ((const uint64_t *)(const void *)from->sample_totals.data)[c];
    base->sites += other->sites;
    return check(acc, err);
}

/* --- tiles ---------------------------------------------------------------------------------------- */

/* Where the sums of a pair stand; turned: those of (j, i). */
struct place {
    int64_t cell;
    bool turned;
};

static int64_t cell_of(const struct gt_dev_acc *acc, int64_t i, int64_t j)
{
    const struct gt_pair_box *box = &acc->base.setup.box;
    const int64_t r = i - box->row0, c = j - box->col0, side = acc->side;
    return (gt_dev_tile(acc, r / side, c / side) * side + r % side) * side + c % side;
}

static struct place place_of(const struct gt_dev_acc *acc, int64_t i, int64_t j)
{
    const struct gt_pair_box *box = &acc->base.setup.box;
    const bool counted = i <= j && i >= box->row0 && i < box->row1 && j >= box->col0 && j < box->col1;
    return (struct place){counted ? cell_of(acc, i, j) : cell_of(acc, j, i), !counted};
}

static double sum_at(const struct gt_dev_acc *acc, int product, int64_t cell)
{
    return acc->totals[product].len ? (double)(int32_t)gt_buf_u32(&acc->totals[product])[cell] : 0;
}

/* factor[0] of the product, factor[1] of the one with row and column exchanged. */
static double gap_at(const struct gt_dev_acc *acc, int row, int column, const struct place *at, int row_factor, int column_factor)
{
    return row_factor * sum_at(acc, at->turned ? column : row, at->cell) + column_factor * sum_at(acc, at->turned ? row : column, at->cell);
}

static double of_sample(const struct gt_dev_acc *acc, const int factor[GT_CPU_BITS], int64_t s)
{
    double sum = 0;
    for (int bit = 0; bit < GT_CPU_BITS; bit++)
        sum += (double)factor[bit] * (double)sample_sums(acc, bit)[s];
    return sum;
}

/* The part without weights: whole numbers below 2^53, whatever the order. */
static double whole_part(const struct gt_dev_acc *acc, const struct gt_cpu_plane *form, int64_t i, int64_t j, const struct place *at)
{
    const double same = sum_at(acc, GT_DEV_SS, at->cell);
    double sum = (double)form->sites * (double)acc->base.sites + of_sample(acc, form->row, i - acc->first) +
                 of_sample(acc, form->column, j - acc->first);
    if (form->dense[GT_PAIR_AGREE])
        sum += form->dense[GT_PAIR_AGREE] * ((same + sum_at(acc, GT_DEV_HH, at->cell)) / 2);
    sum += form->dense[GT_PAIR_DOT] * same + form->dense[GT_PAIR_ALT] * sum_at(acc, GT_DEV_QQ, at->cell);
    sum += gap_at(acc, GT_DEV_MH, GT_DEV_HM, at, form->gap[0][GT_CPU_HOM], form->gap[1][GT_CPU_HOM]);
    sum += gap_at(acc, GT_DEV_MQ, GT_DEV_QM, at, form->gap[0][GT_CPU_ALT], form->gap[1][GT_CPU_ALT]);
    return sum + form->both * sum_at(acc, GT_DEV_MM, at->cell);
}

static double weighed_part(const struct gt_dev_acc *acc, int k, int64_t i, int64_t j, const struct place *at)
{
    const struct gt_plane *plane = &acc->base.setup.planes[k];
    uint64_t sum = acc->het_pairs[k] + (uint64_t)weight_sums(acc, k, GT_CPU_ALONE)[i - acc->first] +
                   (uint64_t)weight_sums(acc, k, plane->sided ? GT_CPU_ALONE_COLUMN : GT_CPU_ALONE)[j - acc->first];
    if (acc->weighed_totals[k].len)
        sum += (uint64_t)gt_buf_i64(&acc->weighed_totals[k])[at->cell];
    return (double)(int64_t)sum * (GT_SITE_UNIT / 2);
}

void gt_dev_tile_planes(const struct gt_acc *base, const struct gt_pair_box *box, double *const planes[])
{
    const struct gt_dev_acc *acc = (const struct gt_dev_acc *)base;
    int64_t out = 0;
    for (int64_t i = box->row0; i < box->row1; i++)
        for (int64_t j = box->col0; j < box->col1; j++, out++) {
            const struct place at = place_of(acc, i, j);
            for (int k = 0; k < base->setup.n_planes; k++) {
                planes[k][out] = whole_part(acc, &acc->form[k], i, j, &at);
                if (base->setup.planes[k].terms)
                    planes[k][out] += weighed_part(acc, k, i, j, &at);
            }
        }
}
