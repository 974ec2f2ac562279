/* Parts of blosc chunks: the same bytes as of the whole chunk, whatever the compressor, shuffle
 * and blocks, sound or damaged, and from many threads at once. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/zarr/cache.h"
#include "core/base/json.h"
#include "storage/codec/codec.h"
#include "storage/store/memory_store.h"
#include "test/support/random.h"
#include "test/support/tap.h"
#include "test/support/zarr_write.h"

static struct gt_buf raw, stored, whole, part, scratch[2];

static struct gt_codec_chain *random_chain(size_t item, size_t n_items)
{
    static const char *const cnames[] = {"blosclz", "lz4", "lz4hc", "zlib", "zstd"};
    static const char *const shuffles[] = {"noshuffle", "shuffle", "bitshuffle"};
    const struct gt_codec_array array = {.item_size = item,
                                         .type = item == 1   ? GT_U8
                                                 : item == 2 ? GT_U16
                                                             : GT_U32,
                                         .n_items = n_items,
                                         .ndim = 1,
                                         .chunk = {(int64_t)n_items},
                                         .zarr_format = 3};
    struct gt_codec_chain *chain = NULL;
    struct json_object *codecs = NULL;
    struct gt_err err = {0};
    char spec[300];

    snprintf(spec, sizeof spec,
             "{\"name\":\"blosc\",\"configuration\":{\"cname\":\"%s\",\"clevel\":%d,\"shuffle\":\"%s\",\"typesize\":%d,\"blocksize\":%d}}",
             cnames[random_below(5)], (int)random_below(10), shuffles[random_below(3)],
             (int)(random_below(3) ? item : (size_t)(1 + random_below(9))), (int)(random_below(4) ? 256 << random_below(5) : 0));
    if (gt_codec_spec_v3(spec, &array, &codecs, &err) || gt_codec_parse_v3(&chain, codecs, &array, &err))
        diag("%s: %s", spec, err.msg);
    json_object_put(codecs);
    return chain;
}

static void random_raw(size_t n)
{
    const int64_t kind = random_below(3), values = kind ? 4 : 256;
    gt_buf_resize(&raw, n, NULL);
    for (size_t i = 0; i < n; i++)
        raw.data[i] = (uint8_t)(kind == 2 ? i / 100 : (size_t)random_below(values));
}

/* A range of the bytes, widened as it has to be: 1 the part is as it should be, 0 there is none, -1 it is not. */
static int try_part(const struct gt_codec_chain *chain, size_t n, int all_status)
{
    const size_t from = (size_t)random_below((int64_t)n),
                 to = from + 1 + (size_t)random_below((int64_t)(n - from < n / 3 ? n - from : n / 3 + 1));
    size_t first = from, end = to;
    struct gt_err err = {0};

    if (!gt_codec_has_part(chain, stored.data, stored.len, &first, &end))
        return 0;
    if (first > from || end < to || end > n)
        return -1;
    gt_buf_resize(&part, n, NULL);
    memset(part.data, 0xA5, n);
    int status = gt_codec_decode_part(chain, stored.data, stored.len, first, end, &part, &err);
    if (status)
        return all_status && status == GT_INPUT && *err.msg ? 1 : -1;
    for (size_t i = 0; i < n; i++)
        if ((i < first || i >= end) && part.data[i] != 0xA5)
            return -1;
    return all_status || memcmp(part.data + first, whole.data + first, end - first) == 0 ? 1 : -1;
}

static void test_codec(bool damaged)
{
    int parts = 0, wrong = 0, failed = 0;

    for (int turn = 0; turn < 500; turn++) {
        const size_t item = (size_t)1 << random_below(3), n_items = 1 + (size_t)random_below(turn % 10 ? 20000 : 20);
        struct gt_codec_chain *chain = random_chain(item, n_items);
        random_raw(item * n_items);
        wrong += gt_codec_encode(chain, &raw, &stored, scratch, NULL) != 0;
        for (int64_t i = damaged ? 1 + random_below(3) : 0; i > 0; i--)
            stored.data[random_below(2) ? random_below((int64_t)stored.len) : random_below(stored.len < 64 ? (int64_t)stored.len : 64)] ^=
                (uint8_t)(1 << random_below(8));
        if (damaged && random_below(4) == 0)
            stored.len = (size_t)random_below((int64_t)stored.len);
        int status = gt_codec_decode(chain, stored.data, stored.len, &whole, scratch, NULL);
        failed += status != 0;
        wrong += !damaged && (status || memcmp(whole.data, raw.data, raw.len) != 0);
        for (int k = 0; k < 4; k++) {
            int is = try_part(chain, item * n_items, status);
            parts += is > 0;
            wrong += is < 0;
        }
        gt_codec_free(chain);
    }
    ok(wrong == 0 && parts > 100 && (failed > 100) == damaged,
       "%d parts of %s chunks are as in the whole, %d wrong, %d chunks do not decode", parts, damaged ? "damaged" : "sound", wrong, failed);
}

/* --- through the cache ---------------------------------------------------------------- */

enum { ROWS = 4000, COLUMNS = 37, USERS = 6 };

struct user {
    struct gt_cache *cache;
    const uint16_t *data;
    uint64_t state;
    int wrong;
};

static void *use(void *arg)
{
    struct user *u = arg;
    struct gt_buf own[2] = {{0}, {0}};
    struct gt_chunk *chunk;
    const int64_t index[2] = {0, 0};

    for (int turn = 0; turn < 100; turn++) {
        u->state = u->state * 6364136223846793005u + 1442695040888963407u;
        size_t from = (size_t)(u->state >> 33) % (ROWS * COLUMNS), n = 1 + (size_t)(u->state >> 20) % 3000;
        n = n < ROWS * COLUMNS - from ? n : ROWS * COLUMNS - from;
        if (gt_cache_acquire(u->cache, index, &chunk, NULL))
            return NULL;
        if (gt_cache_decode_part(u->cache, chunk, from, n, own, NULL) || memcmp(chunk->raw.data + 2 * from, u->data + from, 2 * n) != 0)
            u->wrong++;
        gt_cache_give(u->cache, chunk);
    }
    gt_buf_release(&own[0]);
    gt_buf_release(&own[1]);
    return NULL;
}

static void test_crowd(void)
{
    static uint16_t data[ROWS * COLUMNS];
    const struct gt_array_spec spec = {.path = "a",
                                       .type = GT_U16,
                                       .ndim = 2,
                                       .shape = {ROWS, COLUMNS},
                                       .chunk = {ROWS, COLUMNS},
                                       .codec = "{\"id\":\"blosc\",\"cname\":\"lz4\",\"clevel\":5,\"shuffle\":1,\"blocksize\":4096}"};
    struct gt_cache_opts opts = {.pad = 64};
    struct gt_store *store;
    struct gt_array *array;
    struct user user[USERS];
    pthread_t thread[USERS];
    int wrong = 0;

    gt_store_new_memory(&store, NULL, NULL);
    ok(gt_array_new(&array, store, &spec, 2, NULL) == 0, "an array of one large chunk");
    for (int i = 0; i < ROWS * COLUMNS; i++)
        data[i] = (uint16_t)(i * 7 + i / 100);
    write_array(array, data, NULL);
    for (int i = 0; i < USERS; i++) {
        user[i] = (struct user){.data = data, .state = (uint64_t)i + 1};
        if (i == 0)
            gt_cache_new(&user[0].cache, array, &opts, NULL);
        user[i].cache = user[0].cache;
        pthread_create(&thread[i], NULL, use, &user[i]);
    }
    for (int i = 0; i < USERS; i++) {
        pthread_join(thread[i], NULL);
        wrong += user[i].wrong;
    }
    ok(wrong == 0, "%d threads at parts of it see what was written, %d times not", USERS, wrong);
    gt_cache_free(user[0].cache);
    gt_array_free(array);
    gt_store_free(store);
}

int main(void)
{
    test_codec(false);
    test_codec(true);
    test_crowd();
    gt_buf_release(&raw), gt_buf_release(&stored), gt_buf_release(&whole), gt_buf_release(&part);
    gt_buf_release(&scratch[0]), gt_buf_release(&scratch[1]);
    return done_testing();
}
