/* The header that VCF and BCF share. */
#ifndef GT_OUT_VCF_HEAD_H
#define GT_OUT_VCF_HEAD_H

#include "geno/source.h"

/* history: value of the line ##KEY=, NULL = no such line.  GT_INPUT for sample ids that a header cannot hold. */
int gt_vcf_head(struct gt_str *text, const struct gt_source_info *info, const char *key, const char *history, struct gt_err *err);

#endif
