/* Opening a store by path. */
#ifndef GT_STORE_OPEN_H
#define GT_STORE_OPEN_H

#include <stdio.h>

#include "core/engine/engine.h"
#include "storage/input/input.h"
#include "storage/store/store.h"

/* How a stream is kept for keys asked for out of order. */
enum gt_store_keep {
    GT_KEEP_ONCE, /* each chunk is got at most once: its memory is freed then */
    GT_KEEP_ALL,  /* chunks may be got again: all are spooled to tmpdir */
};

int gt_store_open_dir(struct gt_store **out, const char *path, struct gt_err *err);
/* path: of a file, or a URL, of which the parts that are needed are got. */
int gt_store_open_zip(struct gt_store **out, const char *path, struct gt_budget *budget, struct gt_err *err);
/* A tar stream; takes over *input (already sniffed).  Reads the leading metadata
 * entries.  Chunks that are passed over stay in memory up to a share of the
 * budget, then go to one unlinked file in engine->tmpdir.  After the end was
 * reached (gt_tar_drain) the metadata keys hold the last versions, and the two
 * zero blocks have been seen: a stream without them is GT_INPUT at that point. */
int gt_store_open_tar(struct gt_store **out, struct gt_input *input, struct gt_engine *engine, enum gt_store_keep keep, struct gt_err *err);
/* Only chunks below these arrays are kept from now on; those of others are
 * passed over, and a get of one is GT_FAIL.  n = 0: all are kept again. */
int gt_tar_want(struct gt_store *store, const char *const *paths, size_t n, struct gt_err *err);
/* Read on to the end of the stream (drains to EOF, checks the end mark). */
int gt_tar_drain(struct gt_store *store, struct gt_err *err);

/* May a directory store be made at `path`, as things stand?  As gt_store_create_dir would
 * answer; GT_USAGE when it would take an input's place (base/guard.h). */
int gt_store_check_dir(const char *path, bool replace, struct gt_err *err);
/* Created stores.  replace: an existing OUT is replaced at finish (--force);
 * without it an existing directory, or a regular file where a directory would
 * stand, is GT_FAIL with a hint; a file is always replaced by a file.  plan: lines that
 * name the inputs and options that values depend on, for gt_store_resume (store/journal.h). */
int gt_store_create_dir(struct gt_store **out, const char *path, bool replace, const char *plan, struct gt_err *err);
/* The same, but that what a dead run left as OUT.partial is gone on with: gt_store_done tells what of it is whole.  Where
 * there is nothing it begins anew.  GT_INPUT: that run had another plan, and the first line that differs is named. */
int gt_store_resume(struct gt_store **out, const char *path, bool replace, const char *plan, struct gt_err *err);
/* Puts in order what a run left that was killed when its output had its name already.  gt_store_create_dir and
 * gt_store_resume do it themselves. */
int gt_store_settle(const char *path, struct gt_err *err);
int gt_store_create_zip(struct gt_store **out, const char *path, struct gt_err *err);
/* path "-" is standard output. */
int gt_store_create_tar(struct gt_store **out, const char *path, struct gt_err *err);
/* Standard output and .tar are written as a tar stream, with the metadata first. */
bool gt_store_is_stream(const char *path);
/* Would it be a directory, rather than a stream or a zip? */
bool gt_store_is_directory(const char *path);
/* By suffix: standard output or .tar a tar stream, .zip a zip, else a directory. */
int gt_store_create(struct gt_store **out, const char *path, bool replace, const char *plan, struct gt_err *err);

/* An empty store in memory, readable and writable; for tests and tar metadata. */
int gt_store_new_memory(struct gt_store **out, struct gt_budget *budget, struct gt_err *err);

#endif
