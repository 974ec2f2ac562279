/* Distances between all samples of genotypes, or of a plain array.
 *
 * With x, y the values of two samples (dosages), summed over the sites observed in both:
 *     sqeuclidean  sum (x - y)^2
 *     euclidean    its square root
 *     cityblock    sum |x - y|
 * (scipy.spatial.distance.pdist's names and formulas.)  Sums of dosages are exact
 * integers, sums of floats grow site by site; what a distance makes of them is one
 * multiplication, one division and one root in double. */
#ifndef GT_CALC_PDIST_H
#define GT_CALC_PDIST_H

#include "calc/feed.h"
#include "calc/sink.h"

enum gt_metric { GT_EUCLIDEAN, GT_SQEUCLIDEAN, GT_CITYBLOCK };

/* What missing calls do to a pair. */
enum gt_pdist_missing {
    GT_MISSING_RESCALE, /* sums times m / n: m sites in all, n observed in both; no overlap gives NaN */
    GT_MISSING_IGNORE,  /* left out, not rescaled */
    GT_MISSING_ERROR,   /* GT_INPUT */
};

struct gt_pdist_opts {
    enum gt_metric metric;
    enum gt_pdist_missing missing;
};

/* How a run will go: made before data is touched, printed by --dry-run. */
struct gt_pdist_plan {
    enum gt_row_kind rows;
    int64_t samples, pairs;
    int64_t variants;    /* -1 = not known before the end */
    int64_t passes;      /* over the input: each counts the pairs of some rows with all later ones */
    int64_t block_sites; /* sites that are added at once, at most */
    int64_t sums_bytes;  /* pair sums of one pass, at most */
    int64_t block_bytes; /* one block with all that is made of it */
};

struct gt_pdist_stats {
    int64_t sites;
    int64_t low_overlap; /* pairs with under half of the sites observed in both */
    int64_t no_overlap;  /* pairs without any */
};

/* GT_NOFIT, with the numbers, when not even the narrowest band of rows fits the budget. */
int gt_pdist_plan(struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_feed_info *info,
                  const struct gt_pdist_opts *opts, struct gt_err *err);

/* Runs the plan and hands what the sink wants of the planes "distance" and "n" (the number
 * of sites observed in both) to it, begin to finish. */
int gt_pdist_run(struct gt_engine *engine, struct gt_feed *feed, const struct gt_pdist_plan *plan, const struct gt_pdist_opts *opts,
                 struct gt_sink *sink, struct gt_pdist_stats *stats, struct gt_err *err);

#endif
