/* Readers of VCF and BCF. */
#ifndef GT_VCF_READER_H
#define GT_VCF_READER_H

#include "geno/model/reader.h"
#include "storage/input/input.h"

/* Takes over *input on success. */
int gt_reader_open_vcf(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, const struct gt_select_opts *select,
                       struct gt_err *err);

#endif
