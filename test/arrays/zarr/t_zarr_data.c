/* Arrays that other implementations wrote, against their decoded values. */
#include <dirent.h>
#include <json-c/json.h>
#include <stdint.h>
#include <string.h>

#include "arrays/zarr/group.h"
#include "core/base/str.h"
#include "storage/archive/zip_store.h"
#include "storage/store/dir_store.h"
#include "test/support/tap.h"

static int n_compared, n_unsupported;

static char *slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *data = NULL;
    size_t cap = 0;

    *n = 0;
    if (!f)
        return NULL;
    do {
        if (*n + 4096 > cap)
            data = realloc(data, cap = 2 * cap + 8192);
        *n += fread(data + *n, 1, cap - *n - 1, f);
    } while (!feof(f) && !ferror(f));
    data[*n] = 0;
    fclose(f);
    return data;
}

/* The .txt has one JSON string a line. */
static bool same_strings(struct gt_array *array, char *text, struct gt_err *err)
{
    struct gt_strs strs = {0};
    size_t i = 0;
    bool same = gt_array_read_strings(array, NULL, &strs, err) == 0;

    for (char *line = strtok(text, "\n"); same && line; line = strtok(NULL, "\n"), i++) {
        struct json_object *want = json_tokener_parse(line);
        same = i < strs.n && strcmp(json_object_get_string(want), gt_strs_get(&strs, i)) == 0;
        json_object_put(want);
    }
    same = same && i == strs.n;
    gt_strs_release(&strs);
    return same;
}

static bool same_bytes(struct gt_array *array, const char *want, size_t n, struct gt_err *err)
{
    struct gt_buf raw = {0};
    bool same = gt_array_read_all(array, &raw, err) == 0 && raw.len == n && memcmp(raw.data, want, n) == 0;

    gt_buf_release(&raw);
    return same;
}

static void compare(const char *data, const char *name)
{
    char path[4096];
    const char *cut = strstr(name, "__");
    int stem = (int)(strlen(name) - strlen(".json"));
    struct gt_store *store = NULL;
    struct gt_array *array = NULL;
    struct gt_err err = {0};
    char *want;
    size_t n;
    int status;

    snprintf(path, sizeof path, "%s/zarr/%.*s/%.*s", data, (int)(cut - name), name, stem - (int)(cut - name) - 2, cut + 2);
    status = gt_store_open_dir(&store, path, &err);
    if (!status)
        status = gt_array_open(&array, store, "", &err);
    snprintf(path, sizeof path, "%s/zarr/EXPECT/%.*s.%s", data, stem, name, array && array->dtype.type == GT_STRING ? "txt" : "bin");
    want = slurp(path, &n);
    if (status == GT_INPUT && strstr(err.msg, "not supported")) {
        n_unsupported++;
    } else {
        bool same =
            !status && want && (array->dtype.type == GT_STRING ? same_strings(array, want, &err) : same_bytes(array, want, n, &err));
        ok(same, "%.*s %s", stem, name, err.msg);
        n_compared++;
    }
    free(want);
    gt_array_free(array);
    gt_store_free(store);
}

static void test_expected(const char *data)
{
    char path[4096];
    DIR *dir;
    struct dirent *entry;

    snprintf(path, sizeof path, "%s/zarr/EXPECT", data);
    dir = opendir(path);
    while (dir && (entry = readdir(dir)))
        if (strlen(entry->d_name) > 5 && strcmp(entry->d_name + strlen(entry->d_name) - 5, ".json") == 0)
            compare(data, entry->d_name);
    if (dir)
        closedir(dir);
    ok(n_compared == 143 && n_unsupported == 0, "%d arrays compared, %d use codecs or types that are not supported", n_compared,
       n_unsupported);
}

/* What cannot be decoded is refused by its name; a checksum that EXPECT lacks. */
static void test_others(const char *data)
{
    static const char *const refused[] = {"int32__zarrs.gdeflate", "int32__zfp"};
    struct gt_store *store = NULL;
    struct gt_array *array = NULL;
    struct gt_err err = {0};
    char path[4096];
    char *want;
    size_t n;

    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/zarr/snapshots/%s", data, refused[i]);
        gt_err_clear(&err);
        ok(gt_store_open_dir(&store, path, &err) == 0 && gt_array_open(&array, store, "", &err) == GT_INPUT && err.unsupported &&
               strstr(err.msg, strstr(refused[i], "__") + 2),
           "%s is refused by name: %s", refused[i], err.msg);
        gt_store_free(store);
    }
    gt_err_clear(&err);
    snprintf(path, sizeof path, "%s/zarr/EXPECT/zp308_v3__array_none.zarr.bin", data);
    want = slurp(path, &n);
    snprintf(path, sizeof path, "%s/zarr/zp308_v3/array_fletcher32.zarr", data);
    ok(want && gt_store_open_dir(&store, path, &err) == 0 && gt_array_open(&array, store, "", &err) == 0 &&
           same_bytes(array, want, n, &err),
       "fletcher32 %s", err.msg);
    free(want);
    gt_array_free(array);
    gt_store_free(store);
}

/* v2 and v3 of one VCF Zarr hold the same. */
static int open_vcz(struct gt_store **store, struct gt_group **group, const char *data, const char *name, struct gt_err *err)
{
    static struct gt_budget budget;
    char path[4096];
    int status;

    gt_budget_init(&budget, 1 << 28);
    snprintf(path, sizeof path, "%s/vcz/%s", data, name);
    status = gt_store_open_zip(store, path, &budget, err);
    return status ? status : gt_group_open(group, *store, "", err);
}

static bool same_array(struct gt_group *a, struct gt_group *b, const char *path, struct gt_err *err)
{
    struct gt_array *x = NULL, *y = NULL;
    struct gt_buf raw = {0};
    struct gt_strs s = {0}, t = {0};
    bool same = gt_group_array(a, path, &x, err) == 0 && gt_group_array(b, path, &y, err) == 0 && x->dtype.type == y->dtype.type;

    if (same && x->dtype.type == GT_STRING)
        same = gt_array_read_strings(x, NULL, &s, err) == 0 && gt_array_read_strings(y, NULL, &t, err) == 0 && s.n == t.n &&
               s.text_len == t.text_len && memcmp(s.text, t.text, s.text_len) == 0;
    else if (same)
        same = gt_array_read_all(x, &raw, err) == 0 && same_bytes(y, (const char *)raw.data, raw.len, err);
    gt_array_free(x);
    gt_array_free(y);
    gt_buf_release(&raw);
    gt_strs_release(&s);
    gt_strs_release(&t);
    return same;
}

static void test_vcz(const char *data)
{
    struct gt_store *s2 = NULL, *s3 = NULL;
    struct gt_group *g2 = NULL, *g3 = NULL;
    struct gt_node *nodes = NULL;
    struct gt_err err = {0};
    size_t n = 0;

    ok(open_vcz(&s2, &g2, data, "sample.vcz.zip", &err) == 0 && open_vcz(&s3, &g3, data, "sample.vcz3.zip", &err) == 0,
       "VCF Zarr in zip files %s", err.msg);
    if (g2 && g3) {
        ok(gt_group_nodes(g2, &nodes, &n, &err) == 0 && n == 28, "nodes of a VCF Zarr %s", err.msg);
        for (size_t i = 0; i < n; i++)
            if (nodes[i].is_array)
                ok(same_array(g2, g3, nodes[i].path, &err), "%s is the same in v2 and v3 %s", nodes[i].path, err.msg);
        gt_nodes_free(nodes, n);
    }
    gt_group_free(g2);
    gt_group_free(g3);
    gt_store_free(s2);
    gt_store_free(s3);
    s2 = NULL;
    g2 = NULL;
    n = 0;
    if (ok(open_vcz(&s2, &g2, data, "field_type_combos.vcz.zip", &err) == 0 && gt_group_nodes(g2, &nodes, &n, &err) == 0,
           "all field types %s", err.msg))
        for (size_t i = 0; i < n; i++)
            if (nodes[i].is_array)
                ok(same_array(g2, g2, nodes[i].path, &err), "%s decodes %s", nodes[i].path, err.msg);
    gt_nodes_free(nodes, n);
    gt_group_free(g2);
    gt_store_free(s2);
}

int main(void)
{
    const char *data = test_data();

    if (!data) {
        skip("no test data");
        return done_testing();
    }
    test_expected(data);
    test_others(data);
    test_vcz(data);
    return done_testing();
}
