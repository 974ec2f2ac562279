/* --sites: positions and alleles that stand in another store than the calls, as MalariaGEN keeps them. */
#include <stdlib.h>
#include <string.h>

#include "arrays/zarr/open.h"
#include "core/base/mem.h"
#include "geno/vcz_read/zarr_reader.h"

struct gt_store *zr_sites_store(const struct zarr_reader *r)
{
    return r->sites ? r->sites : r->store;
}

const char *zr_sites_path(const struct zarr_reader *r)
{
    return r->sites ? r->sites_path : r->group_path;
}

static bool has_positions(struct gt_group *group, struct gt_err *err, int *status)
{
    static const char *const names[] = {"variant_position", "variants/POS", NULL};
    struct gt_array *array = NULL;
    *status = GT_NOENT;
    for (int i = 0; names[i] && *status == GT_NOENT; i++)
        *status = gt_group_array(group, names[i], &array, err);
    gt_array_free(array);
    return *status == GT_OK;
}

/* GT_NOENT unless there are positions at INNER/BELOW. */
static int try_group(struct zarr_reader *r, const char *inner, const char *below, struct gt_err *err)
{
    struct gt_group *group = NULL;
    struct gt_str path = {0};
    gt_str_addf(&path, "%s%s%s", inner, *inner && *below ? "/" : "", below);
    int status = gt_str_check(&path, err);
    if (!status)
        status = gt_group_open(&group, r->sites, path.s, err);
    if (!status && has_positions(group, err, &status)) {
        r->sites_path = path.s;
        path = (struct gt_str){0};
    }
    gt_group_free(group);
    gt_str_release(&path);
    return status;
}

static int find_group(struct zarr_reader *r, const char *inner, const char *name, struct gt_err *err)
{
    const char *own = r->group_path ? r->group_path : "";
    int status = try_group(r, inner, own, err);
    if (status == GT_NOENT && *own)
        status = try_group(r, inner, "", err);
    if (status != GT_NOENT)
        return status;
    gt_fail(err, GT_INPUT, "--sites: '%s' has no positions for '%s': there is no variant_position or variants/POS in it%s%s%s", name,
            r->base.info.name, *own ? ", or in its group '" : "", own, *own ? "'" : "");
    gt_hint(err, "list its arrays with gt-info %s", name);
    return GT_INPUT;
}

static int check_calls(const struct zarr_reader *r, struct gt_err *err)
{
    if (r->store->stream)
        return gt_fail(err, GT_USAGE, "--sites needs calls in a store on disk or at a URL; '%s' is a stream", r->base.info.name);
    if (r->whole || r->layout == ZR_SITES)
        return gt_fail(err, GT_USAGE, "--sites needs a store of calls alone; '%s' has its own sites", r->base.info.name);
    return GT_OK;
}

/* --array may name calls next to which there are positions. */
static int say_override(struct zarr_reader *r, const char *path, struct gt_err *err)
{
    struct gt_group *group = NULL;
    int status = gt_group_open(&group, r->store, r->group_path ? r->group_path : "", err);
    if (!status && has_positions(group, err, &status))
        status = gt_strs_addf(&r->base.warnings, err, "'%s' has its own sites beside '%s'; those of --sites '%s' are used",
                              r->base.info.name, r->geno->path, path);
    gt_group_free(group);
    return status == GT_NOENT ? GT_OK : status;
}

int zr_open_sites_store(struct zarr_reader *r, const char *path, struct gt_err *err)
{
    struct gt_str inner = {0};
    int status = check_calls(r, err);
    if (!status)
        status = gt_zarr_open_second(&r->sites, &inner, r->base.engine, "--sites", path, err);
    if (!status)
        status = find_group(r, inner.s ? inner.s : "", path, err);
    if (!status)
        status = say_override(r, path, err);
    gt_str_release(&inner);
    return status;
}
