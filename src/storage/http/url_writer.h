/* Stores, and files, that are written to URLs: http(s):// (PUT), s3:// and gs://.
 *
 * Values are sent in the background as they are made.  Metadata is kept in memory until finish sends it: arrays first, then
 * consolidated metadata and attributes of the root, and last the document that makes the root a Zarr group or array.  So whatever
 * opens is complete.  Until then URL/.gt-journal/ holds the plan (0) and what the server has confirmed (1, 2, ...: lines of
 * store/journal_read.h, stored every few seconds), for gt_store_resume_url; finish removes it.  There are no locks.
 *
 * Several ranks: rank 0 stores their number (.gt-journal/ranks) when it shares the store, and is the one that sends metadata; what another
 * has put is in, ... */
#ifndef GT_STORE_URL_WRITER_H
#define GT_STORE_URL_WRITER_H

#include "storage/store/store.h"

/* Is there a Zarr store at the URL?  *modified: when its root was last modified, in seconds since 1970, -1 = not known; may be NULL. */
int gt_store_exists_at_url(const char *url, bool *exists, int64_t *modified, struct gt_err *err);
/* Checks whether gt_store_create_url would succeed. */
int gt_store_check_url(const char *url, bool replace, struct gt_err *err);
/* Creates a store.  replace: what is there, complete or not, is removed before the first value is stored (--force); otherwise
 * GT_FAIL with a hint.  plan: as gt_store_create_dir. */
int gt_store_create_url(struct gt_store **out, const char *url, bool replace, const char *plan, struct gt_err *err);
/* The same, but continues what an interrupted run with the same plan left there.  GT_INPUT: its plan was another. */
int gt_store_resume_url(struct gt_store **out, const char *url, bool replace, const char *plan, struct gt_err *err);
/* gt_store_join (store_create.h) of a store at a URL: gt_store_finish sees to it that the server has confirmed its values. */
int gt_store_join_url(struct gt_store **out, const char *url, int rank, struct gt_err *err);
/* Have stores been begun in this process that are not finished? */
bool gt_url_left_unfinished(void);
/* Values that the interrupted run left, metadata aside, for a store from gt_store_resume_url. */
void gt_url_writer_count(const struct gt_store *store, int64_t *values, int64_t *bytes);

/* From now on what core/base/outfile.h opens can be a URL.  tmpdir: for what is not sent yet; borrowed. */
void gt_url_accept_files(const char *tmpdir);
int gt_file_exists_at_url(const char *url, bool *exists, struct gt_err *err);

#endif
