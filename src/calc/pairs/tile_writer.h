/* From the planes of an accumulator to a sink, whatever part and order that wants, over
 * one or several passes.
 *
 * A pass has counted the pairs of a box.  Of the square (or the upper triangle) it makes rows
 * [row0, row1) from col0 on, of the lower triangle the whole rows [col0, col1).  The mirror
 * images of a square's box, its columns in later rows, are put out with it; where rows must
 * come in order they wait in a file, and so the boxes of the columns before a row come first. */
#ifndef GT_CALC_TILES_H
#define GT_CALC_TILES_H

#include "core/base/spoolfile.h"
#include "calc/pairs/accumulator.h"
#include "calc/pairs/pair_sink.h"
#include "core/engine/engine.h"

/* Results in place of counts: planes holds those of the accumulator for a box, and then the
 * results, as many or fewer.  Any thread. */
struct gt_tile_maker {
    void (*make)(void *ctx, const struct gt_pair_box *box, double *const planes[]);
    void *ctx;
    const char *const *names; /* of the results; NULL behind the last */
};

#define GT_TILE_ROWS 64 /* of a tile, at most */

/* Where the output lies among the samples of an accumulator: its rows are the first of them. */
struct gt_tiles_frame {
    int64_t columns;     /* of the whole output */
    int64_t column_at;   /* the sample that is its first column: not 0 when those are not the rows' */
    int64_t first, last; /* rows that are wanted */
};

struct gt_tiles {
    struct gt_engine *engine;
    struct gt_sink *sink;
    const struct gt_tile_maker *maker;
    struct gt_tiles_frame frame;
    int64_t memory; /* the share of tiles on their way */
    int n_wanted;
    int wanted[GT_SINK_PLANES]; /* numbers of the results that the sink asks for */
    struct gt_spoolfile spool;  /* double [wanted][rows][columns], the mirror images of earlier passes */
};

/* GT_USAGE when the sink wants a plane that the maker does not make. */
int gt_tiles_begin(struct gt_tiles *tiles, struct gt_engine *engine, struct gt_sink *sink, const struct gt_tile_maker *maker,
                   const struct gt_tiles_frame *frame, int64_t memory, struct gt_err *err);
/* All of one pass; acc is finished. */
int gt_tiles_pass(struct gt_tiles *tiles, const struct gt_acc *acc, struct gt_err *err);
void gt_tiles_release(struct gt_tiles *tiles);

#endif
