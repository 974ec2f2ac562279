/* Distances between all samples of genotypes or of a plain array, by a metric of calc/pdist/metric.h.  Sums of genotypes are exact
 * integers; sums of floats are made in site order. */
#ifndef GT_CALC_PDIST_H
#define GT_CALC_PDIST_H

#include "calc/pairs/pair_sink.h"
#include "calc/pdist/metric_bound.h"
#include "calc/pdist/row_source.h"
#include "core/device/device_work.h"
#include "core/engine/estimate.h"
#include "core/engine/memory_plan.h"

/* Pairs that a sink wants above a limit only: are the others left out before all sites are counted (calc/pdist/candidates.h)?  Results
 * are the same. */
enum gt_pdist_early {
    GT_PDIST_EARLY_BY_COST, /* where that is expected to be faster; the others are for tests */
    GT_PDIST_EARLY_NEVER,
    GT_PDIST_EARLY_ALWAYS, /* where it is possible */
};

struct gt_pdist_opts {
    struct gt_metric_use use;
    struct gt_sink_wants wants; /* of the sink: planes are "distance" and names of sums */
    const double *weights;      /* non-negative site weights of a plain array; for GT_METRIC_STANDARD 1 / variances; NULL: not given */
    int64_t n_weights;
    struct gt_device *device; /* open: where to sum over sites; NULL: the cpu */
    int64_t part, parts;      /* part 0 .. parts - 1 of the rows; parts 0 = all */
    enum gt_pdist_early early;
};

enum { GT_PDIST_READING, GT_PDIST_BLOCKS, GT_PDIST_SUMS, GT_PDIST_RESULTS, GT_PDIST_SINK, GT_PDIST_CACHE, GT_PDIST_ALLOTMENTS };

/* A plan, made before data is read and printed by --dry-run. */
struct gt_pdist_plan {
    enum gt_row_kind kind;
    bool alleles;                           /* rows may be of one allele: pair sums are twice as many, for these too */
    int ploidy;                             /* of genotypes, see geno/model/ploidy.h */
    struct gt_plane planes[GT_MAX_PLANES];  /* planes counted: those of the metric, then others of the sink */
    const char *results[GT_MAX_PLANES + 1]; /* results: "distance" replaces the first plane after "n" */
    int n_planes;
    enum gt_sink_part part;
    int64_t samples, pairs;              /* pairs of this part */
    int64_t rows, column_at;             /* of the whole output: the first `rows` samples by samples from column_at on */
    int64_t first, last;                 /* rows of this part */
    bool head;                           /* this is the first part */
    unsigned moments;                    /* preliminary pass for these of GT_METRIC_CENTRED, _SHARES and _UNIT; 0: none */
    struct gt_numbers numbers;           /* of plain arrays; weights are borrowed from the options */
    double weight;                       /* sum of the site weights if formulas use weights; else 0 */
    struct gt_device *device;            /* NULL: the cpu */
    int64_t device_bytes;                /* of its memory, maximum of a pass */
    int64_t variants;                    /* -1 = not known before the end */
    int64_t most;                        /* upper bound of that; -1 = not known */
    const struct gt_metric_bound *bound; /* pairs may be left out by it, with all genotypes in memory; NULL: none are */
    int64_t most_sites, most_first;      /* then: sites of the genotypes, and those that are looked at first, whole bit rows */
    int64_t early_bytes;                 /* memory in place of pair sums */
    int64_t boxes;                       /* number of boxes; a pass counts the pairs of one */
    int64_t passes;                      /* passes over the rows: boxes, or twice that if means are needed before writing */
    int64_t reads;                       /* passes over the input, including the preliminary one */
    int64_t block_sites;                 /* maximum number of sites per block */
    enum gt_rare rare;                   /* dense where memory for lists of rare sites would make blocks much shorter */
    int64_t sums_bytes;                  /* maximum memory of pair sums in a pass */
    bool shared;                         /* of several ranks: each reads a range of the sites; else each reads all */
    int64_t rank_rows;   /* of several ranks that share the variants: those of the first, at most; else all; -1 = not known */
    int64_t rank_reads;  /* of several ranks: bytes of genotypes that each reads in a pass, at most; -1 = not known */
    int64_t rank_sends;  /* and of sums that each but rank 0 sends in all passes, which rank 0 receives added up; of packed rows at most */
    bool chain;          /* that is from rank to rank, rank 0 being the first to send */
    int64_t block_bytes; /* memory of a block and what is prepared from it */
    struct gt_allotment allotment[GT_PDIST_ALLOTMENTS];
};

struct gt_pdist_stats {
    int64_t sites;
    int64_t low_overlap; /* pairs with less than half of the sites non-missing in both */
    int64_t no_overlap;  /* pairs without such sites */
    int64_t no_value;    /* pairs with such sites whose result is infinite or NaN */
};

/* GT_NOFIT, see gt_memory_plan_fit, if even the narrowest band of rows does not fit; GT_USAGE if the metric does not support these
 * rows or lacks what the sink needs. */
int gt_pdist_plan(struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_row_source_info *info,
                  const struct gt_pdist_opts *opts, struct gt_err *err);

/* What counting would take of a device, from the numbers of samples and sites alone. */
struct gt_device_work gt_pdist_device_work(const struct gt_row_source_info *info, int threads);
/* What a rank computes, reads, sends and writes in all passes. */
void gt_pdist_work(struct gt_work *work, const struct gt_engine *engine, const struct gt_pdist_plan *plan,
                   const struct gt_sink_wants *wants);

/* Runs the plan and drives the sink from begin to finish.  With several ranks, each is given the same input and the same plan;
 * rank 0 has the sums of all and the sink, which is NULL on the others. */
int gt_pdist_run(struct gt_engine *engine, struct gt_row_source *row_source, const struct gt_pdist_plan *plan,
                 const struct gt_pdist_opts *opts, struct gt_sink *sink, struct gt_pdist_stats *stats, struct gt_err *err);

#endif
