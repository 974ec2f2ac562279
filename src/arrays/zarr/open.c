#include "arrays/zarr/open.h"

#include "core/base/str.h"
#include "storage/archive/tar_store.h"
#include "storage/archive/zip_store.h"
#include "storage/http/url.h"
#include "storage/input/input.h"
#include "storage/store/dir_store.h"

int gt_zarr_open_store(struct gt_store **out, struct gt_engine *engine, struct gt_input *input, bool again, struct gt_err *err)
{
    int status;

    if (input->kind == GT_KIND_TAR)
        status = gt_store_open_tar(out, input, engine, again ? GT_KEEP_ALL : GT_KEEP_ONCE, err);
    else if (input->kind == GT_KIND_ZIP)
        status = gt_store_open_zip(out, input->path, &engine->budget, err);
    else if (gt_store_is_url(input->path))
        status = gt_store_open_url(out, input->path, err);
    else
        status = gt_store_open_dir(out, input->path, err);
    if (!status) {
        (*out)->budget = &engine->budget;
        (*out)->all_chunks = engine->all_chunks;
        if (input->kind != GT_KIND_TAR)
            gt_input_release(input);
    }
    return status;
}

int gt_zarr_path(struct gt_str *path, const struct gt_input *input, const char *array, struct gt_err *err)
{
    const char *parts[2] = {input->inner, array};

    gt_str_add(path, "");
    for (int i = 0; i < 2; i++) {
        const char *part = parts[i] ? parts[i] : "";
        while (*part == '/')
            part++;
        gt_str_addf(path, "%s%s", path->len && *part ? "/" : "", part);
        while (path->len && path->s[path->len - 1] == '/')
            path->s[--path->len] = 0;
    }
    return gt_str_check(path, err);
}

int gt_zarr_open_second(struct gt_store **out, struct gt_str *inner, struct gt_engine *engine, const char *option, const char *name,
                        struct gt_err *err)
{
    struct gt_input input = {0};
    int status = gt_input_open(&input, name, err);
    if (!status && input.kind != GT_KIND_ZARR_DIR && input.kind != GT_KIND_ZIP)
        status = gt_fail(err, GT_INPUT, "%s needs a store; '%s' is %s", option, input.name, gt_input_kind_name(input.kind));
    if (!status)
        status = gt_zarr_path(inner, &input, NULL, err);
    if (!status)
        status = gt_zarr_open_store(out, engine, &input, false, err);
    gt_input_release(&input);
    return status;
}

int gt_zarr_fail_absent(const struct gt_store *store, const char *path, struct gt_err *err)
{
    if (*path)
        return gt_fail(err, GT_INPUT, "'%s': there is no Zarr array or group '%s'", store->name, path);
    return gt_fail(err, GT_INPUT, "'%s' is a %s but holds no Zarr store", store->name, store->ops->kind);
}
