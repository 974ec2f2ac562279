/* A growable text, for paths, keys and messages; lists of texts and maps of names,
 * which may be long and are counted in a budget when they have one. */
#ifndef GT_BASE_STR_H
#define GT_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/budget.h"

struct gt_str {
    char *s; /* NUL-terminated once anything was added, else NULL */
    size_t len, cap;
    bool failed;
};

/* Zero-initialise to start.  When memory runs out the text becomes "" and stays
 * so until it is released: whoever uses the text asks gt_str_check first, once,
 * after all that was added. */
void gt_str_add(struct gt_str *str, const char *text);
void gt_str_addn(struct gt_str *str, const void *bytes, size_t n);
void gt_str_addf(struct gt_str *str, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gt_str_clear(struct gt_str *str); /* length 0, keeps the room */
void gt_str_release(struct gt_str *str);
/* Makes it a text that could not be added to. */
void gt_str_fail(struct gt_str *str);
/* 0, or GT_FAIL when something could not be added. */
int gt_str_check(const struct gt_str *str, struct gt_err *err);

bool gt_ends_with(const char *text, const char *end);

/* Texts one after another in one block, addressed by number: a million sample
 * ids or alleles cost two allocations. */
struct gt_strs {
    char *text;      /* each text with its NUL */
    size_t text_len, text_cap;
    size_t *start;   /* n entries: offset of text i */
    size_t n, cap;
    struct gt_budget *budget; /* set before the first text; NULL: not counted */
};

/* Adds a text, which gets the number list->n had; on failure the list is as before. */
int gt_strs_add(struct gt_strs *list, const char *s, size_t n, struct gt_err *err);
static inline const char *gt_strs_get(const struct gt_strs *list, size_t i) { return list->text + list->start[i]; }
/* Its bytes, which may be more than strlen tells where texts hold NULs. */
static inline size_t gt_strs_len(const struct gt_strs *list, size_t i)
{
    return (i + 1 < list->n ? list->start[i + 1] : list->text_len) - list->start[i] - 1;
}
/* Room for n more texts of `bytes` together, their NULs included. */
int gt_strs_reserve(struct gt_strs *list, size_t n, size_t bytes, struct gt_err *err);
/* Room for one more text of n bytes, for a list that others are reading: what stands is
 * never moved.  Where there is no room the list goes on in new storage and *left gets the
 * old one, to release when nobody reads it any more; else *left is empty. */
int gt_strs_extend(struct gt_strs *list, size_t n, struct gt_strs *left, struct gt_err *err);
void gt_strs_clear(struct gt_strs *list);
void gt_strs_release(struct gt_strs *list); /* keeps .budget */
/* `to` is overwritten, must be zeroed or valid; it keeps its budget. */
int gt_strs_copy(struct gt_strs *to, const struct gt_strs *from, struct gt_err *err);

/* Name -> number, for ids.  The map keeps its own copies of the names. */
struct gt_names;
/* Counted in budget, which may be NULL.  NULL when memory is out. */
struct gt_names *gt_names_new(struct gt_budget *budget, struct gt_err *err);
void gt_names_free(struct gt_names *names);
/* Number of `name`, or -1. */
int64_t gt_names_find(const struct gt_names *names, const char *name, size_t n);
/* Adds name -> number unless the name is there.  *had: the number it already
 * had, or -1 if it is new; may be NULL. */
int gt_names_add(struct gt_names *names, const char *name, size_t n, int64_t number, int64_t *had, struct gt_err *err);
/* The number of `name` in a list whose texts `names` numbers; a new one is added to both. */
int gt_names_number(struct gt_names *names, struct gt_strs *list, const char *name, size_t n, int64_t *number, struct gt_err *err);

#endif
