/* A growable text, and lists of texts.  Not counted in the budget: for names,
 * ids, metadata and messages, never for bulk data (see engine/buf.h). */
#ifndef GT_BASE_STR_H
#define GT_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct gt_str {
    char *s; /* NUL-terminated once anything was added, else NULL */
    size_t len, cap;
};

/* Zero-initialise to start.  Adding aborts the process only when malloc of a
 * few bytes fails; sizes here are bounded by metadata limits. */
void gt_str_add(struct gt_str *str, const char *text);
void gt_str_addn(struct gt_str *str, const void *bytes, size_t n);
void gt_str_addf(struct gt_str *str, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gt_str_clear(struct gt_str *str); /* length 0, keeps the room */
void gt_str_release(struct gt_str *str);

bool gt_ends_with(const char *text, const char *end);

/* Checked malloc family: abort on failure, for small things only. */
void *gt_xmalloc(size_t n);
void *gt_xcalloc(size_t n, size_t size);
void *gt_xrealloc(void *p, size_t n);
char *gt_xstrdup(const char *s);
char *gt_xstrndup(const char *s, size_t n);

/* Texts one after another in one block, addressed by number: a million sample
 * ids or alleles cost two allocations. */
struct gt_strs {
    char *text;      /* each text with its NUL */
    size_t text_len, text_cap;
    size_t *start;   /* n entries: offset of text i */
    size_t n, cap;
};

size_t gt_strs_add(struct gt_strs *list, const char *s, size_t n); /* returns its number */
static inline const char *gt_strs_get(const struct gt_strs *list, size_t i) { return list->text + list->start[i]; }
void gt_strs_clear(struct gt_strs *list);
void gt_strs_release(struct gt_strs *list);
void gt_strs_copy(struct gt_strs *to, const struct gt_strs *from); /* `to` is overwritten, must be zeroed or valid */

/* Name -> number, for ids.  The map keeps its own copies of the names. */
struct gt_names;
struct gt_names *gt_names_new(void);
void gt_names_free(struct gt_names *names);
/* Number of `name`, or -1. */
int64_t gt_names_find(const struct gt_names *names, const char *name, size_t n);
/* Adds name -> number; returns the number it already had, or -1 if it is new. */
int64_t gt_names_add(struct gt_names *names, const char *name, size_t n, int64_t number);

#endif
