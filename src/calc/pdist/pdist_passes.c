/* Which pairs a run is about, and the boxes of them that its passes count. */
#include <math.h>

#include "calc/pdist/pdist_internal.h"
#include "core/base/size.h"

/* --- parts -------------------------------------------------------------------- */

static bool is_lower(const struct gt_pdist_plan *plan)
{
    return plan->part == GT_PART_LOWER || plan->part == GT_PART_LOWER_DIAGONAL;
}

/* The first row of part i of n: parts have as many pairs as each other, about.  A square root
 * is the same on every machine. */
static int64_t first_row(const struct gt_pdist_plan *plan, int64_t i, int64_t n)
{
    double fraction = (double)i / (double)n, rows = (double)plan->rows;
    if (i == n)
        return plan->rows;
    if (is_lower(plan))
        return (int64_t)(rows * sqrt(fraction));
    return (int64_t)(plan->part == GT_PART_UPPER ? rows - rows * sqrt(1 - fraction) : rows * fraction);
}

/* Pairs below the diagonal, in rows up to `row`. */
static int64_t triangle(int64_t row)
{
    return row * (row - 1) / 2;
}

void gt_pdist_choose_rows(struct gt_pdist_plan *plan, const struct gt_pdist_opts *opts)
{
    plan->first = opts->parts ? first_row(plan, opts->part, opts->parts) : 0;
    plan->last = opts->parts ? first_row(plan, opts->part + 1, opts->parts) : plan->rows;
    plan->pairs = triangle(plan->last) - triangle(plan->first);
    if (plan->column_at)
        plan->pairs = (plan->last - plan->first) * (plan->samples - plan->column_at);
    else if (!is_lower(plan))
        plan->pairs = triangle(plan->rows - plan->first) - triangle(plan->rows - plan->last) +
                      (plan->part == GT_PART_SQUARE ? plan->first * (plan->last - plan->first) : 0);
}

/* --- boxes -------------------------------------------------------------------- */

/* Stretches of samples that boxes are cut from, one after another. */
enum { BEFORE, BAND, STRETCHES };
struct stretch {
    int64_t from, to;
};

/* A part without rows has a pass nevertheless: what it reads is looked at and counted. */
static struct stretch stretch_of(const struct gt_pdist_plan *plan, int which)
{
    int64_t from = gt_max_i64(0, gt_min_i64(plan->first, plan->rows - 1)) / GT_PAIR_STEP * GT_PAIR_STEP;
    if (which == BEFORE)
        return (struct stretch){0, plan->part == GT_PART_SQUARE && !plan->column_at ? from : 0};
    return (struct stretch){from, gt_max_i64(plan->last, gt_min_i64(from + GT_PAIR_STEP, plan->rows))};
}

/* Of a square: the pairs of all rows before the part, then those of its own rows with all
 * after them. */
static struct gt_pair_box box_of(const struct gt_pdist_plan *plan, int which, int64_t from, int64_t to)
{
    struct stretch band = stretch_of(plan, BAND);
    if (which == BEFORE)
        return (struct gt_pair_box){from, to, band.from, band.to};
    if (is_lower(plan))
        return (struct gt_pair_box){0, to, from, to};
    return (struct gt_pair_box){from, to, plan->column_at ? plan->column_at : from, plan->samples};
}

static int64_t bytes_of(const struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_pair_box *box)
{
    struct gt_acc_setup setup = gt_pdist_setup(plan, (struct gt_engine *)engine, box);
    return gt_acc_choose(&setup)->sums_bytes(&setup);
}

int64_t gt_pdist_device_bytes(const struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_pair_box *box)
{
    struct gt_acc_setup setup = gt_pdist_setup(plan, (struct gt_engine *)engine, box);
    return plan->device ? gt_acc_device_bytes(&setup) : 0;
}

static struct gt_pair_box first_steps(const struct gt_pdist_plan *plan, int which, int64_t from, int64_t steps)
{
    return box_of(plan, which, from, gt_min_i64(from + steps * GT_PAIR_STEP, stretch_of(plan, which).to));
}

static bool fits(const struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_pdist_walk *walk, int64_t steps)
{
    const struct gt_pair_box box = first_steps(plan, walk->stretch, walk->at, steps);
    return bytes_of(plan, engine, &box) <= plan->allotment[GT_PDIST_SUMS].size &&
           (!plan->device || gt_pdist_device_bytes(plan, engine, &box) <= plan->device->memory.limit);
}

/* Most steps of samples that fit, of up to `most`; one always does.  The search begins at those of the box before. */
static int64_t most_steps(const struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_pdist_walk *walk, int64_t most)
{
    int64_t low = gt_max_i64(1, gt_min_i64(walk->steps, most)), high = low, by = 1;
    if (low > 1 && !fits(plan, engine, walk, low)) {
        do {
            high = low - 1;
            low = gt_max_i64(1, low - by);
            by *= 2;
        } while (low > 1 && !fits(plan, engine, walk, low));
    } else {
        for (high = most; low < most; low = gt_min_i64(low + by, most), by *= 2)
            if (!fits(plan, engine, walk, gt_min_i64(low + by, most))) {
                high = gt_min_i64(low + by, most) - 1;
                break;
            }
    }
    while (low < high) {
        const int64_t steps = (low + high + 1) / 2;
        if (fits(plan, engine, walk, steps))
            low = steps;
        else
            high = steps - 1;
    }
    return low;
}

bool gt_pdist_next_box(const struct gt_pdist_plan *plan, const struct gt_engine *engine, struct gt_pdist_walk *walk)
{
    while (walk->pass && walk->stretch < STRETCHES && walk->at >= stretch_of(plan, walk->stretch).to)
        if (++walk->stretch < STRETCHES)
            walk->at = stretch_of(plan, walk->stretch).from;
    if (!walk->pass++)
        walk->stretch = stretch_of(plan, BEFORE).to ? BEFORE : BAND, walk->at = stretch_of(plan, walk->stretch).from;
    if (walk->stretch == STRETCHES)
        return false;
    const int64_t to = stretch_of(plan, walk->stretch).to, all = gt_ceil_div(to - walk->at, GT_PAIR_STEP);
    walk->steps = all > 1 ? most_steps(plan, engine, walk, all) : gt_min_i64(1, all);
    walk->box = first_steps(plan, walk->stretch, walk->at, walk->steps);
    walk->sums_bytes = bytes_of(plan, engine, &walk->box);
    walk->at = gt_min_i64(walk->at + walk->steps * GT_PAIR_STEP, to);
    return true;
}

/* The first step of a stretch is the widest, or of a triangle's the last; but where that has few
 * samples, the one before it. */
void gt_pdist_sums(const struct gt_pdist_plan *plan, const struct gt_engine *engine, int64_t *at_least, int64_t *at_once)
{
    *at_least = *at_once = 0;
    for (int which = BEFORE; which < STRETCHES; which++) {
        struct stretch s = stretch_of(plan, which);
        int64_t step = GT_PAIR_STEP, last = s.to > s.from ? (s.to - 1) / step * step : s.from;
        const int64_t from[] = {s.from, gt_max_i64(s.from, last - step), last};
        for (size_t k = 0; k < sizeof from / sizeof *from; k++) {
            struct gt_pair_box box = first_steps(plan, which, from[k], 1);
            *at_least = gt_max_i64(*at_least, bytes_of(plan, engine, &box));
        }
        struct gt_pair_box all = box_of(plan, which, s.from, s.to);
        *at_once = gt_max_i64(*at_once, bytes_of(plan, engine, &all));
    }
}

struct gt_pair_box gt_pdist_all(const struct gt_pdist_plan *plan)
{
    struct stretch s = stretch_of(plan, BAND);
    struct gt_pair_box box = box_of(plan, BAND, s.from, s.to);
    return stretch_of(plan, BEFORE).to ? (struct gt_pair_box){0, box.row1, 0, box.col1} : box;
}
