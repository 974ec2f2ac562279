/* The packed layout, see gt-packed(5): what readers and writers of it agree on. */
#ifndef GT_GENO_PACKED_H
#define GT_GENO_PACKED_H

#include "arrays/zarr/array.h"
#include "core/base/json.h"

#define GT_PACKED_ARRAY "packed_dosage"
#define GT_DOSAGE_ARRAY "call_dosage"                /* the same as a number each, -1 missing */
#define GT_MULTIALLELIC_ARRAY "variant_multiallelic" /* of both: has the variant several ALTs? */
#define GT_PACKED_ATTR "gt_packed"
/* Attribute of the group: true if REF of some variant is not known to be the reference allele. */
#define GT_PROVISIONAL_ATTR "gt_provisional_ref"
/* Attribute of variant_allele: [[rows, columns], ...]: the next `rows` rows of chunks have `columns` columns of chunks, from the
 * first on.  Chunks of later columns are absent: "". */
#define GT_PACKED_COLUMNS "gt_columns"

/* The array has our attribute: it, and every array of its group, has all its chunks, but
 * those that GT_PACKED_COLUMNS leaves out. */
static inline bool gt_packed_is_ours(const struct gt_array *array)
{
    return json_object_is_type(gt_json_get(array->attrs, GT_PACKED_ATTR), json_type_object);
}

/* Name of the i-th array of variants that such a group in VCF Zarr always has; NULL after the last. */
const char *gt_packed_site_array(int i);
/* Is an array called GT_MULTIALLELIC_ARRAY that mark, rather than an INFO field of this name? */
bool gt_packed_is_multiallelic_mark(const struct gt_array *array);
/* An array of such a group.  GT_INPUT when its GT_PACKED_COLUMNS do not fit it. */
int gt_packed_mark_complete(struct gt_array *array, struct gt_err *err);
/* Sets GT_PACKED_ATTR of an array of packed genotypes. */
bool gt_packed_describe(struct json_object *attrs, int64_t samples, int ploidy);
/* Adds an entry to GT_PACKED_COLUMNS. */
bool gt_packed_add_columns(struct json_object *list, int64_t rows, int64_t columns);

/* Of an array of packed genotypes or dosages: what its attribute says (geno/model/ploidy.h); diploid without it. */
int gt_packed_ploidy(const struct gt_array *array);

/* n codes, of which those after the last in its byte are 0, into a row at sample s; the row was 0 there. */
void gt_put_codes(uint8_t *row, int64_t s, const uint8_t *codes, int64_t n);

#endif
