/* What stands in a store. */
#include "cmd/info/info.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/zarr/open.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "geno/model/packed.h"

static int64_t n_chunks(const struct gt_array *array)
{
    int64_t n = 1;
    for (int i = 0; i < array->ndim; i++)
        n *= gt_array_grid(array, i); /* at most the number of items, which was checked */
    return n;
}

bool info_is_of_value(const struct gt_store *store, const struct gt_err *why)
{
    const int n = why->errnum;
    return why->status == GT_INPUT ||
           (why->status == GT_FAIL && n && n != ENOMEM && n != EMFILE && n != ENFILE && strcmp(store->ops->kind, "directory") == 0);
}

/* A fault that is listed with what it is of. */
static bool is_listed(const struct info_store *info, int status, const struct gt_err *why)
{
    return status == GT_INPUT || (status > 0 && info->damaged && info_is_of_value(info->store, why));
}

/* An array that cannot be used is listed with the reason. */
static int add_array(struct info_store *info, const char *path, struct gt_err *err)
{
    struct info_array *entry = &info->arrays[info->n_arrays];
    struct gt_err why = {0}, absent = {0};
    int status;

    memset(entry, 0, sizeof *entry);
    if (info->root)
        status = gt_group_array(info->root, path, &entry->array, &why);
    else
        status = gt_array_open(&entry->array, info->store, path, &why);
    if (status == GT_NOENT)
        return GT_OK;
    if (status > 0 && !is_listed(info, status, &why)) {
        *err = why;
        return status;
    }
    info->n_arrays++;
    entry->unsupported = why.unsupported;
    if (!info->root)
        entry->zarr_format = entry->array ? entry->array->zarr_format : gt_store_has(info->store, "zarr.json", &absent) == GT_OK ? 3 : 2;
    entry->path = gt_strdup(path, err);
    entry->chunks = entry->array ? n_chunks(entry->array) : 0;
    if (!entry->path || (status && !(entry->fault = gt_strdup(why.msg, err))))
        return GT_FAIL;
    return gt_names_add(info->index, path, strlen(path), (int64_t)info->n_arrays - 1, NULL, err);
}

/* Does the group with this path, "" or with a slash at its end, have packed genotypes of ours? */
static int is_packed(struct info_store *info, const char *path, size_t n, bool *packed, struct gt_err *err)
{
    struct gt_str name = {0};
    struct gt_array *array = NULL;
    struct gt_err why = {0};
    int status;

    gt_str_addn(&name, path, n);
    gt_str_add(&name, GT_PACKED_ARRAY);
    status = gt_str_check(&name, &why);
    if (!status)
        status = gt_group_array(info->root, name.s, &array, &why);
    *packed = !status && gt_packed_is_ours(array);
    gt_array_free(array);
    gt_str_release(&name);
    if (status <= 0 || is_listed(info, status, &why)) /* its fault is reported with the array */
        return GT_OK;
    *err = why;
    return status;
}

/* Attributes that do not fit the array are its fault, not the end. */
static int mark_array(struct info_array *entry, struct gt_err *err)
{
    struct gt_err why = {0};
    int status = gt_packed_mark_complete(entry->array, &why);

    if (status == GT_INPUT) {
        gt_array_free(entry->array);
        entry->array = NULL;
        entry->chunks = 0;
        entry->fault = gt_strdup(why.msg, err);
        return entry->fault ? GT_OK : GT_FAIL;
    }
    if (status)
        *err = why;
    return status;
}

/* The arrays next to packed genotypes of ours have all their chunks. */
static int mark_whole(struct info_store *info, struct gt_err *err)
{
    bool packed = false;
    int status = GT_OK;

    for (size_t i = 0; i < info->n_arrays && !status; i++) {
        const char *path = info->arrays[i].path, *last = i > 0 ? info->arrays[i - 1].path : NULL, *slash = strrchr(path, '/');
        size_t n = slash ? (size_t)(slash - path) + 1 : 0;
        if (!last || strncmp(last, path, n) != 0 || strchr(last + n, '/')) /* another group than the last one's */
            status = is_packed(info, path, n, &packed, err);
        if (!status && packed && info->arrays[i].array)
            status = mark_array(&info->arrays[i], err);
    }
    return status;
}

static int add_group(struct info_store *info, const struct gt_node *node, struct gt_err *err)
{
    char *path = gt_strdup(node->path, err);

    info->groups[info->n_groups++] = (struct gt_node){path, false, node->zarr_format};
    return path ? GT_OK : GT_FAIL;
}

/* Of a store that cannot tell what is in it: arrays with the names of VCF Zarr and scikit-allel, and what was asked for. */
static int try_names(struct info_store *info, struct gt_err *err)
{
    static const char *const names[] = {"packed_dosage",
                                        "call_genotype",
                                        "call_genotype_phased",
                                        "call_genotype_mask",
                                        "calldata/GT",
                                        "contig_id",
                                        "contig_length",
                                        "filter_id",
                                        "region_index",
                                        "sample_id",
                                        "samples",
                                        "variant_allele",
                                        "variant_contig",
                                        "variant_filter",
                                        "variant_id",
                                        "variant_id_mask",
                                        "variant_length",
                                        "variant_multiallelic",
                                        "variant_position",
                                        "variant_quality",
                                        "variants/ALT",
                                        "variants/CHROM",
                                        "variants/FILTER_PASS",
                                        "variants/ID",
                                        "variants/POS",
                                        "variants/QUAL",
                                        "variants/REF"};
    const size_t n = sizeof names / sizeof *names;
    int status = *info->inner ? GT_OK : gt_group_expect_arrays(info->root, names, n, err);

    for (size_t i = 0; i < n && !status; i++)
        if (info_is_below(names[i], info->inner))
            status = add_array(info, names[i], err);
    if (!status && *info->inner && gt_names_find(info->index, info->inner, strlen(info->inner)) < 0)
        status = add_array(info, info->inner, err);
    return status;
}

/* What a node takes in the listing, as text or as a tree. */
static int64_t listing_bytes(const struct info_store *info)
{
    return info->json ? 5120 : 640;
}

/* Counts the listing of n nodes; the metadata of arrays, and the index of paths, are counted as they are made. */
static int count_nodes(struct info_store *info, const struct gt_node *nodes, size_t n, struct gt_err *err)
{
    const int64_t each = listing_bytes(info);
    int64_t all = (each + GT_ARRAY_BYTES) * (int64_t)(n + 1);
    for (size_t i = 0; i < n; i++)
        all = gt_bytes_add(all, 128 + 4 * (int64_t)strlen(nodes[i].path)); /* tables that grow are there twice for a moment */
    int status = gt_memory_plan_metadata(info->engine, all, err);
    status = status ? status : gt_budget_take(&info->engine->budget, n * (size_t)each, err);
    if (!status)
        info->counted = (int64_t)n * each;
    return status;
}

static int read_nodes(struct info_store *info, struct gt_err *err)
{
    enum { NAMES = 32 }; /* room for those of try_names */
    struct gt_node *nodes = NULL;
    size_t n = 0;
    int status = info->root ? gt_group_nodes(info->root, &nodes, &n, err) : GT_OK;

    status = status ? status : count_nodes(info, nodes, n, err);
    if (status) {
        gt_nodes_free(nodes, n);
        return status;
    }
    info->arrays = gt_alloc(n + NAMES, sizeof *info->arrays, err);
    info->groups = gt_alloc(n + 1, sizeof *info->groups, err);
    if (!info->arrays || !info->groups)
        status = GT_FAIL;
    else if (!info->root)
        status = add_array(info, "", err);
    for (size_t i = 0; i < n && !status; i++) {
        if (!info_is_below(nodes[i].path, info->inner))
            continue;
        if (nodes[i].is_array)
            status = add_array(info, nodes[i].path, err);
        else
            status = add_group(info, &nodes[i], err);
    }
    gt_nodes_free(nodes, n);
    if (!status && info->root && !info->root->consolidated && !info->store->ops->list)
        status = try_names(info, err);
    return status || !info->root ? status : mark_whole(info, err);
}

/* --- sizes ---------------------------------------------------------------------- */

static bool is_metadata(const char *key)
{
    const char *slash = strrchr(key, '/'), *name = slash ? slash + 1 : key;
    return *name == '.' || strcmp(name, "zarr.json") == 0;
}

/* Chunk indices out of what follows the array's path in a key. */
static int parse_chunk(const struct gt_array *array, const char *text, bool *is_chunk, struct gt_err *err)
{
    int64_t index[GT_MAX_DIMS] = {0};
    struct gt_str key = {0};
    const char *p = text;
    int status;

    *is_chunk = false;

    if (!array->v2_keys)
        p += *p == 'c';
    for (int i = 0; i < array->ndim; i++) {
        if (i > 0 || !array->v2_keys)
            p += *p == array->separator;
        while (*p >= '0' && *p <= '9' && index[i] < INT64_MAX / 16)
            index[i] = 10 * index[i] + (*p++ - '0');
        if (index[i] >= gt_array_grid(array, i))
            return GT_OK;
    }
    status = gt_array_key(array, index, &key, err); /* the same digits again, or it is no chunk's key */
    *is_chunk = !status && strcmp(key.s + strlen(array->path) + (*array->path ? 1 : 0), text) == 0;
    gt_str_release(&key);
    return status;
}

static struct info_array *array_of(struct info_store *info, const char *key)
{
    for (size_t n = strlen(key) + 1; n-- > 0;) { /* the longest path that is an array's */
        int64_t at;
        if (key[n] != '/' && n != 0)
            continue;
        at = gt_names_find(info->index, key, n);
        if (at >= 0)
            return &info->arrays[at];
    }
    return NULL;
}

struct listing {
    struct info_store *info;
    struct gt_err *err;
};

static int on_key(void *ctx, const char *key, int64_t size)
{
    struct listing *listing = ctx;
    struct info_store *info = listing->info;
    struct info_array *entry;
    bool is_chunk = true;
    int status = GT_OK;

    info->keys++;
    info->bytes += size;
    if (is_metadata(key))
        return GT_OK;
    if (!(entry = array_of(info, key)))
        return gt_strs_add(&info->orphans, key, strlen(key), listing->err);
    if (entry->array)
        status = parse_chunk(entry->array, key + strlen(entry->path) + (*entry->path ? 1 : 0), &is_chunk, listing->err);
    if (is_chunk) {
        entry->present++;
        entry->bytes += size;
        entry->empty += entry->array && size == 0;
    } else {
        entry->foreign++;
        status = status ? status : gt_strs_add(&info->orphans, key, strlen(key), listing->err);
    }
    return status;
}

static int count_nothing(void *ctx, const char *key, int64_t size)
{
    (void)ctx;
    (void)key;
    (void)size;
    return GT_OK;
}

static int open_root(struct info_store *info, struct gt_err *err)
{
    struct gt_err why = {0};
    int status = gt_group_open(&info->root, info->store, "", &why);

    if (info->damaged && info->store->ops->list && is_listed(info, status, &why)) {
        info->root_fault = gt_strdup(why.msg, err);
        return info->root_fault ? gt_group_bare(&info->root, info->store, err) : GT_FAIL;
    }
    if (status > 0)
        *err = why;
    return status == GT_NOENT ? GT_OK : status;
}

int info_store_open(struct info_store *info, struct gt_cli *cli, struct gt_input *input, bool sizes, bool damaged, struct gt_err *err)
{
    struct listing listing = {info, err};
    int status = gt_zarr_open_store(&info->store, &cli->engine, input, true, err);

    info->orphans.budget = &cli->engine.budget;
    info->unlisted.budget = &cli->engine.budget;
    info->engine = &cli->engine;
    info->damaged = damaged;
    info->json = cli->json;
    info->index = gt_names_new(&cli->engine.budget, err);
    if (!status && !info->index)
        status = GT_FAIL;
    if (!status && damaged)
        info->store->unlisted = &info->unlisted;
    if (!status && info->store->stream) /* what counts is the metadata at its end */
        status = info->store->ops->list(info->store, "", count_nothing, NULL, err);
    if (!status)
        status = open_root(info, err);
    if (!status && info->root && gt_group_provisional(info->root)) {
        status = gt_fail(err, GT_INPUT, "'%s' is unfinished: it has only the provisional metadata of a stream", info->store->name);
        gt_hint(err, "the command that wrote it did not finish; run it again");
    }
    if (!status)
        status = read_nodes(info, err);
    if (!status && info->n_arrays + info->n_groups == 0)
        status = gt_zarr_fail_absent(info->store, info->inner, err);
    info->listed = !status && info->store->ops->list;
    for (size_t i = 0; i < info->n_arrays && !info->listed; i++)
        info->arrays[i].present = info->arrays[i].chunks;
    gt_strs_clear(&info->unlisted); /* of the search for arrays */
    if (info->listed && sizes)
        status = info->store->ops->list(info->store, info->inner, on_key, &listing, err);
    return status;
}

void info_store_release(struct info_store *info)
{
    for (size_t i = 0; i < info->n_arrays; i++) {
        gt_array_free(info->arrays[i].array);
        free(info->arrays[i].path);
        free(info->arrays[i].fault);
    }
    if (info->counted)
        gt_budget_give(&info->engine->budget, (size_t)info->counted);
    gt_nodes_free(info->groups, info->n_groups);
    free(info->arrays);
    gt_names_free(info->index);
    gt_strs_release(&info->orphans);
    gt_strs_release(&info->unlisted);
    free(info->root_fault);
    gt_group_free(info->root);
    gt_store_free(info->store);
}
