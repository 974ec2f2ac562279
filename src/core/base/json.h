/* JSON text <-> json-c, with bounds on size and depth.
 *
 * Trees are built with gt_json_set and gt_json_add, which say when memory ran
 * out.  A function that builds one returns NULL then, and both take NULL for a
 * failure: only the last one asks. */
#ifndef GT_BASE_JSON_H
#define GT_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#include "core/base/str.h"

#define GT_META_MAX (64u << 20) /* bytes of one metadata document */
#define GT_META_DEPTH 64

/* The document `text`, all of it.  GT_INPUT names `name`.  Caller owns.  What the tree
 * takes, at the most, is counted in budget (may be NULL) as long as its root lives:
 * who keeps a large part keeps the root. */
int gt_json_parse(struct json_object **out, const char *text, size_t len, const char *name, struct gt_budget *budget, struct gt_err *err);

/* Member of an object, or NULL when it is absent, null, or obj is no object. */
struct json_object *gt_json_get(struct json_object *obj, const char *key);
/* Member as text, or NULL when it is absent or no string. */
const char *gt_json_text(struct json_object *obj, const char *key);
/* A whole number that fits an int64 (2.0 counts); false otherwise. */
bool gt_json_i64(struct json_object *value, int64_t *out);

/* object[key] = value, which is the object's from now on, or freed on failure.
 * false when memory ran out: now, or before, so that object or value is NULL. */
bool gt_json_set(struct json_object *object, const char *key, struct json_object *value);
/* As gt_json_set, with a value that stays the caller's too; NULL is null. */
bool gt_json_set_shared(struct json_object *object, const char *key, struct json_object *value);
/* The same for a value behind the last of an array. */
bool gt_json_add(struct json_object *array, struct json_object *value);
bool gt_json_add_shared(struct json_object *array, struct json_object *value);
/* doc when it is whole; else it is freed, and NULL. */
struct json_object *gt_json_if_complete(struct json_object *doc, bool whole);
/* A list of n numbers. */
struct json_object *gt_json_sizes(const int64_t *sizes, int n);

/* Adds n bytes as a JSON string, with its quotes. */
void gt_json_print_text(struct gt_str *out, const char *text, size_t n);
/* Adds the document as text: in lines, as it stands in stores, or on one line. */
void gt_json_print(struct gt_str *out, struct json_object *obj, bool in_lines);

#endif
