/* Options of commands that write stores. */
#ifndef GT_CMD_STORE_OPTS_H
#define GT_CMD_STORE_OPTS_H

#include <stdint.h>

#include "core/base/err.h"
#include "storage/codec/dtype.h"

/* --chunks "variants=N,samples=M", either or both: chunk[0] and chunk[1] where they
 * are named; samples may be -1, the whole axis.  text NULL: nothing is. */
int gt_chunks_parse(const char *text, int64_t chunk[2], struct gt_err *err);
/* The same of --shard, which needs Zarr 3. */
int gt_shard_parse(const char *text, int zarr_format, int64_t shard[2], struct gt_err *err);
/* The lines of a plan on the chunks of genotypes; inner: of those in shards, 0 = there are none. */
void gt_print_chunks(const int64_t chunk[2], const int64_t inner[2]);

/* --dtype: the name of a number type, as Zarr ("int8") or numpy ("i1") have it. */
int gt_type_parse(const char *text, enum gt_type *type, struct gt_err *err);

#endif
