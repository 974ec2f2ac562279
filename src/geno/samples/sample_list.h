/* Which samples of an input: -s, -S and the samples axis of --slice. */
#ifndef GT_GENO_SAMPLES_H
#define GT_GENO_SAMPLES_H

#include "core/base/slice.h"
#include "geno/model/geno_info.h"
#include "geno/model/select_opts.h"

/* Numbers of the chosen samples in output order, malloc'ed, into *chosen (NULL =
 * all as they stand) and *n.  A slice takes its samples out of what -s and -S
 * chose, by their number in the input.  A sample that does not exist is GT_INPUT
 * (unless skip_absent), one listed twice and an empty choice too; so is a line "FID IID" where the input
 * knows the IID of another family. */
int gt_samples_choose(const struct gt_select_opts *opts, const struct gt_slice *slice, const struct gt_geno_info *input, uint32_t **chosen,
                      int64_t *n, struct gt_err *err);

/* The number of the sample that PLINK's columns "FID IID" mean, -1 = none: the IID's, that
 * of FID_IID where readers had to join them, or the first's, if the second is something else. */
int gt_sample_in_columns(const struct gt_names *numbers, const char *first, const char *second, int64_t *number, struct gt_err *err);

/* Where the sample, whose IID this is, is of another family than fid (0 and what is not known are any): "FID<tab>IID"
 * of it; else NULL.  families: those of all samples, none or NULL. */
const char *gt_sample_other_family(const struct gt_strs *families, const char *fid, const char *iid, int64_t sample);

/* The sample that a line of a list names, by its id or by PLINK's columns "FID IID ...": its number, -1 = none,
 * and in *name the id to speak of, which points into text (cut up); NULL where line 1 is PLINK's header, or any is blank. */
int gt_sample_in_line(const struct gt_names *numbers, char *text, int64_t line, const char **name, int64_t *number, struct gt_err *err);

#endif
