/* One array of a store: what it becomes. */
#include <stdlib.h>
#include <string.h>

#include "arrays/zarr/shard_length.h"
#include "calc/rechunk/missing.h"
#include "calc/rechunk/store_job.h"
#include "core/base/budget.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "geno/model/packed.h"
#include "geno/model/ploidy.h"
#include "storage/codec/shard.h"

/* --- form, type and name ---------------------------------------------------------------------- */

static enum gt_item_layout form_of(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job)
{
    const struct gt_matrix_view *view = &job->view;
    if (job->beside)
        return job->beside;
    if (gt_rechunk_is_main(store, job) && store->opts.layout != GT_LAYOUT_AS_IS)
        return store->opts.layout == GT_LAYOUT_PACKED                        ? GT_ITEMS_PACKED
               : store->opts.layout == GT_LAYOUT_CALLS && job->from.ndim < 3 ? GT_ITEMS_CALLS
                                                                             : GT_ITEMS_PLAIN;
    bool in_order = view->ndim == 2 && view->axis[0] == 0 && view->axis[1] == 1;
    bool stays = in_order && (!gt_rechunk_is_main(store, job) || store->opts.type < 0);
    return job->from.form == GT_ITEMS_PACKED && stays ? GT_ITEMS_PACKED : GT_ITEMS_PLAIN;
}

static int check_form(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job, enum gt_item_layout form, struct gt_err *err)
{
    if (form == GT_ITEMS_PLAIN)
        return 0;
    const bool packed = form == GT_ITEMS_PACKED;
    if (job->view.ndim != 2)
        return gt_fail(err, GT_USAGE, "--layout %s: '%s' would have %d axes; %s need variants and samples", packed ? "packed" : "calls",
                       gt_rechunk_name(job->source), job->view.ndim, packed ? "packed genotypes" : "dosages");
    if (gt_rechunk_is_main(store, job) && store->opts.type >= 0)
        return packed ? gt_fail(err, GT_USAGE, "--layout packed cannot be combined with --dtype: packed genotypes have 2 bits")
                      : gt_fail(err, GT_USAGE, "--layout calls cannot be combined with --dtype: alleles are int8");
    return 0;
}

static enum gt_type type_of(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job, enum gt_item_layout form)
{
    if (form != GT_ITEMS_PLAIN)
        return form == GT_ITEMS_PACKED ? GT_U8 : form == GT_ITEMS_CALLS ? GT_I8 : GT_BOOL;
    if (gt_rechunk_is_main(store, job) && store->opts.type >= 0)
        return (enum gt_type)store->opts.type;
    return store->reduction ? gt_reduction_type(store->reduction, job->from.type) : job->from.type;
}

/* In a group, genotypes that are packed have their own name, and dosages that are not another, and calls a third. */
static int name_output(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job, enum gt_item_layout form,
                       struct gt_str *path, struct gt_err *err)
{
    static const char *const name[] = {[GT_ITEMS_PLAIN] = GT_DOSAGE_ARRAY,
                                       [GT_ITEMS_PACKED] = GT_PACKED_ARRAY,
                                       [GT_ITEMS_CALLS] = GT_CALLS_ARRAY,
                                       [GT_ITEMS_CALLS_MASK] = GT_CALLS_MASK_ARRAY,
                                       [GT_ITEMS_PHASED] = GT_PHASED_ARRAY};
    const char *from = store->group ? gt_rechunk_in_group(store, job->source->path) : "", *slash = strrchr(from, '/');
    gt_str_add(path, "");
    if (!store->group || form == job->from.form)
        gt_str_add(path, from);
    else
        gt_str_addf(path, "%.*s%s", slash ? (int)(slash + 1 - from) : 0, from, name[form]);
    return gt_str_check(path, err);
}

/* --- attributes --------------------------------------------------------------------------------- */

/* Those of the source, but for what is said of its chunks and its layout. */
static struct json_object *make_attrs(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job,
                                      const struct gt_rechunk_end *to, struct gt_err *err)
{
    static const char *const own[] = {"_ARRAY_DIMENSIONS", GT_PACKED_COLUMNS, GT_PACKED_ATTR};
    struct json_object *attrs = json_object_new_object();
    bool ok = attrs;
    json_object_object_foreach(job->source->attrs, key, value)
    {
        bool drop = false;
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            drop = drop || strcmp(key, own[i]) == 0;
        drop = drop || (to->form != GT_ITEMS_PLAIN && strcmp(key, GT_PLOIDY_ATTR) == 0);
        ok = ok && (drop || gt_json_set_shared(attrs, key, value));
    }
    if (ok && to->form == GT_ITEMS_PACKED)
        ok = gt_packed_describe(attrs, to->shape[1], job->from.ploidy);
    if (ok && to->form == GT_ITEMS_PLAIN && job->from.form != GT_ITEMS_PLAIN && job->from.ploidy == GT_HAPLOID)
        ok = gt_json_set_int(attrs, GT_PLOIDY_ATTR, GT_HAPLOID);
    if (ok && store->group)
        ok = gt_rechunk_named_coordinates(store, job, attrs, err) == 0;
    if (ok && !store->group)
        ok = gt_attrs_add_history(attrs, store->opts.history, err) == 0;
    if (!ok)
        gt_no_memory(err);
    return gt_json_if_complete(attrs, ok);
}

/* --- chunks ------------------------------------------------------------------------------------- */

/* What an option says of axis k of the output. */
static int64_t find_length(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job, struct gt_lengths *lengths, int k)
{
    return gt_lengths_find(lengths, gt_rechunk_in_group(store, job->source->path), gt_rechunk_axis_name(job, job->view.axis[k]),
                           gt_rechunk_is_main(store, job) ? k : -1);
}

/* The length of a chunk along axis k of the output, in items; GT_LENGTH_AUTO. */
static int64_t chunk_length(struct gt_rechunk_store *store, const struct gt_rechunk_job *job, int k, int64_t cell)
{
    const int axis = job->view.axis[k];
    const int64_t n = job->view.all.count[axis], all = n > 0 ? n : 1, wanted = find_length(store, job, &store->chunks, k);
    if (wanted == GT_LENGTH_AUTO)
        return wanted;
    if (wanted)
        return wanted < 0 || wanted > all ? all : wanted;
    return n == job->from.shape[axis] || cell < all ? cell : all;
}

/* Does an option say the length of any of the array's axes? */
static bool is_cut(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job, struct gt_lengths *lengths)
{
    bool cut = false;
    for (int k = 0; k < job->view.ndim; k++)
        cut = cut || find_length(store, job, lengths, k);
    return cut;
}

/* Chunks that are stretches of the whole in C order (calc/rechunk/npy_from_array.h), about that many bytes.  Along the axis that is cut
 * a chunk ends where one of the input does, as often as that can be. */
enum { STRETCH = 4 << 20 };

static void choose_stretches(const struct gt_rechunk_job *job, size_t item, int64_t *chunk)
{
    int64_t room = gt_max_i64(1, STRETCH / (int64_t)gt_max_i64(1, (int64_t)item));
    for (int k = job->view.ndim - 1; k >= 0; k--) {
        const int axis = job->view.axis[k];
        const int64_t n = gt_max_i64(1, job->view.all.count[axis]), unit = gt_max_i64(1, job->from.cell[axis] / job->view.all.step[axis]);
        chunk[k] = gt_min_i64(n, room);
        if (chunk[k] < n && chunk[k] >= unit)
            chunk[k] -= chunk[k] % unit;
        while (chunk[k] < n && chunk[k] < unit && unit % chunk[k])
            chunk[k]--;
        room = chunk[k] < n ? 1 : room / n;
        room = gt_max_i64(1, room);
    }
}

struct shapes {
    int64_t chunk[GT_MAX_DIMS], inner[GT_MAX_DIMS];
    bool sharded;
};

/* Lengths of chunks, or of those in shards, in items. */
static void choose_lengths(struct gt_rechunk_store *store, const struct gt_rechunk_job *job, enum gt_item_layout form, int64_t *inner)
{
    const bool in_shards = gt_codec_shard(job->source->codecs);
    const size_t size = gt_dtype_of(type_of(store, job, form)).size;
    int64_t shape[GT_MAX_DIMS];
    for (int k = 0; k < job->view.ndim; k++) {
        const int axis = job->view.axis[k];
        const int64_t times = job->from.form == GT_ITEMS_PACKED && axis == 1 ? 4 : 1;
        shape[k] = job->view.all.count[axis];
        inner[k] = chunk_length(store, job, k, in_shards ? job->from.cell[axis] : job->source->chunk[axis] * times);
    }
    const bool by_bytes = form == GT_ITEMS_PACKED && inner[1] == GT_LENGTH_AUTO;
    gt_lengths_fill(job->view.ndim, shape, form == GT_ITEMS_PACKED ? 0.25 : (double)gt_max_i64(1, (int64_t)(size ? size : job->from.item)),
                    store->opts.chunk_bytes, inner);
    if (by_bytes && inner[1] < shape[1])
        inner[1] = gt_max_i64(4, inner[1] / 4 * 4);
}

/* Four samples share a byte.  given: by -c. */
static int no_bytes(bool given, const struct gt_rechunk_job *job, int64_t samples, struct gt_err *err)
{
    if (given)
        return gt_fail(err, GT_USAGE, "-c: packed chunks need a multiple of 4 samples; %lld is not one", (long long)samples);
    gt_fail(err, GT_USAGE, "packed chunks need a multiple of 4 samples; those of '%s' have %lld", gt_rechunk_name(job->source),
            (long long)samples);
    gt_hint(err, "choose a multiple of 4 with -c");
    return GT_USAGE;
}

static int choose_chunks(struct gt_rechunk_store *store, struct gt_rechunk_job *job, enum gt_item_layout form, struct shapes *shapes,
                         struct gt_err *err)
{
    if (store->opts.npy) {
        const size_t size = gt_dtype_of(type_of(store, job, form)).size;
        choose_stretches(job, size ? size : job->from.item, shapes->chunk);
        if (form == GT_ITEMS_PACKED) /* four samples share a byte */
            shapes->chunk[1] = gt_ceil_div(shapes->chunk[1], 4) * 4;
        return 0;
    }
    /* What is in shards keeps the chunks in them where nothing else is said; and the shards, where the format has them, unless -c alone is
     * about it. */
    const bool in_shards = gt_codec_shard(job->source->codecs),
               stay = in_shards && store->zarr_format == 3 && (is_cut(store, job, &store->shard) || !is_cut(store, job, &store->chunks));
    choose_lengths(store, job, form, shapes->inner);
    for (int k = 0; k < job->view.ndim; k++) {
        const int axis = job->view.axis[k];
        const int64_t times = job->from.form == GT_ITEMS_PACKED && axis == 1 ? 4 : 1, whole = job->source->chunk[axis] * times;
        int64_t inner = shapes->inner[k];
        if (form == GT_ITEMS_PACKED && k == 1 && inner == gt_max_i64(1, job->view.all.count[axis]))
            inner = gt_ceil_div(inner > 0 ? inner : 1, 4) * 4;
        if (form == GT_ITEMS_PACKED && k == 1 && inner % 4)
            return no_bytes(find_length(store, job, &store->chunks, k) != 0, job, inner, err);
        const int64_t wanted = find_length(store, job, &store->shard, k);
        int64_t shard = !wanted && stay ? gt_ceil_div(whole, inner) * inner : 0;
        int status = wanted ? gt_shard_length(&shard, NULL, wanted, job->view.all.count[axis], 0, &inner, err) : GT_OK;
        if (status)
            return status;
        shapes->sharded = shapes->sharded || shard > 0;
        shapes->inner[k] = inner;
        shapes->chunk[k] = shard > 0 ? shard : inner;
    }
    return 0;
}

/* That of chunks' keys stays what it is, where the format does. */
static char separator_of(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job)
{
    const bool own_keys = job->source->v2_keys == (job->source->zarr_format == 2);
    return own_keys && job->source->zarr_format == store->zarr_format && !store->opts.npy ? job->source->separator : 0;
}

/* --- the new array --------------------------------------------------------------------------------- */

static int new_array(const struct gt_rechunk_store *store, struct gt_rechunk_job *job, struct gt_array_spec *spec,
                     const struct shapes *shapes, const char *codec, struct gt_err *err)
{
    if (shapes->sharded)
        memcpy(spec->inner, shapes->inner, sizeof spec->inner);
    spec->codec = codec;
    return gt_array_new(&job->array, NULL, spec, store->zarr_format, err);
}

/* With the codec that was asked for, else that of the source, else one that all formats and types have. */
static int make_array(const struct gt_rechunk_store *store, struct gt_rechunk_job *job, struct gt_array_spec *spec,
                      const struct shapes *shapes, struct gt_err *err)
{
    const struct gt_shard *shard = gt_codec_shard(job->source->codecs);
    struct gt_err not = {0};
    if (store->opts.npy)
        return new_array(store, job, spec, shapes, "none", err);
    if (store->opts.codec)
        return new_array(store, job, spec, shapes, store->opts.codec, err);
    int status = new_array(store, job, spec, shapes, gt_codec_describe(shard ? shard->inner : job->source->codecs), &not );
    if (status == GT_USAGE)
        return new_array(store, job, spec, shapes, "zstd:1", err);
    if (status)
        *err = not ;
    return status;
}

/* --- ranks --------------------------------------------------------------------------------------------- */

/* How much of the axis the rank with most of it reads or writes, when its chunks are dealt to that many. */
static double largest_share(const struct gt_rechunk_job *job, int k, int ranks)
{
    const int axis = job->view.axis[k];
    const int64_t n = job->to.shape[k], unit = gt_max_i64(1, job->from.cell[axis] / job->view.all.step[axis]),
                  most = gt_ceil_div(gt_ceil_div(n, job->to.cell[k]), ranks) * job->to.cell[k], reads = gt_ceil_div(most, unit) * unit;
    return n > 0 ? (double)gt_min_i64(n, gt_max_i64(most, reads)) / (double)n : 1;
}

/* The axis whose chunks are dealt to ranks: the one that divides reading best. */
static int dealt_axis(const struct gt_rechunk_job *job, int ranks)
{
    int best = 0;
    for (int k = 1; k < job->to.ndim; k++)
        if (largest_share(job, k, ranks) < largest_share(job, best, ranks))
            best = k;
    return best;
}

/* Narrows an output and its view to the part of this rank.  Arrays begin with different ranks, so that those of one chunk are not all
 * of one rank.  false: there is nothing for it to do. */
static bool take_part(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job, struct gt_rechunk_end *to,
                      struct gt_matrix_view *view)
{
    const struct gt_comm *comm = &store->engine->comm;
    const int turn = (int)((job - store->job) % comm->size), part = (comm->rank - turn + comm->size) % comm->size;
    if (to->ndim == 0)
        return part == 0;
    const int k = dealt_axis(job, comm->size), axis = view->axis[k];
    const int64_t chunks = gt_ceil_div(to->shape[k], to->cell[k]), first = gt_comm_partition(chunks, part, comm->size),
                  end = gt_comm_partition(chunks, part + 1, comm->size), from = gt_min_i64(first * to->cell[k], to->shape[k]);
    to->shape[k] = gt_min_i64(end * to->cell[k], to->shape[k]) - from;
    to->first[k] = first;
    view->all.count[axis] = to->shape[k];
    if (view->list[axis])
        view->list[axis] += from;
    else
        view->all.start[axis] += from * view->all.step[axis];
    return to->shape[k] > 0;
}

int gt_rechunk_job_open(struct gt_rechunk **out, const struct gt_rechunk_store *store, const struct gt_rechunk_job *job, struct gt_err *err)
{
    struct gt_rechunk_end to = job->to;
    struct gt_matrix_view view = job->view;
    const struct gt_rechunk_setup setup = {&job->from, &to, &view, store->opts.wrap, store->memory};
    *out = NULL;
    if (store->engine->comm.size > 1 && !take_part(store, job, &to, &view))
        return 0;
    return gt_rechunk_new(out, store->engine, &setup, err);
}

/* Rank 0, which prints the plan, gets the memory of the rank that needs most: its own part may be empty. */
static int most_memory(const struct gt_rechunk_store *store, struct gt_rechunk_job *job, struct gt_err *err)
{
    struct gt_comm *comm = &store->engine->comm;
    const int64_t own[] = {job->minimum, job->peak};
    struct gt_buf all = {0};
    uint64_t *sizes = gt_alloc((size_t)comm->size, sizeof *sizes, err);
    int status = sizes ? gt_comm_gatherv(comm, own, sizeof own, &all, sizes, 0, err) : GT_FAIL;
    const int64_t *of_rank = (const int64_t *)(const void *)all.data;
    for (int r = 1; r < comm->size && comm->rank == 0 && !status; r++) {
        job->minimum = gt_max_i64(job->minimum, of_rank[2 * r]);
        job->peak = gt_max_i64(job->peak, of_rank[2 * r + 1]);
    }
    if (!status)
        gt_memory_plan_note(store->engine, job->minimum, job->peak);
    gt_buf_release(&all);
    free(sizes);
    return status;
}

/* Totals of all ranks. */
static int add_ranks(const struct gt_rechunk_store *store, struct gt_rechunk_job *job, struct gt_err *err)
{
    int64_t sums[] = {job->units, job->decodes, job->chunks, job->spilled};
    int status = gt_comm_allreduce_i64(&store->engine->comm, sums, sizeof sums / sizeof *sums, err);
    job->units = sums[0];
    job->decodes = sums[1];
    job->chunks = sums[2];
    job->spilled = sums[3];
    return status ? status : most_memory(store, job, err);
}

static int plan(const struct gt_rechunk_store *store, struct gt_rechunk_job *job, struct gt_err *err)
{
    struct gt_rechunk *rechunk;
    int status = gt_rechunk_job_open(&rechunk, store, job, err);
    if (status || !rechunk)
        return status ? status : add_ranks(store, job, err);
    const struct gt_rechunk_plan *plan = gt_rechunk_plan(rechunk);
    job->way = plan->way;
    job->units = plan->units;
    job->decodes = plan->decodes;
    job->chunks = plan->chunks;
    job->spilled = plan->spilled;
    job->peak = plan->peak;
    job->minimum = plan->minimum;
    gt_rechunk_free(rechunk);
    return store->engine->comm.size > 1 ? add_ranks(store, job, err) : 0;
}

/* Readers of these take an absent chunk for damage. */
static bool is_genotypes(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job)
{
    return job->from.form != GT_ITEMS_PLAIN || job->to.form != GT_ITEMS_PLAIN ||
           (store->group && gt_json_get(store->group->attrs, "vcf_zarr_version"));
}

static int choose_drops(struct gt_rechunk_store *store, struct gt_rechunk_job *job, struct gt_err *err)
{
    const bool genotypes = is_genotypes(store, job);
    if (store->opts.drop_empty && genotypes)
        return gt_fail(err, GT_USAGE, "--drop-empty is for plain arrays; '%s' is in a store of genotypes, which must have all chunks",
                       gt_rechunk_name(job->source));
    const bool defined = !job->array->fill_null; /* else an absent chunk is anything: zarr-python returns uninitialised memory */
    job->to.drop_empty = store->opts.drop_empty && defined;
    job->to.drop_absent = !store->opts.npy && !job->to.reduction && !genotypes && defined;
    if (store->opts.drop_empty && !defined && !store->undropped && !gt_type_is_text(job->to.type))
        store->undropped = gt_rechunk_name(job->source);
    return GT_OK;
}

int gt_rechunk_job_make(struct gt_rechunk_store *store, struct gt_rechunk_job *job, struct gt_err *err)
{
    const enum gt_item_layout form = form_of(store, job);
    if (job->source->dtype.binary)
        return gt_fail_unsupported(err, "array '%s': variable-length bytes cannot be written", job->source->path);
    struct gt_array_spec spec = {
        .type = type_of(store, job, form), .item_size = job->from.item, .unit = job->source->dtype.unit, .ndim = job->view.ndim};
    struct gt_rechunk_end to = {.form = form};
    struct shapes shapes = {.sharded = false};
    struct gt_str path = {0};
    int status = check_form(store, job, form, err);
    status = status ? status : choose_chunks(store, job, form, &shapes, err);
    status = status ? status : name_output(store, job, form, &path, err);
    for (int k = 0; k < spec.ndim && !status; k++) {
        const int64_t per = form == GT_ITEMS_PACKED && k == 1 ? 4 : 1;
        to.shape[k] = job->view.all.count[job->view.axis[k]];
        spec.shape[k] = gt_ceil_div(to.shape[k], per);
        spec.chunk[k] = shapes.chunk[k] / per;
        shapes.inner[k] /= per;
        spec.dim_names[k] = per == 4 ? "samples_packed" : gt_rechunk_axis_name(job, job->view.axis[k]);
    }
    if (form == GT_ITEMS_CALLS || form == GT_ITEMS_CALLS_MASK) {
        spec.shape[2] = spec.chunk[2] = shapes.inner[2] = job->from.ploidy == GT_HAPLOID ? 1 : 2;
        spec.dim_names[2] = "ploidy";
        spec.ndim = 3;
    }
    spec.path = path.s;
    spec.separator = separator_of(store, job);
    spec.genotypes = form == GT_ITEMS_PACKED || form == GT_ITEMS_CALLS;
    if (!status && !(spec.attrs = make_attrs(store, job, &to, err)))
        status = GT_FAIL;
    status = status ? status : gt_rechunk_missing(store, job, form, spec.type, spec.attrs, &spec.fill, err);
    status = status ? status : make_array(store, job, &spec, &shapes, err);
    json_object_put(spec.attrs);
    json_object_put(spec.fill);
    gt_str_release(&path);
    if (status)
        return status;
    gt_rechunk_end_init(&job->to, job->array, true, form, to.shape[1]);
    job->to.reduction = store->reduction;
    job->to.skip = gt_rechunk_skip(store, job);
    if (!store->missing_reduced && gt_rechunk_reduces_missing(store, job))
        store->missing_reduced = gt_rechunk_name(job->source);
    status = choose_drops(store, job, err);
    return status ? status : plan(store, job, err);
}
