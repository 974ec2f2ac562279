/* Shared by the files of the simulator. */
#ifndef GT_CALC_SIM_IMPL_H
#define GT_CALC_SIM_IMPL_H

#include "calc/sim/sim.h"
#include "core/base/philox.h"

/* Positions are drawn in bins of this many variants. */
#define GT_SIM_BIN 64

struct gt_sim {
    struct gt_sim_opts o;
    uint32_t key[2];
    double log_lo, log_ratio; /* of the neutral spectrum */
    double split_time;        /* of GT_SIM_GROWTH_SPECTRUM */
    size_t stride;
    struct gt_device *device; /* NULL: the cpu */
};

/* First variant of contig c; c = contigs gives the number of variants. */
int64_t gt_sim_contig_first(const struct gt_sim *sim, int64_t c);
int64_t gt_sim_contig_of(const struct gt_sim *sim, int64_t variant);

static inline void gt_sim_words(const struct gt_sim *sim, uint32_t group, int64_t variant, uint32_t purpose, uint32_t index,
                                uint32_t out[4])
{
    const uint32_t counter[4] = {group, (uint32_t)variant, (uint32_t)((uint64_t)variant >> 32), purpose + 256 * index};
    gt_philox(counter, sim->key, out);
}

/* What the site's own draw says. */
struct gt_sim_site {
    double p;
    int bases; /* which permutation of ACGT: REF, ALT, second ALT */
    int order; /* with linkage */
    bool multiallelic;
    double second; /* share of the second ALT among non-reference alleles */
};
void gt_sim_site(const struct gt_sim *sim, int64_t variant, struct gt_sim_site *site);
void gt_sim_drift(const struct gt_sim *sim, int64_t variant, double p, double *freq);
/* Fields of sites [first, first + n) into the block. */
int gt_sim_sites(const struct gt_sim *sim, int64_t first, int64_t n, unsigned fields, struct gt_block *block, struct gt_err *err);

/* The largest word that stands for "below c": P(word > it) = 1 - c, to 2^-32. */
uint32_t gt_sim_above(double c);

/* Thresholds of the genotype's word with a population's frequency. */
static inline void gt_sim_thresholds(double p, uint32_t above[3])
{
    const double q = 1 - p;
    above[0] = gt_sim_above(q * q);
    above[1] = gt_sim_above(q * q + 2 * p * q);
    above[2] = UINT32_MAX;
}

/* On the device (sim_device.c): genotypes and missing calls of variants [first, first + n) into rows. */
int gt_sim_device_rows(const struct gt_sim *sim, int64_t first, int64_t n, struct gt_sim_room *room, uint8_t *rows, struct gt_err *err);
size_t gt_sim_device_bytes(const struct gt_sim *sim, int64_t n); /* of the host, for n variants */
void gt_sim_on_device_free(struct gt_sim_on_device *on);

/* The bounds of the block of o.ld variants that has the variant. */
void gt_sim_block(const struct gt_sim *sim, int64_t variant, struct gt_sim_room *room);

/* GT_SIM_GROWTH_SPECTRUM (sim_tree.c): set up for variant `first`, then one row after another. */
size_t gt_sim_tree_bytes(const struct gt_sim *sim);
int gt_sim_tree_begin(const struct gt_sim *sim, int64_t first, struct gt_sim_room *room, struct gt_err *err);
void gt_sim_tree_row(const struct gt_sim *sim, int64_t variant, struct gt_sim_room *room, uint8_t *row, uint8_t *phase);

/* Linkage (sim_linkage.c): set up for variant `first`, then one row after another. */
int gt_sim_copy_begin(const struct gt_sim *sim, int64_t first, struct gt_sim_room *room, struct gt_err *err);
void gt_sim_copy_row(const struct gt_sim *sim, int64_t variant, const struct gt_sim_site *site, struct gt_sim_room *room, uint8_t *row,
                     uint8_t *phase);

#endif
