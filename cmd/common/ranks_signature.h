/* What must be the same on all ranks, as text: a line each for version, instruction set, command line and inputs. */
#ifndef GT_CMD_RANKS_SIGNATURE_H
#define GT_CMD_RANKS_SIGNATURE_H

#include "cmd/common/options.h"
#include "core/base/str.h"

void gt_signature_make(struct gt_str *text, const struct gt_cli *cli, const struct gt_opt_table *table);

/* GT_USAGE: standard input or a pipe is to be read, of which each rank would get some. */
int gt_signature_check_inputs(const struct gt_cli *cli, const struct gt_opt_table *table, struct gt_err *err);

/* GT_USAGE or GT_INPUT (an input) names the first line of `theirs`, which rank `rank` on `host` has, that differs from ours. */
int gt_signature_compare(const char *ours, const char *theirs, int rank, const char *host, struct gt_err *err);

#endif
