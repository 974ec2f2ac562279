/* Numbers about all pairs in memory: a sink into a square of the caller's. */
#ifndef GT_CALC_SQUARE_H
#define GT_CALC_SQUARE_H

#include "calc/pairs/pair_sink.h"

/* The one plane that is asked for goes to values, double [side][side], borrowed.  base is the
 * sink, with `wants` as given, whose part is GT_PART_SQUARE; there is nothing to free. */
struct gt_square {
    struct gt_sink base;
    double *values;
    int64_t side;
};

/* What to ask for: the plane "distance" of all pairs. */
extern const struct gt_sink_wants gt_square_wants;

struct gt_square gt_square_sink(const struct gt_sink_wants *wants, double *values, int64_t side);

#endif
