#include "calc/rechunk/store_job.h"

#include <stdlib.h>
#include <string.h>

#include "arrays/zarr/open.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/engine/memory_plan.h"
#include "geno/model/packed.h"
#include "storage/archive/tar_store.h"

/* --- what there is ------------------------------------------------------------------------- */

/* Of packed genotypes how many samples there are; -1: it is something else. */
static int64_t packed_samples(const struct gt_array *array)
{
    struct json_object *packed = gt_json_get(array->attrs, GT_PACKED_ATTR);
    int64_t samples;
    bool is = gt_packed_is_ours(array) && array->ndim == 2 && array->dtype.type == GT_U8 &&
              gt_json_i64(gt_json_get(packed, "samples"), &samples) && samples >= 0 && (samples + 3) / 4 == array->shape[1];
    return is ? samples : -1;
}

/* A job, with the array that is written and its metadata as they are consolidated. */
enum { JOB_BYTES = 2 * (int)sizeof(struct gt_rechunk_job) + 2 * GT_ARRAY_BYTES };

int gt_rechunk_job_add(struct gt_rechunk_store *store, struct gt_array *array, struct gt_err *err)
{
    const int64_t samples = packed_samples(array);
    int status = gt_budget_take(&store->engine->budget, JOB_BYTES, err);
    store->counted += status ? 0 : JOB_BYTES;
    status = status ? status : gt_grow(&store->job, &store->cap_jobs, store->n_jobs + 1, sizeof *store->job, err);
    if (status) {
        gt_array_free(array);
        return status;
    }
    struct gt_rechunk_job *job = &store->job[store->n_jobs++];
    *job = (struct gt_rechunk_job){.source = array};
    gt_rechunk_end_init(&job->from, array, false, samples >= 0 ? GT_ITEMS_PACKED : GT_ITEMS_PLAIN, samples);
    return 0;
}

static int add_group(struct gt_rechunk_store *store, const char *path, struct gt_err *err)
{
    struct gt_group *group = NULL;
    struct gt_str full = {0};
    if (gt_grow(&store->groups, &store->cap_groups, store->n_groups + 1, sizeof *store->groups, err))
        return GT_FAIL;
    gt_str_addf(&full, "%s%s%s", store->group->path, *store->group->path && *path ? "/" : "", path);
    int status = gt_str_check(&full, err);
    status = status ? status : gt_group_open(&group, store->group->store, full.s, err);
    char *name = status ? NULL : gt_strdup(path, err);
    if (name)
        store->groups[store->n_groups++] = (struct gt_group_spec){name, json_object_get(group->attrs)};
    gt_group_free(group);
    gt_str_release(&full);
    return status == GT_NOENT ? 0 : status ? status : name ? 0 : GT_FAIL;
}

/* An index of chunks, which are others now, would lead nowhere. */
static bool is_index(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(slash ? slash + 1 : path, "region_index") == 0;
}

static int add_node(struct gt_rechunk_store *store, const struct gt_node *node, struct gt_err *err)
{
    struct gt_array *array;
    if (!node->is_array)
        return add_group(store, node->path, err);
    if (is_index(node->path)) {
        store->dropped_index = true;
        return 0;
    }
    int status = gt_group_array(store->group, node->path, &array, err);
    return status ? (status == GT_NOENT ? 0 : status) : gt_rechunk_job_add(store, array, err);
}

static int add_all(struct gt_rechunk_store *store, struct gt_err *err)
{
    struct gt_node *nodes = NULL;
    size_t n = 0;
    int status = gt_group_nodes(store->group, &nodes, &n, err);
    status = status ? status : gt_memory_plan_metadata(store->engine, gt_bytes_mul((int64_t)n, GT_ARRAY_BYTES + JOB_BYTES), err);
    for (size_t i = 0; i < n && !status; i++)
        status = add_node(store, &nodes[i], err);
    gt_nodes_free(nodes, n);
    return status;
}

/* Packed genotypes, and what stands in their group, have all their chunks. */
static int mark_whole(struct gt_rechunk_store *store, struct gt_err *err)
{
    bool packed = false;
    int status = 0;
    for (size_t i = 0; i < store->n_jobs; i++)
        packed = packed || store->job[i].from.form == GT_ITEMS_PACKED;
    for (size_t i = 0; packed && i < store->n_jobs && !status; i++)
        status = gt_packed_mark_complete(store->job[i].source, err);
    return status;
}

const char *gt_rechunk_in_group(const struct gt_rechunk_store *store, const char *path)
{
    const size_t skip = store->group ? strlen(store->group->path) : 0;
    return skip ? path + skip + (path[skip] == '/') : path;
}

static int64_t find_main(const struct gt_rechunk_store *store)
{
    static const char *const genotypes[] = {GT_PACKED_ARRAY, GT_CALLS_ARRAY, "calldata/GT", GT_DOSAGE_ARRAY};
    for (size_t k = 0; k < sizeof genotypes / sizeof *genotypes; k++)
        for (size_t i = 0; i < store->n_jobs; i++)
            if (strcmp(gt_rechunk_in_group(store, store->job[i].source->path), genotypes[k]) == 0)
                return (int64_t)i;
    return store->n_jobs == 1 ? 0 : -1;
}

static int read_source(struct gt_rechunk_store *store, struct gt_store *source, const char *path, struct gt_err *err)
{
    struct gt_array *array;
    int status = gt_group_open(&store->group, source, path, err);
    if (!status && gt_group_provisional(store->group)) {
        gt_group_free(store->group); /* what counts is the metadata at the stream's end */
        store->group = NULL;
        status = source->stream ? gt_tar_drain(source, err) : 0;
        status = status ? status : gt_group_open(&store->group, source, path, err);
        if (!status && gt_group_provisional(store->group))
            status = gt_fail(err, GT_INPUT, "'%s' is unfinished: it has only the provisional metadata of a stream", source->name);
    }
    if (!status)
        return add_all(store, err);
    if (status == GT_NOENT) {
        status = gt_array_open(&array, source, path, err);
        if (!status)
            status = gt_rechunk_job_add(store, array, err);
    }
    return status == GT_NOENT ? gt_zarr_fail_absent(source, path, err) : status;
}

/* --- plan ------------------------------------------------------------------------------------- */

static int need_main(const struct gt_rechunk_store *store, struct gt_err *err)
{
    const struct gt_rechunk_opts *o = &store->opts;
    const bool named = !o->slice || gt_rechunk_slice_is_named(o->slice);
    const char *what = !named                                    ? "--slice without names of axes"
                       : o->selected_by                          ? o->selected_by
                       : o->npy                                  ? "-O npy"
                       : o->reduce                               ? "--reduce"
                       : o->type >= 0                            ? "--dtype"
                       : o->layout                               ? "--layout"
                       : store->chunks.n && !store->chunks.named ? "-c without names"
                       : store->shard.n && !store->shard.named   ? "--shard without names"
                                                                 : NULL;
    if (store->main >= 0 || !what)
        return 0;
    gt_fail(err, GT_USAGE, "%s: the store has no genotypes, and it has %zu arrays", what, store->n_jobs);
    gt_hint(err, "name it with --array");
    return GT_USAGE;
}

static int name_lengths(struct gt_rechunk_store *store, struct gt_err *err)
{
    const char *names[GT_MAX_DIMS];
    if (store->main < 0)
        return 0;
    const struct gt_rechunk_job *job = &store->job[store->main];
    for (int k = 0; k < job->view.ndim; k++)
        names[k] = gt_axis_name(job->source, job->from.form == GT_ITEMS_PACKED, job->view.axis[k]);
    int status = gt_lengths_name(&store->chunks, gt_rechunk_name(job->source), job->view.ndim, names, err);
    return status ? status : gt_lengths_name(&store->shard, gt_rechunk_name(job->source), job->view.ndim, names, err);
}

static int parse_lengths(struct gt_rechunk_store *store, struct gt_err *err)
{
    int status = gt_lengths_parse(&store->chunks, "-c", store->opts.chunks, err);
    status = status ? status : gt_lengths_parse(&store->shard, "--shard", store->opts.shard, err);
    for (int i = 0; i < store->shard.n && !status; i++)
        if (store->shard.axis[i].length == GT_LENGTH_AUTO)
            status = gt_fail(err, GT_USAGE, "--shard: 'auto' is for chunks (-c)");
    if (!status && store->shard.n && store->zarr_format != 3) {
        status = gt_fail(err, GT_USAGE, "--shard: Zarr %d has no shards", store->zarr_format);
        gt_hint(err, "--zarr-format 3 has");
    }
    return status;
}

/* What --reduce and -O npy make is an array, not a store of genotypes: the others are not copied. */
static void leave_main(struct gt_rechunk_store *store)
{
    for (size_t i = 0; i < store->n_jobs; i++)
        if ((int64_t)i != store->main)
            gt_array_free(store->job[i].source);
    store->job[0] = store->job[store->main];
    store->main = 0;
    store->n_jobs = 1;
    gt_group_free(store->group);
    store->group = NULL;
}

/* Allele counts of all samples are not those of some. */
static bool is_count(const char *path)
{
    static const char *const counts[] = {"variant_AC", "variant_AN", "variant_AF"};
    bool is = false;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        is = is || strcmp(path, counts[i]) == 0;
    return is;
}

static void drop_counts(struct gt_rechunk_store *store)
{
    const struct gt_rechunk_job *main = &store->job[store->main];
    const int axis = gt_rechunk_job_axis(main, "samples", 7);
    size_t n = 0;
    if (axis < 0 || store->opts.no_update || main->view.all.count[axis] == main->from.shape[axis])
        return;
    for (size_t i = 0; i < store->n_jobs; i++) {
        if ((int64_t)i != store->main && is_count(gt_rechunk_in_group(store, store->job[i].source->path))) {
            gt_array_free(store->job[i].source);
            store->dropped_counts = true;
            continue;
        }
        if ((int64_t)i == store->main)
            store->main = (int64_t)n;
        store->job[n++] = store->job[i];
    }
    store->n_jobs = n;
}

static int make_jobs(struct gt_rechunk_store *store, struct gt_err *err)
{
    int status = 0;
    if (store->main >= 0)
        status = gt_rechunk_job_view(store, &store->job[store->main], err);
    status = status ? status : name_lengths(store, err);
    if (!status && store->main >= 0)
        drop_counts(store);
    for (size_t i = 0; i < store->n_jobs && !status; i++) {
        if ((int64_t)i != store->main)
            status = gt_rechunk_job_view(store, &store->job[i], err);
        status = status ? status : gt_rechunk_job_make(store, &store->job[i], err);
    }
    status = status ? status : gt_lengths_check(&store->chunks, err);
    return status ? status : gt_lengths_check(&store->shard, err);
}

int gt_rechunk_store_open(struct gt_rechunk_store *store, struct gt_engine *engine, struct gt_store *source, const char *path,
                          const struct gt_rechunk_opts *opts, struct gt_err *err)
{
    *store = (struct gt_rechunk_store){.engine = engine, .opts = *opts, .main = -1};
    int status = read_source(store, source, path, err);
    if (status)
        return status;
    store->main = find_main(store);
    if ((status = gt_rechunk_ome_axes(store, err)) != 0)
        return status;
    if ((status = gt_rechunk_layout_set(store, err)) != 0)
        return status;
    store->zarr_format = opts->npy           ? 2
                         : opts->zarr_format ? opts->zarr_format
                         : store->group      ? store->group->zarr_format
                                             : store->job[0].source->zarr_format;
    status = parse_lengths(store, err);
    status = status ? status : need_main(store, err);
    if (!status && (opts->reduce || opts->npy))
        leave_main(store);
    status = status ? status : gt_rechunk_index_lists_read(store, err);
    if (status)
        return status;
    store->memory = engine->budget.limit - atomic_load(&engine->budget.used);
    status = mark_whole(store, err);
    return status ? status : make_jobs(store, err);
}

void gt_rechunk_store_release(struct gt_rechunk_store *store)
{
    for (size_t i = 0; i < store->n_jobs; i++) {
        gt_array_free(store->job[i].source);
        gt_array_free(store->job[i].array);
    }
    for (size_t i = 0; i < store->n_groups; i++) {
        free((char *)store->groups[i].path);
        json_object_put(store->groups[i].attrs);
    }
    gt_rechunk_index_lists_release(store);
    gt_strs_release(&store->notes);
    if (store->counted)
        gt_budget_give(&store->engine->budget, (size_t)store->counted);
    free(store->job);
    free(store->groups);
    gt_group_free(store->group);
    gt_store_free(store->marks);
    gt_lengths_release(&store->chunks);
    gt_lengths_release(&store->shard);
    *store = (struct gt_rechunk_store){0};
}

/* --- run ----------------------------------------------------------------------------------------- */

static int put_group(struct gt_rechunk_store *store, struct gt_store *to, struct gt_err *err)
{
    struct gt_array **arrays = gt_alloc(store->n_jobs + 1, sizeof *arrays, err);
    int status = arrays ? 0 : GT_FAIL;
    for (size_t i = 0; i < store->n_jobs && !status; i++)
        arrays[i] = store->job[i].array;
    for (size_t i = 0; i < store->n_groups && !status; i++)
        if (!*store->groups[i].path)
            status = gt_attrs_add_history(store->groups[i].attrs, store->opts.history, err);
    status = status ? status : gt_group_put_all(to, store->zarr_format, store->groups, store->n_groups, arrays, store->n_jobs, err);
    free(arrays);
    return status;
}

static int put_meta(struct gt_rechunk_store *store, struct gt_store *to, struct gt_err *err)
{
    return store->group ? put_group(store, to, err) : gt_array_put_meta(store->job[0].array, err);
}

static int run_job(struct gt_rechunk_store *store, struct gt_rechunk_job *job, struct gt_err *err)
{
    struct gt_rechunk *rechunk;
    int status = gt_rechunk_job_open(&rechunk, store, job, err);
    if (status || !rechunk)
        return status;
    status = gt_rechunk_run(rechunk, err);
    const struct gt_rechunk_done done = gt_rechunk_done(rechunk);
    store->bytes_read += done.read;
    store->bytes_written += done.written;
    store->chunks_kept += done.chunks_kept;
    store->bytes_kept += done.bytes_kept;
    gt_rechunk_free(rechunk);
    return status;
}

static int add_ranks(struct gt_rechunk_store *store, struct gt_err *err)
{
    int64_t sums[] = {store->bytes_read, store->bytes_written, store->chunks_kept, store->bytes_kept};
    int status = gt_comm_allreduce_i64(&store->engine->comm, sums, sizeof sums / sizeof *sums, err);
    store->bytes_read = sums[0];
    store->bytes_written = sums[1];
    store->chunks_kept = sums[2];
    store->bytes_kept = sums[3];
    return status;
}

/* The main array is the last: in a stream what is small comes before it. */
int gt_rechunk_store_run(struct gt_rechunk_store *store, struct gt_store *to, bool stream, struct gt_err *err)
{
    struct gt_store *source = store->n_jobs ? store->job[0].source->store : store->group->store;
    int status = 0;
    for (size_t i = 0; i < store->n_jobs; i++)
        store->job[i].array->store = to;
    if (stream)
        status = put_meta(store, to, err);
    for (size_t i = 0; i < store->n_jobs && !status; i++)
        if ((int64_t)i != store->main)
            status = run_job(store, &store->job[i], err);
    if (!status && store->main >= 0)
        status = run_job(store, &store->job[store->main], err);
    if (!status && source->stream)
        status = gt_tar_drain(source, err);
    status = status ? status : add_ranks(store, err);
    return status || stream || store->engine->comm.rank > 0 ? status : put_meta(store, to, err);
}
