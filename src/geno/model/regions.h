/* Regions of a genome: -r and -R. */
#ifndef GT_GENO_REGIONS_H
#define GT_GENO_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/intervals.h"
#include "core/base/str.h"

struct gt_regions {
    struct gt_strs contigs;   /* in the order they were first named */
    struct gt_names *numbers; /* name -> index in contigs */
    struct gt_intervals *of;  /* one a contig */
    size_t cap;
};

/* list: "CHR[:FROM-TO],...", numbers with or without commas between thousands; a name that `known` holds is taken whole, even when it
 * has a colon.  file: ".bed" (or ".bed.gz") is 0-based and half-open, else lines "CHR", "CHR POS",
 * "CHR FROM TO" or "CHR:FROM-TO", 1-based.  Each of these may be NULL. */
int gt_regions_parse(struct gt_regions *regions, const char *list, const char *file, const struct gt_names *known, struct gt_err *err);
void gt_regions_release(struct gt_regions *regions);
/* Number of a contig in regions->contigs, or -1. */
int64_t gt_regions_find(const struct gt_regions *regions, const char *contig);
/* The bases by which a region finds a variant, as bcftools --regions-overlap has them:
 *   pos      POS alone, so that adjacent regions never share a variant
 *   record   POS to POS + length - 1, length being that of REF, or END - POS + 1
 *   variant  without the leading bases that REF shares with every ALT; of a pure insertion, the bases on both sides of it
 * alleles: REF is number `first`, then n - 1 ALTs; looked at for `variant` alone.  ALT "." is none. */
enum gt_overlap { GT_OVERLAP_RECORD, GT_OVERLAP_POS, GT_OVERLAP_VARIANT };
struct gt_interval gt_overlap_span(enum gt_overlap overlap, int64_t position, int64_t length, const struct gt_strs *alleles, size_t first,
                                   size_t n);
/* Does [from, to] overlap an interval?  With to = from - 1 it is the place between two bases, which an interval has that has both. */
bool gt_intervals_overlap(const struct gt_intervals *intervals, int64_t from, int64_t to);

#endif
