/* --check: every chunk of every array is read and decoded, as a flow.  A chunk that
 * is not there is legal (it reads as the fill value), but not in packed stores, and
 * an array that we do not read is not damaged: these are counted apart. */
#include "cmd/info/info.h"
#include "cmd/info/info_row.h"

#include <pthread.h>
#include <string.h>

#include "calc/rechunk/partition.h"
#include "core/base/buf_pool.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/flow.h"
#include "core/engine/memory_plan.h"
#include "geno/model/geno_arrays.h"
#include "geno/source/source.h"

#define MAX_ABSENT 10000000 /* chunks that are looked for in vain, an array */

struct check {
    struct gt_cli *cli;
    struct info_store *info;
    int64_t *first; /* number of the first chunk of array i; n + 1 entries */
    struct gt_outfile *out;
    struct json_object *damaged_list, *unsupported_list, *orphaned_list; /* with --json */
    int64_t checked, absent, damaged, unsupported;
    pthread_mutex_t lock;            /* of what follows */
    struct gt_buf_pool stored, work; /* buffers that chunks left, for the next ones */
};

struct item {
    bool ready;
    size_t array;
    int64_t index[GT_MAX_DIMS];
    struct gt_buf stored, raw, scratch[2];
    bool absent;
    struct gt_err fault; /* status 0: none */
};

/* Each buffer goes back where it came from, so there are never more than the items would have. */
static void take_free_buf(struct check *check, struct gt_buf_pool *free_bufs, struct gt_buf *buf)
{
    pthread_mutex_lock(&check->lock);
    gt_buf_pool_take(free_bufs, buf);
    pthread_mutex_unlock(&check->lock);
}

static void put_free_buf(struct check *check, struct gt_buf_pool *free_bufs, struct gt_buf *buf)
{
    pthread_mutex_lock(&check->lock);
    gt_buf_pool_put(free_bufs, buf, GT_BUF_POOL_MAX);
    pthread_mutex_unlock(&check->lock);
}

static void release_free_bufs(struct check *check)
{
    pthread_mutex_lock(&check->lock);
    gt_buf_pool_release(&check->stored);
    gt_buf_pool_release(&check->work);
    pthread_mutex_unlock(&check->lock);
}

/* A chunk at fault does not end the check; other failures do. */
static int keep_fault(const struct check *check, struct item *item, const struct gt_err *why, struct gt_err *err)
{
    if (!info_is_of_value(check->info->store, why)) {
        *err = *why;
        return why->status;
    }
    item->fault = *why;
    return GT_OK;
}

static int on_read(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct check *check = ctx;
    struct item *item = data;
    struct gt_err why = {0};
    const struct gt_array *array;
    int64_t chunk, grid[GT_MAX_DIMS];
    int status;

    if (!item->ready)
        item->stored.budget = item->raw.budget = item->scratch[0].budget = item->scratch[1].budget = &check->cli->engine.budget;
    item->ready = true;
    item->fault = why;
    item->array = (size_t)gt_partition_find(&(struct gt_partition){.n = (int64_t)check->info->n_arrays, .at = check->first}, task);
    array = check->info->arrays[item->array].array;
    chunk = task - check->first[item->array];
    for (int i = 0; i < array->ndim; i++)
        grid[i] = gt_array_grid(array, i);
    gt_nd_index(array->ndim, grid, chunk, item->index);
    take_free_buf(check, &check->stored, &item->stored);
    status = gt_array_fetch(check->info->arrays[item->array].array, item->index, &item->stored, &why);
    item->absent = status == GT_NOENT;
    gt_flow_bytes(status ? 0 : (int64_t)item->stored.len);
    return status > 0 ? keep_fault(check, item, &why, err) : GT_OK;
}

static int on_work(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct check *check = ctx;
    struct item *item = data;
    struct gt_buf *const bufs[] = {&item->scratch[1], &item->scratch[0], &item->raw};
    struct gt_err why = {0};
    int status;

    (void)task;
    if (item->absent || item->fault.status)
        return GT_OK;
    for (int i = 2; i >= 0; i--)
        take_free_buf(check, &check->work, bufs[i]);
    status = gt_array_decode(check->info->arrays[item->array].array, item->index, &item->stored, &item->raw, item->scratch, &why);
    for (int i = 0; i < 3; i++)
        put_free_buf(check, &check->work, bufs[i]);
    put_free_buf(check, &check->stored, &item->stored);
    return status ? keep_fault(check, item, &why, err) : GT_OK;
}

static void on_release(void *ctx, void *data)
{
    struct item *item = data;

    release_free_bufs(ctx);
    gt_buf_release(&item->stored);
    gt_buf_release(&item->raw);
    gt_buf_release(&item->scratch[0]);
    gt_buf_release(&item->scratch[1]);
}

/* A line, or an object of --json, for what is found. */
static int say_what(struct check *check, const char *what, struct json_object *list, const char *key, const char *why, struct gt_err *err)
{
    struct gt_str line = {0};
    int status = GT_OK;

    if (check->cli->json) {
        struct json_object *obj = json_object_new_object();
        bool ok = gt_json_set_text(obj, "key", key) && gt_json_set_text(obj, "cause", why) && gt_json_add_shared(list, obj);
        json_object_put(obj);
        status = ok ? GT_OK : gt_no_memory(err);
    } else {
        gt_str_addf(&line, "%s\t", what);
        info_add_name(&line, key);
        gt_str_add(&line, "\t");
        info_add_name(&line, why);
        gt_str_add(&line, "\n");
        status = gt_text_put(check->out, &line, 0, err);
    }
    gt_str_release(&line);
    return status;
}

/* What is damaged, or not supported. */
static int say(struct check *check, bool unsupported, const char *key, const char *why, struct gt_err *err)
{
    (*(unsupported ? &check->unsupported : &check->damaged))++;
    return say_what(check, unsupported ? "not supported" : "damaged", unsupported ? check->unsupported_list : check->damaged_list, key, why,
                    err);
}

static int list_unlisted(struct check *check, struct gt_err *err)
{
    const struct gt_strs *folders = &check->info->unlisted;
    int status = GT_OK;

    for (size_t i = 0; i + 1 < folders->n && !status; i += 2)
        status = say(check, false, gt_strs_get(folders, i), gt_strs_get(folders, i + 1), err);
    return status;
}

/* Files that nothing reads: chunks outside of their array's grid, or below what is no array. */
static int list_orphans(struct check *check, struct gt_err *err)
{
    const struct gt_strs *orphans = &check->info->orphans;
    int status = GT_OK;

    for (size_t i = 0; i < orphans->n && !status; i++)
        status = say_what(check, "orphaned", check->orphaned_list, gt_strs_get(orphans, i), "it belongs to no array", err);
    return status;
}

static int on_commit(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct check *check = ctx;
    struct item *item = data;
    struct gt_str key = {0};
    int status = GT_OK;

    (void)task;
    check->checked++;
    check->absent += item->absent;
    if (item->fault.status) {
        status = gt_array_key(check->info->arrays[item->array].array, item->index, &key, err);
        if (!status)
            status = say(check, item->fault.unsupported, key.s, item->fault.msg, err);
        gt_str_release(&key);
    }
    return status;
}

/* Arrays that cannot be read at all, and keys that no array knows. */
static int check_arrays(struct check *check, struct gt_err *err)
{
    int status = GT_OK;

    check->first[0] = 0;
    for (size_t i = 0; i < check->info->n_arrays && !status; i++) {
        const struct info_array *entry = &check->info->arrays[i];
        int64_t chunks = entry->array ? entry->chunks : 0;
        if (!entry->array && !*entry->path && check->info->root_fault) {
            chunks = 0; /* check_root has it */
        } else if (!entry->array) {
            status = say(check, entry->unsupported, entry->path, entry->fault, err);
        } else if (chunks - entry->present > MAX_ABSENT) {
            status = entry->array->whole ? say(check, false, entry->path, "nearly all of its chunks are missing", err)
                                         : say(check, true, entry->path, "too few of its chunks are stored to check each", err);
            chunks = 0;
        }
        if (__builtin_add_overflow(check->first[i], chunks, &check->first[i + 1]))
            return gt_fail(err, GT_INPUT, "'%s' has too many chunks to check", check->info->store->name);
    }
    return status;
}

/* The genotypes in what was asked for; NULL: none.  Other arrays and groups have nothing that a command reads as such. */
static const struct gt_array *genotypes(const struct info_store *info)
{
    static const char *const places[] = {"", "packed_dosage", "call_genotype", "calldata/GT", "call_dosage"};
    const size_t n = strlen(info->inner);
    for (size_t i = 0; i < info->n_arrays; i++) {
        const struct info_array *entry = &info->arrays[i];
        const char *place = entry->path + n + (n > 0 && entry->path[n] == '/');
        bool is = entry->array && gt_array_has_genotypes(entry->array) && info_is_below(entry->path, info->inner);
        for (size_t k = 0; is && k < sizeof places / sizeof *places; k++)
            if (strcmp(place, places[k]) == 0)
                return entry->array;
    }
    return NULL;
}

/* --deep: the genotypes are read as every command reads them, with all that is
 * known of the sites.  Calls of ploidy above 2 are no damage. */
static int open_as_source(struct gt_cli *cli, const struct info_store *info, const char *path, struct gt_source **source,
                          struct gt_err *err)
{
    struct gt_select_opts everything = GT_SELECT_ALL;
    const struct gt_array *calls = genotypes(info);
    if (calls && calls->ndim > 2 && calls->shape[2] > 2)
        everything.polyploid = GT_POLYPLOID_MISSING;
    struct gt_source_opts opts = {.paths = &path, .n_paths = 1, .array = cli->array, .select = &everything, .fields = GT_SITE_ALL};
    return gt_source_open(source, &cli->engine, &opts, err);
}

static int read_as_source(struct check *check, const char *path, struct gt_err *err)
{
    struct gt_source *source = NULL;
    struct gt_block *block;
    int status = open_as_source(check->cli, check->info, path, &source, err);

    status = status ? status : info_allot_reading(check->cli, source, 0, err);
    while (!status && (status = gt_source_next(source, &block, err)) == GT_OK)
        gt_source_done(source, block);
    gt_source_free(source);
    return status == GT_END ? GT_OK : status;
}

/* A metadata document that the consolidated ones repeat: other readers take it from here. */
static int check_document(struct check *check, const char *path, const char *document, struct gt_err *err)
{
    struct json_object *obj = NULL;
    struct gt_str key = {0};
    struct gt_err why = {0};
    int status = gt_group_document(check->info->root, path, document, &obj, &why);

    gt_str_addf(&key, "%s%s%s", path, *path && *document ? "/" : "", document);
    json_object_put(obj);
    if (key.failed)
        status = gt_no_memory(&why);
    if (status == GT_NOENT)
        status = say(check, false, key.s, "the metadata is missing", err);
    else if (status && info_is_of_value(check->info->store, &why))
        status = say(check, false, key.s, why.msg, err);
    else if (status)
        *err = why;
    gt_str_release(&key);
    return status;
}

/* The root's metadata cannot be used: all of its documents that are no JSON, or what else is wrong. */
static int check_root(struct check *check, struct gt_err *err)
{
    static const char *const documents[] = {"zarr.json", ".zgroup", ".zmetadata", ".zattrs"};
    const int64_t before = check->damaged;
    int status = GT_OK;

    for (size_t i = 0; i < sizeof documents / sizeof *documents && !status; i++) {
        struct json_object *obj = NULL;
        struct gt_err why = {0};
        if (gt_group_document(check->info->root, "", documents[i], &obj, &why) == GT_INPUT)
            status = say(check, false, documents[i], why.msg, err);
        json_object_put(obj);
    }
    return status || check->damaged > before ? status : say(check, false, "", check->info->root_fault, err);
}

static int check_documents(struct check *check, struct gt_err *err)
{
    struct gt_group *root = check->info->root;
    int status = check->info->root_fault ? check_root(check, err) : GT_OK;

    if (status || !root || !root->consolidated || *check->info->inner)
        return status;
    status = gt_group_expect_documents(root, err);
    json_object_object_foreach(root->consolidated, key, doc)
    {
        (void)doc;
        if (!status)
            status = root->zarr_format == 3 ? check_document(check, key, "zarr.json", err) : check_document(check, "", key, err);
    }
    return status;
}

static int write_counts(const struct check *check, struct gt_err *err)
{
    struct gt_str text = {0};
    int status;

    if (check->cli->json) {
        struct json_object *obj = json_object_new_object();
        bool ok = gt_json_set_int(obj, "chunks", check->checked) && gt_json_set_int(obj, "not_there", check->absent) &&
                  gt_json_set_shared(obj, "damaged", check->damaged_list) &&
                  gt_json_set_shared(obj, "not_supported", check->unsupported_list) &&
                  gt_json_set_shared(obj, "orphaned", check->orphaned_list);
        return info_write_json(check->out, gt_json_if_complete(obj, ok), err);
    }
    gt_str_addf(&text, "%lld chunk%s checked, %lld missing, %lld damaged, %lld not supported", (long long)check->checked,
                check->checked == 1 ? "" : "s", (long long)check->absent, (long long)check->damaged, (long long)check->unsupported);
    if (check->info->orphans.n)
        gt_str_addf(&text, ", %zu orphaned", check->info->orphans.n);
    gt_str_add(&text, "\n");
    status = gt_text_put(check->out, &text, 0, err);
    gt_str_release(&text);
    return status;
}

static int finish(struct check *check, bool *reported, struct gt_err *err)
{
    int status = write_counts(check, err);

    *reported = !status;
    if (!status && check->damaged)
        status = gt_fail(err, GT_INPUT, "'%s' is damaged: %lld of its chunks or arrays cannot be read", check->info->store->name,
                         (long long)check->damaged);
    return status;
}

/* Bytes of a text with its length, about; a chunk of texts that would be larger is not believed before it is read. */
enum { TEXT_BYTES = 16, TEXTS_MOST = 64 << 20 };

static int64_t largest_chunk(const struct info_store *info)
{
    int64_t largest = 0;

    for (size_t i = 0; i < info->n_arrays; i++) {
        const struct gt_array *array = info->arrays[i].array;
        if (array && array->chunk_bytes)
            largest = gt_max_i64(largest, (int64_t)array->chunk_bytes);
        else if (array)
            largest = gt_max_i64(largest, gt_min_i64(gt_bytes_mul(TEXT_BYTES, (int64_t)array->chunk_items), TEXTS_MOST));
    }
    return largest;
}

/* Of a chunk: as it is stored, on its way, and decoded. */
static int64_t task_bytes(const struct info_store *info)
{
    return gt_bytes_add(gt_bytes_mul(3, largest_chunk(info)), 65536);
}

static int settle(const struct gt_cli *cli, const struct info_store *info, struct gt_flow_opts *opts, struct gt_err *err)
{
    const int64_t bytes = task_bytes(info);
    struct gt_allotment allotment = {
        .name = "a chunk", .minimum = bytes, .preferred = gt_memory_plan_of_flow(&cli->engine, opts->readers, bytes)};
    int status = gt_memory_plan_fit(&allotment, 1, &cli->engine, err);

    gt_plan_record_step(
        cli->engine.plan,
        &(struct gt_plan_step){.flow = "check", .read = "read", .work = "decode", .tasks = -1, .task_bytes = bytes, .passes = 1});
    opts->task_bytes = (size_t)bytes;
    opts->memory = allotment.size;
    return status;
}

/* Both passes of --deep, one after the other: one ceiling does for both. */
static int plan_deep(struct gt_cli *cli, const struct info_store *info, const char *path, struct gt_err *err)
{
    struct gt_source *source = NULL;
    int status = open_as_source(cli, info, path, &source, err);

    status = status ? status : info_allot_reading(cli, source, task_bytes(info), err);
    gt_source_free(source);
    return status;
}

int info_check_plan(struct gt_cli *cli, const struct info_store *info, const char *path, bool deep, struct gt_err *err)
{
    struct gt_flow_opts opts = {.readers = cli->engine.limits.io_threads};
    int status = deep && genotypes(info) ? plan_deep(cli, info, path, err) : GT_OK;

    return status ? status : settle(cli, info, &opts, err);
}

int info_check(struct gt_cli *cli, struct info_store *info, const char *path, bool deep, struct gt_outfile *out, bool *reported,
               struct gt_err *err)
{
    static const struct gt_flow_ops ops = {
        .name = "check", .work_name = "decode", .item_size = sizeof(struct item), .read = on_read, .work = on_work, .release = on_release};
    struct gt_err planned = {0};
    if (deep && genotypes(info) && plan_deep(cli, info, path, &planned) == GT_NOFIT) { /* else the chunks are looked at first */
        *err = planned;
        return GT_NOFIT;
    }
    struct check check = {.cli = cli,
                          .info = info,
                          .out = out,
                          .damaged_list = json_object_new_array(),
                          .unsupported_list = json_object_new_array(),
                          .orphaned_list = json_object_new_array()};
    struct gt_flow_opts opts = {.readers = info->store->stream ? 1 : cli->engine.limits.io_threads};
    int status;

    pthread_mutex_init(&check.lock, NULL);
    check.first = gt_alloc(info->n_arrays + 1, sizeof *check.first, err);
    if (!check.first || !check.damaged_list || !check.unsupported_list || !check.orphaned_list)
        status = gt_no_memory(err);
    else
        status = check_documents(&check, err);
    if (!status)
        status = list_unlisted(&check, err);
    if (!status)
        status = check_arrays(&check, err);
    opts.tasks = status ? 0 : check.first[info->n_arrays];
    settle(cli, info, &opts, NULL); /* a chunk that is too large is reported by name below */
    if (!status)
        status = gt_flow_run(&cli->engine, &ops, &opts, &check, on_commit, err);
    if (!status && deep && !check.damaged && genotypes(info))
        status = read_as_source(&check, path, err);
    if (!status)
        status = list_orphans(&check, err);
    if (!status)
        status = finish(&check, reported, err);
    release_free_bufs(&check);
    pthread_mutex_destroy(&check.lock);
    json_object_put(check.damaged_list);
    json_object_put(check.unsupported_list);
    json_object_put(check.orphaned_list);
    free(check.first);
    return status;
}
