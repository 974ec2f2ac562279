/* Stores by URL, http(s)://, s3:// and gs://, for reading. */
#ifndef GT_STORE_URL_H
#define GT_STORE_URL_H

#include "storage/store/store.h"

/* Before the first store is opened. */
struct gt_url_opts {
    double timeout;   /* seconds without a byte after which a request is given up; default 60 */
    int parallel;     /* so many requests of a store are on their way at once, and one more a thread; default 16 */
    bool missing_403; /* status 403 says that a value is not there, as 404 does */
};
void gt_url_configure(const struct gt_url_opts *opts);

/* Of all such stores so far; any thread. */
struct gt_url_counts {
    int64_t requests, retries; /* retries: how many of the requests repeat one that failed */
    int64_t bytes;             /* of bodies */
};
void gt_url_counts(struct gt_url_counts *counts);

/* Has it the scheme of such a URL? */
bool gt_store_is_url(const char *path);
/* Bytes that a connection to it takes in libcurl and below, at most, beside what it brings: that of TLS, above all the certificates
 * that are trusted, which GnuTLS has for each connection.  0: few, or no such URL. */
int64_t gt_url_connection_bytes(const char *url);
/* s3:// and gs:// by what the environment says of credentials and servers; GT_USAGE for other
 * schemes.  Nothing is asked for yet.  get_many asks side by side.  Keys cannot be listed.  The
 * store that was closed last is opened again as it was, with the metadata that it was told. */
int gt_store_open_url(struct gt_store **out, const char *url, struct gt_err *err);

#endif
