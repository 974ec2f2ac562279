/* The clock of programs that measure. */
#ifndef GT_TEST_CLOCK_H
#define GT_TEST_CLOCK_H

#include <time.h>

/* Seconds. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
