/* How much a decomposition has to do. */
#include <math.h>

#include "calc/pca/pca_block.h"
#include "calc/pca/pca_internal.h"
#include "core/base/size.h"

/* Residuals that numbers of one digit lead to, times the root of samples a variant: what is rounded
 * adds up to less, the more variants there are, against what they say together. */
#define COARSE 3e-4

int gt_svd_pass_digits(const struct gt_svd_plan *plan, const struct gt_svd_opts *opts, int64_t variants)
{
    return opts->tol < COARSE * sqrt((double)plan->samples / (double)variants) ? 2 : 1;
}

double gt_svd_product_rate(void)
{
    return 3e10;
}

/* That multiply; krylov's number is known at the end. */
static int64_t passes_of(const struct gt_svd_plan *plan, const struct gt_svd_opts *opts)
{
    return plan->algorithm == GT_SVD_KRYLOV ? gt_min_i64(opts->passes, GT_SVD_DEVICE_PASSES) : plan->once ? 1 : 1 + opts->power;
}

/* Bytes of genotypes that this rank reads in all passes: what is kept is read once. */
static double read_bytes(const struct gt_svd_plan *plan, double own, int64_t passes)
{
    const double row = (double)((plan->samples + 3) / 4), all = (plan->ranges ? own : (double)plan->most) * row;
    if (plan->once)
        return all;
    const double kept = fmin((double)plan->allotment[GT_SVD_CACHE].size, own * row);
    return all + (double)passes * (plan->ranges ? all - kept : kept < own * row ? all : 0);
}

void gt_svd_work(struct gt_work *work, const struct gt_engine *engine, const struct gt_svd_plan *plan, const struct gt_svd_opts *opts)
{
    if (plan->algorithm == GT_SVD_GRAM) {
        gt_svd_gram_work(work, engine, plan);
        return;
    }
    const int ranks = engine->comm.size;
    const int64_t passes = passes_of(plan, opts);
    const double own = (double)plan->own;
    const double columns = (double)plan->samples * (double)plan->width, one = columns * sizeof(double);
    const double sums = one * (plan->once ? 1 : gt_svd_pass_digits(plan, opts, gt_max_i64(plan->most, 1)));
    const double last = (double)(passes * plan->width);
    const double reads = read_bytes(plan, own, passes);
    /* Ranks count first what the filters leave of their ranges. */
    const double counts = ranks > 1 && plan->ranges ? own * (double)((plan->samples + 3) / 4) : 0;
    *work = (struct gt_work){.at_most = plan->variants < 0,
                             .passes = plan->algorithm == GT_SVD_KRYLOV ? passes : 0,
                             .reads = reads + counts,
                             .decodes = reads + counts,
                             .operations = plan->most < 0 ? -1 : (double)passes * own * columns,
                             .unit = "products",
                             .rate = gt_svd_product_rate(),
                             .moved = (double)passes * gt_estimate_collective(sums + one, ranks),
                             .messages = (double)passes * (gt_estimate_messages(sums, ranks) + gt_estimate_messages(one, ranks) +
                                                           3 * gt_estimate_messages(1, ranks)),
                             .last = 4 * (double)plan->samples * last * last, /* vectors that are made orthogonal */
                             .last_unit = "operations",
                             .last_rate = 1e10,
                             .last_threads = 1};
}
