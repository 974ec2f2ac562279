/* Which samples of an input: -s, -S and the samples axis of --slice. */
#ifndef GT_GENO_SAMPLES_H
#define GT_GENO_SAMPLES_H

#include "core/base/slice.h"
#include "geno/model/geno_info.h"
#include "geno/model/select_opts.h"

/* Numbers of the chosen samples in output order, malloc'ed, into *chosen (NULL =
 * all as they stand) and *n.  A slice takes its samples out of what -s and -S
 * chose, by their number in the input.  Names that do not exist, and lines "FID IID" where the input knows the IID
 * of another family, are judged by geno/model/absent.h, which adds to `notes`.  GT_INPUT also for a sample listed
 * twice and an empty choice. */
int gt_samples_choose(const struct gt_select_opts *opts, const struct gt_slice *slice, const struct gt_geno_info *input, uint32_t **chosen,
                      int64_t *n, struct gt_strs *notes, struct gt_err *err);

/* What tables of samples (lists, groups, sexes, pairs) are looked up in. */
struct gt_sample_index {
    struct gt_names *numbers;        /* of the ids */
    const struct gt_strs *plink_ids; /* "FID<tab>IID" of each sample; none or NULL: not known */
};

/* The sample that a line of a table names. */
struct gt_sample_named {
    const char *fid, *id; /* fid: NULL where the id stands alone */
    int64_t number;       /* -1: there is none */
    const char *other;    /* "FID<tab>IID" of the sample if it is of another family than fid (0 and unknown are any), else NULL */
};

/* Finds the sample of named->id, or of PLINK's columns "FID IID": by its IID, by FID_IID where readers had to join them, or by the first
 * column if the second is something else. */
int gt_sample_find(const struct gt_sample_index *index, struct gt_sample_named *named, struct gt_err *err);

/* Finds the sample of a line of a list: an id or PLINK's columns "FID IID ...".  named points into text, which is modified; its id is
 * NULL where the line is blank, or the first one and PLINK's header. */
int gt_sample_in_line(const struct gt_sample_index *index, char *text, int64_t line, struct gt_sample_named *named, struct gt_err *err);

#endif
