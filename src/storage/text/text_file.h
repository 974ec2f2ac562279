/* Text results: a gt_outfile that is compressed (BGZF) when its name says so. */
#ifndef GT_OUT_TEXT_H
#define GT_OUT_TEXT_H

#include <stdbool.h>

#include "core/base/budget.h"
#include "core/base/outfile.h"
#include "core/base/str.h"

/* Of libdeflate: tables of distances are a seventh larger than at level 6, in a third of the time. */
#define GT_TEXT_LEVEL 1

/* Does the name end in .gz or .bgz? */
bool gt_text_is_packed(const char *path);
/* Length of the name without that suffix. */
size_t gt_text_stem(const char *path);

/* Opens as gt_outfile_open does, for text; what is written is gathered and compressed
 * on the writing thread when the name says so.  budget: that of the gathered text. */
int gt_text_open(struct gt_outfile *out, const char *path, struct gt_budget *budget, struct gt_err *err);
/* What was written so far goes to the file, so that bytes made elsewhere (gt_bgzf_compress
 * at GT_TEXT_LEVEL) may follow by gt_outfile_put. */
int gt_text_flush(struct gt_outfile *out, struct gt_err *err);

/* So much text is gathered before it is written. */
#define GT_TEXT_GATHER ((size_t)64 << 10)
/* Writes the text, if it is as long as `least`, to any gt_outfile, and clears it; fails as gt_str_check does, too. */
int gt_text_put(struct gt_outfile *out, struct gt_str *text, size_t minimum, struct gt_err *err);

#endif
