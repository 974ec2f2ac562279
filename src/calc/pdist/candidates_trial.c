/* How many sites are summed for all pairs: some pairs tell how many of them each number of sites would leave over. */
#include <stdlib.h>

#include "calc/pdist/candidates.h"
#include "core/base/size.h"

/* Samples, spread evenly, all pairs of which are tried. */
enum { TRIED = 128, STEP = GT_CANDIDATES_STEP, LINE = GT_CANDIDATES_LINE };

/* Nanoseconds: a pair that is left over and counted over all sites, and a site of it; a step after the first sites; a pair that is counted
 * with all others, to which its dense sites come, those where this share of samples is heterozygous (doc/benchmarks.md). */
static const double pair_ns = 300, site_ns = 0.08, step_ns = 40, other_ns = 20, dense_share = 0.02;

struct trial {
    const struct gt_candidates *candidates;
    int64_t samples, steps;
    struct gt_buf bits; /* [samples][steps][homozygous, code 2, missing] bit rows of a step */
    struct gt_buf own;  /* int64_t [samples][steps]: what a sample adds alone, up to the step's end */
    int64_t *left;      /* by step: pairs that are left over after it */
};

static int64_t sample_of(const struct trial *trial, int64_t k)
{
    return k * trial->candidates->rows.samples / trial->samples;
}

static void split(struct trial *trial, int64_t k, uint8_t *row)
{
    const struct gt_candidates *c = trial->candidates;
    uint8_t *bits = trial->bits.data + (size_t)(k * trial->steps) * 3 * LINE;
    int64_t *own = gt_buf_i64(&trial->own) + k * trial->steps, codes[4], sum = 0;
    gt_kernels()->gather_samples(gt_sample_row(&c->rows, sample_of(trial, k)), gt_buf_u32(&c->order), trial->steps * STEP, row);
    gt_candidates_split(row, trial->steps, bits);
    for (int64_t step = 0; step < trial->steps; step++) {
        gt_kernels()->count_codes(row + step * (STEP / 4), STEP, codes);
        own[step] = sum += gt_candidates_own(c, codes);
    }
}

static void try_pair(struct trial *trial, int64_t x, int64_t y)
{
    const struct gt_candidates *c = trial->candidates;
    const int64_t i = sample_of(trial, x), j = sample_of(trial, y), steps = trial->steps;
    const int64_t *own_i = gt_buf_i64(&trial->own) + x * steps, *own_j = gt_buf_i64(&trial->own) + y * steps;
    const int32_t *all = (const int32_t *)(const void *)c->most.data, most = all[i] < all[j] ? all[i] : all[j];
    const bool never = c->never.data[i] || c->never.data[j];
    int64_t together = 0;
    for (int64_t step = 0; step < steps; step++) {
        const size_t at = (size_t)step * 3 * LINE;
        together += gt_candidates_together(c, trial->bits.data + (size_t)(x * steps) * 3 * LINE + at,
                                           trial->bits.data + (size_t)(y * steps) * 3 * LINE + at);
        trial->left[step] += never || c->sum.sites * (step + 1) * STEP + own_i[step] + own_j[step] - 2 * together <= most;
    }
}

/* The share of pairs that is left over by so many steps. */
static double left_by(const struct trial *trial, int64_t steps)
{
    return (double)trial->left[steps - 1] / ((double)trial->samples * (double)(trial->samples - 1) / 2);
}

/* Nanoseconds a pair, with `first` steps of all pairs and the fewest more that are best; sets their number. */
static double cost_of(const struct trial *trial, int64_t first, int64_t *more)
{
    const struct gt_candidates *c = trial->candidates;
    const double counted = pair_ns + site_ns * (double)c->rows.sites;
    double before = (double)(first * STEP) / c->pair->speed[c->product], best = before + left_by(trial, first) * counted;
    *more = 0;
    for (int64_t k = 1; k <= GT_CANDIDATES_MOST_MORE && first + k <= trial->steps; k++) {
        before += left_by(trial, first + k - 1) * step_ns;
        const double cost = before + left_by(trial, first + k) * counted;
        if (cost < best)
            best = cost, *more = k;
    }
    return best;
}

static double cost_of_all(const struct gt_candidates *c)
{
    int64_t dense = 0;
    for (int64_t k = 0; k < c->rows.sites; k++)
        dense += gt_buf_u32(&c->rows.hets)[k] >= dense_share * (double)c->rows.samples;
    return other_ns + (double)dense / c->pair->speed[c->product];
}

static void choose(const struct trial *trial, struct gt_candidates *c)
{
    double best = cost_of_all(c);
    for (int64_t steps = 1; steps <= trial->steps; steps++) {
        int64_t more;
        const double cost = cost_of(trial, steps, &more);
        if (cost < best)
            best = cost, c->first_sites = steps * STEP, c->more_steps = more;
    }
}

int gt_candidates_try(struct gt_candidates *c, struct gt_err *err)
{
    struct trial trial = {.candidates = c, .samples = gt_min_i64(TRIED, c->rows.samples)};
    struct gt_buf row = {.budget = &c->engine->budget}, left = row;
    trial.bits.budget = trial.own.budget = &c->engine->budget;
    trial.steps = gt_min_i64(c->plan->most_first, c->rows.sites) / STEP;
    const size_t cells = (size_t)(trial.samples * trial.steps);
    int status = gt_buf_resize(&trial.bits, cells * 3 * LINE, err);
    status = status ? status : gt_buf_resize(&trial.own, cells * sizeof(int64_t), err);
    status = status ? status : gt_buf_resize(&row, (size_t)(trial.steps * STEP / 4) + GT_KERNEL_PAD, err);
    status = status ? status : gt_buf_zeros(&left, (size_t)trial.steps * sizeof(int64_t), err);
    trial.left = gt_buf_i64(&left);
    for (int64_t x = 0; x < trial.samples && !status && trial.steps; x++) {
        split(&trial, x, row.data);
        for (int64_t y = 0; y < x; y++)
            try_pair(&trial, x, y);
    }
    if (!status && trial.samples > 1)
        choose(&trial, c);
    gt_buf_release(&trial.bits);
    gt_buf_release(&trial.own);
    gt_buf_release(&row);
    gt_buf_release(&left);
    return status;
}
