/* Time of the clock that nobody sets, and absolute times for pthread_cond_timedwait. */
#ifndef GT_BASE_MONOTONIC_H
#define GT_BASE_MONOTONIC_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of CLOCK_MONOTONIC, whose zero is any moment. */
static inline int64_t gt_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static inline int64_t gt_clock_ms(void)
{
    return gt_clock_ns() / 1000000;
}

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
