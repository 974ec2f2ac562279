/* Records of a store (geno/model/record_columns.h) as VCF or BCF: INFO, FORMAT and sample columns.
 *
 * INFO fields with only missing values and FORMAT fields that no sample has are omitted.  GT is always written if the store has
 * calls. */
#ifndef GT_OUT_RECORD_H
#define GT_OUT_RECORD_H

#include "geno/model/block.h"
#include "geno/model/geno_info.h"
#include "geno/model/record_columns.h"

/* A record of a block. */
struct gt_record_view {
    const struct gt_record_columns *columns;
    const uint8_t *data; /* see geno/model/record_columns.h */
    size_t n;
};
struct gt_record_view gt_record_view(const struct gt_block *block, const struct gt_site *site);

/* Does the column have a non-missing value? */
bool gt_record_has(const struct gt_record_view *record, const struct gt_record_column *column);
/* GT_INPUT, naming site and field, for a string that VCF cannot contain: tabs, line ends, or separators of
 * fields. */
int gt_record_check(const struct gt_record_view *record, const struct gt_block *block, const struct gt_site *site, struct gt_err *err);

/* Are the contig and the FILTERs of a site among the first ones of the tables, which the header of a BCF has?  GT_INPUT. */
int gt_record_check_names(const struct gt_block *block, const struct gt_site *site, size_t contigs, size_t filters, struct gt_err *err);
/* Appends CHROM to FILTER, each with a tab after it. */
int gt_record_site(const struct gt_block *block, const struct gt_site *site, struct gt_buf *text, struct gt_err *err);
/* Appends INFO, FORMAT and samples, tab-separated, without a line end. */
int gt_record_text(const struct gt_record_view *record, struct gt_buf *text, struct gt_err *err);

/* Indices of fields in the header dictionary: PASS and FILTERs first, then fields in the order of info.fields, one index per
 * name. */
struct gt_record_keys;
int gt_record_keys_new(struct gt_record_keys **out, const struct gt_geno_info *info, struct gt_err *err);
void gt_record_keys_free(struct gt_record_keys *keys); /* NULL is allowed */
/* Appends INFO and FORMAT as BCF; *info: end of INFO; n: number of fields of each. */
int gt_record_bcf(const struct gt_record_view *record, const struct gt_record_keys *keys, struct gt_buf *bytes, size_t *info_end,
                  uint32_t n[2], struct gt_err *err);

/* Approximate size of a record as text. */
int64_t gt_record_bytes(const struct gt_geno_info *info);

#endif
