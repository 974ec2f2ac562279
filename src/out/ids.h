/* Ids of samples as they go into text files. */
#ifndef GT_OUT_IDS_H
#define GT_OUT_IDS_H

#include "base/str.h"

/* GT_INPUT, naming the id, when one holds a tab or a line end: the table that it
 * goes into could not be read back. */
int gt_check_ids(const struct gt_strs *ids, struct gt_err *err);

#endif
