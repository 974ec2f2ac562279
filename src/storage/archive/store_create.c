#include "config.h"

#include "storage/archive/store_create.h"

#include "core/base/outfile.h"
#include "core/base/str.h"
#include "storage/archive/tar_store.h"
#include "storage/archive/zip_store.h"
#include "storage/http/url.h"
#include "storage/http/url_writer.h"
#include "storage/store/dir_store.h"

bool gt_store_is_stream(const char *path)
{
    return gt_is_stdout(path) || gt_ends_with(path, ".tar");
}

bool gt_store_is_directory(const char *path)
{
    return !gt_store_is_stream(path) && !gt_ends_with(path, ".zip");
}

int gt_store_create(struct gt_store **out, const char *path, bool replace, const char *plan, struct gt_err *err)
{
    if (gt_store_is_stream(path))
        return gt_store_create_tar(out, path, err);
    if (!gt_store_is_directory(path))
        return gt_store_create_zip(out, path, err);
    return (gt_store_is_url(path) ? gt_store_create_url : gt_store_create_dir)(out, path, replace, plan, err);
}

int gt_store_check(const char *path, bool replace, struct gt_err *err)
{
    return (gt_store_is_url(path) ? gt_store_check_url : gt_store_check_dir)(path, replace, err);
}

int gt_store_join(struct gt_store **out, const char *path, int rank, struct gt_err *err)
{
    return (gt_store_is_url(path) ? gt_store_join_url : gt_store_join_dir)(out, path, rank, err);
}

int gt_store_create_resumed(struct gt_store **out, const char *path, bool replace, const char *plan, struct gt_err *err)
{
    return (gt_store_is_url(path) ? gt_store_resume_url : gt_store_resume)(out, path, replace, plan, err);
}
