/* JSON text <-> json-c, with bounds on size and depth.
 *
 * Trees are built with gt_json_set and gt_json_add, which report allocation failures.
 * Builders return NULL on failure, and both functions accept NULL as a failure, so only the
 * last result needs to be checked. */
#ifndef GT_BASE_JSON_H
#define GT_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#include "core/base/str.h"

#define GT_META_MAX (64u << 20) /* bytes of one metadata document */
#define GT_META_DEPTH 64

/* Parses the complete text.  GT_INPUT names `name`.  The caller owns the tree.  An upper bound of its
 * memory is counted in budget (may be NULL) until the root is freed, so keep the root
 * when keeping a large part.  Integers beyond 64 bits are reals that are printed with their digits. */
int gt_json_parse(struct json_object **out, const char *text, size_t len, const char *name, struct gt_budget *budget, struct gt_err *err);

/* Member of an object, or NULL if it is absent or null or obj is not an object. */
struct json_object *gt_json_get(struct json_object *obj, const char *key);
/* Member as text, or NULL if it is absent or not a string. */
const char *gt_json_text(struct json_object *obj, const char *key);
/* An integer that fits an int64 (2.0 is accepted); false otherwise. */
bool gt_json_i64(struct json_object *value, int64_t *out);

/* object[key] = value; the object takes ownership, or value is freed on failure.  false when out of
 * memory, also in an earlier call, so that object or value is NULL. */
bool gt_json_set(struct json_object *object, const char *key, struct json_object *value);
bool gt_json_set_int(struct json_object *object, const char *key, int64_t n);
bool gt_json_set_real(struct json_object *object, const char *key, double x);
bool gt_json_set_text(struct json_object *object, const char *key, const char *text);
/* As gt_json_set, but the caller keeps its reference; NULL becomes null. */
bool gt_json_set_shared(struct json_object *object, const char *key, struct json_object *value);
/* Appends a value to an array, as gt_json_set. */
bool gt_json_add(struct json_object *array, struct json_object *value);
bool gt_json_add_shared(struct json_object *array, struct json_object *value);
/* Returns doc if `whole`; otherwise frees it and returns NULL. */
struct json_object *gt_json_if_complete(struct json_object *doc, bool whole);
/* A number of seconds, below 1e12, with the digits that a reader needs: microseconds. */
struct json_object *gt_json_seconds(double seconds);
/* An array of n numbers. */
struct json_object *gt_json_sizes(const int64_t *sizes, int n);

/* A value whose text is *text, which is JSON of any type; *text is released.  It can be printed, but not looked into: for long lists of
 * numbers, whose tree would take ten times the memory and the time. */
struct json_object *gt_json_printed(struct gt_str *text);

/* Appends n bytes as a quoted JSON string, in ASCII; bytes that are not UTF-8 become U+FFFD. */
void gt_json_print_text(struct gt_str *out, const char *text, size_t n);
/* Appends "[1,2.5],", a list of up to 8 numbers and a comma.  If bit i of in_ns is set, number i is in ns and stands there in seconds, as
 * by gt_json_seconds. */
void gt_json_print_numbers(struct gt_str *out, const int64_t *number, int n, unsigned in_ns);
/* Appends the document, indented or on one line. */
void gt_json_print(struct gt_str *out, struct json_object *obj, bool in_lines);

#endif
