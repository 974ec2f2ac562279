/* Genotype files behind the calls sink. */
#ifndef GT_OUT_CALLS_H
#define GT_OUT_CALLS_H

#include "calc/calls.h"
#include "calc/vcz.h"
#include "store/store.h"

struct gt_vcf_opts {
    bool phased;         /* 0|1 rather than 0/1 */
    bool alts;           /* some sites may have two ALTs */
    int level;           /* BGZF by libdeflate at this level; 0 = plain text */
    const char *history; /* provenance for the header, NULL = none */
};
int64_t gt_vcf_variant_bytes(int64_t n_samples, int level); /* the sink's variant_bytes, for a plan; as those below */
/* path "-" is standard output. */
int gt_sink_vcf(struct gt_calls_sink **out, const char *path, const struct gt_vcf_opts *opts, struct gt_err *err);

int64_t gt_bed_variant_bytes(int64_t n_samples);
/* PLINK 1: PREFIX.bed, .bim and .fam, which appear together.  A1 is ALT, A2 is REF.
 * families: FID of each sample, copied; NULL writes 0.  Multiallelic sites are GT_INPUT. */
int gt_sink_bed(struct gt_calls_sink **out, const char *prefix, const struct gt_strs *families, struct gt_err *err);

int64_t gt_vcz_variant_bytes(int64_t n_samples, int64_t chunk_samples);
/* VCF Zarr with calls into a new store, chunks cut to the shape; takes the store over on success,
 * and finishes it.  opts->site_variants is not looked at. */
int gt_sink_vcz(struct gt_calls_sink **out, struct gt_store *store, const struct gt_vcz_opts *opts, struct gt_budget *budget,
                struct gt_err *err);

#endif
