/* Records of VCF and BCF inputs as text, as they were read (GT_SITE_RECORD): INFO, FORMAT and the columns of the kept samples. */
#ifndef GT_VCF_RECORD_COPY_H
#define GT_VCF_RECORD_COPY_H

#include "geno/model/block.h"

/* Appends INFO, FORMAT and n_samples columns, tab-separated, without a line end.  Text is copied as it is; BCF becomes the text that
 * htslib makes of it.  recount: AC, AN and AF, where INFO has them, are counted from the calls of these samples, and left out if the
 * record has no calls.  GT_INPUT for a damaged record of BCF.  Any thread. */
int gt_record_copy(const struct gt_block *block, const struct gt_site *site, int64_t n_samples, bool recount, struct gt_buf *text,
                   struct gt_err *err);

/* record_copy_bcf.c: the same of a body of BCF, without counting. */
int gt_record_copy_bcf(const struct gt_block *block, const struct gt_site *site, int64_t n_samples, struct gt_buf *text,
                       struct gt_err *err);

#endif
