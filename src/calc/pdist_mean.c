/* The mean of all pairs' numbers, for GT_METRIC_RELATIVE: tiles of them are summed in whole
 * multiples of a unit, so that the order of pairs makes no difference. */
#include <math.h>

#include "base/size.h"
#include "calc/pdist_impl.h"

static void take(struct gt_pdist_mean *mean, const struct gt_tile *tile)
{
    const double *value = tile->planes[0];
    int64_t sum = 0, n = 0;
    for (int64_t i = 0; i < tile->rows; i++)
        for (int64_t j = 0; j < tile->columns; j++, value++) {
            if (isnan(*value) || !gt_pdist_is_counted(mean->plan, tile->row + i, tile->column + j))
                continue;
            sum += llround(ldexp(*value, mean->shift));
            n++;
        }
    atomic_fetch_add_explicit(&mean->sum, sum, memory_order_relaxed);
    atomic_fetch_add_explicit(&mean->n, n, memory_order_relaxed);
}

static int mean_write(struct gt_sink *sink, const struct gt_tile *tile, const struct gt_buf *bytes, struct gt_err *err)
{
    (void)bytes, (void)err;
    take((struct gt_pdist_mean *)sink, tile);
    return GT_OK;
}

/* So small that 2^52 of them are 1, or that all pairs together stay below 2^62. */
static int shift_of(int64_t pairs)
{
    int shift = 52;
    while (shift > 0 && pairs >> (62 - shift))
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
}

double gt_pdist_mean_value(const struct gt_pdist_mean *mean)
{
    return ldexp((double)mean->sum, -mean->shift) / (double)mean->n;
}
