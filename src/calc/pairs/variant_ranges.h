/* The variants that pair counts were made from: per contig the first and last position and hashes of the variants.  --merge --sum uses
 * them to detect variants common to two files.  Variants without contig or position are not included. */
#ifndef GT_CALC_VARIANT_RANGES_H
#define GT_CALC_VARIANT_RANGES_H

#include "core/base/str.h"

struct gt_variant_range {
    int64_t first, last;                  /* positions */
    int64_t n, n_first, n_last;           /* number of variants in total, at the first and at the last position */
    uint64_t hash, hash_first, hash_last; /* sums of hashes of position and alleles */
};

struct gt_variant_ranges {
    struct gt_strs contigs; /* contig of each range; a contig has several ranges if files were summed */
    struct gt_buf range;    /* array of struct gt_variant_range */
    size_t at;              /* index of the range of the variant added last */
};

void gt_variant_ranges_init(struct gt_variant_ranges *ranges, struct gt_budget *budget);
void gt_variant_ranges_release(struct gt_variant_ranges *ranges);
static inline size_t gt_variant_ranges_n(const struct gt_variant_ranges *ranges)
{
    return ranges->contigs.n;
}
static inline const struct gt_variant_range *gt_variant_range(const struct gt_variant_ranges *ranges, size_t i)
{
    return (const struct gt_variant_range *)(const void *)ranges->range.data + i;
}

/* Adds a variant, in any order.  alleles: REF has index `first`, followed by n - 1 ALTs; n = 0 if not known. */
int gt_variant_ranges_add(struct gt_variant_ranges *ranges, const char *contig, int64_t position, const struct gt_strs *alleles,
                          size_t first, size_t n, struct gt_err *err);
/* Appends the ranges of `from`. */
int gt_variant_ranges_append(struct gt_variant_ranges *to, const struct gt_variant_ranges *from, struct gt_err *err);
/* Finds a range i of `a` and j of `b` that may share a variant: their positions overlap and, if they share a single position with one
 * variant each, its hash is equal.  "chr1" equals "1".  False: none. */
bool gt_variant_ranges_overlap(const struct gt_variant_ranges *a, const struct gt_variant_ranges *b, size_t *i, size_t *j);

/* Serialisation: the eight numbers of each range, little endian, and its contig with a NUL.  take: GT_INPUT unless the bytes are n
 * ranges. */
int gt_variant_ranges_put(const struct gt_variant_ranges *ranges, struct gt_buf *out, struct gt_err *err);
int gt_variant_ranges_take(struct gt_variant_ranges *ranges, size_t n, const uint8_t *bytes, size_t size, struct gt_err *err);

#endif
