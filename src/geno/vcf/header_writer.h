/* The header that VCF and BCF share. */
#ifndef GT_OUT_VCF_HEAD_H
#define GT_OUT_VCF_HEAD_H

#include "geno/vcf/vcf_writers.h"

/* Of the options key, history and records are looked at: with records all fields are declared, in the order of
 * info.fields and behind FILTERs, else GT alone.  GT_INPUT for sample ids that a header cannot hold. */
int gt_vcf_head(struct gt_str *text, const struct gt_geno_info *info, const struct gt_vcf_opts *opts, struct gt_err *err);

#endif
