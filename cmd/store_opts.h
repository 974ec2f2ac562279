/* Options of commands that write stores. */
#ifndef GT_CMD_STORE_OPTS_H
#define GT_CMD_STORE_OPTS_H

#include <stdint.h>

#include "base/err.h"

/* --chunks "variants=N,samples=M", either or both: chunk[0] and chunk[1] where they
 * are named; samples may be -1, the whole axis.  text NULL: nothing is. */
int gt_chunks_parse(const char *text, int64_t chunk[2], struct gt_err *err);

#endif
