/* Inside an index. */
#ifndef GT_GENO_INDEX_IMPL_H
#define GT_GENO_INDEX_IMPL_H

#include "core/base/str.h"
#include "storage/bgzf/csi_read.h"

/* Regions of 2^min_shift bases are the smallest bins; eight of them make one of the next
 * larger ones, and so on, `depth` times.  Bins are numbered from the largest, 0. */
struct index_bin {
    uint32_t number;
    uint32_t n; /* stretches */
    uint64_t first;
    uint64_t minimum; /* CSI: where the first record that overlaps the bin's beginning or what follows stands */
};

struct index_contig {
    size_t bin, n_bins; /* by number */
    size_t window, n_windows;
};

struct gt_index {
    char *path;
    int min_shift, depth;
    bool csi, named;
    struct gt_strs names;
    struct gt_buf contigs;   /* struct index_contig */
    struct gt_buf bins;      /* struct index_bin */
    struct gt_buf stretches; /* struct gt_stretch, those of a bin one after another */
    struct gt_buf windows;   /* TBI: uint64_t, where the first record that overlaps each smallest bin stands */
    int64_t records;
};

static inline uint64_t gt_index_bin_first(int level)
{
    return ((UINT64_C(1) << 3 * level) - 1) / 7;
}

/* Text of a .tbi or .csi, inflated. */
int gt_index_parse(struct gt_index *index, const struct gt_buf *text, struct gt_err *err);

#endif
