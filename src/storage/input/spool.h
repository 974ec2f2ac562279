/* Standard input kept in a file, so that it can be read again. */
#ifndef GT_STORE_SPOOL_H
#define GT_STORE_SPOOL_H

#include "storage/input/input.h"

/* Copies what is left of a pipe to an unlinked file in tmpdir, which then stands
 * in for it: *input is seekable afterwards.  Nothing to do for regular files. */
int gt_spool(struct gt_input *input, const char *tmpdir, struct gt_err *err);

#endif
