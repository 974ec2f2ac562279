/* Lists of site ids: --extract and --exclude. */
#ifndef GT_GENO_IDS_H
#define GT_GENO_IDS_H

#include "core/base/str.h"

/* The ids of a file, one or several a line, apart by blanks; freed by the caller, even on failure. */
int gt_ids_read(struct gt_names **ids, const char *path, struct gt_err *err);

#endif
