#include "calc/rechunk/missing.h"

#include <math.h>
#include <string.h>

#include "arrays/zarr/mask.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "kernels/kernels.h"

#define FILL_ATTR "_FillValue"
#define SCALE_ATTR "scale_factor"
#define OFFSET_ATTR "add_offset"

/* --- scale_factor, add_offset: numbers are read as number * scale_factor + add_offset ------------ */

static double number_of(struct json_object *attrs, const char *key, double missing)
{
    struct json_object *value = gt_json_get(attrs, key);
    return json_object_is_type(value, json_type_int) || json_object_is_type(value, json_type_double) ? json_object_get_double(value)
                                                                                                     : missing;
}

/* Items that become one. */
static double items_of_cell(const struct gt_rechunk_job *job)
{
    double n = 1;
    for (int i = 0; i < job->view.array_ndim; i++) {
        bool stays = false;
        for (int k = 0; k < job->view.ndim; k++)
            stays = stays || job->view.axis[k] == i;
        n *= stays ? 1 : (double)job->view.all.count[i];
    }
    return n;
}

static bool is(const char *name, const char *other)
{
    return strcmp(name, other) == 0;
}

/* Of a mean, the least and the largest they are what they were, if the order stays; a sum has the offset of all its items, and a
 * deviation none.  What is not 0 is something else before and after. */
static int rescale(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job, struct json_object *attrs, struct gt_err *err)
{
    const char *name = gt_reduction_name(store->reduction);
    const double scale = number_of(attrs, SCALE_ATTR, 1), offset = number_of(attrs, OFFSET_ATTR, 0);
    const bool scaled = gt_json_get(attrs, SCALE_ATTR) != NULL, moved = gt_json_get(attrs, OFFSET_ATTR) != NULL;
    bool can = true, ok = true;
    if ((!scaled && !moved) || is(name, "mean"))
        return GT_OK;
    if (is(name, "min") || is(name, "max")) {
        can = scale > 0;
    } else if (is(name, "sum")) {
        can = offset == 0 || !(store->opts.skip_missing || store->skip_nan);
        ok = !moved || !can || gt_json_set_real(attrs, OFFSET_ATTR, offset * items_of_cell(job));
    } else {
        const bool spread = is(name, "std") || is(name, "var");
        can = spread || (offset == 0 && scale != 0 && !is(name, "prod"));
        json_object_object_del(attrs, OFFSET_ATTR);
        if (!spread)
            json_object_object_del(attrs, SCALE_ATTR);
        else
            ok = !scaled || gt_json_set_real(attrs, SCALE_ATTR, is(name, "var") ? scale * scale : fabs(scale));
    }
    if (!can) {
        gt_fail(err, GT_USAGE, "--reduce %s: '%s' has scale_factor %.9g and add_offset %.9g, and its numbers are not what readers see",
                name, gt_rechunk_name(job->source), scale, offset);
        gt_hint(err, "--reduce mean:AXES keeps them");
        return GT_USAGE;
    }
    return ok ? GT_OK : gt_no_memory(err);
}

/* --- fill values --------------------------------------------------------------------------------------- */

static bool cast(enum gt_type from, const uint8_t *item, enum gt_type to, uint8_t out[8])
{
    return gt_kernels()->cast((enum gt_number)from, item, (enum gt_number)to, out, 1);
}

/* The missing value of the output.  A reduction only has one if an output item may be a reduction of no items. */
static bool find_mark(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job, enum gt_type type, uint8_t item[8])
{
    const enum gt_type from = job->source->dtype.type;
    uint8_t was[8];
    const bool stays = !store->reduction || (store->opts.skip_missing && !gt_reduction_of_none(store->reduction) && from != GT_BOOL);
    return stays && type <= GT_F64 && gt_mask_fill(job->source, was) && cast(from, was, type, item);
}

int gt_rechunk_missing(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job, enum gt_item_layout form, enum gt_type type,
                       struct json_object *attrs, struct json_object **fill, struct gt_err *err)
{
    const struct gt_array *source = job->source;
    const bool same =
                   form == job->from.form && type == source->dtype.type && source->zarr_format == store->zarr_format && !store->reduction,
               numbers = type <= GT_F64 && source->dtype.type <= GT_F64;
    uint8_t item[8];
    int status = store->reduction ? rescale(store, job, attrs, err) : GT_OK;
    *fill = NULL;
    if (status || store->opts.npy)
        return status;
    if (same) {
        *fill = source->fill_json ? json_object_get(source->fill_json) : NULL;
        return GT_OK;
    }
    if (gt_type_is_text(type)) /* xarray has no marks of texts in Zarr 3 */
        return GT_OK;
    json_object_object_del(attrs, FILL_ATTR);
    if (store->reduction)
        json_object_object_del(attrs, "missing_value");
    if (form != GT_ITEMS_PLAIN || job->from.form != GT_ITEMS_PLAIN)
        return GT_OK;
    if (gt_type_is_time(type) && !store->reduction) {
        *fill = gt_mask_fill_json(type, source->fill);
        return *fill ? GT_OK : gt_no_memory(err);
    } else if (numbers && find_mark(store, job, type, item)) {
        *fill = gt_mask_fill_json(type, item);
        if (!*fill || (store->zarr_format == 3 && !gt_json_set(attrs, FILL_ATTR, gt_mask_attr_json(type, item))))
            return gt_no_memory(err);
    } else if (numbers && !store->reduction && store->zarr_format == 3 && source->zarr_format == 3 &&
               cast(source->dtype.type, source->fill, type, item)) {
        *fill = gt_mask_fill_json(type, item);
        return *fill ? GT_OK : gt_no_memory(err);
    }
    return GT_OK;
}

struct gt_reduction_skip gt_rechunk_skip(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job)
{
    struct gt_reduction_skip skip = {.on = store->reduction && (store->opts.skip_missing || store->skip_nan)};
    if (!store->opts.skip_missing)
        return skip;
    if (job->from.form == GT_ITEMS_PACKED) {
        skip.n = 1;
        memset(skip.item[0], 0xFF, sizeof skip.item[0]); /* -1 */
    } else if (job->source->dtype.type != GT_BOOL) {
        skip.n = gt_mask_all(job->source, skip.item);
    }
    return skip;
}

bool gt_rechunk_reduces_missing(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job)
{
    const enum gt_type type = job->source->dtype.type;
    uint8_t item[GT_MASKS][8];
    if (!store->reduction || store->opts.skip_missing)
        return false;
    if (job->from.form == GT_ITEMS_PACKED)
        return true;
    bool reduces = false;
    for (int i = type != GT_BOOL && type <= GT_F64 ? gt_mask_all(job->source, item) : 0; i > 0; i--) {
        double real = 0;
        reduces |= cast(type, item[i - 1], GT_F64, (uint8_t *)&real) && real != 0 && !isnan(real);
    }
    return reduces;
}
