/* Genotype files after the calls sink. */
#ifndef GT_OUT_CALLS_H
#define GT_OUT_CALLS_H

#include "geno/model/geno_sink.h"
#include "geno/vcz_write/vcz.h"
#include "storage/store/store.h"

int64_t gt_npy_variant_bytes(int64_t n_samples);
/* Dosages as int8, variants x samples, -1 where missing, and FILE.id with the samples' ids, unless it is
 * a pipe: then GT_INPUT where the number of variants is not known.  path: NULL for a sink that only formats. */
int gt_sink_npy(struct gt_calls_sink **out, const char *path, struct gt_err *err);

int64_t gt_bed_variant_bytes(int64_t n_samples);
/* PLINK 1: PREFIX.bed, .bim and .fam, which appear together.  A1 is ALT, A2 is REF.
 * families: FID of each sample, copied; NULL: as the source's info has them, else 0.  Multiallelic
 * sites are GT_INPUT.  prefix: NULL for a sink that only formats. */
int gt_sink_bed(struct gt_calls_sink **out, const char *prefix, const struct gt_strs *families, struct gt_err *err);

int64_t gt_pgen_variant_bytes(const struct gt_geno_info *info);
int64_t gt_pgen_row_group_bytes(const struct gt_geno_info *info); /* and beside that of a row group */
/* PLINK 2: PREFIX.pgen, .pvar and .psam, which appear together.  Hard calls with their phases and ALTs; GT_INPUT for a multiallelic
 * site whose input does not tell them apart, or with too many of them.  The records are kept in tmpdir (borrowed) until their number is
 * known.  prefix: NULL for a sink that only formats. */
int gt_sink_pgen(struct gt_calls_sink **out, const char *prefix, const char *tmpdir, struct gt_err *err);

int64_t gt_vcz_variant_bytes(int64_t n_samples, int64_t chunk_samples);
/* VCF Zarr, packed or with calls, into a new store, chunks cut to the shape; takes the store over on success,
 * and finishes it.  opts->site_variants is looked at in the packed layout only.  store: NULL for a sink that only formats. */
int gt_sink_vcz(struct gt_calls_sink **out, struct gt_store *store, const struct gt_vcz_opts *opts, struct gt_budget *budget,
                struct gt_err *err);

#endif
