#include "config.h"

#include "cmd/common/run_data.h"

#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arrays/zarr/array.h"
#include "cmd/common/outputs.h"
#include "core/base/mem.h"
#include "core/base/outfile.h"
#include "storage/http/url.h"

enum { MOST_ARRAYS = 256, MOST_FILES = 10000 };

struct noted {
    char *store, *path;
    bool written;
    int ndim;
    int64_t shape[GT_MAX_DIMS], chunk[GT_MAX_DIMS];
    char type[GT_DTYPE_NAME], codec[64];
};

static struct {
    struct noted *list; /* NULL: nothing is noted */
    int n;
    char kind[64]; /* of genotypes; "": there are none */
    int64_t samples, variants;
} data;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* --- what is noted ------------------------------------------------------------------- */

/* The entry of that array, a new one if it has none; NULL: there is no room. */
static struct noted *entry_of(const struct gt_array *array, bool written)
{
    for (int i = 0; i < data.n; i++) {
        struct noted *noted = &data.list[i];
        if (noted->written == written && !strcmp(noted->path, array->path) && !strcmp(noted->store, array->store->name))
            return noted;
    }
    if (data.n == MOST_ARRAYS)
        return NULL;
    struct noted *noted = &data.list[data.n];
    *noted = (struct noted){.store = gt_strdup(array->store->name, NULL), .path = gt_strdup(array->path, NULL), .written = written};
    if (noted->store && noted->path) {
        data.n++;
        return noted;
    }
    free(noted->store);
    free(noted->path);
    return NULL;
}

static void note(const struct gt_array *array, bool written)
{
    if (!array->store)
        return;
    pthread_mutex_lock(&lock);
    struct noted *noted = data.list ? entry_of(array, written) : NULL;
    if (noted) {
        noted->ndim = array->ndim;
        memcpy(noted->shape, array->shape, sizeof noted->shape);
        memcpy(noted->chunk, array->chunk, sizeof noted->chunk);
        (void)gt_dtype_name_v3(&array->dtype, noted->type);
        snprintf(noted->codec, sizeof noted->codec, "%s", gt_codec_describe(array->codecs));
    }
    pthread_mutex_unlock(&lock);
}

void gt_run_data_begin(void)
{
    data.list = calloc(MOST_ARRAYS, sizeof *data.list);
    if (data.list)
        gt_array_watch(note);
}

void gt_run_data_release(void)
{
    gt_array_watch(NULL);
    for (int i = 0; i < data.n; i++) {
        free(data.list[i].store);
        free(data.list[i].path);
    }
    free(data.list);
    data.list = NULL;
    data.n = 0;
}

void gt_run_data_genotypes(const char *kind, int64_t samples, int64_t variants)
{
    pthread_mutex_lock(&lock);
    snprintf(data.kind, sizeof data.kind, "%s", kind);
    data.samples = samples;
    data.variants = variants;
    pthread_mutex_unlock(&lock);
}

/* --- arrays of a file ------------------------------------------------------------------ */

static struct json_object *array_part(const char *path, const struct noted *noted, bool in_chunks)
{
    struct json_object *o = json_object_new_object();
    const bool ok =
        gt_json_set_text(o, "path", path) && gt_json_set(o, "shape", gt_json_sizes(noted->shape, noted->ndim)) &&
        (in_chunks ? gt_json_set(o, "chunks", gt_json_sizes(noted->chunk, noted->ndim)) : gt_json_set_shared(o, "chunks", NULL)) &&
        gt_json_set_text(o, "type", noted->type) &&
        (in_chunks ? gt_json_set_text(o, "codec", noted->codec) : gt_json_set_shared(o, "codec", NULL));
    return gt_json_if_complete(o, ok);
}

/* Is the store what was named, or does that name something inside of it? */
static bool is_named(const char *store, const char *name)
{
    size_t n = strlen(store);
    if (!strcmp(name, "-"))
        return !strcmp(store, "standard input") || !strcmp(store, "standard output");
    while (n > 1 && store[n - 1] == '/')
        n--;
    return !strncmp(name, store, n) && (!name[n] || name[n] == '/');
}

static double items_of(const struct noted *noted)
{
    double items = 1;
    for (int i = 0; i < noted->ndim; i++)
        items *= (double)noted->shape[i];
    return items;
}

static int by_size(const void *a, const void *b)
{
    const struct noted *one = *(const struct noted *const *)a, *two = *(const struct noted *const *)b;
    const double first = items_of(one), second = items_of(two);
    return first > second ? -1 : first < second ? 1 : strcmp(one->path, two->path);
}

/* A .npy file is an array, as its head says: "'descr': '<f8', ... 'shape': (3, 4)". */
static bool add_npy(struct json_object *arrays, const char *path)
{
    char head[512] = "";
    struct noted npy = {0};
    FILE *file = fopen(path, "re");
    const size_t n = file ? fread(head, 1, sizeof head - 1, file) : 0;
    if (file)
        fclose(file);
    if (n < 10 || memcmp(head, "\x93NUMPY", 6) != 0)
        return true;
    const char *type = strstr(head + 10, "'descr': '"), *shape = strstr(head + 10, "'shape': (");
    if (!type || !shape)
        return true;
    type += strlen("'descr': '");
    snprintf(npy.type, sizeof npy.type, "%.*s", (int)strcspn(type, "'"), type);
    shape += strlen("'shape': (");
    for (char *end; npy.ndim < GT_MAX_DIMS; shape = end + strspn(end, ", ")) {
        const int64_t extent = strtoll(shape, &end, 10);
        if (end == shape)
            break;
        npy.shape[npy.ndim++] = extent;
    }
    return gt_json_add(arrays, array_part("", &npy, false));
}

/* --- files -------------------------------------------------------------------------------- */

static int64_t store_files, store_bytes; /* with the lock */

static int add_to_store(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)path;
    (void)at;
    store_bytes += type == FTW_F ? st->st_size : 0;
    return ++store_files > MOST_FILES;
}

/* Bytes of a file, or of a store in a directory that was written; -1: it is none, or of so many files that to look at them takes long. */
static int64_t size_of(const char *path, bool written)
{
    enum { OPEN_FOLDERS = 16 };
    struct stat st;
    if (!strcmp(path, "-") || stat(path, &st) || !(S_ISREG(st.st_mode) || (written && S_ISDIR(st.st_mode))))
        return -1;
    if (S_ISREG(st.st_mode))
        return st.st_size;
    store_files = store_bytes = 0;
    return nftw(path, add_to_store, OPEN_FOLDERS, FTW_PHYS) ? -1 : store_bytes;
}

/* there: it may be looked at, as an output may after the run. */
static struct json_object *file_part(const char *path, const char *shown, bool written, bool there)
{
    struct json_object *o = json_object_new_object(), *arrays = json_object_new_array();
    const struct noted *own[MOST_ARRAYS];
    struct gt_str name = {0};
    int n = 0;
    gt_url_add_public(&name, shown);
    for (int i = 0; i < data.n; i++)
        if (data.list[i].written == written && is_named(data.list[i].store, path))
            own[n++] = &data.list[i];
    qsort(own, (size_t)n, sizeof *own, by_size);
    bool ok = arrays != NULL && !gt_str_check(&name, NULL);
    for (int i = 0; i < n && ok; i++)
        ok = gt_json_add(arrays, array_part(own[i]->path, own[i], true));
    const int64_t bytes = there ? size_of(path, written) : -1;
    if (ok && bytes >= 0 && !n)
        ok = add_npy(arrays, path);
    ok = ok && gt_json_set_text(o, "name", name.len ? name.s : "") &&
         (bytes >= 0 ? gt_json_set_int(o, "bytes", bytes) : gt_json_set_shared(o, "bytes", NULL));
    ok = gt_json_set(o, "arrays", gt_json_if_complete(arrays, ok)) && ok;
    gt_str_release(&name);
    return gt_json_if_complete(o, ok);
}

/* Of a store that was read and is no operand: one that an option names. */
static bool is_first_of_option(const struct gt_cli *cli, int noted)
{
    const char *store = data.list[noted].store;
    for (int i = 0; i < noted; i++)
        if (!data.list[i].written && !strcmp(data.list[i].store, store))
            return false;
    for (int i = 0; cli->cmd->takes_input && i < cli->n_operands; i++)
        if (is_named(store, cli->operands[i]))
            return false;
    for (int i = 0; i < data.n; i++)
        if (data.list[i].written && !strcmp(data.list[i].store, store))
            return false;
    return !data.list[noted].written;
}

static struct json_object *input_files(const struct gt_cli *cli)
{
    struct json_object *files = json_object_new_array();
    bool ok = files != NULL;
    for (int i = 0; cli->cmd->takes_input && !cli->no_input && i < cli->n_operands && i < MOST_ARRAYS && ok; i++) {
        const char *path = cli->operands[i];
        ok = gt_json_add(files, file_part(path, strcmp(path, "-") ? path : "standard input", false, true));
    }
    for (int i = 0; i < data.n && ok; i++)
        if (is_first_of_option(cli, i))
            ok = gt_json_add(files, file_part(data.list[i].store, data.list[i].store, false, true));
    return gt_json_if_complete(files, ok);
}

static struct json_object *output_files(bool written)
{
    struct json_object *files = json_object_new_array();
    const char *path;
    bool ok = files != NULL;
    for (int i = 0; (path = gt_output_path(i)) != NULL && i < MOST_ARRAYS && ok; i++)
        ok = gt_json_add(files, file_part(path, path, true, written));
    if (ok && !gt_output_path(0))
        ok = gt_json_add(files, file_part("-", "standard output", true, false));
    return gt_json_if_complete(files, ok);
}

struct json_object *gt_run_data(const struct gt_cli *cli, bool done)
{
    struct json_object *o = json_object_new_object(), *genotypes = NULL;
    bool ok = true;
    pthread_mutex_lock(&lock);
    if (*data.kind) {
        genotypes = json_object_new_object();
        ok = gt_json_set_text(genotypes, "kind", data.kind) && gt_json_set_int(genotypes, "samples", data.samples) &&
             gt_json_set_int(genotypes, "variants", data.variants);
    }
    ok = gt_json_set_shared(o, "genotypes", genotypes) && ok && gt_json_set(o, "inputs", input_files(cli)) &&
         gt_json_set(o, "outputs", output_files(done));
    json_object_put(genotypes);
    pthread_mutex_unlock(&lock);
    return gt_json_if_complete(o, ok);
}
