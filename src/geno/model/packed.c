#include "geno/model/packed.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "geno/model/ploidy.h"

const char *gt_packed_site_array(int i)
{
    static const char *const names[] = {"variant_contig", "variant_position", "variant_length", "variant_id",
                                        "variant_allele", "variant_quality",  "variant_filter", GT_MULTIALLELIC_ARRAY};
    return (size_t)i < sizeof names / sizeof *names ? names[i] : NULL;
}

bool gt_packed_is_multiallelic_mark(const struct gt_array *array)
{
    return array->ndim == 1 && array->dtype.type == GT_BOOL;
}

bool gt_packed_describe(struct json_object *attrs, int64_t samples, int ploidy)
{
    struct json_object *packed = json_object_new_object();
    bool ok = gt_json_set_int(packed, "bits", 2) && gt_json_set_int(packed, "samples", samples) && gt_json_set_int(packed, "missing", 3) &&
              (ploidy != GT_HAPLOID || gt_json_set_int(packed, GT_PLOIDY_ATTR, ploidy)) &&
              gt_json_set_shared(attrs, GT_PACKED_ATTR, packed);
    json_object_put(packed);
    return ok;
}

bool gt_packed_add_columns(struct json_object *list, int64_t rows, int64_t columns)
{
    struct json_object *pair = json_object_new_array();
    bool ok = gt_json_add(pair, json_object_new_int64(rows)) && gt_json_add(pair, json_object_new_int64(columns)) &&
              gt_json_add_shared(list, pair);

    json_object_put(pair);
    return ok;
}

static bool get_columns(struct json_object *list, size_t i, int64_t *rows, int64_t *columns)
{
    struct json_object *pair = json_object_array_get_idx(list, i);

    return json_object_is_type(pair, json_type_array) && json_object_array_length(pair) == 2 &&
           gt_json_i64(json_object_array_get_idx(pair, 0), rows) && gt_json_i64(json_object_array_get_idx(pair, 1), columns);
}

static int does_not_fit(const struct gt_array *array, struct gt_err *err)
{
    return gt_fail(err, GT_INPUT, "%s: the attribute '" GT_PACKED_COLUMNS "' of '%s' does not fit its chunks",
                   array->store ? array->store->name : "", array->path);
}

int gt_packed_mark_complete(struct gt_array *array, struct gt_err *err)
{
    struct json_object *list = gt_json_get(array->attrs, GT_PACKED_COLUMNS);
    size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
    int64_t rows, columns, at = 0, grid;

    array->whole = true;
    if (!list)
        return GT_OK;
    if (!n || array->ndim != 2)
        return does_not_fit(array, err);
    free(array->columns);
    array->n_columns = 0;
    if (!(array->columns = gt_alloc(n, sizeof *array->columns, err)))
        return GT_FAIL;
    grid = gt_array_grid(array, 0);
    for (size_t i = 0; i < n; i++) {
        if (!get_columns(list, i, &rows, &columns) || rows < 1 || rows > grid - at || columns < 1 || columns > gt_array_grid(array, 1))
            return does_not_fit(array, err);
        at += rows;
        array->columns[array->n_columns++] = (struct gt_array_columns){at, columns};
    }
    return at == grid ? GT_OK : does_not_fit(array, err);
}

int gt_packed_ploidy(const struct gt_array *array)
{
    struct json_object *packed = gt_json_get(array->attrs, GT_PACKED_ATTR);
    int64_t ploidy = GT_DIPLOID;

    gt_json_i64(gt_json_get(packed ? packed : array->attrs, GT_PLOIDY_ATTR), &ploidy);
    return ploidy == GT_HAPLOID ? GT_HAPLOID : GT_DIPLOID;
}

void gt_put_codes(uint8_t *row, int64_t s, const uint8_t *codes, int64_t n)
{
    unsigned shift = 2 * (unsigned)(s % 4);
    int64_t bytes = (n + 3) / 4;

    row += s / 4;
    if (shift == 0) {
        memcpy(row, codes, (size_t)bytes);
        return;
    }
    for (int64_t i = 0; i < bytes; i++) {
        row[i] |= (uint8_t)(codes[i] << shift);
        if (codes[i] >> (8 - shift))
            row[i + 1] |= (uint8_t)(codes[i] >> (8 - shift));
    }
}
