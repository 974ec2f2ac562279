/* Parser state of a line of VCF text. */
#ifndef GT_GENO_VCF_LINE_H
#define GT_GENO_VCF_LINE_H

#include "geno/vcf/vcf_parse.h"

enum column { CHROM, POS, ID, REF, ALT, QUAL, FILTER, INFO, FORMAT, N_COLUMNS };

struct span {
    const char *s;
    size_t n;
};

struct gt_vcf_line {
    const struct gt_vcf_parse *parse;
    struct gt_block *block;
    struct gt_err *err;
    int64_t line;
    struct gt_alts alts; /* of the record, where it is split */
    struct span columns[N_COLUMNS];
    struct gt_site site;     /* of the record, or of the row made from it */
    int32_t n_alleles;       /* of the record */
    struct span contig_name; /* of the previous line */
    int32_t contig;
    struct gt_names *new_contigs, *new_filters; /* names in the lists of the block */
    struct span format;                         /* of the previous line, and its interpretation: */
    int gt_at;                                  /* index of the GT subfield, -1 = none */
    bool gt_only;
    struct gt_call_counts counts;
    struct gt_row_kind row; /* the row in progress */
    struct gt_seen seen;    /* alleles of the kept samples */
};

/* GT_INPUT prefixed with file, line and position: "'x', line 12 (chr1:100): ". */
int gt_vcf_bad(struct gt_vcf_line *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Parses the sample columns [text, end) into row block->n, using gt_at and gt_only.  *end becomes a tab. */
int gt_vcf_calls(struct gt_vcf_line *r, char *text, char *end);

#endif
