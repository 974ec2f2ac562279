/* Ids of samples as they go into text files. */
#ifndef GT_OUT_IDS_H
#define GT_OUT_IDS_H

#include "core/base/str.h"

/* GT_INPUT, naming the id, when one holds a tab or a line end: the table that it
 * goes into could not be read back. */
int gt_check_ids(const struct gt_strs *ids, struct gt_err *err);

/* GT_INPUT, naming the id, when one holds white space or is empty: PLINK and the programs that read its files split lines at
 * blanks too. */
int gt_check_plink_ids(const struct gt_strs *ids, struct gt_err *err);

enum gt_id_style {
    GT_IDS_PLAIN,
    GT_IDS_PLINK,  /* family and id; "0<tab>id" where the family is not known */
    GT_IDS_PLINK2, /* the same under the header "#FID IID" */
};
/* One a line.  plink_ids: as struct gt_sink_subject has them. */
void gt_ids_text(struct gt_str *text, const struct gt_strs *ids, const struct gt_strs *plink_ids, enum gt_id_style style);

#endif
