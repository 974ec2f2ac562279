/* Any genotype source -> a sink of genotypes: dosages with their sites. */
#ifndef GT_CALC_UNPACK_H
#define GT_CALC_UNPACK_H

#include "core/engine/memory_plan.h"
#include "geno/model/geno_sink.h"
#include "geno/source/source.h"

enum { GT_UNPACK_READING, GT_UNPACK_ROW_GROUPS, GT_UNPACK_ALLOTMENTS };

struct gt_unpack_plan {
    int64_t row_group; /* variants that are formatted together: by the shape alone */
    int64_t row_group_bytes;
    struct gt_allotment allotment[GT_UNPACK_ALLOTMENTS];
};

/* variant_bytes, row_group_bytes: what the format takes for a variant, and beside that for a row group.  GT_INPUT when there are no
 * samples, nor records of them; GT_NOFIT, as gt_memory_plan_fit says. */
int gt_unpack_plan_make(struct gt_unpack_plan *plan, const struct gt_engine *engine, const struct gt_geno_info *info, int64_t variant_bytes,
                        int64_t row_group_bytes, struct gt_err *err);

/* The source, opened with the sink's fields, into it: begin, all row groups, finish.  *variants: how many.  With several ranks collective:
 * each reads the source and formats its share of the row groups, and rank 0 writes; the sink of the others only formats. */
int gt_unpack_run(struct gt_engine *engine, struct gt_source *source, const struct gt_unpack_plan *plan, struct gt_calls_sink *sink,
                  int64_t *variants, struct gt_err *err);

#endif
