/* The header of VCF and BCF. */
#ifndef GT_GENO_VCF_HEADER_H
#define GT_GENO_VCF_HEADER_H

#include "geno/model/geno_info.h"

struct gt_vcf_header {
    struct gt_names *contigs; /* name -> index in info.contigs */
    struct gt_names *filters; /* name -> index in info.filters */
    int32_t *bcf_filters;     /* BCF dictionary index -> index in info.filters, -1 = not a filter */
    struct gt_strs keys;      /* BCF dictionary, by index; "" = none */
    int32_t n_dict;           /* size of the BCF dictionary */
    int32_t gt_key;           /* index of FORMAT/GT in the dictionary, -1 = not declared */
    bool *contig_declared;    /* BCF indices may have gaps */
};

/* Parses the whole header, "##fileformat" to the end of the "#CHROM" line, n bytes (modified: cut after INFO; two more bytes must be
 * writable).  Sets samples, contigs, filters and header pairs of info.  GT_INPUT names the fault. */
int gt_vcf_header_parse(struct gt_vcf_header *header, struct gt_geno_info *info, char *text, size_t n, struct gt_err *err);
void gt_vcf_header_release(struct gt_vcf_header *header);

#endif
