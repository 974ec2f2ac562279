/* Writes the planes of an accumulator to a sink, in the part and order it requests, over one or more passes.
 *
 * A pass has counted the pairs of a box.  For the square or the upper triangle it produces rows [row0, row1) from column col0, for the
 * lower triangle complete rows [col0, col1).  For the square, the mirror images (columns of the box in later rows) are written with
 * the box, or, if rows must be in order, stored in a file, so boxes with columns before a row are processed first. */
#ifndef GT_CALC_TILES_H
#define GT_CALC_TILES_H

#include "calc/pairs/accumulator.h"
#include "calc/pairs/pair_sink.h"
#include "core/base/spoolfile.h"
#include "core/engine/engine.h"

/* Converts counts to results: planes holds the counts of a box on entry and the results on return.  Any
 * thread. */
struct gt_tile_maker {
    void (*make)(void *ctx, const struct gt_pair_box *box, double *const planes[]);
    void *ctx;
    const char *const *names; /* of the results, NULL-terminated */
    /* In place of both counts and `make`; NULL: these.  results: [n_wanted][rows][columns] of the box, those of index wanted[k]. */
    int (*fill)(void *ctx, const struct gt_pair_box *box, const int *wanted, int n_wanted, double *results, struct gt_err *err);
};

#define GT_TILE_ROWS 64 /* maximum rows of a tile */

/* Position of the output among the samples of an accumulator, which start with its rows. */
struct gt_tiles_frame {
    int64_t columns;     /* of the whole output */
    int64_t column_at;   /* the sample that is the first column; not 0 if columns are not the rows */
    int64_t first, last; /* rows needed */
};

struct gt_tiles {
    struct gt_engine *engine;
    struct gt_sink *sink;
    const struct gt_tile_maker *maker;
    struct gt_tiles_frame frame;
    int64_t memory; /* memory of tiles in flight */
    int n_wanted;
    int wanted[GT_SINK_PLANES]; /* indices of the results requested by the sink */
    struct gt_spoolfile spool;  /* double [wanted][rows][columns], mirror images of earlier passes */
};

/* GT_USAGE if the maker does not provide a plane requested by the sink. */
int gt_tiles_begin(struct gt_tiles *tiles, struct gt_engine *engine, struct gt_sink *sink, const struct gt_tile_maker *maker,
                   const struct gt_tiles_frame *frame, int64_t memory, struct gt_err *err);
/* Writes a pass; acc is finished.  With `fill`, its setup alone is looked at. */
int gt_tiles_pass(struct gt_tiles *tiles, const struct gt_acc *acc, struct gt_err *err);
void gt_tiles_release(struct gt_tiles *tiles);

#endif
