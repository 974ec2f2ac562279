/* Checkpoints that writers store in the journal: a line of integers. */
#ifndef GT_GENO_CHECKPOINT_TEXT_H
#define GT_GENO_CHECKPOINT_TEXT_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/base/str.h"

static inline void gt_note_add(struct gt_str *to, int64_t x)
{
    gt_str_addf(to, "%" PRId64 " ", x);
}

/* The next number of a line; false, and so ever after with *at NULL: there is none. */
static inline bool gt_note_take(const char **at, int64_t *x)
{
    char *end = NULL;
    if (*at && **at != '\n')
        *x = strtoll(*at, &end, 10);
    if (!end || end == *at || *end != ' ')
        return *at = NULL, false;
    *at = end + 1;
    return true;
}

#endif
