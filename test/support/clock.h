/* The clocks of programs that measure, and limits of time. */
#ifndef GT_TEST_CLOCK_H
#define GT_TEST_CLOCK_H

#include <time.h>

/* Limits of time are so many times as long where sanitizers check every read. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SLOWER = 10 };
#else
enum { SLOWER = 1 };
#endif

static inline double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds. */
static inline double now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

/* Seconds of cpu time of this process. */
static inline double cpu_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

#endif
