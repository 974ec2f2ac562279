/* Records of a store (geno/columns.h) as VCF and BCF have them: INFO, FORMAT and the columns of samples.
 *
 * What is said of nobody is left out: an INFO field whose values are all missing, a FORMAT field that
 * no sample has.  GT is always there where the store has calls. */
#ifndef GT_OUT_RECORD_H
#define GT_OUT_RECORD_H

#include "geno/model/block.h"
#include "geno/model/geno_info.h"
#include "geno/model/record_columns.h"

/* A record of a block. */
struct gt_record_view {
    const struct gt_record_columns *columns;
    const uint8_t *data; /* as geno/columns.h says */
    size_t n;
};
struct gt_record_view gt_record_view(const struct gt_block *block, const struct gt_site *site);

/* Has the column a value that is not missing? */
bool gt_record_has(const struct gt_record_view *record, const struct gt_record_column *column);
/* GT_INPUT, naming site and field, where a text cannot stand in a VCF: it holds a tab, a line's end, or what
 * separates fields. */
int gt_record_check(const struct gt_record_view *record, const struct gt_block *block, const struct gt_site *site, struct gt_err *err);

/* Appends INFO, FORMAT and the samples, tab between, to `text` without a line's end. */
int gt_record_text(const struct gt_record_view *record, struct gt_buf *text, struct gt_err *err);

/* Numbers of fields in the header's dictionary: PASS and FILTERs first, then fields in the order of
 * info.fields, one number a name. */
struct gt_record_keys;
int gt_record_keys_new(struct gt_record_keys **out, const struct gt_geno_info *info, struct gt_err *err);
void gt_record_keys_free(struct gt_record_keys *keys); /* NULL is fine */
/* Appends INFO and FORMAT as BCF has them; *info: where INFO ends; n: how many fields each has. */
int gt_record_bcf(const struct gt_record_view *record, const struct gt_record_keys *keys, struct gt_buf *bytes, size_t *info_end,
                  uint32_t n[2], struct gt_err *err);

/* Bytes of a record, about, as text. */
int64_t gt_record_bytes(const struct gt_geno_info *info);

#endif
