/* Genotype files behind the calls sink. */
#ifndef GT_OUT_CALLS_H
#define GT_OUT_CALLS_H

#include "geno/model/geno_sink.h"
#include "geno/vcz_write/vcz.h"
#include "storage/store/store.h"

struct gt_vcf_opts {
    bool phased;         /* 0|1 rather than 0/1 */
    bool alts;           /* some sites may have two ALTs */
    bool records;        /* all that a store says: of sources that have GT_HAS_COLUMNS, opened with GT_SITE_COLUMNS */
    int level;           /* BGZF at this level (out/bgzf.h); 0 = plain */
    bool index;          /* with FILE.csi, unless it is a pipe; not of plain text */
    const char *key;     /* of the header line that holds */
    const char *history; /* provenance, NULL = none */
};
/* Bytes of memory that a stripe takes a variant, for a plan, with opts.records and of either format: the record as it was
 * read, its text, and where level is not 0 that text compressed; INT64_MAX where that is more. */
int64_t gt_record_variant_bytes(const struct gt_source_info *info, int level);
int64_t gt_vcf_variant_bytes(int64_t n_samples, int level); /* the sink's variant_bytes, for a plan; as those below */
/* path "-" is standard output. */
int gt_sink_vcf(struct gt_calls_sink **out, const char *path, const struct gt_vcf_opts *opts, struct gt_err *err);
int64_t gt_bcf_variant_bytes(int64_t n_samples);
/* level at least 1.  phased and alts are not for it.  GT_INPUT for contigs and FILTERs that begin did not know. */
int gt_sink_bcf(struct gt_calls_sink **out, const char *path, const struct gt_vcf_opts *opts, struct gt_err *err);

int64_t gt_npy_variant_bytes(int64_t n_samples);
/* Dosages as int8, variants x samples, -1 where missing, and FILE.id with the samples' ids, unless it is
 * a pipe: then GT_INPUT where the number of variants is not known. */
int gt_sink_npy(struct gt_calls_sink **out, const char *path, struct gt_err *err);

int64_t gt_bed_variant_bytes(int64_t n_samples);
/* PLINK 1: PREFIX.bed, .bim and .fam, which appear together.  A1 is ALT, A2 is REF.
 * families: FID of each sample, copied; NULL: as the source's info has them, else 0.  Multiallelic
 * sites are GT_INPUT. */
int gt_sink_bed(struct gt_calls_sink **out, const char *prefix, const struct gt_strs *families, struct gt_err *err);

int64_t gt_vcz_variant_bytes(int64_t n_samples, int64_t chunk_samples);
/* VCF Zarr with calls into a new store, chunks cut to the shape; takes the store over on success,
 * and finishes it.  opts->site_variants is not looked at. */
int gt_sink_vcz(struct gt_calls_sink **out, struct gt_store *store, const struct gt_vcz_opts *opts, struct gt_budget *budget,
                struct gt_err *err);

#endif
