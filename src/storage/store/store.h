/* Key-value stores behind one vtable: directory, zip, tar stream, remote, memory.
 *
 * Keys are Zarr paths without a leading slash ("variant_position/0",
 * ".zgroup").  A store is opened for reading or created for writing.  get, has and
 * put may be called from several threads at once, put for different keys; a tar
 * stream has its values in the order of the calls.  list, finish and free are for
 * one thread, when no other is in the store. */
#ifndef GT_STORE_STORE_H
#define GT_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/budget.h"

struct gt_store;

/* A value, or a range of it, that is asked for together with others. */
struct gt_get {
    const char *key;
    bool range; /* n bytes at an offset, see get_range; else all */
    int64_t offset;
    size_t n;
    struct gt_buf *buf;
    int status;   /* out: 0, GT_NOENT, or a failure */
    bool at_most; /* with a range from the end, of HTTP only: all of it where the value has fewer bytes; then, out: */
    int64_t size; /* of all of it, -1 where the server does not tell */
    bool keep;    /* of HTTP only, without a range: asked for ahead of its use.  What comes of it stays for who asks for the key after
                   * this, as metadata always does; what the server refuses, for now or for good, is no failure, and has status GT_CANCEL */
};

struct gt_store_ops {
    const char *kind; /* "directory", "zip", "tar", "memory", "remote store" */
    bool any_order;   /* the same store, whatever the order that values are put in */
    /* The value of key into buf (overwritten).  GT_NOENT when there is none; GT_INPUT where a file system has something
     * else of a chunk's name, or on the way to it. */
    int (*get)(struct gt_store *store, const char *key, struct gt_buf *buf, struct gt_err *err);
    /* n bytes of it at an offset, which counts from the end when it is below 0: -n is the last n.
     * GT_INPUT when the value has not so many.  NULL: get, and the rest is thrown away. */
    int (*get_range)(struct gt_store *store, const char *key, int64_t offset, size_t n, struct gt_buf *buf, struct gt_err *err);
    /* Many values, which a remote store asks for side by side.  The status of each is in it; the first
     * failure (not GT_NOENT) is returned, and values behind it may not have been asked for.  NULL: one after another. */
    int (*get_many)(struct gt_store *store, struct gt_get *gets, size_t n, struct gt_err *err);
    /* Is there such a key?  0 yes, GT_NOENT no, else failure. */
    int (*has)(struct gt_store *store, const char *key, struct gt_err *err);
    /* Calls fn for each key below `prefix` ("" = all), in no stated order; a tar
     * stream is read to its end first.  fn's non-zero result stops and is returned.  NULL: keys
     * cannot be listed. */
    int (*list)(struct gt_store *store, const char *prefix, int (*fn)(void *ctx, const char *key, int64_t size), void *ctx,
                struct gt_err *err);
    int (*put)(struct gt_store *store, const char *key, const void *data, size_t n, struct gt_err *err);
    /* Of a store that can be gone on with (gt_store_resume); else NULL. */
    int (*done)(struct gt_store *store, const char *key, int64_t *size, struct gt_err *err);
    int (*verify)(struct gt_store *store, int64_t *values, int64_t *bytes, struct gt_err *err);
    int (*keep)(struct gt_store *store, bool keep, struct gt_err *err);
    int (*note)(struct gt_store *store, const char *text, struct gt_err *err);
    const char *(*notes)(struct gt_store *store);
    int (*scratch)(struct gt_store *store, int *fd, struct gt_err *err);
    int (*finish)(struct gt_store *store, struct gt_err *err);
    void (*free)(struct gt_store *store); /* without finish: nothing stays under the output's name */
};

struct gt_store {
    const struct gt_store_ops *ops;
    char *name;               /* for messages: the path, or "standard input" */
    struct gt_budget *budget; /* what metadata of it is counted in while it is looked at; may be NULL */
    bool all_chunks;          /* for reading: a chunk that is not there is an error */
    bool stream;              /* tar: keys come in the order of the stream, get of a later key reads on */
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
/* Is the value of key there, whole, by a run before this one?  Reads it.  0 with its size; GT_NOENT.  As put, any thread. */
static inline int gt_store_done(struct gt_store *s, const char *key, int64_t *size, struct gt_err *err)
{
    return s->ops->done ? s->ops->done(s, key, size, err) : GT_NOENT;
}
/* Reads all values that were put back from the disk: GT_INPUT, naming the first that differs.  GT_USAGE: it cannot. */
int gt_store_verify(struct gt_store *store, int64_t *values, int64_t *bytes, struct gt_err *err);
/* keep: what was put stays for gt_store_resume when the store is freed without finish, and when the process ends early;
 * so after gt_store_resume.  Else it is removed.  Without effect where nothing can be gone on with. */
static inline int gt_store_keep(struct gt_store *s, bool keep, struct gt_err *err)
{
    return s->ops->keep ? s->ops->keep(s, keep, err) : 0;
}
/* Of a store that can be gone on with: can its writer leave notes there for a run that goes on with it? */
static inline bool gt_store_has_checkpoints(const struct gt_store *s)
{
    return s->ops->note != NULL;
}
/* A line, without a line end; what was put before it by this thread stands before it.  The lines of runs before this one,
 * in order, each with its line end.  A file for what is put later, with what such a run left in it; finish removes it, and
 * *fd is the caller's to close. */
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
/* Makes what was put stand under the output's name.  Only gt_store_free may follow. */
static inline int gt_store_finish(struct gt_store *s, struct gt_err *err)
{
    return s->ops->finish(s, err);
}
/* NULL is fine. */
static inline void gt_store_free(struct gt_store *s)
{
    if (s)
        s->ops->free(s);
}

#endif
