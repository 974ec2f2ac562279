/* The mean of all pairs' numbers, for GT_METRIC_RELATIVE: tiles of them are summed in whole
 * multiples of a unit, so that the order of pairs makes no difference.  The unit is so small
 * that the mean of equal numbers is that number, and theirs from it exactly 0. */
#include <math.h>

#include "calc/pdist/pdist_internal.h"
#include "core/base/size.h"

static void take(struct gt_pdist_mean *mean, const struct gt_tile *tile)
{
    const double *value = tile->planes[0];
    gt_pdist_wide sum = 0;
    int64_t n = 0;
    for (int64_t i = 0; i < tile->rows; i++)
        for (int64_t j = 0; j < tile->columns; j++, value++) {
            if (isnan(*value) || !gt_pdist_is_counted(mean->plan, tile->row + i, tile->column + j))
                continue;
            sum += (gt_pdist_wide)ldexp(*value, mean->shift);
            n++;
        }
    pthread_mutex_lock(&mean->lock);
    mean->sum += sum;
    mean->n += n;
    pthread_mutex_unlock(&mean->lock);
}

static int mean_write(struct gt_sink *sink, const struct gt_tile *tile, const struct gt_buf *bytes, struct gt_err *err)
{
    (void)bytes, (void)err;
    take((struct gt_pdist_mean *)sink, tile);
    return GT_OK;
}

/* All pairs together stay below 2^127. */
static int shift_of(int64_t pairs)
{
    int shift = 127;
    for (; pairs > 0; pairs >>= 1)
        shift--;
    return shift;
}

bool gt_pdist_is_relative(const struct gt_pdist_opts *opts)
{
    return opts->use.metric->traits & GT_METRIC_RELATIVE && !opts->wants.counts;
}

void gt_pdist_mean_init(struct gt_pdist_mean *mean, const struct gt_pdist_plan *plan)
{
    static const struct gt_sink_ops ops = {.write = mean_write};
    static const char *const distance[] = {"distance", NULL};
    *mean = (struct gt_pdist_mean){.sink = {.ops = &ops, .order = GT_TILES_ANY, .wants = {.part = plan->part, .planes = distance}},
                                   .plan = plan,
                                   .shift = shift_of(plan->pairs)};
    pthread_mutex_init(&mean->lock, NULL);
}

double gt_pdist_mean_value(const struct gt_pdist_mean *mean)
{
    if (!mean->n)
        return NAN;
    const gt_pdist_wide n = (gt_pdist_wide)mean->n, whole = mean->sum / n;
    return ldexp((double)(whole | (whole * n != mean->sum)), -mean->shift); /* the last bit tells of a rest, for the rounding */
}

void gt_pdist_mean_release(struct gt_pdist_mean *mean)
{
    pthread_mutex_destroy(&mean->lock);
}
