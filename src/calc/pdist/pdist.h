/* Distances between all samples of genotypes, or of a plain array, by a metric of
 * calc/metric.h.  Sums of dosages are exact integers, sums of floats grow site by site. */
#ifndef GT_CALC_PDIST_H
#define GT_CALC_PDIST_H

#include "calc/pairs/pair_sink.h"
#include "calc/pdist/metric.h"
#include "calc/pdist/row_source.h"
#include "core/engine/memory_plan.h"

struct gt_pdist_opts {
    struct gt_metric_use use;
    struct gt_sink_wants wants; /* of the sink: planes are "distance" and names of counts */
    const double *weights;      /* of the sites of a plain array, none below 0; 1 / variances for GT_METRIC_STANDARD; NULL: none given */
    int64_t n_weights;
    int64_t part, parts; /* part 0 .. parts - 1 of the rows; parts 0 = all */
};

enum { GT_PDIST_READING, GT_PDIST_BLOCKS, GT_PDIST_SUMS, GT_PDIST_RESULTS, GT_PDIST_SINK, GT_PDIST_CACHE, GT_PDIST_ALLOTMENTS };

/* How a run will go: made before data is touched, printed by --dry-run. */
struct gt_pdist_plan {
    enum gt_row_kind kind;
    bool alleles;                           /* rows may be of one allele: pair sums are twice as many, for these too */
    int ploidy;                             /* of genotypes, see geno/model/ploidy.h */
    struct gt_plane planes[GT_MAX_PLANES];  /* that are counted: those of the metric, then others of the sink */
    const char *results[GT_MAX_PLANES + 1]; /* what is made of them: "distance" in place of the first behind "n" */
    int n_planes;
    enum gt_sink_part part;
    int64_t samples, pairs;    /* pairs: of the part */
    int64_t rows, column_at;   /* of the whole output: the first `rows` samples by those from column_at on */
    int64_t first, last;       /* rows that come */
    bool head;                 /* they are the first part's */
    unsigned moments;          /* a pass before the others, for GT_METRIC_CENTRED or _SHARES; 0: none */
    struct gt_numbers numbers; /* of plain arrays; weights are borrowed from the options */
    double weight;             /* of all sites, where formulas have weights; else 0 */
    int64_t variants;          /* -1 = not known before the end */
    int64_t boxes;             /* whose pairs a pass counts */
    int64_t passes;            /* over the input: as many, or twice that where all are looked at before any is written */
    int64_t reads;             /* passes over what is behind it, with the survey */
    int64_t block_sites;       /* sites that are added at once, at most */
    int64_t sums_bytes;        /* pair sums of one pass, at most */
    int64_t block_bytes;       /* one block with all that is made of it */
    struct gt_allotment allotment[GT_PDIST_ALLOTMENTS];
};

struct gt_pdist_stats {
    int64_t sites;
    int64_t low_overlap; /* pairs with under half of the sites observed in both */
    int64_t no_overlap;  /* pairs without any */
    int64_t no_value;    /* pairs with some, whose number is infinite or NaN */
};

/* GT_NOFIT, as gt_memory_plan_fit says, when not even the narrowest band of rows fits the budget;
 * GT_USAGE when the metric is not one of such rows, or lacks what the sink wants. */
int gt_pdist_plan(struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_row_source_info *info,
                  const struct gt_pdist_opts *opts, struct gt_err *err);

/* Runs the plan and hands to the sink what it wants, begin to finish. */
int gt_pdist_run(struct gt_engine *engine, struct gt_row_source *row_source, const struct gt_pdist_plan *plan,
                 const struct gt_pdist_opts *opts, struct gt_sink *sink, struct gt_pdist_stats *stats, struct gt_err *err);

#endif
