/* Key-value stores after one vtable: directory, zip, tar stream, remote, memory.
 *
 * Keys are Zarr paths without a leading slash ("variant_position/0", ".zgroup").  A store is opened for reading or created for
 * writing.  get, has and put are thread-safe (put for different keys); a tar stream stores its values in call order.  list, finish
 * and free need exclusive access. */
#ifndef GT_STORE_STORE_H
#define GT_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/budget.h"
#include "core/base/str.h"

struct gt_store;

/* A request for a value or a range of it. */
struct gt_get {
    const char *key;
    bool range; /* n bytes at an offset, see get_range; otherwise the whole value */
    int64_t offset;
    size_t n;
    struct gt_buf *buf;
    int status;   /* out: 0, GT_NOENT, or a failure */
    bool at_most; /* HTTP only, with a range from the end: accept fewer bytes if the value is shorter; then, out: */
    int64_t size; /* size of the whole value, -1 if the server does not report it */
    bool keep;    /* HTTP only, without a range: prefetch.  The value is cached for the next request of the key, as metadata always is;
                   * a refusal by the server is not a failure and gives GT_CANCEL */
};

struct gt_store_ops {
    const char *kind; /* "directory", "zip", "tar", "memory", "remote store" */
    bool any_order;   /* the order of put calls does not change the store */
    /* Reads the value of key into buf (overwritten).  GT_NOENT if it does not exist; GT_INPUT if the path exists but is not a
     * regular file. */
    int (*get)(struct gt_store *store, const char *key, struct gt_buf *buf, struct gt_err *err);
    /* Reads n bytes at an offset; a negative offset counts from the end (-n: the last n bytes).  GT_INPUT if the value is too
     * short.  NULL: implemented with get. */
    int (*get_range)(struct gt_store *store, const char *key, int64_t offset, size_t n, struct gt_buf *buf, struct gt_err *err);
    /* Reads many values, concurrently for remote stores.  Sets the status of each; returns the first failure (not GT_NOENT),
     * after which later values may not have been requested.  NULL: one by one. */
    int (*get_many)(struct gt_store *store, struct gt_get *gets, size_t n, struct gt_err *err);
    /* Does the key exist?  0 yes, GT_NOENT no, else failure. */
    int (*has)(struct gt_store *store, const char *key, struct gt_err *err);
    /* Calls fn for each key below `prefix` ("" = all), in any order; a tar stream is first read to its end.  A non-zero result of
     * fn stops the listing and is returned.  NULL: keys cannot be listed. */
    int (*list)(struct gt_store *store, const char *prefix, int (*fn)(void *ctx, const char *key, int64_t size), void *ctx,
                struct gt_err *err);
    int (*put)(struct gt_store *store, const char *key, const void *data, size_t n, struct gt_err *err);
    /* For stores that can be resumed (gt_store_resume); else NULL. */
    int (*done)(struct gt_store *store, const char *key, int64_t *size, struct gt_err *err);
    int (*verify)(struct gt_store *store, int64_t *values, int64_t *bytes, struct gt_err *err);
    int (*keep)(struct gt_store *store, bool keep, struct gt_err *err);
    int (*note)(struct gt_store *store, const char *text, struct gt_err *err);
    const char *(*notes)(struct gt_store *store);
    int (*scratch)(struct gt_store *store, int *fd, struct gt_err *err);
    int (*share)(struct gt_store *store, int ranks, struct gt_err *err);
    int (*gather)(struct gt_store *store, struct gt_err *err);
    int (*finish)(struct gt_store *store, struct gt_err *err);
    void (*free)(struct gt_store *store); /* without finish, nothing remains under the output's name */
};

struct gt_store {
    const struct gt_store_ops *ops;
    char *name;               /* for messages: the path, or "standard input" */
    struct gt_budget *budget; /* counts metadata while it is parsed; may be NULL */
    bool all_chunks;          /* for reading: a missing chunk is an error */
    bool stream;              /* tar: keys arrive in stream order; get of a later key reads ahead */
    struct gt_strs *unlisted; /* for reading: list adds the name and the cause of each folder that it cannot read, two strings, and
                               * goes on; NULL: it fails */
};

static inline int gt_store_get(struct gt_store *s, const char *key, struct gt_buf *buf, struct gt_err *err)
{
    return s->ops->get(s, key, buf, err);
}
int gt_store_get_range(struct gt_store *store, const char *key, int64_t offset, size_t n, struct gt_buf *buf, struct gt_err *err);
int gt_store_get_many(struct gt_store *store, struct gt_get *gets, size_t n, struct gt_err *err);
static inline int gt_store_has(struct gt_store *s, const char *key, struct gt_err *err)
{
    return s->ops->has(s, key, err);
}
static inline int gt_store_put(struct gt_store *s, const char *key, const void *data, size_t n, struct gt_err *err)
{
    return s->ops->put(s, key, data, n, err);
}
/* Was the value of key completed by an earlier run?  Verifies its bytes.  0 with its size, or GT_NOENT.  Any thread, like put. */
static inline int gt_store_done(struct gt_store *s, const char *key, int64_t *size, struct gt_err *err)
{
    return s->ops->done ? s->ops->done(s, key, size, err) : GT_NOENT;
}
/* Reads all values back and verifies them: GT_INPUT names the first that differs.  GT_USAGE: not supported. */
int gt_store_verify(struct gt_store *store, int64_t *values, int64_t *bytes, struct gt_err *err);
/* keep: values survive for gt_store_resume when the store is freed without finish or the process ends early (the default after
 * gt_store_resume).  Otherwise they are removed.  No effect on stores that cannot be resumed. */
static inline int gt_store_keep(struct gt_store *s, bool keep, struct gt_err *err)
{
    return s->ops->keep ? s->ops->keep(s, keep, err) : 0;
}
/* Can the writer store checkpoints for a later run to resume from? */
static inline bool gt_store_has_checkpoints(const struct gt_store *s)
{
    return s->ops->note != NULL;
}
/* Does it have a scratch file, too? */
static inline bool gt_store_has_scratch(const struct gt_store *s)
{
    return s->ops->scratch != NULL;
}
/* Adds a checkpoint line (no newline), ordered after earlier put calls of this thread; returns the lines of earlier runs, in order,
 * each with a newline; opens a scratch file that keeps its contents across runs until finish removes it (the caller closes *fd). */
static inline int gt_store_add_checkpoint(struct gt_store *s, const char *text, struct gt_err *err)
{
    return s->ops->note(s, text, err);
}
static inline const char *gt_store_checkpoints(struct gt_store *s)
{
    return s->ops->notes(s);
}
static inline int gt_store_scratch(struct gt_store *s, int *fd, struct gt_err *err)
{
    return s->ops->scratch(s, fd, err);
}
/* Of rank 0, after creation: other ranks can join from now on (gt_store_join), of that many in all. */
static inline int gt_store_share(struct gt_store *s, int ranks, struct gt_err *err)
{
    return s->ops->share ? s->ops->share(s, ranks, err) : 0;
}
/* Takes over what other ranks have put, all of which have finished. */
static inline int gt_store_gather(struct gt_store *s, struct gt_err *err)
{
    return s->ops->gather ? s->ops->gather(s, err) : 0;
}
/* Publishes the output under its name.  Only gt_store_free may follow. */
static inline int gt_store_finish(struct gt_store *s, struct gt_err *err)
{
    return s->ops->finish(s, err);
}
/* NULL is allowed. */
static inline void gt_store_free(struct gt_store *s)
{
    if (s)
        s->ops->free(s);
}

#endif
