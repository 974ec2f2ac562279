/* Reads genotypes of Zarr stores. */
#ifndef GT_VCZ_READER_H
#define GT_VCZ_READER_H

#include "geno/model/reader.h"
#include "storage/input/input.h"

struct gt_zarr_reader_opts {
    const char *array; /* --array, or NULL */
    const char *sites; /* --sites, or NULL */
    int slice_ploidy;  /* index on the ploidy axis of call_genotype (":,:,1": the stored allele numbers, 0..2 only), or -1 */
    bool haplotypes, phases,
        columns; /* GT_SITE_HAPLOTYPES, GT_SITE_PHASES, GT_SITE_COLUMNS will be asked for; with columns there may be no genotypes */
    bool again;  /* there will be more than one pass */
};

/* Takes over *input on success.  Directory, zip or tar stream: a group's packed_dosage, call_genotype or calldata/GT,
 * or the array named. */
int gt_reader_open_zarr(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, const struct gt_zarr_reader_opts *opts,
                        struct gt_err *err);

#endif
