/* Runs the tests of kernels at each level that the cpu has. */
#ifndef GT_TEST_KERNEL_LEVELS_H
#define GT_TEST_KERNEL_LEVELS_H

#include "kernels/kernels.h"
#include "test/support/tap.h"

/* Levels that the cpu lacks are skipped.  emulated (may be NULL): for avx512amx, with the level below it, which the cpu has. */
static void check_levels(void (*check)(const struct gt_kernels *k), void (*emulated)(const struct gt_kernels *below))
{
    static const char *const names[] = {"ref", "avx2", "avx512", "avx512vbmi"};
    enum { N_NAMES = sizeof names / sizeof *names };
    int n;
    const struct gt_kernels *const *all = gt_kernels_all(&n);
    for (int i = 0; i < n; i++)
        check(all[i]);
    for (int i = n; i < N_NAMES; i++)
        skip(names[i]);
    if (n == N_NAMES && emulated)
        emulated(all[n - 1]);
}

#endif
