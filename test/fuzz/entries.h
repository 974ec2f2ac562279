/* A store as bytes that a fuzzer changes: a sequence of entries, each a key, "\n", the value's length in two bytes, the value. */
#ifndef GT_FUZZ_ENTRIES_H
#define GT_FUZZ_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/str.h"

/* Those from `at` on as a zip of stored values. */
void entries_zip(const uint8_t *at, const uint8_t *end, struct gt_str *zip);

/* A seed that is being written; what has no room aborts. */
struct entries {
    uint8_t *out;
    size_t n, room;
};
void entries_add(struct entries *s, const char *key, const void *value, size_t len);
/* .zarray and .zattrs of an array of Zarr 2 without compressor; "|O" has vlen-utf8. */
void entries_add_array(struct entries *s, const char *name, const char *shape, const char *chunks, const char *dtype, const char *attrs);
/* Five variants of six samples, three variants a chunk. */
void entries_add_sites(struct entries *s);

#endif
