/* Readers of PLINK .bed and .pgen, and EIGENSTRAT .geno. */
#ifndef GT_PLINK_READERS_H
#define GT_PLINK_READERS_H

#include "geno/model/reader.h"
#include "storage/input/input.h"

/* Each takes over *input on success. */
int gt_reader_open_pgen(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, struct gt_err *err);
int gt_reader_open_bed(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, struct gt_err *err);
/* EIGENSTRAT text, and packed ANCESTRYMAP with rows of sites or samples. */
int gt_reader_open_eigenstrat(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, struct gt_err *err);

#endif
