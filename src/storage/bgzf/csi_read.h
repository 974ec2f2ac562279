/* The .csi or .tbi next to a BGZF file: which stretches of it hold the records that may
 * overlap a region.
 *
 * An index can be another file's, or that of an earlier form of this one, and would then
 * make records disappear.  So it is believed only when its stretches, all together, are
 * the file: they begin where the records begin, have no gaps, and end where the data end. */
#ifndef GT_GENO_INDEX_H
#define GT_GENO_INDEX_H

#include "core/base/budget.h"
#include "core/base/intervals.h"

/* Virtual offsets of BGZF: byte of a block in the file << 16 | byte in its text. */
struct gt_stretch {
    uint64_t from, to;
};

struct gt_index;

/* path: of the file, or its URL; suffix: ".csi" or ".tbi".  GT_NOENT when there is no such
 * index, GT_INPUT when it is damaged, or older than the file. */
int gt_index_open(struct gt_index **out, const char *path, const char *suffix, struct gt_budget *budget, struct gt_err *err);
void gt_index_free(struct gt_index *index); /* NULL is fine */
const char *gt_index_path(const struct gt_index *index);

/* Do its stretches begin at `first` and have no gaps?  *last is then where they end
 * (`first` when there are none).  GT_INPUT, GT_NOFIT when not. */
int gt_index_check(const struct gt_index *index, uint64_t first, uint64_t *last);

/* Contigs have numbers in the index: those of this list, NULL in a BCF's, where they
 * are the header's. */
const struct gt_strs *gt_index_contigs(const struct gt_index *index);

/* Records of the whole file; -1 when the index does not tell. */
int64_t gt_index_records(const struct gt_index *index);

/* Appends the stretches that hold what overlaps the intervals on a contig, and more. */
int gt_index_find(const struct gt_index *index, int64_t contig, const struct gt_intervals *intervals, struct gt_buf *stretches,
                  struct gt_err *err);
/* Puts them in the order of the file, without overlaps; those near to each other are joined. */
void gt_stretches_join(struct gt_buf *stretches);

#endif
