/* Tables of samples: PLINK .fam and .psam. */
#ifndef GT_SAMPLES_FAM_H
#define GT_SAMPLES_FAM_H

#include "core/base/err.h"
#include "core/base/str.h"

/* Sample ids of a .fam: IID, or FID_IID when IIDs are not unique (*joined then); columns: "FID<tab>IID",
 * more: "father<tab>mother<tab>sex<tab>phenotype", 0 and -9 where a line is short.  psam: a PLINK 2 .psam,
 * whose columns a line #FID or #IID names; the phenotype is its first one that is none of the others. */
int gt_fam_read(const char *path, bool psam, struct gt_strs *ids, struct gt_strs *columns, struct gt_strs *more, bool *joined,
                struct gt_err *err);

/* Columns of a .psam that a .fam has too, and the first that is none of these. */
enum gt_psam_column { GT_PSAM_FID, GT_PSAM_IID, GT_PSAM_PAT, GT_PSAM_MAT, GT_PSAM_SEX, GT_PSAM_OTHER, GT_PSAM_COLUMNS };
/* Does the line name columns?  With '#' in front or, of lists that people make, without. */
bool gt_psam_is_header(const char *text);
/* Where columns stand, by such a line, which is changed; -1: nowhere.  between: as gt_line_between has it. */
void gt_psam_header(char *text, const char *between, int at[GT_PSAM_COLUMNS]);

#endif
