/* Monte Carlo pi: how many of `points` random points of the unit square lie
 * inside the quarter circle.
 *
 * A point.  Point n of seed s, n = 0 .. 2^63 - 1, is made from Philox4x32-10 with
 * counter words {low, high half of n / 2, 0, 0} and key words {low, high half of
 * s}: an even n takes output words 0 and 1 as (x, y), an odd n words 2 and 3.
 * It is the same point on any thread, rank, device and instruction set.
 *
 * Inside.  The point (x, y) of 32-bit integers is inside when
 *     x*x + y*y < 2^64 - floor(2^34 / pi),
 * in integers, exactly.  The integer points with x*x + y*y < R^2 are pi R^2 / 4 + R
 * in number, not pi R^2 / 4, as those on the two axes count whole; a radius
 * smaller by 2 / pi takes the R off again.  So the probability is pi / 4 to a
 * relative 1e-12, where the plain rule (R = 2^32) would be 3e-10 too high.
 *
 * The count is an exact integer sum, so threads, chunks and their order do not
 * change it. */
#ifndef GT_CALC_PI_H
#define GT_CALC_PI_H

#include "core/device/device_work.h"
#include "core/engine/engine.h"

/* What a task of the usual generators would hold in memory: x and y in double. */
#define GT_PI_POINT_BYTES 16

struct gt_pi_result {
    int64_t points, inside;
    double pi, error; /* error = pi - the true one */
    double stderr_;   /* standard deviation of pi: 4 sqrt(p (1 - p) / points), p = true pi / 4 */
    double z;         /* error / stderr_ */
    double seconds;   /* of the flow */
};

/* Which points a chunk has.  Chunk sizes differ by one point at most. */
struct gt_pi_plan {
    int64_t points, chunks;
};

/* chunks 0: chosen from points alone.  GT_USAGE for no points, negative numbers,
 * or more chunks than points. */
int gt_pi_plan(struct gt_pi_plan *plan, int64_t points, int64_t chunks, struct gt_err *err);
/* First point of chunk i; of chunk `chunks`: points. */
int64_t gt_pi_chunk_first(const struct gt_pi_plan *plan, int64_t i);

/* What counting takes of a device. */
struct gt_device_work gt_pi_device_work(const struct gt_pi_plan *plan, int threads);

/* threads 0: all of the engine's.  device: where to count, one that is not open is the cpu.  The chunks are dealt out to the ranks of
 * engine->comm, and each has the whole result. */
int gt_pi_run(struct gt_engine *engine, struct gt_device *device, const struct gt_pi_plan *plan, uint64_t seed, int threads,
              struct gt_pi_result *result, struct gt_err *err);

#endif
