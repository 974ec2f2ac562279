/* Selection options checked against an input. */
#ifndef GT_SELECT_CHECK_H
#define GT_SELECT_CHECK_H

#include "geno/model/geno_info.h"

struct gt_err;
struct gt_geno_info;
/* GT_USAGE when an option asks for what the input does not have, so that it would do nothing, or
 * when two contradict each other.  has: the input's, and GT_HAS_OF_ONE of those joined with it.
 * The table of options and of what they look at is here; of the input, its name, kind, has and
 * two_alleles are looked at. */
int gt_select_check(const struct gt_select_opts *opts, const struct gt_geno_info *input, unsigned has, struct gt_err *err);

/* GT_USAGE when a file of names, regions or sexes is a pipe, and several inputs or --mind have it read more than once: the
 * second time it is empty. */
int gt_select_check_lists(const struct gt_select_opts *opts, int n_inputs, struct gt_err *err);

#endif
