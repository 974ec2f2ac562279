/* What a simulation was made from, as JSON, for --truth. */
#ifndef GT_CALC_SIM_JSON_H
#define GT_CALC_SIM_JSON_H

#include "calc/sim/sim.h"
#include "calc/sim/sim_array.h"
#include "core/base/outfile.h"

/* Appends the options, "populations": [{"name", "first", "samples": [ids]}] and
 * "frequencies": one [ancestor, population 1, ...] a variant, in order.  The
 * frequencies are computed again, by a flow, so that memory stays bounded. */
int gt_sim_json_write(struct gt_outfile *file, const struct gt_sim *sim, struct gt_engine *engine, struct gt_err *err);

/* *memory: the share of frequencies on their way.  GT_NOFIT, as gt_memory_plan_fit says. */
int gt_sim_json_fit_memory(const struct gt_sim *sim, const struct gt_engine *engine, int64_t *memory, struct gt_err *err);

/* "singular_values" of the matrix without its noise, and "noise_norm", which the
 * noise's own largest singular value is close to: noise * (sqrt(rows) + sqrt(columns)). */
int gt_sim_json_write_array(struct gt_outfile *file, const struct gt_sim_array *array, struct gt_err *err);

/* The name of population k: "pop1" for 0. */
#define GT_POP_NAME "pop%lld"

#endif
