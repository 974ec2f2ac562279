/* Stores by URL: http(s)://, s3:// and gs://; to write them: url_writer.h. */
#ifndef GT_STORE_URL_H
#define GT_STORE_URL_H

#include "core/base/str.h"
#include "storage/store/store.h"

/* Set before the first store is opened. */
struct gt_url_opts {
    double timeout;   /* seconds without a byte before a request is aborted; default 60 */
    bool waits;       /* a server that refuses connections is waited for as long as that, even if it has not answered before */
    int parallel;     /* concurrent requests per store, plus one per thread; default 16 */
    bool missing_403; /* status 403 means that a value does not exist, like 404 */
};
void gt_url_configure(const struct gt_url_opts *opts);

/* The run is cancelled: what waits to be written to URLs is not sent, and the stores' functions return GT_CANCEL.  Any thread. */
void gt_url_cancel(void);

/* Totals of all such stores; any thread. */
struct gt_url_counts {
    int64_t requests, retries; /* retries: requests that repeat a failed one */
    int64_t bytes;             /* response bodies */
};
void gt_url_counts(struct gt_url_counts *counts);

/* Does the path have one of these schemes? */
bool gt_store_is_url(const char *path);
/* Adds text with its URLs as they may be shown and stored: without password and, but for s3:// and gs://, query:
 * "http://...@host/x.zarr?...". */
void gt_url_add_public(struct gt_str *out, const char *text);
/* Adds a URL in a form in which two of the same place are equal, as far as can be known without a request: as http(s), without user, query,
 * default port, empty parts of the path and slash at the end, with escapes resolved. */
void gt_url_add_normal(struct gt_str *out, const char *url);
/* Upper bound of the memory of a connection inside libcurl and TLS, mostly trusted certificates, which GnuTLS loads per connection.
 * 0: negligible, or not such a URL. */
int64_t gt_url_connection_bytes(const char *url);
/* Memory of an output by URL per concurrent request, connections aside. */
#define GT_URL_OUTPUT_BYTES (INT64_C(2) << 20)
/* Opens a store; s3:// and gs:// use credentials and servers from the environment.  GT_USAGE for other schemes.  Sends no request.
 * get_many sends requests concurrently.  Keys cannot be listed.  The store that was closed last is reused with its cached
 * metadata. */
int gt_store_open_url(struct gt_store **out, const char *url, struct gt_err *err);

#endif
