/* Sample tables: PLINK .fam and .psam. */
#ifndef GT_SAMPLES_FAM_H
#define GT_SAMPLES_FAM_H

#include "core/base/err.h"
#include "core/base/str.h"

/* Reads sample ids of a .fam: IID, or FID_IID if IIDs are not unique (sets *joined); columns: "FID<tab>IID"; more:
 * "father<tab>mother<tab>sex<tab>phenotype", 0 and -9 for missing columns.  psam: a PLINK 2 .psam, whose columns are named by a #FID or
 * #IID line; the phenotype is the first other column. */
int gt_fam_read(const char *path, bool psam, struct gt_strs *ids, struct gt_strs *columns, struct gt_strs *more, bool *joined,
                struct gt_err *err);

/* Columns that .psam and .fam share, and the first other column. */
enum gt_psam_column { GT_PSAM_FID, GT_PSAM_IID, GT_PSAM_PAT, GT_PSAM_MAT, GT_PSAM_SEX, GT_PSAM_OTHER, GT_PSAM_COLUMNS };
/* Is it a header line?  '#' is optional. */
bool gt_psam_is_header(const char *text);
/* Finds the columns named by a header line, which is modified; -1: absent.  between: delimiter, see gt_line_between. */
void gt_psam_header(char *text, const char *between, int at[GT_PSAM_COLUMNS]);

#endif
