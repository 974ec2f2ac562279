/* Chains with steps from array to array, and shards: there and back, against what
 * they must give, and with damage. */
#include <json-c/json.h>
#include <stdint.h>
#include <string.h>

#include "core/base/str.h"
#include "storage/codec/shard.h"
#include "storage/codec/vlen.h"
#include "test/support/chain_bufs.h"
#include "test/support/random.h"
#include "test/support/tap.h"

static struct gt_codec_array array_of(enum gt_type type, int ndim, const int64_t *chunk, int format)
{
    struct gt_codec_array array = {.item_size = gt_dtype_of(type).size, .type = type, .n_items = 1, .ndim = ndim, .zarr_format = format};
    for (int i = 0; i < ndim; i++) {
        array.chunk[i] = chunk[i];
        array.n_items *= (size_t)chunk[i];
    }
    return array;
}

static struct gt_codec_chain *chain_v3(const char *codecs, const struct gt_codec_array *array, struct gt_err *err)
{
    struct gt_codec_chain *chain = NULL;
    struct json_object *list = json_tokener_parse(codecs);
    gt_codec_parse_v3(&chain, list, array, err);
    json_object_put(list);
    return chain;
}

static struct gt_codec_chain *chain_v2(const char *filters, const struct gt_codec_array *array, struct gt_err *err)
{
    struct gt_codec_chain *chain = NULL;
    struct json_object *list = filters ? json_tokener_parse(filters) : NULL;
    gt_codec_parse_v2(&chain, list, NULL, array, err);
    json_object_put(list);
    return chain;
}

/* --- transpose -------------------------------------------------------------------- */

static void random_order(int *order, int n)
{
    for (int i = 0; i < n; i++) {
        int k = (int)random_below(i + 1);
        order[i] = order[k];
        order[k] = i;
    }
}

/* What numpy's x.transpose(order) holds, item by item. */
static bool is_transposed(const struct gt_codec_array *array, const int *order, const uint8_t *raw, const uint8_t *coded)
{
    int64_t shape[GT_MAX_DIMS], at[GT_MAX_DIMS] = {0}, from[GT_MAX_DIMS];
    size_t n = 0, size = array->item_size;
    for (int i = 0; i < array->ndim; i++)
        shape[i] = array->chunk[order[i]];
    do {
        for (int i = 0; i < array->ndim; i++)
            from[order[i]] = at[i];
        if (memcmp(coded + n++ * size, raw + (size_t)gt_nd_number(array->ndim, array->chunk, from) * size, size) != 0)
            return false;
    } while (gt_nd_next(array->ndim, shape, at));
    return true;
}

static void test_transpose(void)
{
    static const enum gt_type types[] = {GT_U8, GT_I16, GT_F32, GT_F64};
    int good = 0;
    for (int turn = 0; turn < 400; turn++) {
        struct bufs b = {0};
        struct gt_err err = {0};
        int64_t chunk[5];
        int order[5], ndim = (int)random_below(5);
        char text[200], *at = text;
        for (int i = 0; i < ndim; i++)
            chunk[i] = 1 + random_below(9);
        random_order(order, ndim);
        at += sprintf(at, "[{\"name\":\"transpose\",\"configuration\":{\"order\":[");
        for (int i = 0; i < ndim; i++)
            at += sprintf(at, "%s%d", i ? "," : "", order[i]);
        sprintf(at, "]}},{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}]");
        struct gt_codec_array array = array_of(types[turn % 4], ndim, chunk, 3);
        struct gt_codec_chain *chain = chain_v3(text, &array, &err);
        gt_buf_resize(&b.raw, array.n_items * array.item_size, NULL);
        for (size_t i = 0; i < b.raw.len; i++)
            b.raw.data[i] = (uint8_t)random_below(256);
        good += there_and_back(chain, &b, &err) && is_transposed(&array, order, b.raw.data, b.coded.data);
        gt_codec_free(chain);
        bufs_release(&b);
    }
    ok(good == 400, "%d of 400 random orders are numpy's transpose", good);
}

/* Steps that do nothing stand between some that do: none may write over what it reads. */
static void test_mixed_chains(void)
{
    static const char *const turns[] = {"", "{\"name\":\"transpose\",\"configuration\":{\"order\":[1,2,0]}},",
                                        "{\"name\":\"transpose\",\"configuration\":{\"order\":[0,1,2]}},"};
    static const char *const tails[] = {"", ",\"crc32c\"", ",{\"name\":\"zstd\",\"configuration\":{\"level\":1}}",
                                        ",{\"name\":\"gzip\",\"configuration\":{\"level\":1}}"};
    enum {
        N_TURNS = sizeof turns / sizeof *turns,
        N_TAILS = sizeof tails / sizeof *tails,
        N = N_TURNS * N_TURNS * 2 * N_TAILS * N_TAILS * N_TAILS
    };
    const struct gt_codec_array array = array_of(GT_U16, 3, (int64_t[]){3, 4, 5}, 3);
    int good = 0;
    for (int i = 0; i < N; i++) {
        int k = i / N_TURNS / N_TURNS / 2;
        struct bufs b = {0};
        struct gt_err err = {0};
        struct gt_str text = {0};
        gt_str_addf(&text, "[%s%s{\"name\":\"bytes\",\"configuration\":{\"endian\":\"%s\"}}%s%s%s]", turns[i % N_TURNS],
                    turns[i / N_TURNS % N_TURNS], i / N_TURNS / N_TURNS % 2 ? "big" : "little", tails[k % N_TAILS],
                    tails[k / N_TAILS % N_TAILS], tails[k / N_TAILS / N_TAILS]);
        struct gt_codec_chain *chain = chain_v3(text.s, &array, &err);
        gt_buf_resize(&b.raw, array.n_items * array.item_size, NULL);
        for (size_t j = 0; j < b.raw.len; j++)
            b.raw.data[j] = (uint8_t)random_below(256);
        bool same = there_and_back(chain, &b, &err);
        good += same;
        if (!same)
            diag("%s: %s", text.s, err.msg);
        gt_str_release(&text);
        gt_codec_free(chain);
        bufs_release(&b);
    }
    ok(good == N, "%d of %d chains give back what they got", good, (int)N);
}

static void test_order_f(void)
{
    static const int order[] = {2, 1, 0};
    struct gt_codec_array array = array_of(GT_U16, 3, (int64_t[]){2, 3, 4}, 2), words = {.n_items = 6, .ndim = 2, .chunk = {2, 3}};
    struct gt_strs list = {0};
    struct gt_err err = {0};
    struct bufs b = {0};
    array.order_f = words.order_f = true;
    struct gt_codec_chain *chain = chain_v2(NULL, &array, &err);
    gt_buf_resize(&b.raw, 48, NULL);
    for (size_t i = 0; i < 48; i++)
        b.raw.data[i] = (uint8_t)i;
    ok(there_and_back(chain, &b, &err) && is_transposed(&array, order, b.raw.data, b.coded.data), "order F of v2 %s", err.msg);
    ok(chain && strcmp(gt_codec_describe(chain), "none") == 0, "which people see as no codec");
    gt_codec_free(chain);
    chain = chain_v2("[{\"id\":\"vlen-utf8\"}]", &words, &err);
    for (int i = 0; i < 6; i++)
        gt_strs_add(&list, &"abcdef"[i], 1, NULL);
    gt_vlen_pack(&list, 0, 6, 6, &b.raw, NULL);
    ok(there_and_back(chain, &b, &err), "order F of strings %s", err.msg);
    gt_strs_clear(&list);
    gt_vlen_unpack(&b.coded, false, &list, NULL);
    ok(list.n == 6 && *gt_strs_get(&list, 1) == 'd' && *gt_strs_get(&list, 2) == 'b', "columns after one another");
    gt_codec_free(chain);
    gt_strs_release(&list);
    bufs_release(&b);
}

/* --- filters -------------------------------------------------------------------------- */

static void test_delta(void)
{
    static const int16_t numbers[6] = {100, 90, 95, -32768, 32767, 0};
    static const int16_t want[6] = {100, -10, 5, 32673, -1, -32767};
    static const float real[4] = {1.5f, 2.25f, -8, 1e30f};
    struct gt_codec_array i2 = array_of(GT_I16, 1, (int64_t[]){6}, 2), f4 = array_of(GT_F32, 1, (int64_t[]){4}, 2);
    struct gt_err err = {0};
    struct bufs b = {0};
    struct gt_codec_chain *chain = chain_v2("[{\"id\":\"delta\",\"dtype\":\"<i2\",\"astype\":\"<i4\"}]", &i2, &err);
    int32_t coded[6];
    bool same = true;
    gt_buf_append(&b.raw, numbers, sizeof numbers, NULL);
    ok(there_and_back(chain, &b, &err) && b.coded.len == 24, "differences of int16 as int32, there and back %s", err.msg);
    memcpy(coded, b.coded.data, sizeof coded);
    for (int i = 1; i < 6; i++)
        same = same && coded[i] == numbers[i] - numbers[i - 1];
    ok(same && coded[0] == 100, "wide enough, they are the differences");
    gt_codec_free(chain);
    chain = chain_v2("[{\"id\":\"delta\",\"dtype\":\"<i2\"}]", &i2, &err);
    ok(there_and_back(chain, &b, &err) && memcmp(b.coded.data, want, sizeof want) == 0, "of the same type, they wrap round");
    gt_codec_free(chain);
    i2.big_endian = true;
    chain = chain_v2("[{\"id\":\"delta\",\"dtype\":\">i2\"}]", &i2, &err);
    ok(there_and_back(chain, &b, &err) && b.coded.data[2] == 0xFF && b.coded.data[3] == 0xF6, "big endian ones are written so %s", err.msg);
    gt_codec_free(chain);
    i2.big_endian = false;
    i2.zarr_format = 3;
    chain = chain_v3("[{\"name\":\"numcodecs.delta\",\"configuration\":{\"dtype\":\"<i2\",\"astype\":\"<i4\"}},"
                     "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}]",
                     &i2, &err);
    ok(there_and_back(chain, &b, &err) && b.coded.len == 24 && b.coded.data[3] == 100, "v3: bytes are made of what delta gives %s",
       err.msg);
    gt_codec_free(chain);
    ok(!chain_v3("[{\"name\":\"numcodecs.delta\",\"configuration\":{\"dtype\":\"<i4\"}},\"bytes\"]", &i2, &err) && err.status == GT_INPUT,
       "a type that is not the array's: %s", err.msg);
    gt_err_clear(&err);
    gt_buf_resize(&b.raw, 0, NULL);
    gt_buf_append(&b.raw, real, sizeof real, NULL);
    chain = chain_v2("[{\"id\":\"delta\",\"dtype\":\"<f4\"}]", &f4, &err);
    ok(chain && !gt_codec_encode(chain, &b.raw, &b.coded, b.scratch, &err) &&
           !gt_codec_decode(chain, b.coded.data, b.coded.len, &b.back, b.scratch, &err) && memcmp(b.back.data, real, 12) == 0,
       "real ones");
    gt_codec_free(chain);
    bufs_release(&b);
}

static void test_scale(void)
{
    static const double numbers[4] = {1000.04, 1000.05, 999.95, 1012.7};
    struct gt_codec_array f8 = array_of(GT_F64, 1, (int64_t[]){4}, 2);
    struct gt_err err = {0};
    struct bufs b = {0};
    struct gt_codec_chain *chain =
        chain_v2("[{\"id\":\"fixedscaleoffset\",\"dtype\":\"<f8\",\"astype\":\"|i1\",\"scale\":10,\"offset\":1000}]", &f8, &err);
    double back[4] = {0};
    gt_buf_append(&b.raw, numbers, sizeof numbers, NULL);
    ok(chain && !gt_codec_encode(chain, &b.raw, &b.coded, b.scratch, &err) && b.coded.len == 4 && b.coded.data[0] == 0 &&
           b.coded.data[3] == 127,
       "numbers as int8, the nearest: %s", err.msg);
    ok(chain && !gt_codec_decode(chain, b.coded.data, b.coded.len, &b.back, b.scratch, &err) && b.back.len == sizeof back, "and back: %s",
       err.msg);
    memcpy(back, b.back.data, b.back.len == sizeof back ? sizeof back : 0);
    ok(back[0] == 1000.0 && back[3] == 1012.7, "to one digit behind the point");
    b.raw.len = 0;
    gt_buf_append(&b.raw, (double[]){1000, 1000, 1000, 1013}, 32, NULL);
    ok(chain && gt_codec_encode(chain, &b.raw, &b.coded, b.scratch, &err) == GT_FAIL, "what does not fit is not written: %s", err.msg);
    gt_codec_free(chain);
    bufs_release(&b);
}

/* --- shards ----------------------------------------------------------------------------- */

#define LITTLE "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}"
#define INDEX "\"index_codecs\":[" LITTLE ",\"crc32c\"]"

static const char *const shards[] = {
    "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[3,2],\"codecs\":[" LITTLE "]," INDEX "}}]",
    "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[1,8],\"codecs\":[" LITTLE ",\"zstd\"]," INDEX
    ",\"index_location\":\"start\"}}]",
    "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[6,4],\"codecs\":[{\"name\":\"sharding_indexed\",\"configuration\":"
    "{\"chunk_shape\":[3,4],\"codecs\":[" LITTLE ",\"crc32c\"]," INDEX "}}]," INDEX "}}]",
    "[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}},{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[2,3],"
    "\"codecs\":[" LITTLE "]," INDEX "}},\"crc32c\"]",
};

static void fill(struct gt_buf *raw, size_t n)
{
    gt_buf_resize(raw, n, NULL);
    for (size_t i = 0; i < n; i++)
        raw->data[i] = (uint8_t)random_below(7);
}

static void test_shards(void)
{
    struct gt_codec_array array = array_of(GT_I32, 2, (int64_t[]){6, 8}, 3);
    for (size_t i = 0; i < sizeof shards / sizeof *shards; i++) {
        struct gt_err err = {0};
        struct bufs b = {0};
        struct gt_codec_chain *chain = chain_v3(shards[i], &array, &err);
        fill(&b.raw, 192);
        ok(there_and_back(chain, &b, &err), "shard %zu goes there and back %s", i, err.msg);
        ok(chain && (gt_codec_shard(chain) != NULL) == (i < 3), "it can be read in parts unless something stands around it");
        gt_codec_free(chain);
        bufs_release(&b);
    }
}

/* A part of a shard with the index and the inner chain alone. */
static void test_parts(void)
{
    for (size_t which = 0; which < 3; which++) {
        struct gt_codec_array array = array_of(GT_I32, 2, (int64_t[]){6, 8}, 3);
        struct gt_err err = {0};
        struct bufs b = {0};
        struct gt_buf index = {0};
        struct gt_codec_chain *chain = chain_v3(shards[which], &array, &err);
        const struct gt_shard *shard = gt_codec_shard(chain);
        int64_t at[2] = {0};
        bool same = true;
        fill(&b.raw, 192);
        gt_codec_encode(chain, &b.raw, &b.coded, b.scratch, &err);
        size_t place = shard->index_at_start ? 0 : b.coded.len - shard->index_bytes;
        same = gt_shard_index(shard, b.coded.data + place, &index, b.scratch, &err) == 0;
        for (size_t i = 0; i < shard->n && same; i++, gt_nd_next(2, shard->grid, at)) {
            uint64_t offset, n;
            same = gt_shard_entry(&index, i, b.coded.len, &offset, &n, &err) == 0 &&
                   gt_codec_decode(shard->inner, b.coded.data + offset, (size_t)n, &b.back, b.scratch, &err) == 0;
            for (int64_t r = 0; r < shard->unit[0] && same; r++)
                same =
                    memcmp(b.back.data + 4 * r * shard->unit[1],
                           b.raw.data + 4 * ((at[0] * shard->unit[0] + r) * 8 + at[1] * shard->unit[1]), 4 * (size_t)shard->unit[1]) == 0;
        }
        ok(same, "shard %zu in parts: %zu inner chunks %s", which, shard->n, err.msg);
        gt_codec_free(chain);
        gt_buf_release(&index);
        bufs_release(&b);
    }
}

/* Entries that are not there hold the fill value. */
static void test_fill(void)
{
    struct gt_codec_array array = array_of(GT_I16, 1, (int64_t[]){4}, 3);
    static const int16_t fill_value = -7, numbers[4] = {1, 2, 3, 4}, want[4] = {-7, -7, 3, 4};
    struct gt_err err = {0};
    struct bufs b = {0};
    array.fill = &fill_value;
    struct gt_codec_chain *chain = chain_v3("[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[2],\"codecs\":[" LITTLE
                                            "],\"index_codecs\":[" LITTLE "]}}]",
                                            &array, &err);
    gt_buf_append(&b.raw, numbers, 8, NULL);
    ok(there_and_back(chain, &b, &err) && b.coded.len == 40, "a shard without checksums %s", err.msg);
    memset(b.coded.data + 8, 0xFF, 16);
    ok(!gt_codec_decode(chain, b.coded.data, b.coded.len, &b.back, b.scratch, &err) && memcmp(b.back.data, want, 8) == 0,
       "an inner chunk that is not stored is fill %s", err.msg);
    gt_codec_free(chain);
    bufs_release(&b);
}

static void put_u64(uint8_t *p, uint64_t x)
{
    memcpy(p, &x, 8);
}

static void test_lying_index(void)
{
    static const uint64_t lies[][2] = {
        {0, 41}, {39, 2}, {UINT64_MAX, 4}, {4, UINT64_MAX}, {UINT64_MAX - 3, 8}, {0, 0}, {INT64_MAX, INT64_MAX}};
    struct gt_codec_array array = array_of(GT_I16, 1, (int64_t[]){4}, 3);
    struct gt_codec_chain *chain = chain_v3("[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[2],\"codecs\":[" LITTLE
                                            "],\"index_codecs\":[" LITTLE "]}}]",
                                            &array, NULL);
    struct bufs b = {0};
    fill(&b.raw, 8);
    gt_codec_encode(chain, &b.raw, &b.coded, b.scratch, NULL);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct gt_err err = {0};
        put_u64(b.coded.data + 24, lies[i][0]);
        put_u64(b.coded.data + 32, lies[i][1]);
        ok(gt_codec_decode(chain, b.coded.data, b.coded.len, &b.back, b.scratch, &err) == GT_INPUT && strstr(err.msg, "inner chunk 1"),
           "an index that lies: %s", err.msg);
    }
    gt_codec_free(chain);
    bufs_release(&b);
}

/* Any byte changed or any end cut off is found, with a checksum over the index and
 * one over each inner chunk, wherever the index stands. */
static void test_damage(const char *location)
{
    char codecs[600];
    struct gt_codec_array array = array_of(GT_I32, 2, (int64_t[]){6, 8}, 3);
    struct bufs b = {0};
    int found = 0, cut = 0;
    snprintf(codecs, sizeof codecs,
             "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[3,2],\"codecs\":[" LITTLE ",\"crc32c\"]," INDEX
             ",\"index_location\":\"%s\"}}]",
             location);
    struct gt_codec_chain *chain = chain_v3(codecs, &array, NULL);
    fill(&b.raw, 192);
    gt_codec_encode(chain, &b.raw, &b.coded, b.scratch, NULL);
    for (size_t i = 0; i < b.coded.len; i++) {
        b.coded.data[i] ^= 0x10;
        found += gt_codec_decode(chain, b.coded.data, b.coded.len, &b.back, b.scratch, NULL) == GT_INPUT;
        b.coded.data[i] ^= 0x10;
    }
    for (size_t n = 0; n < b.coded.len; n++)
        cut += gt_codec_decode(chain, b.coded.data, n, &b.back, b.scratch, NULL) == GT_INPUT;
    ok(found == (int)b.coded.len, "index at the %s: %d of %zu changed bytes are found", location, found, b.coded.len);
    ok(cut == (int)b.coded.len, "and %d of %zu ends that are missing", cut, b.coded.len);
    ok(!gt_codec_decode(chain, b.coded.data, b.coded.len, &b.back, b.scratch, NULL) && memcmp(b.back.data, b.raw.data, 192) == 0,
       "and whole it is read");
    gt_codec_free(chain);
    bufs_release(&b);
}

static void test_bad_metadata(void)
{
#define SHARD(shape, rest) "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":" shape rest "}}]"
    static const char *const bad[] = {
        "[{\"name\":\"transpose\",\"configuration\":{\"order\":[0]}},\"bytes\"]",
        "[{\"name\":\"transpose\",\"configuration\":{\"order\":[0,0]}},\"bytes\"]",
        "[{\"name\":\"transpose\",\"configuration\":{\"order\":[0,2]}},\"bytes\"]",
        "[{\"name\":\"transpose\",\"configuration\":{\"order\":[0,-1]}},\"bytes\"]",
        "[{\"name\":\"transpose\",\"configuration\":{\"order\":\"X\"}},\"bytes\"]",
        "[\"transpose\",\"bytes\"]",
        "[\"bytes\",{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}}]",
        "[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}}]",
        SHARD("[3,2]", ""),
        SHARD("[3,2]", ",\"codecs\":[\"bytes\"]"),
        SHARD("[3]", ",\"codecs\":[" LITTLE "]," INDEX),
        SHARD("[4,2]", ",\"codecs\":[" LITTLE "]," INDEX),
        SHARD("[0,2]", ",\"codecs\":[" LITTLE "]," INDEX),
        SHARD("[-3,2]", ",\"codecs\":[" LITTLE "]," INDEX),
        SHARD("[3,2]", ",\"codecs\":[]," INDEX),
        SHARD("[3,2]", ",\"codecs\":[" LITTLE "],\"index_codecs\":[" LITTLE ",\"zstd\"]"),
        SHARD("[3,2]", ",\"codecs\":[" LITTLE "]," INDEX ",\"index_location\":\"middle\""),
        SHARD("[6,8]",
              ",\"codecs\":" SHARD(
                  "[6,8]", ",\"codecs\":" SHARD(
                               "[6,8]", ",\"codecs\":" SHARD(
                                            "[6,8]", ",\"codecs\":" SHARD("[6,8]", ",\"codecs\":[" LITTLE
                                                                                   "]," INDEX) "," INDEX) "," INDEX) "," INDEX) "," INDEX),
        "[{\"name\":\"delta\",\"configuration\":{\"dtype\":\"<i4\"}}," LITTLE "]",
        "[{\"name\":\"numcodecs.transpose\",\"configuration\":{\"order\":[1,0]}}," LITTLE "]",
        "[{\"name\":\"numcodecs.delta\",\"configuration\":{}}," LITTLE "]",
        "[{\"name\":\"numcodecs.delta\",\"configuration\":{\"dtype\":\"|b1\"}}," LITTLE "]",
        "[{\"name\":\"numcodecs.fixedscaleoffset\",\"configuration\":{\"dtype\":\"<i4\",\"scale\":0,\"offset\":1}}," LITTLE "]",
        "[{\"name\":\"numcodecs.fixedscaleoffset\",\"configuration\":{\"dtype\":\"<i4\",\"offset\":1}}," LITTLE "]",
    };
    struct gt_codec_array array = array_of(GT_I32, 2, (int64_t[]){6, 8}, 3);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct gt_err err = {0};
        struct gt_codec_chain *chain = chain_v3(bad[i], &array, &err);
        ok(!chain && err.status == GT_INPUT, "refused: %s", err.msg);
        gt_codec_free(chain);
    }
}

int main(void)
{
    test_transpose();
    test_mixed_chains();
    test_order_f();
    test_delta();
    test_scale();
    test_shards();
    test_parts();
    test_fill();
    test_lying_index();
    test_damage("start");
    test_damage("end");
    test_bad_metadata();
    return done_testing();
}
