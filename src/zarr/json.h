/* Metadata text <-> json-c, with bounds on size and depth, and getters that
 * say what is wrong.  Internal to zarr/ and its users of attributes. */
#ifndef GT_ZARR_JSON_H
#define GT_ZARR_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#include "base/err.h"

#define GT_META_MAX (64u << 20) /* bytes of one metadata document */
#define GT_META_DEPTH 64

/* The document `text`, all of it.  GT_INPUT names `name`.  Caller owns. */
int gt_json_parse(struct json_object **out, const char *text, size_t len, const char *name, struct gt_err *err);

/* Member of an object, or NULL when it is absent, null, or obj is no object. */
struct json_object *gt_json_get(struct json_object *obj, const char *key);
/* Member as text, or NULL when it is absent or no string. */
const char *gt_json_text(struct json_object *obj, const char *key);
/* A whole number that fits an int64 (2.0 counts); false otherwise. */
bool gt_json_i64(struct json_object *value, int64_t *out);
/* The text of a document as it is written into a store; valid as long as obj. */
const char *gt_json_print(struct json_object *obj, size_t *len);

#endif
