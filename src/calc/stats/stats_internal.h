/* What the statistics of sites and those of samples share. */
#ifndef GT_CALC_STATS_IMPL_H
#define GT_CALC_STATS_IMPL_H

#include "calc/stats/stats.h"
#include "geno/samples/sex_count.h"

struct stats_run {
    struct gt_engine *engine;
    struct gt_source *source;
    const struct gt_stats_opts *opts;
    struct gt_stats_totals *totals;
    bool has_calls;          /* the input knows the alleles of a call */
    int ploidy;              /* of the data, see geno/model/ploidy.h */
    struct gt_sex_rows *who; /* of each group */
};

/* A run that gt_stats_* begins; stats_end in any case. */
int stats_begin(struct stats_run *run, struct gt_engine *engine, struct gt_source *source, const struct gt_stats_opts *opts,
                struct gt_stats_totals *totals, struct gt_err *err);
void stats_end(struct stats_run *run);

/* A site as one group has it.  On Y those who are no males have no calls. */
struct stats_row {
    const uint8_t *codes;
    const uint8_t *hets; /* NULL: none are known */
    int64_t n;
    const struct gt_sex_rows *who;
    enum gt_chrom_class chrom_class;
    int ploidy;
};

/* Rows of a group's samples, one site at a time. */
struct stats_scratch {
    struct gt_buf codes, hets, masked;
};

int stats_row(const struct stats_run *run, struct stats_scratch *scratch, const struct gt_block *block, int64_t v, int group,
              struct stats_row *row, struct gt_err *err);
void stats_scratch_release(struct stats_scratch *scratch);

/* Calls homozygous for REF, heterozygous, homozygous for an ALT, missing; and last the non-reference alleles.  Haploid calls
 * count as homozygous. */
enum { HOM_REF, HET, HOM_ALT, MISSING, ALT_ALLELES, STATS_COUNTS };
void stats_count(const struct stats_row *row, int64_t counts[STATS_COUNTS]);

/* What a task that counts samples takes. */
int64_t stats_samples_bytes(const struct gt_stats_opts *opts);

bool stats_is_collapsed(const struct stats_run *run, const struct gt_site *site);
/* Does the site count in Hardy-Weinberg and inbreeding? */
bool stats_is_tested(const struct stats_run *run, const struct gt_block *block, const struct gt_site *site);
/* Totals of a block, and those of a run with it. */
void stats_totals_of(const struct stats_run *run, const struct gt_block *block, struct gt_stats_totals *totals);
void stats_add_totals(const struct stats_run *run, const struct gt_stats_totals *more);

#endif
