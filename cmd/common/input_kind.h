/* Is an input genotypes, or a plain array of numbers?  Told before either is opened. */
#ifndef GT_CMD_PLAIN_H
#define GT_CMD_PLAIN_H

#include "arrays/matrix/matrix.h"
#include "core/base/str.h"
#include "core/engine/engine.h"
#include "storage/input/input.h"

struct plain {
    bool is;            /* a plain array */
    int samples_axis;   /* of it; -1: none is named samples */
    struct gt_strs ids; /* of those; empty: not known */
};

/* input is open, of `path`, and stays as it is; array: --array, or NULL.  A store that cannot be looked
 * into counts as genotypes, whose reader tells what is wrong. */
int plain_look(struct plain *plain, struct gt_engine *engine, const struct gt_input *input, const char *path, const char *array,
               struct gt_err *err);

/* GT_USAGE when a matrix has another number of axes than two. */
int plain_check_axes(const struct gt_matrix_info *info, struct gt_err *err);

#endif
