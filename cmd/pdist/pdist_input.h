/* What gt-pdist compares: the samples of genotypes, or of a plain array. */
#ifndef GT_CMD_PDIST_INPUT_H
#define GT_CMD_PDIST_INPUT_H

#include "calc/pdist/mahalanobis.h"
#include "calc/pdist/row_source.h"
#include "cmd/common/cli.h"
#include "cmd/pdist/pdist_axis.h"

/* How it is to be looked at. */
struct pdist_look {
    const char *const *paths;
    int n_paths;
    const char *array;                   /* --array, or NULL */
    const struct gt_select_opts *select; /* must stay */
    bool beside;                         /* its sites will be looked at next to those of another input */
    const struct pdist_axis *axis;
    int as;                          /* of --as, see cmd/common/input_kind.h */
    const struct gt_metric_use *use; /* for which it is */
    bool counts;                     /* -O counts */
    bool codes;                      /* small integers of a plain array may be taken as packed rows */
    bool mahalanobis;                /* for a metric of GT_METRIC_MAHALANOBIS */
    const char *inverse;             /* file of the inverse covariance; NULL: that of the array */
};

struct pdist_input {
    struct gt_source *source;  /* genotypes, or */
    struct gt_matrix *matrix;  /* a plain array */
    struct gt_matrix *inverse; /* as struct gt_mahalanobis has it */
    struct gt_mahalanobis *mahalanobis;
    struct gt_strs ids; /* of its samples */
    struct gt_row_source *row_source;
    struct gt_row_source *codes; /* packed rows of a plain array, which row_source is made of; else NULL */
    bool started;                /* a run has begun */
    const char *name, *kind;
    const char *item, *items, *over, *overs; /* "sample", "samples", "variant", "variants" */
};

/* Opens the paths.  GT_USAGE for options of genotypes where an array stands. */
int pdist_input_open(struct pdist_input *in, struct gt_cli *cli, const struct pdist_look *look, struct gt_err *err);
/* What has to be found before anything can be compared: planned once the comparison is, and
 * found before it runs. */
int pdist_input_plan(struct pdist_input *in, struct gt_err *err);
int pdist_input_prepare(struct pdist_input *in, struct gt_err *err);
/* After a failure: was a value met that packed rows do not hold?  row_source is then made again, of float64 rows, err is cleared, and the
 * run may start once more. */
bool pdist_input_widen(struct pdist_input *in, struct gt_err *err);
/* Were negative integers taken as missing? */
bool pdist_input_any_negative(const struct pdist_input *in);
/* Opens the operands as files of pair counts. */
int pdist_input_open_counts(struct pdist_input *in, struct gt_cli *cli, enum gt_counts_sum sum, struct gt_err *err);
/* Counts for one metric may serve others, but not where that would mean other contigs: GT_USAGE then.  autosomal: the metric
 * leaves out sex chromosomes. */
int pdist_input_check_counts(const struct pdist_input *in, bool autosomal, struct gt_err *err);
void pdist_input_release(struct pdist_input *in);

#endif
