/* Writers of VCF and BCF. */
#ifndef GT_VCF_WRITERS_H
#define GT_VCF_WRITERS_H

#include "geno/model/geno_sink.h"

struct gt_vcf_opts {
    bool phased;         /* 0|1 instead of 0/1 */
    bool alts;           /* some sites may have two ALTs */
    bool called;         /* the source was opened with GT_SITE_CALLS: calls of multiallelic sites are written, but of pooled ones */
    bool records;        /* all fields of a store: for sources with GT_HAS_COLUMNS, opened with GT_SITE_COLUMNS */
    bool copied;         /* records and header as the input has them: for sources with info.head, opened with GT_SITE_RECORD */
    bool recount;        /* copied: AC, AN and AF are counted from the calls of the samples that are kept */
    bool ends;           /* without records: INFO/END of symbolic alleles */
    int level;           /* BGZF level (storage/bgzf/bgzf.h); 0 = plain */
    bool index;          /* write FILE.csi, unless it is a pipe or plain text */
    const char *key;     /* key of the header line with the provenance */
    const char *history; /* provenance, NULL = none */
};
/* Memory of a row group per variant, for a plan, with opts.records, in either format: the record as read, its text, and with level > 0
 * the compressed text; INT64_MAX on overflow. */
int64_t gt_record_variant_bytes(const struct gt_geno_info *info, int level);
int64_t gt_vcf_variant_bytes(int64_t n_samples, int level); /* variant_bytes of the sink, for a plan */
/* path "-" is standard output; NULL: a sink that only formats. */
int gt_sink_vcf(struct gt_calls_sink **out, const char *path, const struct gt_vcf_opts *opts, struct gt_err *err);
/* Of either format, level >= 1 of BCF: records of the input are filtered, with opts.copied.  path as above. */
int gt_sink_copy(struct gt_calls_sink **out, const char *path, bool bcf, const struct gt_vcf_opts *opts, struct gt_err *err);
/* Memory of a variant, for a plan. */
int64_t gt_copy_variant_bytes(const struct gt_geno_info *info, bool bcf, int level);
int64_t gt_bcf_variant_bytes(int64_t n_samples);
/* level >= 1; phased and alts are not used.  GT_INPUT for contigs and FILTERs unknown at begin. */
int gt_sink_bcf(struct gt_calls_sink **out, const char *path, const struct gt_vcf_opts *opts, struct gt_err *err);

#endif
