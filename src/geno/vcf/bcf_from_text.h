/* Lines of VCF as records of BCF, by htslib. */
#ifndef GT_VCF_BCF_FROM_TEXT_H
#define GT_VCF_BCF_FROM_TEXT_H

#include "core/base/budget.h"
#include "core/base/str.h"

struct gt_bcf_from_text;

/* text: a header of VCF, n bytes, the line of columns and samples last.  Appends the header of BCF to head, from "BCF\2\2" to the end
 * of its text; htslib's buffers are counted in head's budget.  GT_INPUT if htslib cannot parse it. */
int gt_bcf_from_text_new(struct gt_bcf_from_text **out, const char *text, size_t n, struct gt_buf *head, struct gt_err *err);
/* Appends the record of a line of n bytes, without a line end; *contig: its number in the header.  GT_INPUT if the header lacks one of
 * its names or htslib cannot parse it.  Any thread. */
int gt_bcf_from_text_add(struct gt_bcf_from_text *from, const char *line, size_t n, struct gt_buf *bytes, int32_t *contig,
                         struct gt_err *err);
void gt_bcf_from_text_free(struct gt_bcf_from_text *from); /* NULL is allowed */

#endif
