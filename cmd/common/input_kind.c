#include "cmd/common/input_kind.h"

#include <string.h>

#include "arrays/zarr/open.h"
#include "geno/model/geno_arrays.h"

static int look_at_array(struct plain *plain, struct gt_engine *engine, const struct gt_array *array, struct gt_err *err)
{
    plain->is = !gt_array_has_genotypes(array);
    plain->samples_axis = gt_array_samples_axis(array);
    if (!plain->is || plain->samples_axis < 0)
        return GT_OK;
    int status = gt_array_sample_ids(array, &engine->budget, &plain->ids, err);
    if (status || (int64_t)plain->ids.n != array->shape[plain->samples_axis])
        gt_strs_clear(&plain->ids);
    return status == GT_NOENT ? GT_OK : status;
}

/* A group is looked through by the reader of genotypes. */
static int look_into_store(struct plain *plain, struct gt_engine *engine, const char *path, const char *at, struct gt_err *err)
{
    struct gt_input input = {0};
    struct gt_store *store = NULL;
    struct gt_array *array = NULL;
    struct gt_str inner = {0};
    int status = gt_input_open(&input, path, err);
    if (!status)
        status = gt_zarr_path(&inner, &input, at, err);
    if (!status)
        status = gt_zarr_open_store(&store, engine, &input, true, err);
    if (!status)
        status = gt_array_open(&array, store, inner.s, err);
    if (!status)
        status = look_at_array(plain, engine, array, err);
    gt_array_free(array);
    gt_store_free(store);
    gt_str_release(&inner);
    gt_input_release(&input);
    return status == GT_NOENT ? GT_OK : status;
}

int plain_look(struct plain *plain, struct gt_engine *engine, const struct gt_input *input, const char *path, const char *array,
               struct gt_err *err)
{
    bool again = input->seekable && strcmp(input->path, "-") != 0; /* it can be opened once more */
    bool store = input->kind == GT_KIND_ZARR_DIR || input->kind == GT_KIND_ZIP || (input->kind == GT_KIND_TAR && again);
    plain->is = input->kind == GT_KIND_NPY;
    plain->samples_axis = -1;
    return store ? look_into_store(plain, engine, path, array, err) : GT_OK;
}

int plain_check_axes(const struct gt_matrix_info *info, struct gt_err *err)
{
    if (info->ndim == 2)
        return GT_OK;
    gt_fail(err, GT_USAGE, "'%s' has %d ax%s; a matrix with rows and columns is needed", info->name, info->ndim,
            info->ndim == 1 ? "is" : "es");
    if (info->ndim > 2)
        gt_hint(err, "an index in --slice removes an axis: --slice ':,:,0'");
    return GT_USAGE;
}
