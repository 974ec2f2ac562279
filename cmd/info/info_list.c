/* The listing of a store, as text and as JSON. */
#include "cmd/info/info.h"
#include "cmd/info/info_row.h"

#include <string.h>

#include "core/base/json.h"
#include "core/base/size.h"
#include "geno/model/geno_arrays.h"
#include "geno/model/packed.h"

static int64_t raw_bytes(const struct gt_array *array)
{
    int64_t n = (int64_t)array->dtype.size;
    for (int i = 0; i < array->ndim; i++)
        if (!gt_mul_i64(n, array->shape[i], &n))
            return 0;
    return n;
}

/* An array of a group. */
static const struct gt_array *find(const struct info_store *info, const char *group, const char *name)
{
    size_t n = strlen(group);

    for (size_t i = 0; i < info->n_arrays; i++) {
        const char *path = info->arrays[i].path;
        if (info_is_below(path, group) && strcmp(path + n + (n > 0 && path[n] == '/'), name) == 0)
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
    static const char *const names[][2] = {{"packed_dosage", "packed genotypes"},
                                           {"call_genotype", "genotype calls"},
                                           {"calldata/GT", "genotype calls (scikit-allel)"},
                                           {"call_dosage", "allele counts"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct gt_array *array = find(info, info->inner, names[i][0]);
        if (!array || array->ndim < 2)
            continue;
        const int samples = gt_array_is_turned(array) ? 0 : 1;
        s->layout = names[i][1];
        s->variants = array->shape[1 - samples];
        s->samples = i == 0 ? packed_samples(array) : array->shape[samples];
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
    char type[GT_DTYPE_NAME], size[GT_NUM_LEN];
    const struct gt_array *a = entry->array;
    size_t start = out->len;
    int64_t raw;

    gt_str_add(out, "  ");
    info_add_name(out, shown_path(info, entry));
    gt_str_add(out, "  ");
    pad(out, start, width + 4);
    if (!a) {
        info_add_name(out, entry->fault);
        gt_str_add(out, "\n");
        return;
    }
    gt_str_add(out, gt_dtype_name_v3(&a->dtype, type));
    gt_str_add(out, " ");
    pad(out, start, width + 13);
    add_shape(out, a->shape, a->ndim);
    gt_str_add(out, " in ");
    add_shape(out, a->chunk, a->ndim);
    gt_str_addf(out, "  %s", gt_codec_describe(a->codecs));
    if (info->listed)
        gt_str_addf(out, "  %s", gt_format_size(size, entry->bytes));
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
    if (packed && info->listed && s.samples > 0 && s.variants > 0) {
        int64_t at = gt_names_find(info->index, packed->path, strlen(packed->path));
        gt_str_addf(out, ", %.3g bits per genotype", 8.0 * (double)info->arrays[at].bytes / ((double)s.samples * (double)s.variants));
    }
    gt_str_add(out, "\n");
}

void info_store_text(const struct info_store *info, const char *name, struct gt_str *out)
{
    char size[GT_NUM_LEN], keys[GT_NUM_LEN];
    size_t width = 8;
    struct json_object *history = history_of(info);
    int format = info->root ? info->root->zarr_format : info->arrays[0].zarr_format;

    gt_str_addf(out, "%s: Zarr v%d, %s", name, format, info->store->ops->kind);
    if (info->listed)
        gt_str_addf(out, ", %s in %s keys", gt_format_size(size, info->bytes), gt_format_count(keys, info->keys));
    gt_str_add(out, "\n");
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

static struct json_object *names_json(const struct gt_array *a)
{
    struct json_object *names = json_object_new_array();
    bool ok = names;
    for (int i = 0; ok && i < a->ndim; i++)
        ok = a->dim_names[i] ? gt_json_add(names, json_object_new_string(a->dim_names[i])) : gt_json_add_shared(names, NULL);
    return gt_json_if_complete(names, ok);
}

/* null where it is not known. */
static bool add_stored(struct json_object *obj, const struct info_store *info, const char *key, int64_t n)
{
    return info->listed ? gt_json_set_int(obj, key, n) : gt_json_set_shared(obj, key, NULL);
}

static struct json_object *array_json(const struct info_store *info, const struct info_array *entry)
{
    struct json_object *obj = json_object_new_object();
    const struct gt_array *a = entry->array;
    char type[GT_DTYPE_NAME];
    bool ok = gt_json_set_text(obj, "path", entry->path);

    if (a)
        ok = ok && gt_json_set_int(obj, "zarr_format", a->zarr_format) &&
             gt_json_set_text(obj, "type", gt_dtype_name_v3(&a->dtype, type)) &&
             gt_json_set(obj, "shape", gt_json_sizes(a->shape, a->ndim)) &&
             gt_json_set(obj, "chunk_shape", gt_json_sizes(a->chunk, a->ndim)) && gt_json_set(obj, "dimensions", names_json(a)) &&
             gt_json_set_text(obj, "codec", gt_codec_describe(a->codecs)) && gt_json_set_int(obj, "chunks", entry->chunks) &&
             gt_json_set_int(obj, "bytes", raw_bytes(a));
    else
        ok = ok && gt_json_set_text(obj, "error", entry->fault);
    ok = ok && add_stored(obj, info, "chunks_stored", entry->present) && add_stored(obj, info, "bytes_stored", entry->bytes);
    return gt_json_if_complete(obj, ok);
}

static struct json_object *groups_json(const struct info_store *info)
{
    struct json_object *list = json_object_new_array();
    bool ok = list;
    for (size_t i = 0; ok && i < info->n_groups; i++)
        ok = gt_json_add(list, json_object_new_string(info->groups[i].path));
    return gt_json_if_complete(list, ok);
}

static struct json_object *arrays_json(const struct info_store *info)
{
    struct json_object *list = json_object_new_array();
    bool ok = list;
    for (size_t i = 0; ok && i < info->n_arrays; i++)
        ok = gt_json_add(list, array_json(info, &info->arrays[i]));
    return gt_json_if_complete(list, ok);
}

struct json_object *info_store_json(const struct info_store *info, const char *name)
{
    struct json_object *obj = json_object_new_object(), *history = history_of(info);
    struct summary s;
    bool ok = gt_json_set_text(obj, "name", name) && gt_json_set_text(obj, "kind", "zarr") &&
              gt_json_set_text(obj, "store", info->store->ops->kind);

    if (summarise(info, &s))
        ok = ok && gt_json_set_text(obj, "layout", s.layout) &&
             (s.samples >= 0 ? gt_json_set_int(obj, "samples", s.samples) : gt_json_set_shared(obj, "samples", NULL)) &&
             gt_json_set_int(obj, "variants", s.variants);
    ok = ok && add_stored(obj, info, "keys", info->keys) && add_stored(obj, info, "bytes_stored", info->bytes) &&
         gt_json_set(obj, "groups", groups_json(info)) && gt_json_set(obj, "arrays", arrays_json(info));
    if (history)
        ok = ok && gt_json_set_shared(obj, "history", history);
    if (info->root)
        ok = ok && gt_json_set_shared(obj, "attributes", info->root->attrs);
    return gt_json_if_complete(obj, ok);
}
