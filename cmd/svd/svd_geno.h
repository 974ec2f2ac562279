/* gt-svd of genotypes: components of samples, of their own or of a model. */
#ifndef GT_CMD_SVD_GENO_H
#define GT_CMD_SVD_GENO_H

#include "calc/pca/pca_project.h"
#include "cmd/common/cli.h"
#include "cmd/svd/svd_names.h"

#define SVD_MATCHES "position|id"

struct svd_geno {
    struct gt_svd_opts opts;
    struct gt_device device; /* of the opts; closed: the cpu */
    int format;              /* -O, index into SVD_FORMATS; -1: not given */
    bool loadings;           /* --loadings */
    bool scores;             /* --scores: components times their singular values */
    const char *fit;         /* --fit: who makes the axes, "^FILE": all but those; NULL: all */
    bool refit;              /* --refit: they are projected, too */
    int64_t projected;       /* samples that are not in the fit; for the summary */
    const char *project;     /* --project: a model; NULL: none */
    int match;               /* of SVD_MATCHES; -1: not given */
    double min_match;        /* --min-match; -1: not given */
    bool asked;              /* -k was given */
    const char *plot;        /* --plot; NULL: none */
    const char *groups;      /* --groups, of it; NULL: none */
    bool alone;              /* the plot is all that is written */
};

/* Takes over the input. */
int svd_geno_run(struct svd_geno *svd, struct gt_cli *cli, struct gt_input *input, struct gt_err *err);

/* What is wrong with --groups is said before anything is computed. */
int svd_check_groups(const struct svd_geno *svd, const struct gt_source *source, struct gt_err *err);
/* What of the input is read: paths and array are filled in.  GT_USAGE for alleles that a slice leaves, and for variants of
 * which the input does not tell what they are, where --option (NULL: none) stands on that. */
int svd_open_source(struct gt_source **source, struct gt_cli *cli, struct gt_source_opts how, const char *option, struct gt_err *err);

/* --- its parts ------------------------------------------------------------------------- */

/* A table of samples, and what is next to it. */
struct svd_table {
    const struct gt_geno_info *info; /* of the samples */
    const uint8_t *fit;              /* [samples]; NULL: all are in the fit */
    bool refit;                      /* those are projected, too */
    const double *vectors;           /* [k][samples] */
    int64_t k, variants;
    const double *values;             /* [k]: squared singular values */
    double trace;                     /* the sum of all of them; 0 = not known */
    const struct gt_svd_model *model; /* NULL: no loadings */
    const struct gt_strs *pruned;     /* NULL: none */
};
int svd_table_write(const struct svd_geno *svd, struct gt_cli *cli, const struct svd_names *names, const struct svd_table *table,
                    struct gt_err *err);

/* Opens what --device asks for, for about that number of passes; sets opts.device. */
int svd_choose_device(struct svd_geno *svd, struct gt_cli *cli, const struct gt_geno_info *info, int passes, struct gt_err *err);

/* svd_project.c: the samples of --fit and the others, before anything is computed: their groups, and the projection's plan (GT_NOFIT).
 * Prints the notes that `fit`, the source of the former, does not have. */
int svd_look_at_rest(const struct svd_geno *svd, struct gt_cli *cli, const struct gt_source *fit, struct gt_err *err);
/* svd_project.c: --project, and the second half of --fit, of which the fit's vectors are known. */
int svd_project_run(struct svd_geno *svd, struct gt_cli *cli, const struct svd_names *names, struct gt_input *input, struct gt_err *err);
struct svd_fitted {
    const struct gt_strs *ids; /* of the fit */
    const struct gt_svd_result *result;
    const struct gt_svd_model *model;
    const struct gt_strs *pruned;
};
int svd_project_rest(struct svd_geno *svd, struct gt_cli *cli, const struct svd_names *names, const struct svd_fitted *fitted,
                     struct gt_err *err);

/* svd_report.c: prints the plan and the summary. */
int svd_print_plan(const struct svd_geno *svd, const struct gt_cli *cli, const struct gt_svd_plan *plan, const struct gt_geno_info *info,
                   struct gt_err *err);
/* worst: the id of result->worst. */
void svd_say_end(const struct svd_geno *svd, struct gt_cli *cli, const struct gt_svd_plan *plan, const struct gt_svd_result *result,
                 const char *worst);
int svd_print_summary(const struct svd_geno *svd, const struct gt_cli *cli, const struct gt_svd_plan *plan,
                      const struct gt_svd_result *result, struct gt_err *err);
void svd_print_resources(const struct gt_cli *cli, const struct gt_device *device, int64_t device_bytes);
void svd_say_match(struct gt_cli *cli, const struct gt_svd_scores_plan *plan, const struct gt_svd_model *model,
                   const struct gt_svd_scores_result *result);
/* What should be known of a projection in any case. */
void svd_say_found(struct gt_cli *cli, const struct gt_svd_scores_plan *plan, const struct gt_svd_model *model,
                   const struct gt_svd_scores_result *result);

#endif
