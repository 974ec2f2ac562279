/* Two sites to a code: tables that a byte shuffle looks up.  Row a has what a sample with code a and one with code b add, at b.
 *
 * The form of a panel is codes[group][GT_PANEL], a group being two sites, the first in the lower bits; groups of a panel are even in
 * number. */
#ifndef GT_KERNELS_PAIR_TABLE_H
#define GT_KERNELS_PAIR_TABLE_H

#include <stdint.h>

#include "kernels/kernels.h"

/* Of one site; of DOT one more, so that no entry is negative. */
#define PAIR_AGREE(x, y) ((x) == (y) && (x) % 2 == 0)
#define PAIR_DOT(x, y) (PAIR_AGREE(x, y) ? 2 : (x) + (y) == 2 && (x) != 1 ? 0 : 1)
#define PAIR_ALT(x, y) ((x) == 2 && (y) == 2)
#define PAIR_CELL(f, a, b) f((a)&3, (b)&3) + f((a) >> 2, (b) >> 2)
#define PAIR_ROW(f, a)                                                                                                                     \
    {                                                                                                                                      \
        PAIR_CELL(f, a, 0), PAIR_CELL(f, a, 1), PAIR_CELL(f, a, 2), PAIR_CELL(f, a, 3), PAIR_CELL(f, a, 4), PAIR_CELL(f, a, 5),            \
            PAIR_CELL(f, a, 6), PAIR_CELL(f, a, 7), PAIR_CELL(f, a, 8), PAIR_CELL(f, a, 9), PAIR_CELL(f, a, 10), PAIR_CELL(f, a, 11),      \
            PAIR_CELL(f, a, 12), PAIR_CELL(f, a, 13), PAIR_CELL(f, a, 14), PAIR_CELL(f, a, 15)                                             \
    }
#define PAIR_TABLE(f)                                                                                                                      \
    {                                                                                                                                      \
        PAIR_ROW(f, 0), PAIR_ROW(f, 1), PAIR_ROW(f, 2), PAIR_ROW(f, 3), PAIR_ROW(f, 4), PAIR_ROW(f, 5), PAIR_ROW(f, 6), PAIR_ROW(f, 7),    \
            PAIR_ROW(f, 8), PAIR_ROW(f, 9), PAIR_ROW(f, 10), PAIR_ROW(f, 11), PAIR_ROW(f, 12), PAIR_ROW(f, 13), PAIR_ROW(f, 14),           \
            PAIR_ROW(f, 15)                                                                                                                \
    }
/* What entries have too much at a group. */
enum { PAIR_DOT_EXTRA = 2 };

/* Groups after which bytes, and then words, are emptied: an entry is at most 4.  That many of three panels stay in the first cache. */
enum { PAIR_BYTE_GROUPS = 255 / 4, PAIR_WORD_GROUPS = 8 * PAIR_BYTE_GROUPS };
_Static_assert(PAIR_WORD_GROUPS * 4 <= UINT16_MAX, "words overflow");

static inline int64_t pair_groups(int64_t n_sites)
{
    return (n_sites + 3) / 4 * 2;
}

#endif
