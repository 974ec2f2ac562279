/* Creates a store of the kind that the output name asks for. */
#ifndef GT_STORE_OPEN_H
#define GT_STORE_OPEN_H

#include "storage/store/store.h"

/* Standard output and .tar are written as a tar stream, with the metadata first. */
bool gt_store_is_stream(const char *path);
/* Would it be a directory, or the like at a URL, rather than a stream or a zip? */
bool gt_store_is_directory(const char *path);
/* By suffix: standard output or .tar a tar stream, .zip a zip, else a directory, or the like at a URL.  replace, plan: as
 * gt_store_create_dir; an existing file is always replaced by a file. */
int gt_store_create(struct gt_store **out, const char *path, bool replace, const char *plan, struct gt_err *err);
/* Of what gt_store_is_directory: checks whether gt_store_create would succeed; and resumes it, as gt_store_resume. */
int gt_store_check(const char *path, bool replace, struct gt_err *err);
int gt_store_create_resumed(struct gt_store **out, const char *path, bool replace, const char *plan, struct gt_err *err);
/* A store that rank 0 has created or resumed, and shared (gt_store_share), for another rank to put values to as well: different ones.
 * gt_store_finish only completes what this rank has put; gt_store_done knows what earlier runs completed, of any rank.  When all ranks
 * have finished, rank 0 calls gt_store_gather before it finishes. */
int gt_store_join(struct gt_store **out, const char *path, int rank, struct gt_err *err);

#endif
