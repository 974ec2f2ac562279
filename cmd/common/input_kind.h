/* Is an input genotypes, or a plain array of numbers?  Told before either is opened. */
#ifndef GT_CMD_PLAIN_H
#define GT_CMD_PLAIN_H

#include "arrays/matrix/matrix.h"
#include "cmd/common/cli.h"
#include "core/base/str.h"
#include "core/engine/engine.h"
#include "storage/input/input.h"

/* The option --as: value is an int, -1 where it was not given. */
enum plain_as { PLAIN_AS_GENOTYPES, PLAIN_AS_ARRAY };
#define PLAIN_AS_OPTION(value)                                                                                                             \
    {                                                                                                                                      \
        0, "as", GT_OPT_CHOICE, value, NULL, "genotypes|array", "read a Zarr array as genotypes, or as a matrix of numbers"                \
    }

struct plain {
    bool is;            /* a plain array */
    bool unclear;       /* --as would have it the other way, and was not given */
    int samples_axis;   /* of it; -1: none is named samples, or --as array was given */
    struct gt_strs ids; /* of those; empty: not known */
    bool stream;        /* of numbers: names of axes are known once it is open */
};

/* input is open, of `path`, and stays as it is; array: --array, or NULL; as: of --as.  A store that cannot be looked
 * into counts as genotypes, whose reader tells what is wrong.  GT_USAGE where `as` does not suit. */
int plain_look(struct plain *plain, struct gt_engine *engine, const struct gt_input *input, const char *path, const char *array, int as,
               struct gt_err *err);

/* Notes what was assumed of an array called `name`, and how to ask for the other. */
void plain_say(const struct plain *plain, struct gt_cli *cli, const char *name);

/* GT_USAGE when a matrix has another number of axes than two. */
int plain_check_axes(const struct gt_matrix_info *info, struct gt_err *err);

#endif
