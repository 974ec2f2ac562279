/* How many random trials or failing allocations a test takes, by GT_TEST_LEVEL. */
#ifndef GT_TEST_LEVEL_H
#define GT_TEST_LEVEL_H

#include <stdlib.h>
#include <string.h>

/* The number for GT_TEST_LEVEL=quick, full or long; quick when it is not set. */
static inline long by_level(long quick, long full, long all)
{
    const char *level = getenv("GT_TEST_LEVEL");
    return !level || strcmp(level, "quick") == 0 ? quick : strcmp(level, "full") == 0 ? full : all;
}

#endif
