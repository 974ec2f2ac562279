/* Declarations shared by the files of mahalanobis.h. */
#ifndef GT_CALC_MAHALANOBIS_INTERNAL_H
#define GT_CALC_MAHALANOBIS_INTERNAL_H

#include "calc/pdist/mahalanobis.h"
#include "calc/pdist/pdist.h"

struct gt_mahalanobis {
    struct gt_engine *engine;
    struct gt_matrix *matrix, *inverse;
    const char *item, *over; /* "row", "column" */
    int64_t samples, sites;
    int64_t read_bytes;   /* memory for reading the matrix while the covariance is computed */
    struct gt_buf square; /* double [sites][sites], column major: L of the covariance, or the inverse */
    struct gt_buf factor; /* W: double [panels][sites][GT_PANEL], the rows of a panel at each site */
    struct gt_buf scale;  /* double [sites] */
    struct gt_buf origin; /* double [sites]: the first sample, subtracted from all */
    bool upper;           /* W is upper triangular, else lower */
};

static inline int64_t gt_mahalanobis_panels(const struct gt_mahalanobis *mahalanobis)
{
    return (mahalanobis->sites + GT_PANEL - 1) / GT_PANEL;
}

/* mahalanobis_qr.c: L of the covariance L L' with rows of length 1, in `square`, and what they were divided by, in `scale`. */
int gt_mahalanobis_plan_qr(struct gt_mahalanobis *mahalanobis, struct gt_err *err);
int gt_mahalanobis_find_qr(struct gt_mahalanobis *mahalanobis, struct gt_err *err);

/* mahalanobis_factor.c: W, from L or (`upper`) the inverse in `square`. */
int gt_mahalanobis_factor(struct gt_mahalanobis *mahalanobis, struct gt_err *err);

#endif
