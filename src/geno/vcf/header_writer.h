/* Writes the header of VCF and BCF. */
#ifndef GT_OUT_VCF_HEAD_H
#define GT_OUT_VCF_HEAD_H

#include "geno/vcf/vcf_writers.h"

/* Uses key, history and records of the options: with records all fields of info.fields are declared, in this order after FILTERs,
 * otherwise GT only.  GT_INPUT for sample ids that a header cannot contain. */
int gt_vcf_head(struct gt_str *text, const struct gt_geno_info *info, const struct gt_vcf_opts *opts, struct gt_err *err);
/* The header of a .pvar with QUAL and FILTER: the key=value lines, contigs and FILTERs of the input's header. */
int gt_pvar_head(struct gt_str *text, const struct gt_geno_info *info, struct gt_err *err);

#endif
