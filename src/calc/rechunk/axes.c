#include "calc/rechunk/axes.h"

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

static int add_length(struct gt_lengths *lengths, const char *text, size_t n, struct gt_err *err)
{
    const char *equals = memchr(text, '=', n);
    struct gt_length *length = &lengths->axis[lengths->n];
    char number[32] = "";
    const char *from = equals ? equals + 1 : text;
    const size_t digits = n - (size_t)(from - text);
    if (lengths->n > 0 && lengths->named != (equals != NULL))
        return gt_fail(err, GT_USAGE, "%s: name all lengths or none", lengths->option);
    if (digits < sizeof number)
        memcpy(number, from, digits);
    if (strcmp(number, "-1") == 0)
        length->length = -1;
    else if (gt_parse_count(number, &length->length, NULL) || length->length < 1)
        return gt_fail(err, GT_USAGE, "%s: '%.*s' is not a length", lengths->option, (int)n, text);
    lengths->named = equals != NULL;
    if (equals && !(length->name = gt_strndup(text, (size_t)(equals - text), err)))
        return GT_FAIL;
    for (int i = 0; equals && i < lengths->n; i++)
        if (strcmp(lengths->axis[i].name, length->name) == 0) {
            lengths->n++;
            return gt_fail(err, GT_USAGE, "%s: '%s' was given twice", lengths->option, length->name);
        }
    lengths->n++;
    return 0;
}

int gt_lengths_parse(struct gt_lengths *lengths, const char *option, const char *text, struct gt_err *err)
{
    int status = 0;
    *lengths = (struct gt_lengths){.option = option};
    for (const char *p = text; p && !status; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        status = lengths->n < GT_MAX_DIMS ? add_length(lengths, p, strcspn(p, ","), err)
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

int64_t gt_lengths_find(struct gt_lengths *lengths, const char *name, int position)
{
    const bool placed = !lengths->named && position >= 0 && position < lengths->n; /* two axes may have one name */
    int i = placed ? position : 0;
    while (!placed && i < lengths->n && !(name && lengths->axis[i].name && strcmp(lengths->axis[i].name, name) == 0))
        i++;
    if (i == lengths->n)
        return 0;
    lengths->axis[i].used = true;
    return lengths->axis[i].length;
}

int gt_lengths_check(const struct gt_lengths *lengths, struct gt_err *err)
{
    for (int i = 0; i < lengths->n; i++)
        if (!lengths->axis[i].used)
            return gt_fail(err, GT_USAGE, "%s: no array has an axis '%s'", lengths->option, lengths->axis[i].name);
    return 0;
}

void gt_lengths_release(struct gt_lengths *lengths)
{
    for (int i = 0; i < lengths->n; i++)
        free(lengths->axis[i].name);
    *lengths = (struct gt_lengths){0};
}
