#include "config.h"

#include "geno/model/geno_arrays.h"

#include <stdlib.h>
#include <string.h>

#include "arrays/zarr/group.h"
#include "core/base/mem.h"
#include "geno/model/packed.h"

int gt_array_samples_axis(const struct gt_array *array)
{
    for (int i = 0; i < array->ndim; i++)
        if (array->dim_names[i] && strcmp(array->dim_names[i], "samples") == 0)
            return i;
    return -1;
}

bool gt_array_is_turned(const struct gt_array *array)
{
    return array->ndim >= 2 && gt_array_samples_axis(array) == 0;
}

static bool is_small(const struct gt_array *array)
{
    return array->dtype.type == GT_I8 || array->dtype.type == GT_U8;
}

bool gt_array_is_genotypes_by_name(const struct gt_array *array)
{
    const char *slash = strrchr(array->path, '/'), *name = slash ? slash + 1 : array->path;
    if (gt_packed_is_ours(array) || strcmp(name, GT_PACKED_ARRAY) == 0)
        return true;
    return !gt_array_is_turned(array) &&
           (strcmp(name, "call_genotype") == 0 || strcmp(name, "GT") == 0 || (is_small(array) && strcmp(name, GT_DOSAGE_ARRAY) == 0));
}

bool gt_array_has_genotypes(const struct gt_array *array)
{
    if (gt_array_is_genotypes_by_name(array))
        return true;
    return is_small(array) && (array->ndim == 2 || array->ndim == 3) && gt_array_samples_axis(array) == 1;
}

static int ids_of_group(struct gt_store *store, const char *path, struct gt_budget *budget, struct gt_strs *ids, struct gt_err *err)
{
    static const char *const names[] = {"sample_id", "samples"};
    struct gt_group *group = NULL;
    struct gt_array *array = NULL;
    int status = gt_group_open(&group, store, path, err);
    for (int i = 0; !status && !array && i < 2; i++) {
        status = gt_group_array(group, names[i], &array, err);
        status = status == GT_NOENT && i == 0 ? 0 : status;
    }
    if (!status)
        status = gt_array_read_strings(array, budget, ids, err);
    gt_array_free(array);
    gt_group_free(group);
    return status;
}

int gt_array_sample_ids(const struct gt_array *array, struct gt_budget *budget, struct gt_strs *ids, struct gt_err *err)
{
    char *path = gt_strdup(array->path, err);
    int status = path ? GT_NOENT : GT_FAIL;
    while (status == GT_NOENT && *path) {
        char *slash = strrchr(path, '/');
        *(slash ? slash : path) = '\0';
        status = ids_of_group(array->store, path, budget, ids, err);
    }
    free(path);
    return status;
}
