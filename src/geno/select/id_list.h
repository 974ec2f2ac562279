/* Lists of variant ids: --extract and --exclude. */
#ifndef GT_GENO_IDS_H
#define GT_GENO_IDS_H

#include "core/base/str.h"

/* Reads ids separated by blanks or newlines; the caller frees *ids, also on failure. */
int gt_ids_read(struct gt_names **ids, const char *path, struct gt_err *err);

#endif
