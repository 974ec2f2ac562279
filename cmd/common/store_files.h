/* How many files a directory store has: for plans and notes. */
#ifndef GT_CMD_STORE_FILES_H
#define GT_CMD_STORE_FILES_H

#include "cmd/common/cli.h"
#include "geno/vcz_write/vcz_shape.h"

/* The line of a plan. */
void gt_print_files(const struct gt_vcz_shape *shape, const char *path);
/* A note where there are many, with what makes fewer. */
void gt_note_files(struct gt_cli *cli, const char *path, int64_t files, bool about);

#endif
