/* gt-info --plot: what to look at before a PCA, as a picture: missing rates of samples and variants, minor allele frequencies,
 * heterozygosity against missing rate, and kinship coefficients of a table. */
#ifndef GT_CMD_INFO_PLOT_H
#define GT_CMD_INFO_PLOT_H

#include "calc/stats/stats.h"
#include "cmd/common/cli.h"

/* Counts by thousandths: [k] of values from k / 1000 on; the last one includes its end. */
enum { INFO_BINS = 1000 };
struct info_histogram {
    int64_t count[INFO_BINS];
    int64_t n;
};

struct info_plot {
    const struct gt_strs *samples;
    const struct gt_sample_stats *stats;                   /* of each */
    bool haploid;                                          /* no heterozygosity */
    struct info_histogram sample_missing, variant_missing; /* 0 to 1 */
    struct info_histogram maf;                             /* 0 to 0.5 are bins 0 to 499; monomorphic variants are among them */
    struct info_histogram kinship;                         /* -0.5 to 0.5 */
    bool has_kinship;
};

/* Reads the inputs twice, and the table kinship (KINSHIP or kinship is the name of its column; NULL: none), and draws. */
int info_plot(struct gt_cli *cli, const char *path, const char *kinship, struct gt_err *err);
/* Draws to an SVG. */
int info_plot_draw(struct gt_outfile *file, const struct info_plot *plot, struct gt_err *err);

#endif
