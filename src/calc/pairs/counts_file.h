/* Files of pair counts: what an accumulator has summed, to be added up and made into numbers
 * by a later run (gt-pdist -O counts, --merge).
 *
 * All numbers are little endian.  A head:
 *
 *     8 bytes   magic "\x93GTPAIRS"
 *     u32       version, 2
 *     u32       flags, enum gt_counts_flags
 *     u64 * 5   samples; rows [first, last) of them that this file has; sites; digest
 *     u32, u32  planes; bytes of a number, 4 or 8
 *     u64       bytes of ids
 *     u64 * 2   ranges of variants; bytes of these
 *     16 * planes bytes, names, filled up with NULs
 *     ids, each with its NUL behind it
 *     ranges of variants (calc/pairs/variant_ranges.h)
 *     NULs up to a multiple of 64
 *
 * then for each row i, and each plane, the numbers of the pairs (i, 0) to (i, i); and last, the
 * XXH3 (64 bits) of all before it. */
#ifndef GT_CALC_COUNTS_H
#define GT_CALC_COUNTS_H

#include "calc/pairs/accumulator.h"
#include "calc/pairs/variant_ranges.h"
#include "core/base/str.h"

#define GT_COUNTS_NAME 16

enum gt_counts_flags {
    GT_COUNTS_LITERAL = 1,   /* missing dosages were the number -1 */
    GT_COUNTS_AUTOSOMAL = 2, /* sex chromosomes and mitochondria were left out, as the metric wants it */
    GT_COUNTS_CONTIGS = 4,   /* --contigs said which contigs were to be used */
    GT_COUNTS_HAPLOID = 8,   /* of haploid data */
};

struct gt_counts_head {
    uint32_t flags;
    int64_t samples, first, last, sites;
    uint64_t digest; /* of the genotypes: the same for all parts of them, whatever their order; sums add theirs up */
    int n_planes, width;
    char plane[GT_MAX_PLANES][GT_COUNTS_NAME];
    int64_t ids_bytes;
    int64_t n_ranges, ranges_bytes;
};

/* Bytes of a number where counts of so many sites have room. */
int gt_counts_width(int64_t sites);
/* The sums of a plane with terms of its own at each site are multiples of 2^-bits, and stand in the
 * file times 2^bits, in 8 bytes; 0 for all others. */
int gt_counts_bits(const char *plane);
/* Bytes before the numbers; of the numbers. */
int64_t gt_counts_head_bytes(const struct gt_counts_head *head);
int64_t gt_counts_data_bytes(const struct gt_counts_head *head);
/* Numbers, of all planes, that stand before row i. */
static inline int64_t gt_counts_before(const struct gt_counts_head *head, int64_t i)
{
    return (i * (i + 1) / 2 - head->first * (head->first + 1) / 2) * head->n_planes;
}

/* The head as it stands in a file.  head->ids_bytes, n_ranges and ranges_bytes are set.  ranges: NULL for none. */
int gt_counts_put_head(struct gt_buf *out, struct gt_counts_head *head, const struct gt_strs *ids, const struct gt_variant_ranges *ranges,
                       struct gt_err *err);
/* Of an open file of `size` bytes, which is left behind the head; ids and ranges are added to those given.
 * GT_INPUT for what is no such file, or is one of another length than it says. */
int gt_counts_get_head(int fd, int64_t size, const char *name, struct gt_counts_head *head, struct gt_strs *ids,
                       struct gt_variant_ranges *ranges, struct gt_err *err);

/* GT_USAGE where a file lacks one of the planes, of which `whole` is to be made. */
int gt_counts_check(const struct gt_counts_head *head, const char *name, const struct gt_plane *planes, int n, const char *whole,
                    struct gt_err *err);

/* Rows of GT_ROWS_COUNTS: some of the numbers of a file, with what they count of sites that
 * no other piece has counted. */
#define GT_COUNTS_ROW 1024 /* bytes of a row of the row_source */
struct gt_counts_part {
    const struct gt_counts_head *head;
    int64_t from, n; /* numbers */
    int64_t sites;
    const uint8_t *data;
};

#endif
