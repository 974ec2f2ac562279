/* Selection options: which samples and sites of a source are used. */
#ifndef GT_GENO_SELECT_H
#define GT_GENO_SELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/str.h"
#include "geno/model/regions.h"

/* What an input contains.  An option that needs something missing is an error. */
enum gt_has {
    GT_HAS_GENOTYPES = 1, /* samples and variants; a plain array has neither */
    GT_HAS_CONTIGS = 2,
    GT_HAS_POSITIONS = 4,
    GT_HAS_ALLELES = 8,
    GT_HAS_FILTERS = 16,
    GT_HAS_CALLS = 32,   /* the alleles of calls */
    GT_HAS_DOSAGES = 64, /* allele counts of calls; false for a slice of the ploidy axis, which has single alleles */
    GT_HAS_PAIRS = 128,  /* calls may have two alleles, so half calls are possible */
    GT_HAS_MORE = 256,   /* calls may have more than two alleles */
    GT_HAS_IDS = 512,
    GT_HAS_RECORDS = 1024,    /* INFO and FORMAT as text or BCF; not stores, not in GT_HAS_ALL */
    GT_HAS_COLUMNS = 2048,    /* the same for a store of calls, if requested (GT_SITE_COLUMNS) */
    GT_HAS_ALTS = 4096,       /* which ALT alleles a call has: calls, and allele counts of a .pgen */
    GT_HAS_PROVISIONAL = 8192 /* some REF is not known to be the reference allele */
};
#define GT_HAS_ALL ((2 * GT_HAS_IDS - 1) | GT_HAS_ALTS)
/* With several inputs: set if any input has it.  The others are set if all inputs have it. */
#define GT_HAS_OF_ONE (GT_HAS_PAIRS | GT_HAS_MORE | GT_HAS_PROVISIONAL)

/* Treatment of half calls such as ./1; the default is missing. */
enum gt_half_call { GT_HALF_UNSAID, GT_HALF_MISSING, GT_HALF_HAPLOID, GT_HALF_REFERENCE, GT_HALF_ERROR };

/* Treatment of calls of ploidy above 2; the default is an error. */
enum gt_polyploid { GT_POLYPLOID_UNSAID, GT_POLYPLOID_ERROR, GT_POLYPLOID_MISSING };

/* Treatment of variants with the same position and alleles; the first in input order is kept. */
enum gt_rm_dup { GT_DUP_KEEP, GT_DUP_FIRST, GT_DUP_ERROR };

#define GT_SLICE_AXES 3 /* axes of genotypes: variants, samples, ploidy */

/* Values of the options; strings are borrowed from argv.  GT_SELECT_ALL selects everything. */
#define GT_SELECT_ALL                                                                                                                      \
    {                                                                                                                                      \
        .geno = -1, .mind = -1, .maf = -1                                                                                                  \
    }
struct gt_select_opts {
    const char *samples;        /* -s: "A,B" or "^A,B" */
    const char *samples_file;   /* one per line (PLINK "FID IID" lines: the IID), '^' excludes */
    const char *samples_option; /* the option that samples_file is of; NULL: -S */
    const char *keep_fam;       /* file of family ids, '^' excludes */
    const char *regions;        /* -r: CHR[:FROM-TO],... 1-based inclusive */
    const char *regions_file;   /* -R: .bed 0-based half-open, else 1-based "CHR FROM TO" or "CHR:FROM-TO" */
    enum gt_overlap overlap;    /* which part of a variant must be in a region */
    bool overlap_given;
    const char *extract, *exclude;    /* files of variant ids to keep, to drop */
    const char *exclude_long_range;   /* "b37", "b38" or a file of regions, see geno/select/long_range.h */
    const char *ld_prune;             /* see geno/select/ld_prune.h */
    bool concat_samples;              /* the inputs have the same sites and different samples */
    const char *sites;                /* store with the sites of a genotype array without sites */
    const char *mask;                 /* see geno/select/site_mask.h */
    const char *contigs;              /* --contigs: LIST, "^LIST", "autosomes", "all", see geno/select/contig_list.h */
    const char *not_chr;              /* --not-chr LIST: --contigs ^LIST */
    bool autosomal;                   /* exclude sex chromosomes and mitochondria, unless `contigs` is given */
    double geno, mind, maf;           /* negative = not given */
    int64_t mac;                      /* minimum minor allele count; 0 = not given */
    double hwe;                       /* minimum p-value of gt_hwe_exact; 0 = not given */
    bool snps, pass;                  /* pass: FILTER is PASS, as bcftools -f PASS */
    bool biallelic;                   /* REF and one ALT in the record, as bcftools -m2 -M2 */
    int64_t min_alleles, max_alleles; /* of the record, including REF; 0 = not given */
    bool polymorphic;                 /* at least two alleles among the calls of the kept samples */
    bool one_alt;                     /* exclude multiallelic sites, unless they are split */
    bool split;                       /* one row per ALT of a multiallelic record; other ALTs count as REF */
    enum gt_rm_dup rm_dup;            /* applied after the other filters; sites must be sorted */
    int64_t thin;                     /* every Nth site; 0 = off */
    int64_t bp_space;                 /* bases between variants, at least, after the other filters; 0 = off */
    int64_t thin_count;               /* number of variants to keep at random, after the other filters; 0 = off */
    int64_t thin_total, seed;         /* of thin_count: variants that pass the other filters (internal); random seed */
    const char *var_ids;              /* --set-all-var-ids, see geno/model/var_ids.h */
    int64_t require_sites;            /* minimum number of rows in the output; 0 = off */
    bool strict, skip_absent;         /* of names that the input lacks, see geno/model/absent.h */
    bool lists_samples;               /* other options name samples, too (internal) */
    const char *slice;                /* --slice on variants, samples[, ploidy] */
    bool no_update;                   /* -I: do not update INFO/AC, AN and AF when samples are selected */
    /* dosage rules */
    const char *sex;        /* see geno/samples/sex.h */
    const char *sex_counts; /* the same for filters only (internal: the ploidy rule was applied before) */
    bool by_sex;            /* the consumer counts by the sexes of the input (internal, GT_SITE_CHROM_CLASS) */
    int64_t ploidy;         /* --ploidy: ploidy of the data (geno/model/ploidy.h); 0 = detect */
    int data_ploidy;        /* detected ploidy (internal); 0 = not known yet, treated as diploid */
    enum gt_half_call half_call;
    enum gt_polyploid polyploid;
    bool haplotypes; /* the output has two samples of each, ID_0 and ID_1: codes 0, 1 and 3 are single alleles */
    bool records;    /* all of a record is wanted (internal, GT_SITE_RECORD): it may have no calls, the input no samples */
    bool full;       /* no filter by genotypes (internal: first pass of --mind) */
};

/* Must INFO/AC, AN and AF be recomputed because samples may be excluded? */
static inline bool gt_select_recounts(const struct gt_select_opts *o)
{
    return !o->no_update && (o->samples || o->samples_file || o->keep_fam || o->slice || o->mind >= 0);
}

/* Counts of the selection and of the call rules; summed in block order, complete when the source has ended. */
struct gt_select_stats {
    int64_t samples_in, samples_kept, dropped_mind;
    int64_t sites_in, sites_kept;
    int64_t split_rows; /* rows added by splitting: sites_in + split_rows = sites_kept + all dropped */
    int64_t dropped_region, dropped_contig, dropped_pass, dropped_snps, dropped_alleles, dropped_biallelic, dropped_polymorphic,
        dropped_multiallelic, dropped_geno, dropped_maf, dropped_mac, dropped_hwe, dropped_thin, dropped_space, dropped_thin_count,
        dropped_slice, dropped_ids, dropped_long_range, dropped_ld, dropped_dup, dropped_mask;
    int64_t not_known_polymorphic; /* part of dropped_polymorphic: every call has two non-reference alleles, but it is not known which */
    int64_t half_calls, haploid_calls, polyploid_calls, het_haploid_calls;
    int64_t multiallelic;       /* sites kept with more than one ALT, whose non-reference alleles count alike in codes */
    int64_t pooled;             /* of these: in inputs that do not tell the ALTs apart */
    int64_t missing, genotypes; /* among kept samples and sites */
};

_Static_assert(sizeof(struct gt_select_stats) % sizeof(int64_t) == 0, "counts alone");
static inline void gt_select_stats_add(struct gt_select_stats *sum, const struct gt_select_stats *more)
{
    for (size_t i = 0; i < sizeof *sum / sizeof(int64_t); i++)
        ((int64_t *)sum)[i] += ((const int64_t *)more)[i];
}

#endif
