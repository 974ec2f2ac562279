/* What the parts of white share. */
#ifndef GT_CALC_MAHALANOBIS_INTERNAL_H
#define GT_CALC_MAHALANOBIS_INTERNAL_H

#include "calc/pdist/mahalanobis.h"
#include "calc/pdist/pdist.h"

struct gt_mahalanobis {
    struct gt_engine *engine;
    struct gt_matrix *matrix, *inverse;
    const char *item, *over; /* "row", "column" */
    int64_t samples, sites;
    struct gt_row_source *columns; /* of the covariance: the matrix with sites as samples */
    struct gt_strs names;          /* of which there are none */
    struct gt_pdist_opts opts;     /* likewise */
    struct gt_pdist_plan plan;
    struct gt_buf square; /* double [sites][sites]: what W is made of */
    struct gt_buf factor; /* W: double [panels][sites][GT_PANEL], of the rows of a panel at each site */
    struct gt_buf scale;  /* double [sites] */
    struct gt_buf origin; /* double [sites]: the first sample, which others are taken less */
    bool upper;           /* W has zeros below its diagonal, else above it */
};

static inline int64_t gt_mahalanobis_panels(const struct gt_mahalanobis *mahalanobis)
{
    return (mahalanobis->sites + GT_PANEL - 1) / GT_PANEL;
}

/* white_factor.c: the square, a covariance or with `upper` the inverse of one, becomes the factor. */
int gt_mahalanobis_factor(struct gt_mahalanobis *mahalanobis, struct gt_err *err);

#endif
