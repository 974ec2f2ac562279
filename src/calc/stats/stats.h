/* Genotype statistics of sites and of samples, of any source.
 *
 * Calls are homozygous for REF, heterozygous (two different alleles) or homozygous
 * for an ALT.  The dosage says which, but at a multiallelic site, where the block's
 * hets tell calls of two different ALTs; where an input does not know those (a packed
 * store), the calls of such a site are counted apart: it is `collapsed`.
 *
 * Tests of Hardy-Weinberg and inbreeding look at biallelic sites, and leave out
 * contigs that are not autosomes (gt_contig_is_autosome).
 *
 * Where sexes are known alleles are counted as filters count them (geno/sex_count.h), and on Y
 * only males have calls, in all counts; inbreeding goes by calls alone. */
#ifndef GT_CALC_STATS_H
#define GT_CALC_STATS_H

#include "core/engine/memory_plan.h"
#include "geno/source/source.h"

/* What a source has to be opened with. */
#define GT_STATS_FIELDS (GT_SITE_CONTIG | GT_SITE_MULTI | GT_SITE_HETS | GT_SITE_CHROM_CLASS)

/* Samples that are counted by themselves. */
struct gt_stats_group {
    const uint32_t *samples; /* their numbers in the source; NULL = all of it, in order */
    int64_t n;
};

struct gt_stats_opts {
    const struct gt_stats_group *groups;
    int n_groups;
    int64_t memory;   /* share of counting */
    bool all_contigs; /* no contig is left out of Hardy-Weinberg and inbreeding */
};

/* Over all variants. */
struct gt_stats_totals {
    int64_t variants;
    int64_t collapsed;
    int64_t off_autosomes;
};

/* A site in one group. */
struct gt_site_stats {
    int64_t hom_ref, het, hom_alt, missing;
    int64_t alleles_x2, alt_alleles_x2; /* as in struct gt_sex_site_counts */
    bool collapsed;                     /* het are calls of one non-reference allele, hom_alt of two, be they alike or not */
    double hwe; /* exact mid-p, see geno/hwe.h, and on X gt_sex_hwe_x; NaN where it is left out, and without calls */
};

/* Where sites go.  format: on any thread; n_groups statistics for each variant of the
 * block in turn become bytes (appended).  write: in order. */
struct gt_stats_sink {
    int (*format)(void *ctx, const struct gt_block *block, const struct gt_site_stats *stats, struct gt_buf *bytes, struct gt_err *err);
    int (*write)(void *ctx, const struct gt_buf *bytes, struct gt_err *err);
    void *ctx;
};

/* What counting takes in addition to reading: of samples, or of variants of which each is some
 * text_bytes a group. */
void gt_stats_share(struct gt_allotment *allotment, const struct gt_engine *engine, const struct gt_geno_info *info,
                    const struct gt_stats_opts *opts, int64_t text_bytes);

int gt_stats_variants(struct gt_engine *engine, struct gt_source *source, const struct gt_stats_opts *opts,
                      const struct gt_stats_sink *sink, struct gt_stats_totals *totals, struct gt_err *err);

/* A sample.  Inbreeding is that of plink --het: F = (hom - expected) / (sites - expected)
 * over the sample's calls at the sites where its group has both alleles; a site expects
 * 1 - 2p(1 - p), p the group's allele frequency.  All are whole numbers, so that sums do
 * not depend on their order. */
struct gt_sample_stats {
    int64_t hom_ref, het, hom_alt, missing;
    int64_t collapsed; /* calls at collapsed sites, which are in none of the three above */
    int64_t f_sites, f_hom;
    int64_t f_expected; /* in units of 2^-32 */
};

static inline double gt_sample_expected(const struct gt_sample_stats *s)
{
    return (double)s->f_expected * 0x1p-32;
}
/* NaN if no site is informative. */
double gt_sample_f(const struct gt_sample_stats *s);

/* stats: an entry for each sample, group after group. */
int gt_stats_samples(struct gt_engine *engine, struct gt_source *source, const struct gt_stats_opts *opts, struct gt_sample_stats *stats,
                     struct gt_stats_totals *totals, struct gt_err *err);

#endif
