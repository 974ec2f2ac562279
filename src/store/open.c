#include "config.h"

#include "store/open.h"

#include "base/outfile.h"
#include "base/str.h"

bool gt_store_is_stream(const char *path)
{
    return gt_is_stdout(path) || gt_ends_with(path, ".tar");
}

/* A name that says it is a file of another kind is a slip: a store there would be a directory. */
static int check_name(const char *path, struct gt_err *err)
{
    static const char *const others[] = {".vcf", ".gz", ".bgz", ".bcf", ".bed", ".npy", ".tsv", ".txt"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (gt_ends_with(path, others[i])) {
            gt_fail(err, GT_USAGE, "'%s' does not name a store", path);
            gt_hint(err, "a name ending in .zip or .tar makes one file, any other a directory, such as x.zarr");
            return GT_USAGE;
        }
    return GT_OK;
}

int gt_store_create(struct gt_store **out, const char *path, bool replace, const char *plan, struct gt_err *err)
{
    if (gt_store_is_stream(path))
        return gt_store_create_tar(out, path, err);
    if (gt_ends_with(path, ".zip"))
        return gt_store_create_zip(out, path, err);
    int status = check_name(path, err);
    return status ? status : gt_store_create_dir(out, path, replace, plan, err);
}
