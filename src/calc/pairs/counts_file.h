/* Files of pair counts: the sums of an accumulator, to be merged and converted to results by a later run (gt-pdist -O counts, --merge).
 *
 * All numbers are little endian.  Header:
 *
 *     8 bytes   magic "\x93GTPAIRS"
 *     u32       version, 2
 *     u32       flags, enum gt_counts_flags
 *     u64 * 5   samples; rows [first, last) in this file; sites; digest
 *     u32, u32  planes; bytes of a number, 4 or 8
 *     u64       bytes of ids
 *     u64 * 2   ranges of variants; bytes of these
 *     16 * planes bytes, names, padded with NULs
 *     ids, each followed by a NUL
 *     ranges of variants (calc/pairs/variant_ranges.h)
 *     NULs up to a multiple of 64
 *
 * Then, for each row i and each plane, the numbers of the pairs (i, 0) to (i, i); finally the XXH3 (64 bits) of
 * everything before it. */
#ifndef GT_CALC_COUNTS_H
#define GT_CALC_COUNTS_H

#include "calc/pairs/accumulator.h"
#include "calc/pairs/variant_ranges.h"
#include "core/base/str.h"

#define GT_COUNTS_NAME 16

enum gt_counts_flags {
    GT_COUNTS_LITERAL = 1,   /* missing calls were treated as -1 */
    GT_COUNTS_AUTOSOMAL = 2, /* sex chromosomes and mitochondria were excluded, as the metric requires */
    GT_COUNTS_CONTIGS = 4,   /* --contigs was given */
    GT_COUNTS_HAPLOID = 8,   /* haploid data */
};

struct gt_counts_head {
    uint32_t flags;
    int64_t samples, first, last, sites;
    uint64_t digest; /* digest of the genotypes: equal for all parts of them in any order; merging adds digests */
    int n_planes, width;
    char plane[GT_MAX_PLANES][GT_COUNTS_NAME];
    int64_t ids_bytes;
    int64_t n_ranges, ranges_bytes;
};

/* Bytes of a number that can hold counts of that many sites. */
int gt_counts_width(int64_t sites);
/* Number of fraction bits of a plane with per-site weights, whose sums are stored multiplied by 2^bits in 8 bytes; 0 for all other
 * planes. */
int gt_counts_bits(const char *plane);
/* Bytes of the header, and of the numbers. */
int64_t gt_counts_head_bytes(const struct gt_counts_head *head);
int64_t gt_counts_data_bytes(const struct gt_counts_head *head);
/* How many numbers, of all planes, precede row i. */
static inline int64_t gt_counts_before(const struct gt_counts_head *head, int64_t i)
{
    return (i * (i + 1) / 2 - head->first * (head->first + 1) / 2) * head->n_planes;
}

/* Appends the header; sets head->ids_bytes, n_ranges and ranges_bytes.  ranges may be NULL. */
int gt_counts_put_head(struct gt_buf *out, struct gt_counts_head *head, const struct gt_strs *ids, const struct gt_variant_ranges *ranges,
                       struct gt_err *err);
/* Reads the header of an open file of `size` bytes and leaves the file position after it; appends to ids and ranges.  GT_INPUT
 * if it is not such a file or its length is wrong. */
int gt_counts_get_head(int fd, int64_t size, const char *name, struct gt_counts_head *head, struct gt_strs *ids,
                       struct gt_variant_ranges *ranges, struct gt_err *err);

/* GT_USAGE if a file lacks a plane needed for `whole`. */
int gt_counts_check(const struct gt_counts_head *head, const char *name, const struct gt_plane *planes, int n, const char *whole,
                    struct gt_err *err);

/* Data of rows of GT_ROWS_COUNTS: some numbers of a file, and the number of sites not counted in another part. */
#define GT_COUNTS_ROW 1024 /* bytes of a row of the row source */
struct gt_counts_part {
    const struct gt_counts_head *head;
    int64_t from, n; /* indices of the numbers */
    int64_t sites;
    const uint8_t *data;
};

#endif
