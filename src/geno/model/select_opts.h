/* Which samples and which sites of a source: the selection options. */
#ifndef GT_GENO_SELECT_H
#define GT_GENO_SELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/str.h"
#include "geno/model/regions.h"

/* What an input tells of its samples, sites and calls: an option that looks at what is not there is an error. */
enum gt_has {
    GT_HAS_GENOTYPES = 1, /* samples and variants; a plain array has neither */
    GT_HAS_CONTIGS = 2,
    GT_HAS_POSITIONS = 4,
    GT_HAS_ALLELES = 8,
    GT_HAS_FILTERS = 16,
    GT_HAS_CALLS = 32,   /* the alleles of a call, of which we make its dosage */
    GT_HAS_DOSAGES = 64, /* of whole calls; a slice of the ploidy axis has numbers of single alleles */
    GT_HAS_PAIRS = 128,  /* room for two alleles in a call: for half calls */
    GT_HAS_MORE = 256,   /* and for more */
    GT_HAS_IDS = 512,
    GT_HAS_RECORDS = 1024, /* INFO and FORMAT as text or BCF: not of stores, not in GT_HAS_ALL */
    GT_HAS_COLUMNS = 2048  /* the same of a store of calls, which was asked for them (GT_SITE_COLUMNS) */
};
#define GT_HAS_ALL (2 * GT_HAS_IDS - 1)
/* Of several inputs that are joined: what one of them has.  The others: what all have. */
#define GT_HAS_OF_ONE (GT_HAS_PAIRS | GT_HAS_MORE)

/* What ./1 is; nothing said is missing. */
enum gt_half_call { GT_HALF_UNSAID, GT_HALF_MISSING, GT_HALF_HAPLOID, GT_HALF_REFERENCE, GT_HALF_ERROR };

/* Calls of ploidy above 2; nothing said is an error. */
enum gt_polyploid { GT_POLYPLOID_UNSAID, GT_POLYPLOID_ERROR, GT_POLYPLOID_MISSING };

/* Of rows at one position with the same alleles, in their order. */
enum gt_rm_dup { GT_DUP_KEEP, GT_DUP_FIRST, GT_DUP_ERROR };

#define GT_SLICE_AXES 3 /* of genotypes: variants, samples, ploidy */

/* As the options say it; texts are borrowed from argv.  GT_SELECT_ALL = everything. */
#define GT_SELECT_ALL                                                                                                                      \
    {                                                                                                                                      \
        .geno = -1, .mind = -1, .maf = -1                                                                                                  \
    }
struct gt_select_opts {
    const char *samples;      /* -s: "A,B" or "^A,B" */
    const char *samples_file; /* -S: one a line (PLINK "FID IID" lines: the IID), '^' before excludes */
    const char *regions;      /* -r: CHR[:FROM-TO],... 1-based inclusive */
    const char *regions_file; /* -R: .bed 0-based half-open, else 1-based "CHR FROM TO" or "CHR:FROM-TO" */
    enum gt_overlap overlap;  /* what of a variant must be in a region */
    bool overlap_given;
    const char *extract, *exclude;    /* files of site ids to keep, to drop */
    const char *exclude_long_range;   /* "b37", "b38" or a file of regions, see geno/long_range.h */
    const char *ld_prune;             /* see geno/prune.h */
    bool concat_samples;              /* several inputs have the same sites, and other samples */
    const char *sites;                /* store that has the sites of calls that stand alone */
    const char *mask;                 /* see geno/select/site_mask.h */
    const char *contigs;              /* --contigs: LIST, "autosomes", "all" */
    bool autosomal;                   /* without the sex chromosomes and mitochondria, unless `contigs` says which */
    double geno, mind, maf;           /* negative = not given */
    int64_t mac;                      /* fewer minor alleles: dropped; 0 = not given */
    double hwe;                       /* a smaller p of gt_hwe_exact: dropped; 0 = not given */
    bool snps, pass;                  /* pass: FILTER is PASS, as bcftools -f PASS */
    bool biallelic;                   /* REF and one ALT in the record, as bcftools -m2 -M2 */
    int64_t min_alleles, max_alleles; /* of the record, with REF; 0 = not given */
    bool polymorphic;                 /* two alleles or more among the calls of the samples kept */
    bool one_alt;                     /* without sites of several ALTs, unless they are split */
    bool split;                       /* a row for each ALT of a multiallelic record; other ALTs count as REF */
    enum gt_rm_dup rm_dup;            /* of what the other filters leave; sites must be in order */
    int64_t thin;                     /* every Nth site; 0 = off */
    int64_t require_sites;            /* fewer rows in the end are an error; 0 = off */
    bool skip_absent;                 /* samples or contigs that do not exist: go on */
    const char *slice;                /* --slice on variants, samples[, ploidy] */
    bool no_update;                   /* -I: INFO/AC, AN and AF stay as they are where samples are selected */
    /* dosage rules */
    const char *sex;        /* see geno/sex.h */
    const char *sex_counts; /* the same for filters alone (internal: the rule was applied before) */
    bool by_sex;            /* who reads the source counts by the sexes that the input says (internal, GT_SITE_CHROM_CLASS) */
    int64_t ploidy;         /* --ploidy: of the data (geno/model/ploidy.h); 0 = as the input shows */
    int data_ploidy;        /* what it turned out to be (internal); 0 = not known yet, which counts as diploid */
    enum gt_half_call half_call;
    enum gt_polyploid polyploid;
    bool haplotypes; /* the output has two samples of each, ID_0 and ID_1: codes 0, 1 and 3 are single alleles */
    bool records;    /* all of a record is wanted (internal, GT_SITE_RECORD): it may have no calls, the input no samples */
    bool full;       /* no filter by genotypes (internal: first pass of --mind) */
};

/* INFO/AC, AN and AF are to be counted anew: the selection may leave samples out. */
static inline bool gt_select_recounts(const struct gt_select_opts *o)
{
    return !o->no_update && (o->samples || o->samples_file || o->slice || o->mind >= 0);
}

/* Counts of what the selection dropped and of what the dosage rules met; added
 * up in block order, complete when the source has ended. */
struct gt_select_stats {
    int64_t samples_in, samples_kept, dropped_mind;
    int64_t sites_in, sites_kept;
    int64_t split_rows; /* rows that splitting records added: sites_in + split_rows = sites_kept + all dropped */
    int64_t dropped_region, dropped_contig, dropped_pass, dropped_snps, dropped_alleles, dropped_biallelic, dropped_polymorphic,
        dropped_multiallelic, dropped_geno, dropped_maf, dropped_mac, dropped_hwe, dropped_thin, dropped_slice, dropped_ids,
        dropped_long_range, dropped_ld, dropped_dup, dropped_mask;
    int64_t not_known_polymorphic; /* of dropped_polymorphic: sites of two non-reference alleles in every call, which ones is not known */
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
