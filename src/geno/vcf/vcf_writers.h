/* Writes VCF and BCF. */
#ifndef GT_VCF_WRITERS_H
#define GT_VCF_WRITERS_H

#include "geno/model/geno_sink.h"

struct gt_vcf_opts {
    bool phased;         /* 0|1 rather than 0/1 */
    bool alts;           /* some sites may have two ALTs */
    bool records;        /* all that a store says: of sources that have GT_HAS_COLUMNS, opened with GT_SITE_COLUMNS */
    bool ends;           /* without records: INFO/END of symbolic alleles */
    int level;           /* BGZF at this level (out/bgzf.h); 0 = plain */
    bool index;          /* with FILE.csi, unless it is a pipe; not of plain text */
    const char *key;     /* of the header line that holds */
    const char *history; /* provenance, NULL = none */
};
/* Bytes of memory that a row_group takes a variant, for a plan, with opts.records and of either format: the record as it was
 * read, its text, and where level is not 0 that text compressed; INT64_MAX where that is more. */
int64_t gt_record_variant_bytes(const struct gt_geno_info *info, int level);
int64_t gt_vcf_variant_bytes(int64_t n_samples, int level); /* the sink's variant_bytes, for a plan; as those below */
/* path "-" is standard output. */
int gt_sink_vcf(struct gt_calls_sink **out, const char *path, const struct gt_vcf_opts *opts, struct gt_err *err);
int64_t gt_bcf_variant_bytes(int64_t n_samples);
/* level at least 1.  phased and alts are not for it.  GT_INPUT for contigs and FILTERs that begin did not know. */
int gt_sink_bcf(struct gt_calls_sink **out, const char *path, const struct gt_vcf_opts *opts, struct gt_err *err);

#endif
