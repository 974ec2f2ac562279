/* Parses VCF and BCF records into blocks. */
#ifndef GT_GENO_VCF_PARSE_H
#define GT_GENO_VCF_PARSE_H

#include <string.h>

#include "geno/model/dosage.h"
#include "geno/model/geno_info.h"
#include "geno/select/filter.h"
#include "geno/vcf/vcf_header.h"

/* Parameters of the parsers; constant during a pass, used from any thread. */
struct gt_vcf_parse {
    const struct gt_vcf_header *header;
    const struct gt_geno_info *info;
    const struct gt_filter *filter;
    struct gt_dosage_rule rule;
    bool want_seen;  /* gt_filter_wants_seen */
    bool split;      /* gt_filter_splits */
    bool numbered;   /* lines and records have their numbers in the file: no index was used to skip any */
    unsigned fields; /* enum gt_site_fields */
};

/* Complete consecutive records: lines of VCF text, each with "\n", or BCF.  Followed by GT_KERNEL_PAD readable bytes. */
struct gt_vcf_text {
    char *text; /* modified by the parser */
    size_t n;
    int64_t line;             /* line number of the first line in the file */
    int64_t record;           /* index of the first record in the input */
    int64_t records;          /* number of records: non-blank lines */
    int32_t first_alt, after; /* the rows wanted of the first record, where it is split, begin with that ALT, those of the last one end
                                 before that; 0 = all */
};

/* The ALTs whose rows are wanted of a record, from `first` on and before `after`; 0: all. */
struct gt_alts {
    int32_t first, after;
};

/* Adds rows and sites to the block; site filters have been applied, genotype filters have not. */
int gt_vcf_parse_text(const struct gt_vcf_parse *parse, const struct gt_vcf_text *text, struct gt_block *block, struct gt_err *err);
int gt_vcf_parse_bcf(const struct gt_vcf_parse *parse, const struct gt_vcf_text *text, struct gt_block *block, struct gt_err *err);

/* How a row counts the calls of its record. */
struct gt_row_kind {
    int32_t alt;                /* the ALT that counts, other ones are REF (a split record); 0 = all count */
    struct gt_dosage_rule rule; /* with what is known of the site's copies */
    bool exact;                 /* more than codes is asked for: every call is looked at by itself */
    uint8_t *hets;              /* bits of calls with two different ALTs go here, see struct gt_block; NULL = not asked for */
    uint8_t *calls;             /* alleles go here, see gt_put_alleles; NULL = not asked for */
    uint8_t *haplotypes;        /* single alleles too; NULL = not asked for */
    uint8_t *phases;            /* enum gt_phased of heterozygous calls; NULL = not asked for */
};

/* Starts a row of the record of *site: reserves it after the rows of the block and sets its kind; alt: as in struct gt_row_kind.  The
 * caller writes the codes. */
int gt_row_begin(const struct gt_vcf_parse *parse, struct gt_block *block, struct gt_site *site, int32_t alt, struct gt_row_kind *kind,
                 struct gt_err *err);
/* Completes the row and its site; seen: alleles of the kept samples. */
int gt_row_end(const struct gt_vcf_parse *parse, struct gt_block *block, struct gt_site *site, const struct gt_seen *seen,
               struct gt_err *err);

/* Reserves that number of rows. */
int gt_expect_rows(const struct gt_vcf_parse *parse, struct gt_block *block, int64_t rows, struct gt_err *err);

/* gt_filter_site, which counts a record with its first ALT. */
bool gt_record_kept(const struct gt_vcf_parse *parse, struct gt_block *block, const struct gt_site *site, int64_t number,
                    struct gt_alts alts);

/* Adds a row for each of these ALTs of *site with add(ctx, alt), which sees that row's site in *site.  Calls of the record are
 * counted once, also when its ALTs come in several calls. */
int gt_split_rows(const struct gt_vcf_parse *parse, struct gt_block *block, struct gt_site *site, struct gt_alts alts,
                  struct gt_call_counts *counts, int (*add)(void *ctx, int32_t alt), void *ctx, struct gt_err *err);

/* The alleles of a call as counted in this row, and its heterozygote bit, which is 0 for haploid calls. */
static inline void gt_row_alleles(const struct gt_row_kind *kind, int64_t sample, int32_t *a, int32_t *b)
{
    const bool one = kind->rule.copies && kind->rule.copies[sample];
    if (kind->hets && !one && *a > 0 && *b > 0 && *a != *b)
        kind->hets[sample / 4] |= (uint8_t)(1 << 2 * (sample & 3));
    if (kind->alt) {
        *a = *a > 0 ? *a == kind->alt : *a;
        *b = *b > 0 ? *b == kind->alt : *b;
    }
}

/* The index of a contig or FILTER of the header, or -1 - k for the k-th name of `fresh`, the block's list of names missing from the
 * header.  *names: index of fresh, initially NULL, freed by the caller. */
int gt_vcf_number(const struct gt_names *known, const char *name, size_t n, struct gt_strs *fresh, struct gt_names **names, int32_t *number,
                  struct gt_err *err);

/* Sizes of the block's string lists, to undo a site that is dropped. */
struct gt_site_checkpoint {
    size_t alleles, alleles_text, ids, ids_text, filters;
};
struct gt_site_checkpoint gt_site_checkpoint(const struct gt_block *block);
void gt_site_undo(struct gt_block *block, struct gt_site_checkpoint mark);

/* The first c in [p, end), or end. */
static inline const char *gt_vcf_find(const char *p, const char *end, char c)
{
    const char *at = memchr(p, c, (size_t)(end - p));
    return at ? at : end;
}

#endif
