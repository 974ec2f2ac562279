/* Sizes and counts: checked arithmetic, parsing, printing. */
#ifndef GT_BASE_SIZE_H
#define GT_BASE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

/* a*b and a+b into *out; false when the result does not fit. */
static inline bool gt_mul_size(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}
static inline bool gt_add_size(size_t a, size_t b, size_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}
static inline bool gt_mul_i64(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

static inline int64_t gt_ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}
static inline int64_t gt_min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static inline int64_t gt_max_i64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Parses "64K", "1.5G", "100MB": K M G T P are powers of 1024, KB MB ... of 1000, KiB ... of 1024; case is
 * ignored.  GT_USAGE when the text is not a size, is negative or does not fit an int64. */
int gt_parse_size(const char *text, int64_t *bytes, struct gt_err *err);

/* Parses a whole number >= 0: "1000", "1e9", "2.5e6" (the value must be an integer). */
int gt_parse_count(const char *text, int64_t *count, struct gt_err *err);

/* Parses a finite double; trailing characters are an error. */
int gt_parse_double(const char *text, double *value, struct gt_err *err);

/* "2,504" and "1.5 MiB"; returns buf. */
#define GT_NUM_LEN 32
char *gt_format_count(char buf[GT_NUM_LEN], int64_t count);
char *gt_format_size(char buf[GT_NUM_LEN], int64_t bytes);
/* "1 sample", "2,504 samples"; `thing` is the singular, its plural ends in s. */
#define GT_THINGS_LEN 64
char *gt_format_things(char buf[GT_THINGS_LEN], int64_t count, const char *thing);

#endif
