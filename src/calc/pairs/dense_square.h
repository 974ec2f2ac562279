/* A sink that stores a plane of all pairs in memory. */
#ifndef GT_CALC_SQUARE_H
#define GT_CALC_SQUARE_H

#include "calc/pairs/pair_sink.h"

/* Writes the single plane to values, double [side][side], borrowed.  base is the sink, with `wants` as given and part GT_PART_SQUARE;
 * nothing needs to be freed. */
struct gt_square {
    struct gt_sink base;
    double *values;
    int64_t side;
};

/* Requests the plane "distance" of all pairs. */
extern const struct gt_sink_wants gt_square_wants;

struct gt_square gt_square_sink(const struct gt_sink_wants *wants, double *values, int64_t side);

#endif
