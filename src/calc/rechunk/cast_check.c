/* Numbers of one type into numbers of another, and which of them did not fit. */
#include <inttypes.h>
#include <stdio.h>

#include "calc/rechunk/rechunk_internal.h"
#include "kernels/kernels.h"

enum { NUMBER_TEXT = 32 };

static void print_number(enum gt_type type, const uint8_t *number, char text[NUMBER_TEXT])
{
    int64_t whole;
    double real;
    if (type >= GT_F16) {
        gt_kernels()->cast((enum gt_number)type, number, GT_NUMBER_F64, &real, 1);
        snprintf(text, NUMBER_TEXT, "%.9g", real);
        return;
    }
    gt_kernels()->cast((enum gt_number)type, number, GT_NUMBER_I64, &whole, 1);
    if (type == GT_U64)
        snprintf(text, NUMBER_TEXT, "%" PRIu64, (uint64_t)whole);
    else
        snprintf(text, NUMBER_TEXT, "%" PRId64, whole);
}

/* Item `at` of the output, by its index in the source. */
static int does_not_fit(const struct gt_rechunk *r, const int64_t *at, const char *number, enum gt_type type, struct gt_err *err)
{
    const struct gt_dtype dtype = gt_dtype_of(type);
    int64_t index[GT_MAX_DIMS];
    bool reduced[GT_MAX_DIMS] = {0};
    char text[256] = "", name[GT_DTYPE_NAME];
    size_t len = 0;
    for (int k = 0; k < r->request.ndim; k++) {
        reduced[r->axis[k]] = r->reduction && r->request.axis[k].reduced;
        index[r->axis[k]] = gt_partition_position(&r->request.axis[k], at[k]);
    }
    for (int i = 0; i < r->from.ndim && len < sizeof text; i++)
        len += (size_t)(reduced[i] ? snprintf(text + len, sizeof text - len, "%s:", i ? ", " : "")
                                   : snprintf(text + len, sizeof text - len, "%s%" PRId64, i ? ", " : "", index[i]));
    int status = gt_fail(err, GT_INPUT, "'%s': %s at [%s] does not fit in %s", gt_rechunk_name(r->from.array), number, text,
                         gt_dtype_name_v3(&dtype, name));
    gt_hint(err, "--cast unsafe wraps and rounds such values");
    return status;
}

/* The first item of the box that does not fit, if there is one: others were not looked for. */
static int find(const struct gt_rechunk *r, const struct gt_rechunk_numbers *numbers, enum gt_type type, struct gt_err *err)
{
    const size_t size = gt_dtype_of(numbers->type).size;
    int64_t extent[GT_MAX_DIMS], at[GT_MAX_DIMS] = {0}, index[GT_MAX_DIMS];
    const int ndim = numbers->items->ndim;
    char text[NUMBER_TEXT];
    uint8_t made[8];
    for (int k = 0; k < ndim; k++)
        extent[k] = numbers->items->to[k] - numbers->items->from[k];
    do {
        int64_t place;
        for (int k = 0; k < ndim; k++)
            index[k] = numbers->items->from[k] + at[k];
        if (!gt_rechunk_at(&numbers->place, ndim, index, &place))
            continue;
        const uint8_t *number = numbers->data + (size_t)place * size;
        if (!gt_kernels()->cast((enum gt_number)numbers->type, number, (enum gt_number)type, made, 1)) {
            print_number(numbers->type, number, text);
            return does_not_fit(r, index, text, type, err);
        }
    } while (gt_nd_next(ndim, extent, at));
    return 0;
}

int gt_rechunk_cast(const struct gt_rechunk *r, const struct gt_rechunk_numbers *numbers, enum gt_type type, struct gt_buf *out,
                    struct gt_err *err)
{
    int status = gt_buf_resize(out, (size_t)numbers->n * gt_dtype_of(type).size, err);
    if (status)
        return status;
    bool fit = gt_kernels()->cast((enum gt_number)numbers->type, numbers->data, (enum gt_number)type, out->data, numbers->n);
    return fit || r->wrap || gt_box_items(numbers->items) == 0 ? 0 : find(r, numbers, type, err);
}
