/* A line of VCF text while it is parsed. */
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
    struct span columns[N_COLUMNS];
    struct gt_site site;     /* of the record, or of the row that is made of it */
    int32_t n_alleles;       /* of the record */
    struct span contig_name; /* of the line before */
    int32_t contig;
    struct gt_names *new_contigs, *new_filters; /* of the block's lists */
    struct span format;                         /* of the line before, and what it means: */
    int gt_at;                                  /* subfield of GT, -1 = none */
    bool gt_only;
    struct gt_call_counts counts;
    struct gt_row_kind row; /* being made */
    uint64_t seen;          /* alleles of kept samples */
};

/* GT_INPUT with the line's place in front: "'x', line 12 (chr1:100): ". */
int gt_vcf_bad(struct gt_vcf_line *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The sample columns [text, end) of the line into row block->n, as gt_at and gt_only
 * say.  *end becomes a tab. */
int gt_vcf_calls(struct gt_vcf_line *r, char *text, char *end);

#endif
