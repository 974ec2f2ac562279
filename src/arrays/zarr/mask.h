/* Values that xarray takes for missing: in Zarr 2 the fill value, where it is not null, in Zarr 3 the attribute "_FillValue", and in both
 * the attribute "missing_value".  Of numbers and booleans alone. */
#ifndef GT_ZARR_MASK_H
#define GT_ZARR_MASK_H

#include "arrays/zarr/array.h"

enum { GT_MASKS = 2 };

/* The item that the fill value or "_FillValue" is.  false: there is none. */
bool gt_mask_fill(const struct gt_array *array, uint8_t item[8]);
/* That one and "missing_value"; returns how many there are. */
int gt_mask_all(const struct gt_array *array, uint8_t item[GT_MASKS][8]);

/* An item of numbers, booleans or times as a fill value in metadata; NULL: no memory. */
struct json_object *gt_mask_fill_json(enum gt_type type, const uint8_t *item);
/* An item of numbers or booleans as "_FillValue" in Zarr 3, where reals are 8 bytes in base64; NULL: no memory. */
struct json_object *gt_mask_attr_json(enum gt_type type, const uint8_t *item);

#endif
