/* Stores that are tar streams. */
#ifndef GT_STORE_TAR_STORE_H
#define GT_STORE_TAR_STORE_H

#include "core/engine/engine.h"
#include "storage/input/input.h"
#include "storage/store/store.h"

/* How a stream is kept for keys asked for out of order. */
enum gt_store_keep {
    GT_KEEP_ONCE, /* each chunk is got at most once: its memory is freed then */
    GT_KEEP_ALL,  /* chunks may be got again: all are spooled to tmpdir */
};

/* A tar stream; takes over *input (already sniffed).  Reads the leading metadata
 * entries.  Chunks that are skipped stay in memory up to a share of the
 * budget, then go to one unlinked file in engine->tmpdir.  After the end was
 * reached (gt_tar_drain) the metadata keys hold the last versions, and the two
 * zero blocks have been seen: a stream without them is GT_INPUT at that point. */
int gt_store_open_tar(struct gt_store **out, struct gt_input *input, struct gt_engine *engine, enum gt_store_keep keep, struct gt_err *err);
/* Only chunks below these arrays are kept from now on; those of others are
 * skipped, and a get of one is GT_FAIL.  n = 0: all are kept again. */
int gt_tar_want(struct gt_store *store, const char *const *paths, size_t n, struct gt_err *err);
/* Read on to the end of the stream (drains to EOF, checks the end mark). */
int gt_tar_drain(struct gt_store *store, struct gt_err *err);

/* path "-" is standard output. */
int gt_store_create_tar(struct gt_store **out, const char *path, struct gt_err *err);

#endif
