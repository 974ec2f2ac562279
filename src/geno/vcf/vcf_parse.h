/* Records of VCF and BCF -> blocks. */
#ifndef GT_GENO_VCF_PARSE_H
#define GT_GENO_VCF_PARSE_H

#include "geno/model/dosage.h"
#include "geno/model/geno_info.h"
#include "geno/select/filter.h"
#include "geno/vcf/vcf_header.h"

/* What the parsers are told; constant while a pass runs, used from any thread. */
struct gt_vcf_parse {
    const struct gt_vcf_header *header;
    const struct gt_geno_info *info;
    const struct gt_filter *filter;
    struct gt_dosage_rule rule;
    bool want_seen;  /* gt_filter_wants_seen */
    bool split;      /* gt_filter_splits */
    bool numbered;   /* lines and records have their numbers in the file: an index did not skip any */
    unsigned fields; /* enum gt_site_fields */
};

/* Whole records one after another: lines of VCF text, each with its "\n" at the end, or
 * BCF.  GT_KERNEL_PAD bytes behind them are readable. */
struct gt_vcf_text {
    char *text; /* scratch: bytes change */
    size_t n;
    int64_t line;    /* number in the file of the first line */
    int64_t record;  /* number in the input of the first record */
    int64_t records; /* how many there are: lines that are not blank */
};

/* Adds their rows and sites to the block, which is left screened, not filtered. */
int gt_vcf_parse_text(const struct gt_vcf_parse *parse, const struct gt_vcf_text *text, struct gt_block *block, struct gt_err *err);
int gt_vcf_parse_bcf(const struct gt_vcf_parse *parse, const struct gt_vcf_text *text, struct gt_block *block, struct gt_err *err);

/* What a row says of its record's calls. */
struct gt_row_kind {
    int32_t alt;                /* the ALT that counts, other ones are REF (a split record); 0 = all count */
    struct gt_dosage_rule rule; /* with what is known of the site's copies */
    bool exact;                 /* more than codes is asked for: every call is looked at by itself */
    uint8_t *hets;              /* bits of calls with two different ALTs go here, see struct gt_block; NULL = not asked for */
    uint8_t *calls;             /* alleles go here, see gt_put_alleles; NULL = not asked for */
    uint8_t *haplotypes;        /* single alleles too; NULL = not asked for */
};

/* A row of the record that *site is of: room for it behind the block's rows, and its kind; alt: as in struct gt_row_kind.  The
 * caller fills in the codes. */
int gt_row_begin(const struct gt_vcf_parse *parse, struct gt_block *block, struct gt_site *site, int32_t alt, struct gt_row_kind *kind,
                 struct gt_err *err);
/* It counts now, with its site; seen: alleles that kept samples have. */
int gt_row_end(const struct gt_vcf_parse *parse, struct gt_block *block, struct gt_site *site, uint64_t seen, struct gt_err *err);

/* A row for each ALT of *site, added by add(ctx, alt) with *site as that row's.  What calls
 * the record has counts once. */
int gt_split_rows(const struct gt_vcf_parse *parse, struct gt_block *block, struct gt_site *site, struct gt_call_counts *counts,
                  int (*add)(void *ctx, int32_t alt), void *ctx, struct gt_err *err);

/* The call's alleles as the row counts them, and its heterozygote bit; where there is one copy it has none. */
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

/* The number of a contig or FILTER of the header, or -1 - k when it is the k-th name of
 * `fresh`, the block's list of those that the header lacks.  *names: of fresh, NULL at
 * first, the caller's to free. */
int gt_vcf_number(const struct gt_names *known, const char *name, size_t n, struct gt_strs *fresh, struct gt_names **names, int32_t *number,
                  struct gt_err *err);

/* What a site that is dropped has added to the block's texts. */
struct gt_site_checkpoint {
    size_t alleles, alleles_text, ids, ids_text, filters;
};
struct gt_site_checkpoint gt_site_checkpoint(const struct gt_block *block);
void gt_site_undo(struct gt_block *block, struct gt_site_checkpoint mark);

#endif
