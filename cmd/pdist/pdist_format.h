/* How gt-pdist writes what it computed: -O, the output's name and --plink-shape. */
#ifndef GT_CMD_PDIST_FORMAT_H
#define GT_CMD_PDIST_FORMAT_H

#include "calc/pair_files/pair_writers.h"
#include "cmd/common/cli.h"

#define PDIST_FORMATS "tsv|npy|condensed|triangle|pairs|phylip|plink|king|kin0|counts|grm|zarr"
enum { PDIST_PAIRS = 4 }; /* the number of pairs there */
#define PDIST_SHAPES "triangle|square0|square|bin|bin4|bin-square|bin4-square|bin-square0|bin4-square0"

/* Numbers of the choices above, -1 = not given. */
struct pdist_format {
    int format, shape;
};

/* The metric of a format, or of a name of PLINK's, where none was given. */
const char *pdist_format_metric(const struct pdist_format *chosen, const char *output);
/* Completes *chosen by the output's name, makes that the whole name of a PLINK file (in static
 * memory), lists the outputs (cmd/common/outputs.h) and tells how to open the sink. */
int pdist_format_check(struct pdist_format *chosen, struct gt_cli *cli, const char *metric, struct gt_pairs_opts *opts, struct gt_err *err);

#endif
