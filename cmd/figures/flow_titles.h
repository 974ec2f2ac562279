/* What flows do, in a user's words. */
#ifndef GT_CMD_FLOW_TITLES_H
#define GT_CMD_FLOW_TITLES_H

/* Of a flow's name (core/engine/flow.h): "rows" is "PLINK genotypes".  A name that has no title is its own. */
const char *gt_flow_title(const char *flow);
/* What runs of the flow are counted as: "array" where gt-rechunk runs it once for each array, else "pass". */
const char *gt_flow_counts(const char *flow);

#endif
