/* Resources of this process: computing threads and bytes of memory. */
#ifndef GT_BASE_LIMITS_H
#define GT_BASE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"

#define GT_MAX_THREADS 4096 /* per kind of thread; more is certainly an error */

struct gt_limits {
    int threads;              /* computing threads, >= 1 */
    int io_threads;           /* threads that only wait for I/O, >= 1 */
    int64_t io_bytes;         /* memory per I/O thread besides buffers and stack, for connections; 0 from gt_limits_get */
    int64_t memory;           /* ceiling for the whole process, bytes */
    int64_t machine;          /* the default of `memory` on this machine */
    double cpus;              /* that this process may use: those of its affinity mask, or the cgroup quota if that is less */
    const char *threads_from; /* "--threads", "GT_THREADS", "cgroup", ...: static text */
    const char *memory_from;
};

/* Number of computing threads for an affinity mask of that many cpus and a cpu quota
 * (0 = none); a fraction of a cpu counts as one thread. */
int gt_limits_cpus(int affinity, double quota);

/* threads, io_threads, memory: values of the options, 0 if not given.
 * Threads: option, GT_THREADS, OMP_NUM_THREADS, smaller of affinity and cgroup
 * quota.  Memory: option, GT_MEMORY, 60 % of the smallest of RAM, cgroup limit
 * (v1 and v2, walking /proc/self/cgroup upward) and RLIMIT_AS.  GT_USAGE names an
 * environment variable with an invalid value. */
int gt_limits_get(struct gt_limits *limits, int threads, int io_threads, int64_t memory, struct gt_err *err);

/* Cpus of a node, a bit for each; none: the system does not say. */
struct gt_cpu_set {
    uint64_t bits[128];
};
/* Of the calling thread. */
void gt_cpu_set_get(struct gt_cpu_set *set);
/* Binds the calling thread to them.  False: it may not use any of them, or the system has no such call. */
bool gt_cpu_set_use(const struct gt_cpu_set *set);
int gt_cpu_set_count(const struct gt_cpu_set *set);

/* Raises the limit of open files to the hard limit, since joined inputs are all open at once. */
void gt_limits_open_files(void);

#endif
