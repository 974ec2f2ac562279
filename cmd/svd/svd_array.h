/* gt-svd of a plain array: u, s and v. */
#ifndef GT_CMD_SVD_ARRAY_H
#define GT_CMD_SVD_ARRAY_H

#include "calc/svd/array_svd.h"
#include "cmd/common/cli.h"

#define SVD_ITERATORS "power|QR"
#define SVD_MISSING "error|mean"

/* Options that only some of its ways take. */
struct svd_array {
    int64_t power;                 /* --power-iterations */
    int iterator;                  /* of SVD_ITERATORS */
    int missing;                   /* of SVD_MISSING; -1: not given */
    bool center;                   /* --center */
    const char *sketch;            /* --sketch */
    const char *foreign;           /* an option of genotypes that was given; NULL: none */
    int format;                    /* -O, index into SVD_FORMATS; -1: not given */
    struct gt_device device;       /* of the opts; closed: the cpu */
    struct gt_svd_array_opts opts; /* what stands above is filled in by the run */
};

/* Takes over the input, as gt_matrix_open does. */
int svd_array_run(struct svd_array *svd, struct gt_cli *cli, struct gt_input *input, struct gt_err *err);

/* svd_array_report.c: the plan; notes and warnings at the end; the summary. */
void svd_array_print_plan(const struct gt_cli *cli, const struct gt_device *device, const struct gt_svd_array_plan *plan,
                          const struct gt_matrix_info *info);
void svd_array_report(struct gt_cli *cli, const struct gt_svd_array_plan *plan, const struct gt_svd_array_opts *opts,
                      const struct gt_svd_array_result *result);
int svd_array_print_summary(const struct gt_cli *cli, const struct gt_svd_array_plan *plan, const struct gt_svd_array_opts *opts,
                            const struct gt_svd_array_result *result, struct gt_err *err);

#endif
