/* What this process may use: computing threads and bytes of memory. */
#ifndef GT_BASE_LIMITS_H
#define GT_BASE_LIMITS_H

#include <stdint.h>

#include "core/base/err.h"

#define GT_MAX_THREADS 4096 /* of a kind; more is a slip */

struct gt_limits {
    int threads;              /* computing threads, >= 1 */
    int io_threads;           /* threads that only wait for I/O, >= 1 */
    int64_t io_bytes;         /* what each of them takes beside buffers and its stack, for connections; 0 from gt_limits_get */
    int64_t memory;           /* ceiling for the whole process, bytes */
    int64_t machine;          /* what that is when nothing was said */
    const char *threads_from; /* "--threads", "GT_THREADS", "cgroup", ...: static text */
    const char *memory_from;
};

/* Computing threads for that many cpus by affinity and that quota of cpu time
 * (0 = none): part of a cpu is one thread. */
int gt_limits_cpus(int affinity, double quota);

/* threads, io_threads, memory: what the flags said, 0 where they said nothing.
 * Threads: flag > GT_THREADS > OMP_NUM_THREADS > smaller of affinity and cgroup
 * quota.  Memory: flag > GT_MEMORY > 60 % of the smallest of RAM, cgroup limit
 * (v1 and v2, walking /proc/self/cgroup upward) and RLIMIT_AS.  A nonsense
 * value in the environment is GT_USAGE and names the variable. */
int gt_limits_get(struct gt_limits *limits, int threads, int io_threads, int64_t memory, struct gt_err *err);

/* As many files may be open as the hard limit lets: joined inputs are open all at once. */
void gt_limits_open_files(void);

#endif
