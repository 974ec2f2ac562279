/* --layout: calls as dosages and dosages as calls, and the arrays that stand next to calls. */
#include <string.h>

#include "calc/rechunk/store_job.h"
#include "geno/model/geno_arrays.h"
#include "geno/model/packed.h"
#include "geno/vcz_read/zarr_ploidy.h"

static bool is_called(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job, const char *name)
{
    const char *path = gt_rechunk_in_group(store, job->source->path), *slash = strrchr(path, '/');
    return strcmp(slash ? slash + 1 : path, name) == 0;
}

/* The arrays of these names are not copied. */
static void drop(struct gt_rechunk_store *store, const char *name, const char *other)
{
    size_t n = 0;
    int64_t main = store->main;
    for (size_t i = 0; i < store->n_jobs; i++) {
        if ((int64_t)i == store->main)
            main = (int64_t)n;
        else if (is_called(store, &store->job[i], name) || is_called(store, &store->job[i], other)) {
            gt_array_free(store->job[i].source);
            continue;
        }
        store->job[n++] = store->job[i];
    }
    store->n_jobs = n;
    store->main = main;
}

/* Calls of two alleles count as dosages from now on. */
static int read_calls(struct gt_rechunk_store *store, struct gt_rechunk_job *job, struct gt_err *err)
{
    const struct gt_array *array = job->source;
    if (array->dtype.type != GT_I8 || array->shape[2] > 2)
        return gt_fail(err, GT_USAGE, "--layout: '%s' has no calls of one or two alleles in int8", gt_rechunk_name(array));
    if (array->unit[2] != array->shape[2]) {
        gt_fail(err, GT_USAGE, "--layout: the alleles of a call in '%s' are in different chunks", gt_rechunk_name(array));
        gt_hint(err, "join them with gt-rechunk -c ploidy=2");
        return GT_USAGE;
    }
    if (store->group && store->opts.layout == GT_LAYOUT_PACKED && !store->opts.reduce) {
        gt_fail(err, GT_USAGE, "--layout packed: a packed store needs arrays that a store of calls does not have");
        gt_hint(err, "use gt-pack, or --array %s for the genotypes alone", array->path);
        return GT_USAGE;
    }
    gt_rechunk_end_init(&job->from, job->source, false, GT_ITEMS_CALLS, 0);
    drop(store, GT_CALLS_MASK_ARRAY, GT_PHASED_ARRAY); /* dosages have neither phase nor alleles */
    return gt_calls_ploidy(job->source, job->source->store, store->group ? store->group->path : NULL, &store->engine->budget,
                           &job->from.ploidy, err);
}

/* The genotypes once more, for an array that stands next to calls. */
static int add_sidecar(struct gt_rechunk_store *store, enum gt_item_layout form, const char *name, struct gt_err *err)
{
    const struct gt_rechunk_job *main = &store->job[store->main];
    struct gt_array *array = NULL;
    for (size_t i = 0; i < store->n_jobs; i++)
        if (is_called(store, &store->job[i], name))
            return 0;
    int status = gt_array_open(&array, main->source->store, main->source->path, err);
    status = status ? status : gt_rechunk_job_add(store, array, err);
    if (!status)
        store->job[store->n_jobs - 1].beside = form;
    return status;
}

int gt_rechunk_layout_set(struct gt_rechunk_store *store, struct gt_err *err)
{
    struct gt_rechunk_job *job = store->main >= 0 ? &store->job[store->main] : NULL;
    if (!job || store->opts.layout == GT_LAYOUT_AS_IS)
        return 0;
    const bool calls = job->from.ndim == 3 && gt_array_has_genotypes(job->source);
    if (calls)
        return store->opts.layout == GT_LAYOUT_CALLS ? 0 : read_calls(store, job, err);
    if (store->opts.layout == GT_LAYOUT_CALLS && job->from.ndim > 2)
        return gt_fail(err, GT_USAGE, "--layout calls: '%s' has %d axes, and neither dosages nor calls", gt_rechunk_name(job->source),
                       job->from.ndim);
    if (store->opts.layout == GT_LAYOUT_PLAIN || !store->group || store->opts.reduce)
        return 0;
    if (store->opts.layout == GT_LAYOUT_PACKED)
        return store->opts.npy ? 0 : gt_rechunk_mark_multiallelic(store, err);
    int status = gt_rechunk_check_biallelic(store, err);
    if (status || job->source->store->stream)
        return status;
    if (gt_rechunk_has_mark(store)) /* false everywhere */
        drop(store, GT_MULTIALLELIC_ARRAY, GT_MULTIALLELIC_ARRAY);
    status = status ? status : add_sidecar(store, GT_ITEMS_CALLS_MASK, GT_CALLS_MASK_ARRAY, err);
    return status ? status : add_sidecar(store, GT_ITEMS_PHASED, GT_PHASED_ARRAY, err);
}
