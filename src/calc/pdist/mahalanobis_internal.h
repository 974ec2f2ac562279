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
    struct gt_row_source *columns; /* input of the covariance: the matrix with sites as samples */
    struct gt_strs names;          /* empty */
    struct gt_pdist_opts opts;     /* defaults */
    struct gt_pdist_plan plan;
    struct gt_buf square; /* double [sites][sites]: covariance or inverse */
    struct gt_buf factor; /* W: double [panels][sites][GT_PANEL], the rows of a panel at each site */
    struct gt_buf scale;  /* double [sites] */
    struct gt_buf origin; /* double [sites]: the first sample, subtracted from all */
    bool upper;           /* W is upper triangular, else lower */
};

static inline int64_t gt_mahalanobis_panels(const struct gt_mahalanobis *mahalanobis)
{
    return (mahalanobis->sites + GT_PANEL - 1) / GT_PANEL;
}

/* mahalanobis_factor.c: factorises the square, a covariance or (`upper`) an inverse. */
int gt_mahalanobis_factor(struct gt_mahalanobis *mahalanobis, struct gt_err *err);

#endif
