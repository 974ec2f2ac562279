/* Inside the reader of zips.  zip_central.c has what the file says it holds, zip_read.c
 * the values, zip_url.c files by URL. */
#ifndef GT_STORE_ZIP_IMPL_H
#define GT_STORE_ZIP_IMPL_H

#include "storage/store/store.h"

struct zip_entry {
    uint64_t offset, packed, size;
    _Atomic uint64_t start; /* of its data, once somebody looked; 0: not yet */
    uint32_t crc;
    uint32_t order; /* in the central directory */
    uint16_t method, flags;
    uint16_t key_len;
    uint16_t skipped; /* bytes of "./" before key */
    const char *key;  /* in the central directory; no NUL at its end */
};

/* Bytes at the end of a file that are looked at first. */
enum { ZIP_USUAL_TAIL = 16384 };

struct zip_url;

struct zip_reader {
    struct gt_store base;
    int fd;              /* -1: by URL */
    struct zip_url *url; /* NULL: a file here */
    uint64_t size;       /* of the file */
    uint64_t central_at; /* all entries' data are before it */
    uint64_t central_n;  /* entries in the central directory, as said at the end */
    struct gt_buf central;
    struct gt_buf entries; /* struct zip_entry, sorted by key */
    size_t n;
    size_t root_len; /* of the extra root directory with its slash */
};

/* GT_INPUT "'x.zip' is a damaged zip: ...". */
int zip_bad(const struct zip_reader *self, const char *what, struct gt_err *err);
int zip_bad_value(const struct zip_reader *self, const char *key, const char *what, struct gt_err *err);

/* n bytes at an offset of the file; GT_INPUT when it has not that many. */
int zip_read_at(const struct zip_reader *self, void *data, size_t n, uint64_t offset, struct gt_err *err);

/* Reads the central directory: entries sorted by key, duplicates and what is no value left out. */
int zip_read_central(struct zip_reader *self, struct gt_err *err);
static inline struct zip_entry *zip_entries(const struct zip_reader *self)
{
    return (struct zip_entry *)(void *)self->entries.data;
}
/* NULL: there is no such key. */
struct zip_entry *zip_find(const struct zip_reader *self, const char *key);

/* Is it coded in a way that can be read?  GT_INPUT when not. */
int zip_check_method(const struct zip_reader *self, const struct zip_entry *entry, const char *key, struct gt_err *err);
/* Do the bytes of the file lie there as they are? */
bool zip_is_stored(const struct zip_entry *entry);
/* Bytes of the local header that zip_data_start needs; 0: the name is too long. */
size_t zip_local_len(const struct zip_entry *entry);
/* Where the entry's data begin in the file, by its local header: it has lengths of its own. */
int zip_data_start(const struct zip_reader *self, const struct zip_entry *entry, const char *key, const uint8_t *local, uint64_t *start,
                   struct gt_err *err);
/* The value of its entry->packed bytes, checked, to buf; packed may be the data of buf when it is stored. */
int zip_unpack(const struct zip_reader *self, const struct zip_entry *entry, const char *key, const uint8_t *packed, struct gt_buf *buf,
               struct gt_err *err);

/* A file by URL: self->url and self->size are set.  Nothing stays on failure. */
int zip_url_open(struct zip_reader *self, const char *url, struct gt_err *err);
void zip_url_free(struct zip_url *url); /* NULL is fine */
int zip_url_read(const struct zip_reader *self, void *data, size_t n, uint64_t offset, struct gt_err *err);
/* As gt_store_get_many: the values side by side, each with one request where its local header is as is usual. */
int zip_url_get_many(struct gt_store *store, struct gt_get *gets, size_t n, struct gt_err *err);

#endif
