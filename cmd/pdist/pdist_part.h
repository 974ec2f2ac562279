/* What of all pairs gt-pdist is to compute and to write, and what it is put together of. */
#ifndef GT_CMD_PDIST_SCALE_H
#define GT_CMD_PDIST_SCALE_H

#include "calc/pdist/metric.h"
#include "cmd/common/cli.h"
#include "cmd/pdist/pdist_format.h"

struct pdist_scale {
    const char *part_text; /* --part, NULL = not given */
    bool merge, sum, overlaps;
    double min, max; /* NaN = not given */
    int64_t knn;
    int width; /* --dtype, a number of PDIST_WIDTHS; -1 = not given */
    /* of --part, from 0 on; 0 parts: all */
    int64_t part, parts;
};
#define PDIST_WIDTHS "f8|f4"
#define PDIST_SCALE                                                                                                                        \
    {                                                                                                                                      \
        .min = NAN, .max = NAN, .width = -1                                                                                                \
    }

/* Does one of them choose some of the pairs? */
bool pdist_scale_chooses(const struct pdist_scale *scale);
/* The format that these options mean where -O says none; listed: --pairs was given. */
void pdist_scale_format(const struct pdist_scale *scale, bool listed, struct pdist_format *format, const char *output);
/* GT_USAGE for what makes no sense, or not together; the rest goes into *pairs.  In cmd->check. */
int pdist_scale_check(struct pdist_scale *scale, const struct gt_cli *cli, const struct gt_metric_use *use, bool power,
                      struct gt_pairs_opts *pairs, struct gt_err *err);
/* GT_USAGE if all pairs of that many rows would be written without an explicit option. */
int pdist_scale_check_rows(const struct pdist_scale *scale, int64_t rows, const char *items, struct gt_err *err);

#endif
