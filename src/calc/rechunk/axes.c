#include "calc/rechunk/axes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"

/* --- names ------------------------------------------------------------------------------- */

/* Arrays of a layout, by the end of their path: names that start with `begin`, in a group named `group` unless that is NULL; the first
 * axes have these names. */
static const struct {
    const char *group, *begin;
    const char *axis[3];
} layouts[] = {
    {"calldata", "", {"variants", "samples", "ploidy"}},
    {"variants", "", {"variants"}},
    {NULL, "call_genotype", {"variants", "samples", "ploidy"}},
    {NULL, "call_", {"variants", "samples"}},
    {NULL, "variant_", {"variants"}},
    {NULL, "sample_", {"samples"}},
};

static bool in_group(const char *path, const char *name, const char *group)
{
    const size_t n = strlen(group);
    return (size_t)(name - path) > n && name[-1] == '/' && strncmp(name - 1 - n, group, n) == 0 &&
           (name - 1 - n == path || name[-2 - (ptrdiff_t)n] == '/');
}

static const char *name_by_path(const char *path, int axis)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; axis < 3 && i < sizeof layouts / sizeof *layouts; i++)
        if (strncmp(name, layouts[i].begin, strlen(layouts[i].begin)) == 0 && (!layouts[i].group || in_group(path, name, layouts[i].group)))
            return layouts[i].axis[axis];
    return axis == 0 && strcmp(name, "samples") == 0 ? "samples" : NULL;
}

const char *gt_axis_name(const struct gt_array *array, bool packed, int axis)
{
    static const char *const genotypes[] = {"variants", "samples"};
    if (packed)
        return genotypes[axis];
    return array->dim_names[axis] ? array->dim_names[axis] : name_by_path(array->path, axis);
}

/* --- lengths ------------------------------------------------------------------------------- */

/* False: the n bytes are no length. */
static bool parse_length(const char *text, size_t n, int64_t *length)
{
    char number[32] = "";
    if (n < sizeof number)
        memcpy(number, text, n);
    if (strcmp(number, "-1") == 0)
        *length = -1;
    else if (strcmp(number, "auto") == 0)
        *length = GT_LENGTH_AUTO;
    else
        return !gt_parse_count(number, length, NULL) && *length >= 1;
    return true;
}

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static int check_new(const struct gt_lengths *lengths, const struct gt_length *length, struct gt_err *err)
{
    for (const struct gt_length *other = lengths->axis; other < length; other++)
        if (length->name && is_same(other->name, length->name) && is_same(other->array, length->array))
            return gt_fail(err, GT_USAGE, "%s: '%s' was given twice", lengths->option, length->name);
    return 0;
}

/* An item of n bytes; what stands before its colon is an array. */
static int add_length(struct gt_lengths *lengths, const char *text, size_t n, struct gt_err *err)
{
    const char *equals = memchr(text, '=', n), *colon = memchr(text, ':', equals ? (size_t)(equals - text) : n);
    struct gt_length *length = &lengths->axis[lengths->n];
    const char *name = colon ? colon + 1 : text, *from = equals ? equals + 1 : name;
    const char *array = colon || lengths->n == 0 ? NULL : length[-1].array;
    if (lengths->n > 0 && lengths->named != (equals != NULL))
        return gt_fail(err, GT_USAGE, "%s: name all lengths or none", lengths->option);
    if (colon && !equals)
        return gt_fail(err, GT_USAGE, "%s: '%.*s' is not ARRAY:AXIS=LENGTH", lengths->option, (int)n, text);
    lengths->n++;
    lengths->named = equals != NULL;
    if (equals && !(length->name = gt_strndup(name, (size_t)(equals - name), err)))
        return GT_FAIL;
    if ((colon || array) && !(length->array = colon ? gt_strndup(text, (size_t)(colon - text), err) : gt_strdup(array, err)))
        return GT_FAIL;
    if (!parse_length(from, n - (size_t)(from - text), &length->length))
        return gt_fail(err, GT_USAGE, "%s: '%.*s' is not a length", lengths->option, (int)n, text);
    return check_new(lengths, length, err);
}

int gt_lengths_parse(struct gt_lengths *lengths, const char *option, const char *text, struct gt_err *err)
{
    int status = 0;
    *lengths = (struct gt_lengths){.option = option, .all_auto = text && strcmp(text, "auto") == 0};
    if (lengths->all_auto)
        return 0;
    for (const char *p = text; p && !status; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        status = lengths->n < GT_MAX_LENGTHS ? add_length(lengths, p, strcspn(p, ","), err)
                                             : gt_fail(err, GT_USAGE, "%s: too many lengths", option);
    return status;
}

int gt_lengths_name(struct gt_lengths *lengths, const char *array, int ndim, const char *const *names, struct gt_err *err)
{
    if (lengths->named || lengths->n == 0)
        return 0;
    if (lengths->n != ndim)
        return gt_fail(err, GT_USAGE, "%s has %d lengths, but '%s' has %d axes", lengths->option, lengths->n, array, ndim);
    for (int i = 0; i < ndim; i++)
        if (names[i] && !(lengths->axis[i].name = gt_strdup(names[i], err)))
            return GT_FAIL;
    return 0;
}

int64_t gt_lengths_find(struct gt_lengths *lengths, const char *path, const char *name, int position)
{
    struct gt_length *found = NULL;
    if (lengths->all_auto)
        return GT_LENGTH_AUTO;
    if (!lengths->named && position >= 0 && position < lengths->n) /* two axes may have one name */
        found = &lengths->axis[position];
    for (int i = 0; i < lengths->n && name && (!found || lengths->named); i++) {
        struct gt_length *length = &lengths->axis[i];
        if (is_same(length->name, name) && (length->array ? strcmp(length->array, path) == 0 : !found))
            found = length; /* that of the array rather than that of all */
    }
    if (!found)
        return 0;
    found->used = true;
    return found->length;
}

void gt_lengths_fill(int ndim, const int64_t *shape, double item, int64_t bytes, int64_t *chunk)
{
    double room = (double)bytes / item;
    int left = 0;
    for (int k = 0; k < ndim; k++) {
        left += chunk[k] == GT_LENGTH_AUTO;
        room /= chunk[k] == GT_LENGTH_AUTO ? 1 : (double)chunk[k];
    }
    for (bool any = true; any && left;) {
        const double side = pow(fmax(room, 1), 1.0 / left) * (1 + 1e-12);
        any = false;
        for (int k = 0; k < ndim; k++)
            if (chunk[k] == GT_LENGTH_AUTO && (double)shape[k] <= side) {
                chunk[k] = gt_max_i64(shape[k], 1);
                room /= (double)chunk[k];
                left--;
                any = true;
            }
    }
    for (int k = 0; k < ndim; k++)
        if (chunk[k] == GT_LENGTH_AUTO) {
            chunk[k] = gt_max_i64((int64_t)(pow(fmax(room, 1), 1.0 / left) * (1 + 1e-12)), 1);
            room /= (double)chunk[k];
            left--;
        }
}

int gt_lengths_check(const struct gt_lengths *lengths, struct gt_err *err)
{
    for (int i = 0; i < lengths->n; i++)
        if (!lengths->axis[i].used && lengths->axis[i].array)
            return gt_fail(err, GT_USAGE, "%s: no array '%s' has an axis '%s'", lengths->option, lengths->axis[i].array,
                           lengths->axis[i].name);
        else if (!lengths->axis[i].used)
            return gt_fail(err, GT_USAGE, "%s: no array has an axis '%s'", lengths->option, lengths->axis[i].name);
    return 0;
}

void gt_lengths_release(struct gt_lengths *lengths)
{
    for (int i = 0; i < lengths->n; i++)
        free(lengths->axis[i].name);
    for (int i = 0; i < lengths->n; i++)
        free(lengths->axis[i].array);
    *lengths = (struct gt_lengths){0};
}
