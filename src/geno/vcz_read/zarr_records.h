/* What planning and gathering records share. */
#ifndef GT_GENO_ZARR_RECORDS_H
#define GT_GENO_ZARR_RECORDS_H

#include "geno/vcz_read/zarr_reader.h"

/* The pass gives records. */
static inline bool zr_wants_records(const struct zarr_reader *r)
{
    return r->columns && (r->fields & GT_SITE_COLUMNS);
}

static inline bool zr_is_text(const struct zr_field *field)
{
    return gt_type_is_text(field->column.array->dtype.type);
}

/* It has the axis "samples"; else it is INFO's. */
static inline bool zr_of_calls(const struct zr_field *field)
{
    return field->kind != GT_RECORD_INFO;
}

/* Values of a variant, or of a sample of it. */
static inline int64_t zr_width(const struct zr_field *field)
{
    const struct gt_array *a = field->column.array;
    const int axes = zr_of_calls(field) ? 2 : 1;

    return a->ndim > axes ? a->shape[axes] : 1;
}

static inline struct gt_cache *zr_field_cache(const struct zarr_reader *r, const struct zr_field *field)
{
    return field->kind == GT_RECORD_ALLELES ? r->calls : field->column.cache;
}

/* zarr_recount.c: INFO/AC, AN and AF of the records that are gathered, of the samples that are kept. */
int zr_count_alleles(const struct zarr_reader *r, struct zr_item *item, struct gt_err *err);

#endif
