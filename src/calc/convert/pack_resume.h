/* Resuming a pack: the journal of the store has a checkpoint for every row group, or for those at the end of a chunk of the site arrays,
 * with the state of the writers, the position in the input and a hash of all that, and before it the variant IDs that were met. */
#ifndef GT_CALC_PACK_RESUME_H
#define GT_CALC_PACK_RESUME_H

#include "calc/convert/pack.h"
#include "calc/convert/pack_ids.h"
#include "geno/model/stage.h"
#include "geno/vcz_fields/fields.h"
#include "geno/vcz_write/vcz.h"

struct gt_pack_resume {
    struct gt_store *store;
    struct gt_vcz_shape shape;
    struct gt_vcz *vcz;
    struct gt_fields *fields; /* NULL: packed */
    struct gt_pack_ids ids;
    int64_t row_groups;         /* that another run wrote, or that a checkpoint has recorded */
    struct gt_checkpoint start; /* after those of another run, if there are any */
};

/* Of a zeroed one but for the writers, which nothing was put into, and the store; nothing was read of the source, which is in row_groups.
 * Takes what was noted, and moves the source after it.  GT_INPUT: with chunks of another shape, or the notes are damaged; and the
 * errors of the store and the source. */
int gt_pack_resume(struct gt_pack_resume *resume, const struct gt_pack_plan *plan, struct gt_source *source, struct gt_err *err);
/* Once `row_groups` are put, of which the last ends there; row group: of fields, borrowed.  Of a store without notes nothing.  Errors:
 * the store's. */
int gt_pack_checkpoint(struct gt_pack_resume *resume, const struct gt_source *source, int64_t row_groups, const struct gt_checkpoint *end,
                       const struct gt_fields_row_group *row_group, struct gt_err *err);

#endif
