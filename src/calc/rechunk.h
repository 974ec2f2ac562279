/* An array of a store into another one: other chunks, codec and format, sliced, its axes in
 * another order. */
#ifndef GT_CALC_RECHUNK_H
#define GT_CALC_RECHUNK_H

#include "calc/rechunk_plan.h"
#include "engine/engine.h"
#include "matrix/view.h"

struct gt_rechunk;

/* A plan for source -> to, within so many bytes of memory: `to` is a new array whose shape is
 * that of the view, of the same type.  Both arrays are borrowed, the view is copied.
 * GT_INPUT for texts of variable length; GT_NOFIT, with the smallest --memory that would do. */
int gt_rechunk_new(struct gt_rechunk **out, struct gt_engine *engine, struct gt_array *source, const struct gt_matrix_view *view,
                   struct gt_array *to, int64_t memory, struct gt_err *err);
const struct gt_rechunk_plan *gt_rechunk_plan(const struct gt_rechunk *rechunk);
/* Puts all chunks; metadata are the caller's.  Once only. */
int gt_rechunk_run(struct gt_rechunk *rechunk, struct gt_err *err);
void gt_rechunk_free(struct gt_rechunk *rechunk); /* NULL is fine */

#endif
