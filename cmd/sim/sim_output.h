/* Where gt-sim writes genotypes. */
#ifndef GT_CMD_SIM_OUTPUT_H
#define GT_CMD_SIM_OUTPUT_H

#include "calc/sim/sim.h"
#include "cmd/sim/sim_options_check.h"
#include "geno/vcz_write/vcz_shape.h"

/* All are borrowed. */
struct sim_output {
    enum format format;
    const char *path;
    const char *chunks, *shard, *codec; /* of a store, as options of these names say; NULL: by the shape, none */
    int zarr_format;                    /* 2 or 3 */
    bool phased;
};

/* In which chunks a store is written. */
int sim_output_shape(struct gt_cli *cli, const struct gt_sim *sim, const struct sim_output *to, struct gt_vcz_shape *shape,
                     struct gt_err *err);
/* Writes what sim makes up; with --dry-run it is only seen whether there is memory for it. */
int sim_output_write(struct gt_cli *cli, const struct gt_sim *sim, const struct sim_output *to, struct gt_err *err);

#endif
