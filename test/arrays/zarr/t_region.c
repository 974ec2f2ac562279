/* Regions and the chunk cache: random regions against the whole array, each chunk
 * read once however many ask for it, what stays and what goes, and errors. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "arrays/zarr/group.h"
#include "arrays/zarr/region.h"
#include "core/base/budget.h"
#include "core/base/str.h"
#include "storage/store/memory_store.h"
#include "test/support/random.h"
#include "test/support/tap.h"
#include "test/support/zarr_write.h"

static int calloc_fails; /* the one that many calls from now; 0: none */
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
    return calloc_fails && --calloc_fails == 0 ? NULL : __real_calloc(n, size);
}

/* A store that counts what is got from the one behind it. */
struct counting {
    struct gt_store base;
    struct gt_store *inner;
    _Atomic int gets, ranges;
    _Atomic int64_t range_bytes;
    const char *broken; /* a get of this key fails */
};

static int counting_get(struct gt_store *store, const char *key, struct gt_buf *buf, struct gt_err *err)
{
    struct counting *self = (struct counting *)store;
    atomic_fetch_add(&self->gets, 1);
    if (self->broken && strcmp(key, self->broken) == 0)
        return gt_fail(err, GT_FAIL, "the disk has a hole at '%s'", key);
    return gt_store_get(self->inner, key, buf, err);
}

static int counting_get_range(struct gt_store *store, const char *key, int64_t offset, size_t n, struct gt_buf *buf, struct gt_err *err)
{
    struct counting *self = (struct counting *)store;
    atomic_fetch_add(&self->ranges, 1);
    atomic_fetch_add(&self->range_bytes, (int64_t)n);
    return gt_store_get_range(self->inner, key, offset, n, buf, err);
}

static int counting_put(struct gt_store *store, const char *key, const void *data, size_t n, struct gt_err *err)
{
    return gt_store_put(((struct counting *)store)->inner, key, data, n, err);
}

static const struct gt_store_ops counting_ops = {
    .kind = "counting", .get = counting_get, .get_range = counting_get_range, .put = counting_put};

static void counting_init(struct counting *self)
{
    *self = (struct counting){.base = {.ops = &counting_ops, .name = (char *)"counting"}};
    gt_store_new_memory(&self->inner, NULL, NULL);
}

static struct gt_array *new_array(struct counting *store, struct gt_array_spec spec)
{
    struct gt_err err = {0};
    struct gt_array *array = NULL;

    spec.path = "a";
    if (!spec.codec)
        spec.codec = "none";
    if (gt_array_new(&array, &store->base, &spec, *spec.codec == '[' ? 3 : 2, &err))
        diag("%s", err.msg);
    return array;
}

static int64_t items_of(const struct gt_array *array)
{
    int64_t n = 1;
    for (int i = 0; i < array->ndim; i++)
        n *= array->shape[i];
    return n;
}

static void random_region(struct gt_region *region, const struct gt_array *array)
{
    for (int i = 0; i < array->ndim; i++) {
        int64_t size = array->shape[i];
        region->step[i] = random_below(2) ? 1 : 1 + random_below(size + 3);
        region->start[i] = random_below(size);
        region->count[i] = random_below((size - 1 - region->start[i]) / region->step[i] + 2);
    }
}

/* Item by item out of the whole array. */
static bool same_region(const struct gt_array *array, const struct gt_region *region, const int64_t *stride, const uint32_t *whole,
                        const uint32_t *have)
{
    int64_t index[GT_MAX_DIMS] = {0}, at[GT_MAX_DIMS];

    for (int i = 0; i < array->ndim; i++)
        if (region->count[i] == 0)
            return true;
    do {
        int64_t to = 0;
        for (int i = 0; i < array->ndim; i++) {
            at[i] = region->start[i] + index[i] * region->step[i];
            to += index[i] * stride[i];
        }
        if (have[to] != whole[gt_nd_number(array->ndim, array->shape, at)])
            return false;
    } while (gt_nd_next(array->ndim, region->count, index));
    return true;
}

enum { MOST = 7 * 7 * 7 * 7 };

/* Chunks as shards, of inner chunks of `unit`. */
static const char *shard_codec(char codec[600], int ndim, const int64_t *unit)
{
    char *at = codec + sprintf(codec, "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[");
    for (int i = 0; i < ndim; i++)
        at += sprintf(at, "%s%lld", i ? "," : "", (long long)unit[i]);
    sprintf(at,
            "],\"codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}},\"crc32c\"],\"index_codecs\":[{\"name\":\"bytes\","
            "\"configuration\":{\"endian\":\"little\"}},\"crc32c\"],\"index_location\":\"%s\"}}]",
            random_below(2) ? "start" : "end");
    return codec;
}

static bool one_array(struct counting *store, bool sharded)
{
    struct gt_array_spec spec = {.type = GT_U32, .ndim = (int)random_below(5)};
    static uint32_t whole[MOST], have[MOST];
    struct gt_buf scratch[2] = {{0}, {0}};
    struct gt_cache_opts opts = {.ordered = spec.ndim > 0};
    struct gt_cache *cache = NULL;
    struct gt_array *array;
    int64_t unit[GT_MAX_DIMS];
    char codec[600];
    bool same = true;

    for (int i = 0; i < spec.ndim; i++) {
        spec.shape[i] = 1 + random_below(7);
        unit[i] = 1 + random_below(4);
        spec.chunk[i] = sharded ? unit[i] * (1 + random_below(3)) : 1 + random_below(8);
    }
    if (sharded)
        spec.codec = shard_codec(codec, spec.ndim, unit);
    array = new_array(store, spec);
    for (int64_t i = 0; i < items_of(array); i++)
        whole[i] = (uint32_t)random_below(1000000) + 1;
    same = write_array(array, whole, NULL) == 0 && gt_cache_new(&cache, array, &opts, NULL) == 0;
    for (int turn = 0; turn < 10 && same; turn++) {
        struct gt_region region;
        int64_t stride[GT_MAX_DIMS];
        random_region(&region, array);
        (turn % 2 ? gt_nd_strides : gt_nd_strides_f)(array->ndim, region.count, stride);
        memset(have, 0, sizeof have);
        same = gt_region_read(cache, &region, have, stride, scratch, NULL) == 0 && same_region(array, &region, stride, whole, have);
    }
    gt_cache_free(cache);
    gt_array_free(array);
    gt_buf_release(&scratch[0]);
    gt_buf_release(&scratch[1]);
    return same;
}

static void test_regions(bool sharded, bool stream)
{
    int same = 0;

    for (int turn = 0; turn < 300; turn++) {
        struct counting store;
        counting_init(&store);
        store.base.stream = stream;
        same += one_array(&store, sharded);
        gt_store_free(store.inner);
    }
    ok(same == 300, "random regions of %d of 300 random arrays%s%s hold what the whole array does", same, sharded ? " of shards" : "",
       stream ? " in a stream" : "");
}

/* Chunks inside of shards are read alone: each index once, and the bytes of those that are needed. */
static void test_shards(void)
{
    struct gt_buf scratch[2] = {{0}, {0}};
    const int64_t unit[2] = {5, 4}, stride[2] = {8, 1};
    static uint32_t data[800], have[800];
    struct gt_region region = {{10, 0}, {5, 8}, {1, 1}};
    struct gt_cache *cache = NULL;
    struct counting store;
    char codec[600];

    counting_init(&store);
    struct gt_array *array = new_array(
        &store,
        (struct gt_array_spec){.type = GT_U32, .ndim = 2, .shape = {100, 8}, .chunk = {50, 8}, .codec = shard_codec(codec, 2, unit)});
    for (uint32_t i = 0; i < 800; i++)
        data[i] = i * i;
    write_array(array, data, NULL);
    gt_cache_new(&cache, array, &(struct gt_cache_opts){.ordered = true}, NULL);
    ok(gt_region_read(cache, &region, have, stride, scratch, NULL) == 0 && memcmp(have, data + 80, 160) == 0, "a part of a shard");
    ok(store.gets == 0 && store.ranges == 3 && store.range_bytes == 20 * 16 + 4 + 2 * (80 + 4),
       "its index and two inner chunks are read: %d ranges, %lld bytes", store.ranges, (long long)store.range_bytes);
    region = (struct gt_region){{0, 0}, {100, 8}, {1, 1}};
    ok(gt_region_read(cache, &region, have, stride, scratch, NULL) == 0 && memcmp(have, data, sizeof data) == 0, "all of it");
    ok(store.ranges <= 3 + 2 + 40, "each index is read once: %d ranges", store.ranges);
    gt_cache_free(cache);
    gt_array_free(array);
    gt_store_free(store.inner);
    gt_buf_release(&scratch[0]);
    gt_buf_release(&scratch[1]);
}

/* The index of a shard is read once for reads after one another, until memory is short.  Memory runs out between the hold on a
 * shard and that on what is in it: nothing stays held, so that a read costs what it did before. */
static void test_shard_without_memory(void)
{
    struct gt_buf scratch[2] = {{0}, {0}};
    const int64_t unit[2] = {5, 4}, stride[2] = {8, 1}, index[2] = {0, 0};
    static uint32_t data[800], have[800];
    const struct gt_region region = {{10, 0}, {5, 8}, {1, 1}};
    struct gt_cache *cache = NULL;
    struct counting store;
    struct gt_chunk *chunk;
    char codec[600];

    counting_init(&store);
    struct gt_array *array = new_array(
        &store,
        (struct gt_array_spec){.type = GT_U32, .ndim = 2, .shape = {100, 8}, .chunk = {50, 8}, .codec = shard_codec(codec, 2, unit)});
    write_array(array, data, NULL);
    gt_cache_new(&cache, array, &(struct gt_cache_opts){.budget = NULL}, NULL);
    gt_region_read(cache, &region, have, stride, scratch, NULL);
    const int before = store.ranges;
    gt_region_read(cache, &region, have, stride, scratch, NULL);
    ok(store.ranges == 2 * before - 1, "the index is not read again: %d ranges, %d before", store.ranges, before);
    gt_cache_trim(cache);
    calloc_fails = 2;
    ok(gt_cache_acquire(cache, index, &chunk, NULL) != 0 && !calloc_fails, "no memory for a chunk of a shard");
    for (int i = 0; i < 2; i++) {
        store.ranges = 0;
        int status = gt_region_read(cache, &region, have, stride, scratch, NULL);
        ok(!status && store.ranges == before, "its shard is not held: %d ranges, %d before", store.ranges, before);
        gt_cache_trim(cache);
    }
    gt_cache_free(cache);
    gt_array_free(array);
    gt_store_free(store.inner);
    gt_buf_release(&scratch[0]);
    gt_buf_release(&scratch[1]);
}

/* 100 x 8 in chunks of 10 x 4. */
static struct gt_array *matrix(struct counting *store, uint32_t data[800])
{
    struct gt_array *array = new_array(store, (struct gt_array_spec){.type = GT_U32, .ndim = 2, .shape = {100, 8}, .chunk = {10, 4}});

    for (uint32_t i = 0; i < 800; i++)
        data[i] = i * i;
    write_array(array, data, NULL);
    return array;
}

/* A chunk counts what it has: stored bytes once fetched; items, texts and numbers of texts once decoded. */
static void test_counted(void)
{
    enum { N = 3000, LONG = 40, PACKED, NUMBERS, TEXTS, FEW_TEXTS, KINDS };
    static uint32_t numbers[N];
    for (int kind = PACKED; kind < KINDS; kind++) {
        struct gt_buf scratch[2] = {{0}, {0}};
        struct gt_cache *cache = NULL;
        struct gt_chunk *chunk = NULL;
        struct gt_budget budget;
        struct counting store;
        struct gt_strs texts = {0};
        int64_t some = 0;
        const char letters[LONG + 1] = "ACGTACGTACGTACGTACGTACGTACGTACGTACGTACGT";
        gt_budget_init(&budget, 1 << 30);
        counting_init(&store);
        struct gt_array *array = new_array(&store, (struct gt_array_spec){.type = kind <= NUMBERS ? GT_U32 : GT_STRING,
                                                                          .ndim = 1,
                                                                          .shape = {N},
                                                                          .chunk = {N},
                                                                          .codec = kind == PACKED    ? "{\"id\":\"zlib\",\"level\":1}"
                                                                                   : kind == NUMBERS ? NULL
                                                                                                     : "[{\"name\":\"vlen-utf8\"}]"});
        for (int i = 0; i < N; i++) {
            const bool has = kind == TEXTS || i % 16 == 0;
            numbers[i] = 1 + (uint32_t)i;
            some += has;
            gt_strs_add(&texts, letters, has ? LONG : 0, NULL);
        }
        const int64_t stored = kind == PACKED ? 0 : kind == NUMBERS ? (int64_t)sizeof numbers : 4 * N + LONG * some;
        const int64_t decoded =
            kind <= NUMBERS ? (int64_t)sizeof numbers : (LONG + 1 + (int64_t)sizeof(size_t)) * some + (kind == TEXTS ? 0 : 4 * some);
        bool good = !(kind <= NUMBERS ? write_array(array, numbers, NULL) : write_strings(array, &texts, NULL));
        gt_cache_new(&cache, array, &(struct gt_cache_opts){.budget = &budget, .texts = true, .few = kind == FEW_TEXTS}, NULL);
        good = good && !gt_cache_acquire(cache, (int64_t[]){0}, &chunk, NULL) && !gt_cache_fetch(cache, &chunk, 1, NULL, NULL);
        const int64_t fetched = budget.used;
        good = good && !gt_cache_decode(cache, chunk, scratch, NULL) && chunk->few == (kind == FEW_TEXTS);
        gt_cache_trim(cache);
        ok(good && fetched >= stored && fetched < stored + 8192 && budget.used >= decoded,
           "kind %d: %lld bytes are fetched, %lld counted; %lld decoded, %lld counted", kind - PACKED, (long long)stored,
           (long long)fetched, (long long)decoded, (long long)budget.used);
        gt_cache_give(cache, chunk);
        gt_cache_free(cache);
        ok(budget.used == 0, "nothing is left: %lld bytes", (long long)budget.used);
        gt_array_free(array);
        gt_store_free(store.inner);
        gt_strs_release(&texts);
        gt_buf_release(&scratch[0]);
        gt_buf_release(&scratch[1]);
    }
}

/* A cache that is read in order has the chunks along the axis that are in use, `behind` more, and buffers for the next; not all that
 * it had. */
static void test_ordered_memory(void)
{
    enum { ROWS = 200, WIDTH = 1000 };
    static uint32_t data[ROWS * WIDTH], have[WIDTH];
    const int64_t stride[2] = {WIDTH, 1};

    for (int behind = 0; behind < 3; behind++) {
        struct gt_buf scratch[2] = {{0}, {0}};
        struct gt_cache *cache = NULL;
        struct gt_budget budget;
        struct counting store;
        bool same = true;

        counting_init(&store);
        gt_budget_init(&budget, 1 << 30);
        struct gt_array *array =
            new_array(&store, (struct gt_array_spec){.type = GT_U32, .ndim = 2, .shape = {ROWS, WIDTH}, .chunk = {1, WIDTH}});
        for (uint32_t i = 0; i < ROWS * WIDTH; i++)
            data[i] = i * i;
        write_array(array, data, NULL);
        gt_cache_new(&cache, array, &(struct gt_cache_opts){.budget = &budget, .ordered = true, .behind = behind}, NULL);
        for (int64_t row = 0; row < ROWS && same; row++) {
            struct gt_region region = {{row, 0}, {1, WIDTH}, {1, 1}};
            same = gt_region_read(cache, &region, have, stride, scratch, NULL) == 0 && memcmp(have, data + row * WIDTH, sizeof have) == 0;
        }
        ok(same, "%d rows, one after the other", (int)ROWS);
        ok(budget.high > 0 && budget.high < 2 * (behind + 2) * (int64_t)sizeof have, "%lld bytes at most with %d behind",
           (long long)budget.high, behind);
        gt_cache_free(cache);
        ok(budget.used == 0, "nothing is left: %lld bytes", (long long)budget.used);
        gt_array_free(array);
        gt_store_free(store.inner);
        gt_buf_release(&scratch[0]);
        gt_buf_release(&scratch[1]);
    }
}

static void test_bounds(void)
{
    static const struct {
        int64_t start, count, step;
        bool good;
    } cases[] = {{0, 100, 1, true},       {99, 1, 50, true},        {0, 34, 3, true},        {0, 35, 3, false}, {100, 1, 1, false},
                 {100, 0, 1, true},       {-1, 1, 1, false},        {0, 1, 0, false},        {0, -1, 1, false}, {0, 2, INT64_MAX, false},
                 {0, 1, INT64_MAX, true}, {INT64_MAX, 2, 1, false}, {1, INT64_MAX, 1, false}};
    struct counting store;
    static uint32_t data[800];

    counting_init(&store);
    struct gt_array *array = matrix(&store, data);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gt_region region = {{cases[i].start, 0}, {cases[i].count, 8}, {cases[i].step, 1}};
        struct gt_err err = {0};
        int status = gt_region_check(&region, array, &err);
        ok(cases[i].good ? status == 0 : status == GT_USAGE && strstr(err.msg, "axis 0"), "%lld items from %lld by %lld are %s",
           (long long)cases[i].count, (long long)cases[i].start, (long long)cases[i].step, cases[i].good ? "there" : "refused");
    }
    gt_array_free(array);
    gt_store_free(store.inner);
}

/* Steps over chunks: those between are not read. */
static void test_reads_only_what_it_needs(void)
{
    struct gt_region region = {{5, 1}, {4, 2}, {30, 1}};
    struct gt_buf scratch[2] = {{0}, {0}};
    static uint32_t data[800], have[8];
    int64_t stride[2] = {2, 1};
    struct gt_cache *cache = NULL;
    struct counting store;

    counting_init(&store);
    struct gt_array *array = matrix(&store, data);
    gt_cache_new(&cache, array, &(struct gt_cache_opts){0}, NULL);
    ok(gt_region_read(cache, &region, have, stride, scratch, NULL) == 0 && have[0] == data[41] && have[7] == data[95 * 8 + 2],
       "a region by steps of 30");
    ok(store.gets == 4, "it reads the 4 chunks that it lies in (%d)", store.gets);
    gt_cache_free(cache);
    gt_array_free(array);
    gt_store_free(store.inner);
    gt_buf_release(&scratch[0]);
    gt_buf_release(&scratch[1]);
}

static void test_order(void)
{
    struct gt_buf scratch[2] = {{0}, {0}};
    static uint32_t data[800];
    struct gt_cache *cache = NULL;
    struct gt_chunk *chunk, *held;
    struct counting store;

    counting_init(&store);
    struct gt_array *array = matrix(&store, data);
    gt_cache_new(&cache, array, &(struct gt_cache_opts){.ordered = true}, NULL);
    gt_cache_acquire(cache, (int64_t[]){0, 1}, &held, NULL);
    for (int64_t row = 0; row < 10; row++)
        for (int turn = 0; turn < 3; turn++) {
            gt_cache_acquire(cache, (int64_t[]){row, 0}, &chunk, NULL);
            gt_cache_decode(cache, chunk, scratch, NULL);
            gt_cache_give(cache, chunk);
        }
    ok(store.gets == 10, "the newest chunk stays for who comes next (%d reads of 10 chunks)", store.gets);
    gt_cache_decode(cache, held, scratch, NULL);
    ok(memcmp(held->raw.data, data + 4, 16) == 0, "one that is held stays however far the others went");
    gt_cache_give(cache, held);
    gt_cache_acquire(cache, (int64_t[]){0, 0}, &chunk, NULL);
    gt_cache_decode(cache, chunk, scratch, NULL);
    gt_cache_give(cache, chunk);
    ok(store.gets == 12, "what lies behind is read again");
    gt_cache_free(cache);
    gt_array_free(array);
    gt_store_free(store.inner);
    gt_buf_release(&scratch[0]);
    gt_buf_release(&scratch[1]);
}

/* Decodes `items` of a chunk and gives it for a buffer of n bytes: are they taken, and the right ones? */
static bool is_taken(struct gt_cache *cache, struct gt_chunk *chunk, size_t items, size_t n, const uint32_t *want)
{
    struct gt_buf scratch[2] = {{0}, {0}}, raw = {0};
    gt_cache_decode_part(cache, chunk, 0, items, scratch, NULL);
    gt_buf_resize(&raw, n, NULL);
    memset(raw.data, 0xff, n);
    const bool taken = gt_cache_give_for(cache, chunk, &raw);
    const bool right = memcmp(taken ? raw.data : chunk->raw.data, want, 16) == 0;
    if (!taken)
        gt_cache_give(cache, chunk);
    gt_buf_release(&raw);
    gt_buf_release(&scratch[0]);
    gt_buf_release(&scratch[1]);
    return taken && right;
}

static void test_give_for(void)
{
    static uint32_t data[800];
    const size_t items = 40, bytes = items * sizeof *data;
    struct gt_cache *cache = NULL;
    struct gt_chunk *chunk, *other;
    struct counting store;
    struct gt_budget budget;

    counting_init(&store);
    struct gt_array *array = matrix(&store, data);
    gt_cache_new(&cache, array, &(struct gt_cache_opts){0}, NULL);
    gt_cache_acquire(cache, (int64_t[]){1, 0}, &chunk, NULL);
    gt_cache_acquire(cache, (int64_t[]){1, 0}, &other, NULL);
    ok(!is_taken(cache, chunk, items, bytes, data + 80) && memcmp(other->raw.data, data + 80, 16) == 0,
       "items that another user holds are not taken");
    ok(is_taken(cache, other, items, bytes, data + 80), "those of the last one are");
    gt_cache_acquire(cache, (int64_t[]){1, 0}, &chunk, NULL);
    ok(is_taken(cache, chunk, items, bytes, data + 80), "and the chunk is read again, into the other buffer");
    gt_cache_acquire(cache, (int64_t[]){2, 0}, &chunk, NULL);
    ok(!is_taken(cache, chunk, items, bytes - 4, data + 160), "a buffer of another length is not taken for them");
    gt_cache_free(cache);
    gt_budget_init(&budget, 1 << 20);
    gt_cache_new(&cache, array, &(struct gt_cache_opts){.budget = &budget}, NULL);
    gt_cache_acquire(cache, (int64_t[]){2, 0}, &chunk, NULL);
    ok(!is_taken(cache, chunk, items, bytes, data + 160), "nor one of another budget");
    gt_cache_free(cache);
    ok(budget.used == 0, "all of the budget is given back: %lld", (long long)budget.used);
    gt_cache_new(&cache, array, &(struct gt_cache_opts){.ordered = true}, NULL);
    gt_cache_acquire(cache, (int64_t[]){0, 0}, &chunk, NULL);
    ok(!is_taken(cache, chunk, items, bytes, data), "and none where chunks stay");
    gt_cache_free(cache);
    gt_array_free(array);
    gt_store_free(store.inner);
}

/* In a stream a shard can be got once.  A task holds chunks of a row one after the other, and those of the row before, which nobody holds
 * any more, may not take with them the shard of a chunk that it comes to last; also not when another gives its chunk in between. */
static void test_order_of_shards(void)
{
    struct gt_buf scratch[2] = {{0}, {0}};
    const int64_t unit[2] = {5, 4};
    struct gt_chunk *chunk[2], *old = NULL;
    static uint32_t data[800];
    struct gt_cache *cache = NULL;
    struct counting store;
    char codec[600];
    bool same = true;

    counting_init(&store);
    struct gt_array *array = new_array(
        &store,
        (struct gt_array_spec){.type = GT_U32, .ndim = 2, .shape = {100, 8}, .chunk = {10, 4}, .codec = shard_codec(codec, 2, unit)});
    for (uint32_t i = 0; i < 800; i++)
        data[i] = i * i;
    write_array(array, data, NULL);
    store.base.stream = true;
    gt_cache_new(&cache, array, &(struct gt_cache_opts){.ordered = true}, NULL);
    for (int64_t row = 0; row < 20; row++) {
        gt_cache_acquire(cache, (int64_t[]){row, 0}, &chunk[0], NULL);
        if (old)
            gt_cache_give(cache, old);
        gt_cache_acquire(cache, (int64_t[]){row, 1}, &chunk[1], NULL);
        gt_cache_fetch(cache, chunk, 2, NULL, NULL);
        for (int i = 0; i < 2; i++) {
            gt_cache_decode(cache, chunk[i], scratch, NULL);
            same = same && memcmp(chunk[i]->raw.data, data + row * 40 + 4 * i, 16) == 0;
        }
        gt_cache_give(cache, chunk[0]);
        old = row % 2 ? chunk[1] : NULL;
        if (!old)
            gt_cache_give(cache, chunk[1]);
    }
    gt_cache_give(cache, old);
    ok(same && store.gets == 20 && !store.ranges, "each of 20 shards is got once (%d gets)", store.gets);
    gt_cache_free(cache);
    gt_array_free(array);
    gt_store_free(store.inner);
    gt_buf_release(&scratch[0]);
    gt_buf_release(&scratch[1]);
}

/* --- many threads ----------------------------------------------------------------- */

struct crowd {
    struct gt_cache *cache;
    const uint32_t *data;
    pthread_barrier_t start;
    _Atomic int wrong, failed;
};

/* Chunk row after chunk row, fetching as a reader does and decoding as a worker does. */
static void *user(void *arg)
{
    struct crowd *crowd = arg;
    struct gt_buf scratch[2] = {{0}, {0}};

    for (int64_t row = 0; row < 10; row++) {
        struct gt_chunk *chunk;
        struct gt_err err = {0};
        pthread_barrier_wait(&crowd->start);
        gt_cache_acquire(crowd->cache, (int64_t[]){row, 1}, &chunk, NULL);
        pthread_barrier_wait(&crowd->start);
        gt_cache_fetch(crowd->cache, &chunk, 1, NULL, NULL);
        if (gt_cache_decode(crowd->cache, chunk, scratch, &err))
            crowd->failed += strstr(err.msg, "the disk has a hole at 'a/3.1'") && row == 3;
        else
            crowd->wrong += memcmp(chunk->raw.data, crowd->data + row * 80 + 4, 16) != 0;
        pthread_barrier_wait(&crowd->start);
        gt_cache_give(crowd->cache, chunk);
    }
    gt_buf_release(&scratch[0]);
    gt_buf_release(&scratch[1]);
    return NULL;
}

static void test_crowd(const char *broken)
{
    enum { USERS = 8 };
    struct gt_budget budget;
    struct counting store;
    static uint32_t data[800];
    pthread_t thread[USERS];
    struct crowd crowd = {.data = data};

    gt_budget_init(&budget, 1 << 20);
    counting_init(&store);
    struct gt_array *array = matrix(&store, data);
    store.broken = broken;
    gt_cache_new(&crowd.cache, array, &(struct gt_cache_opts){.budget = &budget}, NULL);
    pthread_barrier_init(&crowd.start, NULL, USERS);
    for (int i = 0; i < USERS; i++)
        pthread_create(&thread[i], NULL, user, &crowd);
    for (int i = 0; i < USERS; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&crowd.start);
    ok(store.gets == 10 && crowd.wrong == 0, "%d threads share chunks: each is read once (%d of 10), all have its items%s", USERS,
       store.gets, broken ? ", but for the one that fails" : "");
    ok(crowd.failed == (broken ? USERS : 0), "%d threads were told of the failure", crowd.failed);
    gt_cache_free(crowd.cache);
    ok(atomic_load(&budget.used) == 0, "everything is given back");
    gt_array_free(array);
    gt_store_free(store.inner);
}

/* --- whole arrays of texts ------------------------------------------------------------ */

static void test_texts(void)
{
    static const char *const words[] = {"", "a", "bc", "caf\xc3\xa9", "longer than the others"};
    struct counting store;
    struct gt_strs in = {0}, out = {0};
    struct gt_array_spec spec = {.type = GT_STRING, .ndim = 1, .shape = {23}, .chunk = {5}};
    struct gt_array *array;
    int same = 0;

    counting_init(&store);
    array = new_array(&store, spec);
    for (int i = 0; i < 23; i++)
        gt_strs_add(&in, words[i % 5], strlen(words[i % 5]), NULL);
    write_strings(array, &in, NULL);
    gt_array_read_strings(array, NULL, &out, NULL);
    for (int i = 0; i < 23 && out.n == 23; i++)
        same += strcmp(gt_strs_get(&in, (size_t)i), gt_strs_get(&out, (size_t)i)) == 0;
    ok(same == 23, "%d of 23 texts", same);
    gt_array_free(array);
    gt_strs_release(&in);
    gt_strs_release(&out);
    gt_store_free(store.inner);
}

int main(void)
{
    test_regions(false, false);
    test_regions(true, false);
    test_regions(true, true);
    test_shards();
    test_shard_without_memory();
    test_counted();
    test_ordered_memory();
    test_bounds();
    test_reads_only_what_it_needs();
    test_order();
    test_order_of_shards();
    test_give_for();
    test_crowd(NULL);
    test_crowd("a/3.1");
    test_texts();
    return done_testing();
}
