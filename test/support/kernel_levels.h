/* Runs the tests of kernels at each level that the cpu has. */
#ifndef GT_TEST_KERNEL_LEVELS_H
#define GT_TEST_KERNEL_LEVELS_H

#include <stdio.h>
#include <string.h>

#include "kernels/kernels.h"
#include "test/support/tap.h"

/* Levels of this build that the cpu lacks are skipped.  emulated (may be NULL): for avx512amx, with the level below it, which the cpu
 * has. */
static void check_levels(void (*check)(const struct gt_kernels *k), void (*emulated)(const struct gt_kernels *below))
{
    int n;
    const struct gt_kernels *const *all = gt_kernels_all(&n);
    const char *name = gt_kernels_compiled();
    for (int i = 0; *name; i++) {
        const size_t length = strcspn(name, " ");
        char level[32];
        snprintf(level, sizeof level, "%.*s", (int)length, name);
        if (i < n)
            check(all[i]);
        else if (strcmp(level, "avx512amx") != 0 || !emulated)
            skip(level);
        name += length + (name[length] == ' ');
    }
    if (emulated && strcmp(all[n - 1]->name, "avx512vbmi") == 0)
        emulated(all[n - 1]);
}

#endif
