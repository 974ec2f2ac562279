/* Intervals of one contig. */
#ifndef GT_BASE_INTERVALS_H
#define GT_BASE_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

struct gt_interval {
    int64_t from, to; /* 1-based, both included */
};

/* The intervals of one contig, sorted and without overlaps once made ready. */
struct gt_intervals {
    struct gt_interval *at;
    size_t n, cap;
};

#endif
