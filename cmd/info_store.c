/* What stands in a store. */
#include "cmd/info.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/size.h"
#include "geno/packed.h"
#include "zarr/open.h"

static int64_t n_chunks(const struct gt_array *array)
{
    int64_t n = 1;
    for (int i = 0; i < array->ndim; i++)
        n *= gt_array_grid(array, i); /* at most the number of items, which was checked */
    return n;
}

static int64_t raw_bytes(const struct gt_array *array)
{
    int64_t n = (int64_t)array->dtype.size;
    for (int i = 0; i < array->ndim; i++)
        if (!gt_mul_i64(n, array->shape[i], &n))
            return 0;
    return n;
}

/* An array that cannot be used is listed with the reason. */
static int add_array(struct info_store *info, const char *path, struct gt_err *err)
{
    struct info_array *entry = &info->arrays[info->n_arrays];
    struct gt_err why = {0};
    int status;

    memset(entry, 0, sizeof *entry);
    if (info->root)
        status = gt_group_array(info->root, path, &entry->array, &why);
    else
        status = gt_array_open(&entry->array, info->store, path, &why);
    if (status == GT_NOENT)
        return GT_OK;
    if (status > 0 && status != GT_INPUT) {
        *err = why;
        return status;
    }
    info->n_arrays++;
    entry->unsupported = why.unsupported;
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
    if (status <= 0 || status == GT_INPUT) /* a fault of it is told of with the array */
        return GT_OK;
    *err = why;
    return status;
}

/* Attributes that do not fit the array are its fault, not the end. */
static int mark_array(struct info_array *entry, struct gt_err *err)
{
    struct gt_err why = {0};
    int status = gt_packed_mark_whole(entry->array, &why);

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

/* The arrays beside packed genotypes of ours have all their chunks. */
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

/* Is `path` inner itself, or below it? */
static bool is_below(const char *path, const char *inner)
{
    size_t n = strlen(inner);
    return n == 0 || (strncmp(path, inner, n) == 0 && (path[n] == 0 || path[n] == '/'));
}

static int add_group(struct info_store *info, const struct gt_node *node, struct gt_err *err)
{
    char *path = gt_strdup(node->path, err);

    info->groups[info->n_groups++] = (struct gt_node){path, false, node->zarr_format};
    return path ? GT_OK : GT_FAIL;
}

static int read_nodes(struct info_store *info, struct gt_err *err)
{
    struct gt_node *nodes = NULL;
    size_t n = 0;
    int status = info->root ? gt_group_nodes(info->root, &nodes, &n, err) : GT_OK;

    if (status)
        return status;
    info->arrays = gt_alloc(n + 1, sizeof *info->arrays, err);
    info->groups = gt_alloc(n + 1, sizeof *info->groups, err);
    if (!info->arrays || !info->groups)
        status = GT_FAIL;
    else if (!info->root)
        status = add_array(info, "", err);
    for (size_t i = 0; i < n && !status; i++) {
        if (!is_below(nodes[i].path, info->inner))
            continue;
        if (nodes[i].is_array)
            status = add_array(info, nodes[i].path, err);
        else
            status = add_group(info, &nodes[i], err);
    }
    gt_nodes_free(nodes, n);
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
    if (is_metadata(key) || !(entry = array_of(info, key)))
        return GT_OK;
    if (entry->array)
        status = parse_chunk(entry->array, key + strlen(entry->path) + (*entry->path ? 1 : 0), &is_chunk, listing->err);
    if (is_chunk) {
        entry->present++;
        entry->bytes += size;
        entry->empty += entry->array && size == 0;
    } else {
        entry->foreign++;
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

int info_store_open(struct info_store *info, struct gt_cli *cli, struct gt_input *input, bool sizes, struct gt_err *err)
{
    struct listing listing = {info, err};
    int status = gt_zarr_open_store(&info->store, &cli->engine, input, true, err);

    info->index = gt_names_new(&cli->engine.budget, err);
    if (!status && !info->index)
        status = GT_FAIL;
    if (!status && info->store->stream) /* what counts is the metadata at its end */
        status = info->store->ops->list(info->store, "", count_nothing, NULL, err);
    if (!status)
        status = gt_group_open(&info->root, info->store, "", err);
    if (status == GT_NOENT)
        status = GT_OK;
    if (!status && info->root && gt_group_provisional(info->root)) {
        status = gt_fail(err, GT_INPUT, "'%s' is unfinished: its metadata is still that of the beginning of a stream", info->store->name);
        gt_hint(err, "the command that wrote it did not come to its end; make it again");
    }
    if (!status)
        status = read_nodes(info, err);
    if (!status && info->n_arrays + info->n_groups == 0)
        status = gt_zarr_fail_absent(info->store, info->inner, err);
    if (!status && sizes)
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
    gt_nodes_free(info->groups, info->n_groups);
    free(info->arrays);
    gt_names_free(info->index);
    gt_group_free(info->root);
    gt_store_free(info->store);
}

/* --- what is shown ------------------------------------------------------------------ */

static const struct gt_array *find(const struct info_store *info, const char *group, const char *name)
{
    size_t n = strlen(group);

    for (size_t i = 0; i < info->n_arrays; i++) {
        const char *path = info->arrays[i].path;
        if (is_below(path, group) && strcmp(path + n + (n > 0 && path[n] == '/'), name) == 0)
            return info->arrays[i].array;
    }
    return NULL;
}

/* What the genotypes of the group asked for are. */
struct summary {
    const char *layout;
    int64_t samples, variants;
};

static int64_t packed_samples(const struct gt_array *array)
{
    struct json_object *packed = NULL, *samples = NULL;

    if (json_object_object_get_ex(array->attrs, "gt_packed", &packed) && json_object_is_type(packed, json_type_object) &&
        json_object_object_get_ex(packed, "samples", &samples))
        return json_object_get_int64(samples);
    return -1;
}

static bool summarise(const struct info_store *info, struct summary *s)
{
    static const char *const names[][2] = {
        {"packed_dosage", "packed dosages"}, {"call_genotype", "genotype calls"}, {"calldata/GT", "genotype calls (scikit-allel)"}};

    for (int i = 0; i < 3; i++) {
        const struct gt_array *array = find(info, info->inner, names[i][0]);
        if (!array || array->ndim < 2)
            continue;
        s->layout = names[i][1];
        s->variants = array->shape[0];
        s->samples = i == 0 ? packed_samples(array) : array->shape[1];
        return true;
    }
    return false;
}

static void add_shape(struct gt_str *out, const int64_t *sizes, int n)
{
    gt_str_add(out, "(");
    for (int i = 0; i < n; i++)
        gt_str_addf(out, "%s%lld", i ? ", " : "", (long long)sizes[i]);
    gt_str_add(out, ")");
}

static void pad(struct gt_str *out, size_t start, size_t width)
{
    size_t n = out->len - start;
    if (n < width)
        gt_str_addf(out, "%*s", (int)(width - n), "");
}

/* The path as the group that is looked at has it. */
static const char *shown_path(const struct info_store *info, const struct info_array *entry)
{
    size_t skip = strlen(info->inner);

    if (!*(entry->path + skip)) /* it is the array itself */
        return *entry->path ? entry->path : "(root)";
    return entry->path + skip + (skip ? 1 : 0);
}

/* One line: path, type, shape, chunks, codec, stored. */
static void add_line(const struct info_store *info, const struct info_array *entry, size_t width, struct gt_str *out)
{
    char type[16], size[GT_NUM_LEN];
    const struct gt_array *a = entry->array;
    size_t start = out->len;
    int64_t raw;

    gt_str_addf(out, "  %s", shown_path(info, entry));
    pad(out, start, width + 4);
    if (!a) {
        gt_str_addf(out, "%s\n", entry->fault);
        return;
    }
    gt_str_add(out, gt_dtype_name_v3(&a->dtype, type));
    pad(out, start, width + 13);
    add_shape(out, a->shape, a->ndim);
    gt_str_add(out, " in ");
    add_shape(out, a->chunk, a->ndim);
    gt_str_addf(out, "  %s  %s", gt_codec_describe(a->codecs), gt_format_size(size, entry->bytes));
    raw = raw_bytes(a);
    if (raw > 0 && entry->bytes > 0)
        gt_str_addf(out, " (ratio %.1f)", (double)raw / (double)entry->bytes);
    if (entry->present < entry->chunks)
        gt_str_addf(out, "  %lld of %lld chunks", (long long)entry->present, (long long)entry->chunks);
    gt_str_add(out, "\n");
}

static struct json_object *history_of(const struct info_store *info)
{
    const struct gt_array *alone = !info->root && info->n_arrays ? info->arrays[0].array : NULL;
    struct json_object *attrs = info->root ? info->root->attrs : alone ? alone->attrs : NULL, *history = NULL;

    if (!attrs || !json_object_object_get_ex(attrs, "gt:history", &history) || !json_object_is_type(history, json_type_array))
        return NULL;
    return history;
}

static void add_summary(const struct info_store *info, struct gt_str *out)
{
    char a[GT_THINGS_LEN], b[GT_THINGS_LEN];
    struct summary s;
    const struct gt_array *packed = find(info, info->inner, "packed_dosage");

    if (!summarise(info, &s))
        return;
    gt_str_addf(out, "%s: ", s.layout);
    if (s.samples >= 0)
        gt_str_addf(out, "%s x ", gt_format_things(a, s.samples, "sample"));
    gt_str_addf(out, "%s", gt_format_things(b, s.variants, "variant"));
    if (packed && s.samples > 0 && s.variants > 0) {
        int64_t at = gt_names_find(info->index, packed->path, strlen(packed->path));
        gt_str_addf(out, ", %.3g bits a genotype", 8.0 * (double)info->arrays[at].bytes / ((double)s.samples * (double)s.variants));
    }
    gt_str_add(out, "\n");
}

void info_store_text(const struct info_store *info, const char *name, struct gt_str *out)
{
    char size[GT_NUM_LEN], keys[GT_NUM_LEN];
    size_t width = 8;
    struct json_object *history = history_of(info);
    int format = info->root ? info->root->zarr_format : info->arrays[0].array ? info->arrays[0].array->zarr_format : 0;

    gt_str_addf(out, "%s: Zarr v%d, %s, %s in %s keys\n", name, format, info->store->ops->kind, gt_format_size(size, info->bytes),
                gt_format_count(keys, info->keys));
    add_summary(info, out);
    for (size_t i = 0; i < info->n_arrays; i++) {
        size_t n = strlen(shown_path(info, &info->arrays[i]));
        width = n > width ? n : width;
    }
    for (size_t i = 0; i < info->n_arrays; i++)
        add_line(info, &info->arrays[i], width, out);
    for (size_t i = 0; history && i < json_object_array_length(history); i++)
        gt_str_addf(out, "%s%s\n", i ? "         " : "history: ", json_object_get_string(json_object_array_get_idx(history, i)));
}

static bool add_text(struct json_object *obj, const char *key, const char *text)
{
    return gt_json_set(obj, key, json_object_new_string(text));
}

static bool add_count(struct json_object *obj, const char *key, int64_t n)
{
    return gt_json_set(obj, key, json_object_new_int64(n));
}

static struct json_object *names_json(const struct gt_array *a)
{
    struct json_object *names = json_object_new_array();
    bool ok = names;
    for (int i = 0; ok && i < a->ndim; i++)
        ok = a->dim_names[i] ? gt_json_add(names, json_object_new_string(a->dim_names[i])) : gt_json_add_shared(names, NULL);
    return gt_json_whole(names, ok);
}

static struct json_object *array_json(const struct info_array *entry)
{
    struct json_object *obj = json_object_new_object();
    const struct gt_array *a = entry->array;
    char type[16];
    bool ok = add_text(obj, "path", entry->path);

    if (a)
        ok = ok && add_count(obj, "zarr_format", a->zarr_format) && add_text(obj, "type", gt_dtype_name_v3(&a->dtype, type)) &&
             gt_json_set(obj, "shape", gt_json_sizes(a->shape, a->ndim)) &&
             gt_json_set(obj, "chunk_shape", gt_json_sizes(a->chunk, a->ndim)) && gt_json_set(obj, "dimensions", names_json(a)) &&
             add_text(obj, "codec", gt_codec_describe(a->codecs)) && add_count(obj, "chunks", entry->chunks) &&
             add_count(obj, "bytes", raw_bytes(a));
    else
        ok = ok && add_text(obj, "error", entry->fault);
    ok = ok && add_count(obj, "chunks_stored", entry->present) && add_count(obj, "bytes_stored", entry->bytes);
    return gt_json_whole(obj, ok);
}

static struct json_object *groups_json(const struct info_store *info)
{
    struct json_object *list = json_object_new_array();
    bool ok = list;
    for (size_t i = 0; ok && i < info->n_groups; i++)
        ok = gt_json_add(list, json_object_new_string(info->groups[i].path));
    return gt_json_whole(list, ok);
}

static struct json_object *arrays_json(const struct info_store *info)
{
    struct json_object *list = json_object_new_array();
    bool ok = list;
    for (size_t i = 0; ok && i < info->n_arrays; i++)
        ok = gt_json_add(list, array_json(&info->arrays[i]));
    return gt_json_whole(list, ok);
}

struct json_object *info_store_json(const struct info_store *info, const char *name)
{
    struct json_object *obj = json_object_new_object(), *history = history_of(info);
    struct summary s;
    bool ok = add_text(obj, "name", name) && add_text(obj, "kind", "zarr") && add_text(obj, "store", info->store->ops->kind);

    if (summarise(info, &s))
        ok = ok && add_text(obj, "layout", s.layout) &&
             (s.samples >= 0 ? add_count(obj, "samples", s.samples) : gt_json_set_shared(obj, "samples", NULL)) &&
             add_count(obj, "variants", s.variants);
    ok = ok && add_count(obj, "keys", info->keys) && add_count(obj, "bytes_stored", info->bytes) &&
         gt_json_set(obj, "groups", groups_json(info)) && gt_json_set(obj, "arrays", arrays_json(info));
    if (history)
        ok = ok && gt_json_set_shared(obj, "history", history);
    if (info->root)
        ok = ok && gt_json_set_shared(obj, "attributes", info->root->attrs);
    return gt_json_whole(obj, ok);
}
