/* The header of VCF and BCF. */
#ifndef GT_GENO_VCF_HEADER_H
#define GT_GENO_VCF_HEADER_H

#include "geno/model/geno_info.h"

struct gt_vcf_header {
    struct gt_names *contigs; /* name -> number in info.contigs, as declared */
    struct gt_names *filters; /* name -> number in info.filters */
    int32_t *bcf_filters;     /* number in BCF's dictionary -> in info.filters, -1 = no filter */
    struct gt_strs keys;      /* of BCF's dictionary, by number; "" = none */
    int32_t n_dict;           /* entries of BCF's dictionary */
    int32_t gt_key;           /* FORMAT/GT in it, -1 = not declared */
    bool *contig_declared;    /* BCF numbers may have gaps */
};

/* text: the whole header, "##fileformat" to the end of the "#CHROM" line, n bytes
 * (changed: what is behind INFO is cut off; two more bytes behind its end are writable).  Fills in the info's samples, contigs,
 * filters and header pairs.  GT_INPUT names what is wrong. */
int gt_vcf_header_parse(struct gt_vcf_header *header, struct gt_geno_info *info, char *text, size_t n, struct gt_err *err);
void gt_vcf_header_release(struct gt_vcf_header *header);

#endif
