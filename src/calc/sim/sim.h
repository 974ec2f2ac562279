/* Simulated genotypes: the Balding-Nichols model, with or without linkage.
 *
 * Model.  Each variant has an ancestral frequency p of its non-reference alleles,
 * drawn with density proportional to 1/p (neutral) or uniformly (flat), on [min_maf, 1 - min_maf].
 * Population k has p_k ~ Beta(p (1-F)/F, (1-p)(1-F)/F), so that its expected
 * F_ST against the ancestor is F (Balding and Nichols 1995).  Samples are dealt to
 * the populations in contiguous runs; a genotype is two draws with p_k
 * (Hardy-Weinberg), and is then missing with probability `missing`.
 *
 * Growth.  With GT_SIM_GROWTH_SPECTRUM there are no frequencies: each block of ld variants
 * (of one contig) has a coalescent tree of all haplotypes, and a variant's carriers are the leaves below a branch that
 * is drawn with a probability proportional to its length (infinite sites).  A population has GT_SIM_SIZE_BEFORE diploids
 * up to GT_SIM_GROWTH_TIME generations ago, and has grown by exp(GT_SIM_GROWTH) a generation since, to GT_SIM_SIZE_NOW:
 * rounded from what Tennessen et al. (2012) inferred for Europeans.  Populations have this history each, and were one
 * before the time that gives the expected F_ST, 1 - T_within / T_between, of pairs' coalescence times.
 *
 * Linkage.  With ld = BLOCK, blocks of BLOCK variants (of one contig) are
 * independent.  In a block each haplotype copies one of GT_SIM_FOUNDERS founders
 * and switches to a random one at each step with probability GT_SIM_SWITCHES / BLOCK, so
 * r^2 falls as (1 - GT_SIM_SWITCHES / BLOCK)^(2 distance).  The block ranks its
 * founders in GT_SIM_ORDERS random orders and each variant takes one of them: the
 * founders of rank below F p_k carry the allele, and those who copy the founder of
 * rank floor(F p_k) carry it with the probability that is left.  A haplotype's
 * founder is uniform, so its allele frequency is p_k exactly, and haplotypes are
 * independent of one another: linkage changes neither F_ST nor the spectrum.
 *
 * Random numbers.  Philox4x32-10 under the key {seed low, seed high}; the counter is
 * {group, variant low, variant high, purpose + 256 * index}: see enum gt_sim_purpose.
 * A draw depends on the seed, the variant and the sample only, never on threads,
 * row groups or what else was asked for: a phased run has the dosages of the
 * unphased one.  Uniform bits are the same on any machine; frequencies (pow, log,
 * Beta) and lengths of copied segments (log) follow libm's rounding.
 * Probabilities of genotypes are resolved to 2^-32. */
#ifndef GT_CALC_SIM_H
#define GT_CALC_SIM_H

#include "core/device/device_work.h"
#include "core/engine/engine.h"
#include "geno/model/geno_sink.h"

#define GT_SIM_FOUNDERS 32
#define GT_SIM_ORDERS 3
#define GT_SIM_SWITCHES 4
#define GT_SIM_SIZE_NOW 500000.0
#define GT_SIM_SIZE_BEFORE 10000.0
#define GT_SIM_GROWTH 0.02
#define GT_SIM_GROWTH_TIME 200.0
#define GT_SIM_TREE_VARIANTS 300 /* on one tree, where --ld does not say */
#define GT_SIM_MAX_SAMPLES ((int64_t)1 << 30)
#define GT_SIM_MAX_VARIANTS ((int64_t)1 << 40)
#define GT_SIM_MAX_CONTIGS 100000
#define GT_SIM_MAX_POPS 65536

/* Low byte of the last counter word.  group / words: */
enum gt_sim_purpose {
    GT_SIM_GENOTYPE = 1, /* sample / 4, word sample % 4: the genotype */
    GT_SIM_SITE,         /* 0: frequency, bases and order, multiallelic or not, share of the second ALT */
    GT_SIM_BETA,         /* population, index = attempt: its frequency */
    GT_SIM_POSITION,     /* i / 4 for variant i of a bin, the bin's first as variant */
    GT_SIM_PHASE,        /* sample / 4: which haplotype of a heterozygote has the ALT */
    GT_SIM_SECOND,       /* sample / 4: which ALTs are the second one */
    GT_SIM_MISSING,      /* sample / 4: missing or not */
    GT_SIM_ORDER,        /* order, index = draw / 4; the block's first variant: its permutation of founders */
    GT_SIM_COPY,         /* haplotype, index = segment / 2; the block's first variant: founder and length */
    GT_SIM_ALLELE,       /* haplotype / 4: allele of who copies the founder on the border */
    GT_SIM_VALUE,        /* column / 4, row as variant: elements of plain arrays */
    GT_SIM_SIGN,         /* index / 4: signs of singular vectors; variant = 0 left, 1 right */
    GT_SIM_JOIN,         /* node, the block's first variant: time of the join, and which two lineages */
    GT_SIM_MUTATION,     /* 0: the branch of a variant */
};

enum gt_sim_spectrum { GT_SIM_NEUTRAL, GT_SIM_FLAT, GT_SIM_GROWTH_SPECTRUM };

struct gt_sim_opts {
    uint64_t seed;
    int64_t samples, variants;
    int64_t pops, contigs;
    int64_t ld;          /* variants in a block, 0 = no linkage */
    double fst;          /* [0, 1) */
    double missing;      /* [0, 1] */
    double multiallelic; /* share of sites with two ALTs */
    double min_maf;      /* (0, 0.5]: least frequency of the ancestor's rarer allele */
    enum gt_sim_spectrum spectrum;
};

struct gt_sim; /* immutable once made: any thread may use it */

/* GT_USAGE, naming the option, when the options make no sense. */
int gt_sim_new(struct gt_sim **out, const struct gt_sim_opts *opts, struct gt_err *err);
void gt_sim_free(struct gt_sim *sim);
/* Genotypes and missing calls are drawn on a device that is open, the same ones; frequencies, phases and second ALTs on the cpu.
 * Without linkage and with another spectrum than growth: what runs on the cpu only, or NULL. */
void gt_sim_use_device(struct gt_sim *sim, struct gt_device *device);
const char *gt_sim_no_device(const struct gt_sim_opts *opts);
struct gt_device_work gt_sim_device_work(const struct gt_sim *sim, int threads);
const struct gt_sim_opts *gt_sim_options(const struct gt_sim *sim);

/* Names of samples ("S1", ...), contigs ("1", ..., "22", "scaffold23", ...) and
 * their lengths; info must be zeroed. */
int gt_sim_info(const struct gt_sim *sim, struct gt_geno_info *info, struct gt_err *err);
/* First sample of population k; k = pops gives the number of samples. */
int64_t gt_sim_pop_first(const struct gt_sim *sim, int64_t k);
/* The ancestor's frequency of a variant and, in freq[pops], the populations'. */
double gt_sim_frequencies(const struct gt_sim *sim, int64_t variant, double *freq);

/* GT_SIM_GROWTH_SPECTRUM: generations ago that the populations were one. */
double gt_sim_split_time(double fst);

/* Working room for one thread at a time. */
struct gt_sim_room {
    struct gt_buf freq;                            /* double[pops] */
    struct gt_buf copies;                          /* of each haplotype: see sim_linkage.c */
    struct gt_buf tree;                            /* see sim_tree.c */
    struct gt_sim_on_device *on_device;            /* see sim_device.c */
    uint8_t order[GT_SIM_ORDERS][GT_SIM_FOUNDERS]; /* founder of each rank */
    int64_t block_first, block_end;
};

void gt_calls_init(struct gt_calls *calls, struct gt_sim_room *room, struct gt_budget *budget);
void gt_calls_release(struct gt_calls *calls, struct gt_sim_room *room);

/* Variants [first, first + n): rows, the site fields asked for (enum
 * gt_site_fields) and the calls asked for (enum gt_calls_want). */
int gt_sim_generate(const struct gt_sim *sim, int64_t first, int64_t n, unsigned fields, unsigned what, struct gt_calls *calls,
                    struct gt_sim_room *room, struct gt_err *err);

/* Variants per row group, from the shape alone; and the bytes that one row group takes. */
int64_t gt_sim_row_group(const struct gt_sim *sim);
size_t gt_sim_row_group_bytes(const struct gt_sim *sim, int64_t n, unsigned what);

/* What writing takes. */
struct gt_sim_needs {
    int64_t row_group;       /* variants; 0 = as gt_sim_row_group says */
    unsigned want;           /* enum gt_calls_want */
    int64_t variant_bytes;   /* that a format takes for a variant */
    int64_t row_group_bytes; /* and in addition, for a row group */
    int64_t site_bytes;      /* of chunks that row groups in flight fill together */
    bool named;              /* names of samples and contigs are made already */
};
/* *memory: the share of row groups on their way.  GT_NOFIT, as gt_memory_plan_fit says. */
int gt_sim_fit_memory(const struct gt_sim *sim, const struct gt_engine *engine, const struct gt_sim_needs *needs, int64_t *memory,
                      struct gt_err *err);

/* The simulation into a sink: begin, all row groups, finish.  Collective: row groups are dealt to the ranks, and rank 0 alone writes and
 * finishes; the sink of the others only formats. */
int gt_sim_write(const struct gt_sim *sim, struct gt_engine *engine, struct gt_calls_sink *sink, struct gt_err *err);

#endif
