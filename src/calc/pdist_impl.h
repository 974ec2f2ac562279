/* What the parts of pdist share. */
#ifndef GT_CALC_PDIST_IMPL_H
#define GT_CALC_PDIST_IMPL_H

#include "base/spoolfile.h"
#include "calc/accumulator.h"
#include "calc/pdist.h"

enum { GT_PDIST_SUM, GT_PDIST_JOINT, GT_PDIST_PLANES };

/* What is counted for a pass over rows [row0, row1). */
struct gt_acc_setup gt_pdist_setup(const struct gt_pdist_plan *plan, const struct gt_pdist_opts *opts, struct gt_engine *engine,
                                   int64_t row0, int64_t row1);
/* The last row of the pass that begins at row0, + 1; row0 when it has no room. */
int64_t gt_pdist_band(const struct gt_pdist_plan *plan, const struct gt_pdist_opts *opts, const struct gt_engine *engine, int64_t row0);

/* The rows of a source in pieces of about block_sites, for pass after pass. */
struct gt_pdist_reader {
    struct gt_source *source;
    int64_t samples, block_sites;
    bool spooling;             /* the first pass keeps its rows, later ones read them there */
    struct gt_spoolfile spool; /* rows without padding */
    struct gt_block *held;     /* source block that is not all taken yet, or NULL */
    int64_t taken;             /* variants of it that are */
    int64_t pass, sites;       /* read in this pass */
    bool ended;
};

struct gt_pdist_piece {
    int64_t sites;
    size_t stride;
    struct gt_buf rows;
};

/* For the next pass. */
int gt_pdist_reread(struct gt_pdist_reader *reader, int64_t pass, struct gt_err *err);
/* GT_END after the last. */
int gt_pdist_read(struct gt_pdist_reader *reader, struct gt_pdist_piece *piece, struct gt_err *err);
/* After a piece was used, in order, in the first pass of several. */
int gt_pdist_keep(struct gt_pdist_reader *reader, struct gt_pdist_piece *piece, struct gt_err *err);

#endif
