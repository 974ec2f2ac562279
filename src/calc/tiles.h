/* From the planes of an accumulator to a sink, whatever part and order that wants, over
 * one or several passes.
 *
 * Pass p has counted the pairs of its rows [row0, row1) with all columns from row0 on, so
 * that all passes together count every pair once.  Their mirror images, the same columns of
 * later rows, are put out with them; where rows must come in order they wait in a file. */
#ifndef GT_CALC_TILES_H
#define GT_CALC_TILES_H

#include "base/spoolfile.h"
#include "calc/accumulator.h"
#include "calc/sink.h"
#include "engine/engine.h"

/* Results in place of counts: planes holds those of the accumulator for a box, and then the
 * results, as many or fewer.  Any thread. */
struct gt_tile_maker {
    void (*make)(void *ctx, const struct gt_pair_box *box, double *const planes[]);
    void *ctx;
    const char *const *names; /* of the results; NULL behind the last */
};

#define GT_TILE_ROWS 64 /* of a tile, at most */

struct gt_tiles {
    struct gt_engine *engine;
    struct gt_sink *sink;
    const struct gt_tile_maker *maker;
    int64_t n;      /* samples */
    int64_t memory; /* the share of tiles on their way */
    int n_wanted;
    int wanted[GT_SINK_PLANES]; /* numbers of the results that the sink asks for */
    struct gt_spoolfile spool;  /* double [wanted][n][n], the mirror images of earlier passes */
};

/* GT_USAGE when the sink wants a plane that the maker does not make. */
int gt_tiles_begin(struct gt_tiles *tiles, struct gt_engine *engine, struct gt_sink *sink, const struct gt_tile_maker *maker, int64_t n,
                   int64_t memory, struct gt_err *err);
/* All of one pass, which follows that of the rows before; acc is finished. */
int gt_tiles_pass(struct gt_tiles *tiles, const struct gt_acc *acc, struct gt_err *err);
void gt_tiles_release(struct gt_tiles *tiles);

#endif
