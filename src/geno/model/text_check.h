/* Strings of an input that a Zarr store cannot have. */
#ifndef GT_GENO_TEXT_CHECK_H
#define GT_GENO_TEXT_CHECK_H

#include "geno/model/block.h"
#include "geno/model/geno_info.h"

/* GT_INPUT if the string is not UTF-8; the message names the input, the hint says what to convert.  what: "sample", "contig". */
int gt_check_text(const struct gt_geno_info *info, const char *what, const char *text, size_t n, struct gt_err *err);
/* The same of a string of a site, which the message names, too.  what: "ID", "INFO/ANN". */
int gt_check_site_text(const struct gt_geno_info *info, const struct gt_block *block, const struct gt_site *site, const char *what,
                       const char *text, size_t n, struct gt_err *err);

#endif
