/* The flow of packing: reads a source's blocks as row groups, encodes row groups on the workers and puts them in order. */
#ifndef GT_CALC_PACK_FLOW_H
#define GT_CALC_PACK_FLOW_H

#include "calc/convert/pack_resume.h"

/* resume: see gt_pack_resume; what its writers have got since is for the caller to end.  *kept: row groups that another run put.
 * Errors are those of the source, of encoding and of the store. */
int gt_pack_row_groups(struct gt_engine *engine, struct gt_source *source, const struct gt_pack_plan *plan, struct gt_pack_resume *resume,
                       int64_t *kept, struct gt_err *err);

#endif
