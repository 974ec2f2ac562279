/* Growable strings for paths, keys and messages; lists of strings and maps of names, which may
 * be large and are counted in a budget if they have one. */
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

/* Zero-initialise.  After an allocation failure the string is "" until it is released, so
 * callers can append without checks and call gt_str_check once at the end. */
void gt_str_add(struct gt_str *str, const char *text);
void gt_str_addn(struct gt_str *str, const void *bytes, size_t n);
void gt_str_addf(struct gt_str *str, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gt_str_clear(struct gt_str *str); /* sets the length to 0, keeps the capacity */
void gt_str_release(struct gt_str *str);
/* Marks the string as failed. */
void gt_str_fail(struct gt_str *str);
/* 0, or GT_FAIL if an append failed. */
int gt_str_check(const struct gt_str *str, struct gt_err *err);
/* gt_str_check, and the text moves to *text, which the caller frees; NULL after a failure, or if nothing was added. */
int gt_str_take(struct gt_str *str, char **text, struct gt_err *err);

bool gt_ends_with(const char *text, const char *end);

/* Strings stored consecutively in one block and addressed by index: a million sample ids or
 * alleles cost two allocations. */
struct gt_strs {
    char *text; /* each string with its NUL */
    size_t text_len, text_cap;
    size_t *start; /* n entries: offset of string i */
    size_t n, cap;
    struct gt_budget *budget; /* set before the first string is added; NULL: not counted */
};

/* Appends a string with index list->n; on failure the list is unchanged. */
int gt_strs_add(struct gt_strs *list, const char *s, size_t n, struct gt_err *err);
/* Arguments may point into the list. */
int gt_strs_addf(struct gt_strs *list, struct gt_err *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static inline const char *gt_strs_get(const struct gt_strs *list, size_t i)
{
    return list->text + list->start[i];
}
/* Length in bytes; larger than strlen if the string contains NULs. */
static inline size_t gt_strs_len(const struct gt_strs *list, size_t i)
{
    return (i + 1 < list->n ? list->start[i + 1] : list->text_len) - list->start[i] - 1;
}
/* Reserves space for n more strings of `bytes` bytes in total, NULs included. */
int gt_strs_reserve(struct gt_strs *list, size_t n, size_t bytes, struct gt_err *err);
/* Reserves space for one more string of n bytes in a list that other threads are reading: existing storage
 * is not moved.  If the list needs new storage, *left receives the old storage, to be released when it has no more
 * readers; else *left is empty. */
int gt_strs_extend(struct gt_strs *list, size_t n, struct gt_strs *left, struct gt_err *err);
void gt_strs_clear(struct gt_strs *list);
void gt_strs_release(struct gt_strs *list); /* keeps .budget */
/* Overwrites `to`, which must be zeroed or valid and keeps its budget. */
int gt_strs_copy(struct gt_strs *to, const struct gt_strs *from, struct gt_err *err);

/* Map from name to number.  The map copies the names. */
struct gt_names;
/* The memory is counted in budget, which may be NULL.  Returns NULL when out of memory. */
struct gt_names *gt_names_new(struct gt_budget *budget, struct gt_err *err);
/* string -> its index, of all strings of a list; the first of equal ones. */
struct gt_names *gt_names_of(const struct gt_strs *list, struct gt_budget *budget, struct gt_err *err);
void gt_names_free(struct gt_names *names);
/* The number of `name`, or -1. */
int64_t gt_names_find(const struct gt_names *names, const char *name, size_t n);
/* Adds name -> number unless the name exists.  *had: its existing number, or -1 if it was added;
 * may be NULL. */
int gt_names_add(struct gt_names *names, const char *name, size_t n, int64_t number, int64_t *had, struct gt_err *err);
/* Finds the index of `name` in a list whose index is `names`; a new name is added to both. */
int gt_names_number(struct gt_names *names, struct gt_strs *list, const char *name, size_t n, int64_t *number, struct gt_err *err);

#endif
