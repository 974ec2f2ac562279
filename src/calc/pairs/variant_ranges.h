/* Which variants pair counts are of: of each contig the first and the last position, with hashes of its variants.  By these
 * --merge --sum finds files of counts that have variants in common.  Variants without a contig or a position are not told. */
#ifndef GT_CALC_VARIANT_RANGES_H
#define GT_CALC_VARIANT_RANGES_H

#include "core/base/str.h"

struct gt_variant_range {
    int64_t first, last;                  /* positions */
    int64_t n, n_first, n_last;           /* variants: all, those at the first and those at the last position */
    uint64_t hash, hash_first, hash_last; /* sums of the hashes of their positions and alleles */
};

struct gt_variant_ranges {
    struct gt_strs contigs; /* the name of each; a contig has several ranges where files were summed */
    struct gt_buf range;    /* struct gt_variant_range each */
    size_t at;              /* of the variant added last */
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

/* One more variant, in any order.  alleles: REF is number `first`, then n - 1 ALTs; n = 0 where they are not known. */
int gt_variant_ranges_add(struct gt_variant_ranges *ranges, const char *contig, int64_t position, const struct gt_strs *alleles,
                          size_t first, size_t n, struct gt_err *err);
/* All of `from` behind those of `to`, as ranges of their own. */
int gt_variant_ranges_append(struct gt_variant_ranges *to, const struct gt_variant_ranges *from, struct gt_err *err);
/* The first range of `a` that may have a variant of `b`, and the one of b that has it: positions overlap; where they have one
 * position in common, and one variant each there, it is the same variant.  "chr1" is "1".  False: there is none. */
bool gt_variant_ranges_overlap(const struct gt_variant_ranges *a, const struct gt_variant_ranges *b, size_t *i, size_t *j);

/* As bytes: for each range the eight numbers of the struct, little endian, and its name with a NUL.  take: GT_INPUT for bytes that
 * are not n ranges. */
int gt_variant_ranges_put(const struct gt_variant_ranges *ranges, struct gt_buf *out, struct gt_err *err);
int gt_variant_ranges_take(struct gt_variant_ranges *ranges, size_t n, const uint8_t *bytes, size_t size, struct gt_err *err);

#endif
