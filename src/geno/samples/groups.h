/* Groups of samples (populations, cohorts): --groups FILE. */
#ifndef GT_GENO_GROUPS_H
#define GT_GENO_GROUPS_H

#include "core/base/str.h"

struct gt_groups {
    struct gt_strs names; /* in order of appearance */
    int32_t *of;          /* group of each sample, -1 = not in the file */
    uint32_t *samples;    /* samples of group 0 in order, then those of group 1, ... */
    int64_t *first;       /* names.n + 1 entries: start of each group in `samples` */
    int64_t left_out;     /* samples without a group */
    int64_t absent;       /* lines of the file whose sample the input lacks */
    int64_t other_family; /* lines whose family id is not that of the sample (0 is any); the sample's own id is unique */
};

/* A line of the file is a sample's id, or PLINK's "FID IID", and last its group: "ID GROUP",
 * "FID IID GROUP", "FID IID ... GROUP".  Columns are apart by tabs if there is one in the line,
 * else by spaces; '#' begins a line to pass over.  Groups without a sample in the input are left out.
 * plink_ids: "FID<tab>IID" of the samples; NULL or none: not known.
 * GT_INPUT: a sample that is in two groups, a line without a group, no sample of the input at all. */
int gt_groups_read(struct gt_groups *groups, const char *path, const struct gt_strs *samples, const struct gt_strs *plink_ids,
                   const char *input, struct gt_err *err);
void gt_groups_release(struct gt_groups *groups);

#endif
