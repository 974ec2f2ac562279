/* The packed layout, see gt-packed(5): what readers and writers of it agree on. */
#ifndef GT_GENO_PACKED_H
#define GT_GENO_PACKED_H

#include "base/json.h"
#include "zarr/array.h"

#define GT_PACKED_ARRAY "packed_dosage"
#define GT_PACKED_ATTR "gt_packed"

/* The array has our attribute: it, and every array of its group, has all its chunks. */
static inline bool gt_packed_is_ours(const struct gt_array *array)
{
    return json_object_is_type(gt_json_get(array->attrs, GT_PACKED_ATTR), json_type_object);
}

#endif
