/* Absolute times for pthread_cond_timedwait. */
#ifndef GT_BASE_DEADLINE_H
#define GT_BASE_DEADLINE_H

#include <time.h>

/* The time `ms` milliseconds from now, on that clock; ms is not negative. */
static inline struct timespec gt_deadline_ms(clockid_t clock, long ms)
{
    struct timespec at;
    clock_gettime(clock, &at);
    at.tv_nsec += ms % 1000 * 1000000;
    at.tv_sec += ms / 1000 + at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

#endif
