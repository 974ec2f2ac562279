/* Variants with several ALTs: allele counts do not determine their calls, and packed stores mark them. */
#include <string.h>

#include "arrays/zarr/cache.h"
#include "calc/rechunk/store_job.h"
#include "core/base/json.h"
#include "core/base/size.h"
#include "geno/model/packed.h"
#include "storage/store/memory_store.h"

static struct gt_array *find_array(const struct gt_rechunk_store *store, const char *path)
{
    for (size_t i = 0; i < store->n_jobs; i++)
        if (strcmp(gt_rechunk_in_group(store, store->job[i].source->path), path) == 0)
            return store->job[i].source;
    return NULL;
}

/* NULL: the group does not have the array, or an INFO field has its name. */
static struct gt_array *find_mark(const struct gt_rechunk_store *store)
{
    struct gt_array *array = find_array(store, GT_MULTIALLELIC_ARRAY);
    return array && gt_packed_is_multiallelic_mark(array) ? array : NULL;
}

bool gt_rechunk_has_mark(const struct gt_rechunk_store *store)
{
    return find_mark(store);
}

/* --- from alleles ------------------------------------------------------------------------------------ */

struct alleles {
    struct gt_array *array; /* NULL: there are no variants with several ALTs */
    int64_t second;         /* column of the second ALT */
    struct gt_cache *cache;
    struct gt_buf scratch[2];
};

static struct alleles find_alleles(const struct gt_rechunk_store *store)
{
    struct alleles a = {.array = find_array(store, "variant_allele"), .second = 2};
    if (!a.array)
        a = (struct alleles){.array = find_array(store, "variants/ALT"), .second = 1};
    if (a.array && a.array->ndim == 2 && a.array->shape[1] > a.second)
        return a;
    return (struct alleles){0};
}

static bool is_allele(const char *text)
{
    return *text && strcmp(text, ".") != 0;
}

static int mark_unit(struct alleles *a, const int64_t *index, uint8_t *marks, struct gt_err *err)
{
    const int64_t *unit = a->array->unit, row = index[0] * unit[0], column = index[1] * unit[1];
    const int64_t rows = gt_min_i64(unit[0], a->array->shape[0] - row), columns = gt_min_i64(unit[1], a->array->shape[1] - column);
    struct gt_chunk *chunk;
    int status = gt_cache_acquire(a->cache, index, &chunk, err);
    if (status)
        return status;
    status = gt_cache_decode(a->cache, chunk, a->scratch, err);
    for (int64_t v = 0; v < rows && !status; v++)
        for (int64_t k = gt_max_i64(0, a->second - column); k < columns; k++)
            marks[row + v] |= is_allele(gt_chunk_text(chunk, (size_t)(v * unit[1] + k)));
    gt_cache_give(a->cache, chunk);
    return status;
}

static int mark_units(struct alleles *a, struct gt_budget *budget, uint8_t *marks, struct gt_err *err)
{
    const struct gt_cache_opts opts = {.budget = budget, .texts = true, .few = true};
    a->scratch[0].budget = a->scratch[1].budget = budget;
    int status = gt_cache_new(&a->cache, a->array, &opts, err);
    for (int64_t i = 0; i < gt_array_units(a->array, 0) && !status; i++)
        for (int64_t k = a->second / a->array->unit[1]; k < gt_array_units(a->array, 1) && !status; k++)
            status = mark_unit(a, (const int64_t[GT_MAX_DIMS]){i, k}, marks, err);
    gt_cache_free(a->cache);
    gt_buf_release(&a->scratch[0]);
    gt_buf_release(&a->scratch[1]);
    return status;
}

/* A byte per variant: 1 if it has several ALTs. */
static int mark_by_alleles(const struct gt_rechunk_store *store, struct gt_buf *marks, struct gt_err *err)
{
    const int64_t n = store->job[store->main].from.shape[0];
    struct alleles a = find_alleles(store);
    int status = gt_buf_zeros(marks, (size_t)n, err);
    if (status || !a.array)
        return status;
    if (a.array->shape[0] != n || !gt_type_is_text(a.array->dtype.type))
        return gt_fail(err, GT_INPUT, "array '%s' does not have the alleles of %lld variants", a.array->path, (long long)n);
    return mark_units(&a, &store->engine->budget, marks->data, err);
}

/* --- --layout calls ------------------------------------------------------------------------------------ */

static int fail_stream(const struct gt_rechunk_store *store, const char *layout, struct gt_err *err)
{
    gt_fail(err, GT_INPUT, "--layout %s: '%s' is a stream and may have multiallelic variants, which are known only at its end", layout,
            gt_rechunk_name(store->job[store->main].source));
    gt_hint(err, "store it as a directory or zip first");
    return GT_INPUT;
}

int gt_rechunk_check_biallelic(const struct gt_rechunk_store *store, struct gt_err *err)
{
    struct gt_array *mark = find_mark(store);
    struct gt_buf marks = {.budget = &store->engine->budget};
    char variants[GT_THINGS_LEN];
    int64_t n = 0;
    if (store->job[store->main].source->store->stream)
        return mark || find_alleles(store).array ? fail_stream(store, "calls", err) : GT_OK;
    int status = mark ? gt_array_read_all(mark, &marks, err) : mark_by_alleles(store, &marks, err);
    for (size_t i = 0; i < marks.len && !status; i++)
        n += marks.data[i] != 0;
    gt_buf_release(&marks);
    if (status || n == 0)
        return status;
    gt_fail(err, GT_INPUT, "'%s' has allele counts of %s with several ALTs, which do not determine the calls",
            gt_rechunk_name(store->job[store->main].source), gt_format_things(variants, n, "site"));
    gt_hint(err, "gt-unpack --skip-multiallelic drops such variants");
    return GT_INPUT;
}

/* --- --layout packed ------------------------------------------------------------------------------------- */

static int put_chunks(struct gt_array *array, const struct gt_buf *marks, struct gt_err *err)
{
    struct gt_buf raw = {.budget = marks->budget}, stored = {.budget = marks->budget};
    struct gt_buf scratch[2] = {{.budget = marks->budget}, {.budget = marks->budget}};
    const size_t chunk = array->chunk_items;
    int status = GT_OK;
    for (size_t i = 0; i * chunk < marks->len && !status; i++) {
        status = gt_buf_zeros(&raw, chunk, err);
        if (!status)
            memcpy(raw.data, marks->data + i * chunk, (size_t)gt_min_i64((int64_t)chunk, (int64_t)(marks->len - i * chunk)));
        status = status ? status : gt_array_encode(array, &raw, &stored, scratch, err);
        status = status ? status : gt_array_put(array, (const int64_t[GT_MAX_DIMS]){(int64_t)i}, &stored, err);
    }
    gt_buf_release(&raw);
    gt_buf_release(&stored);
    gt_buf_release(&scratch[0]);
    gt_buf_release(&scratch[1]);
    return status;
}

/* As an array of the input, in memory. */
static int add_mark(struct gt_rechunk_store *store, const struct gt_buf *marks, struct gt_err *err)
{
    const struct gt_array *like = find_array(store, "variant_position");
    struct gt_array_spec spec = {.type = GT_BOOL, .ndim = 1, .shape = {(int64_t)marks->len}, .codec = "zstd:3"};
    struct gt_array *array = NULL;
    struct gt_str path = {0};
    gt_str_addf(&path, "%s%s" GT_MULTIALLELIC_ARRAY, store->group->path, *store->group->path ? "/" : "");
    int status = gt_str_check(&path, err);
    spec.path = path.s;
    spec.chunk[0] = like->chunk[0];
    spec.dim_names[0] = like->dim_names[0];
    status = status ? status : gt_store_new_memory(&store->marks, &store->engine->budget, err);
    status = status ? status : gt_array_new(&array, store->marks, &spec, store->group->zarr_format, err);
    status = status ? status : put_chunks(array, marks, err);
    gt_str_release(&path);
    if (!status)
        return gt_rechunk_job_add(store, array, err);
    gt_array_free(array);
    return status;
}

/* Does the group have what a packed store has, but for the mark? */
static int check_sites(const struct gt_rechunk_store *store, struct gt_err *err)
{
    const char *name, *lacks = NULL;
    for (int i = 0; (name = gt_packed_site_array(i)) && !lacks; i++)
        if (strcmp(name, GT_MULTIALLELIC_ARRAY) != 0 && !find_array(store, name))
            lacks = name;
    if (lacks)
        gt_fail(err, GT_USAGE, "--layout packed: a packed store needs an array '%s', which '%s' does not have", lacks,
                store->group->store->name);
    else if (find_array(store, GT_MULTIALLELIC_ARRAY) && !find_mark(store))
        gt_fail(err, GT_USAGE,
                "--layout packed: '%s' has an INFO field '" GT_MULTIALLELIC_ARRAY "', which in a packed store marks variants",
                store->group->store->name);
    else
        return GT_OK;
    gt_hint(err, "use gt-pack, or --array %s for the genotypes alone", store->job[store->main].source->path);
    return GT_USAGE;
}

int gt_rechunk_mark_multiallelic(struct gt_rechunk_store *store, struct gt_err *err)
{
    struct gt_buf marks = {.budget = &store->engine->budget};
    if (!gt_json_get(store->group->attrs, "vcf_zarr_version"))
        return GT_OK;
    int status = check_sites(store, err);
    if (status || find_mark(store))
        return status;
    if (store->group->store->stream && find_alleles(store).array)
        return fail_stream(store, "packed", err);
    status = mark_by_alleles(store, &marks, err);
    status = status ? status : add_mark(store, &marks, err);
    gt_buf_release(&marks);
    return status;
}
