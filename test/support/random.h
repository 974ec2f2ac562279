/* Made-up numbers for tests (xorshift64 of Marsaglia, 2003), the same in every run. */
#ifndef GT_TEST_RANDOM_H
#define GT_TEST_RANDOM_H

#include <stdint.h>

static uint64_t random_state = 88172645463325252u;

__attribute__((unused)) static uint64_t random_u64(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* 0 to n - 1. */
__attribute__((unused)) static int64_t random_below(int64_t n)
{
    return (int64_t)(random_u64() % (uint64_t)n);
}

#endif
