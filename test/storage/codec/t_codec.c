/* Codecs: round trips, published vectors, damage. */
#include "config.h"

#include <glob.h>
#include <json-c/json.h>
#include <string.h>

#include "kernels/kernels.h"
#include "storage/codec/codec.h"
#include "storage/codec/step.h"
#include "storage/codec/vlen.h"
#include "test/support/tap.h"

static const char *const specs[] = {"none",       "zstd:1",
                                    "zstd:-5",    "zstd",
                                    "gzip:6",     "gzip:0",
                                    "lz4",        "blosc:lz4:5:shuffle",
                                    "blosc:zstd", "blosc:blosclz:9:noshuffle",
                                    "blosc",      "blosc:zstd:1:bitshuffle",
                                    "blosc:lz4:0"};

static uint32_t random_state = 12345;

static uint32_t random_u32(void)
{
    random_state ^= random_state << 13, random_state ^= random_state >> 17, random_state ^= random_state << 5;
    return random_state;
}

static void fill(struct gt_buf *buf, size_t n, uint32_t range)
{
    gt_buf_resize(buf, n, NULL);
    for (size_t i = 0; i < n; i++)
        buf->data[i] = (uint8_t)(random_u32() % range);
}

static bool same(const struct gt_buf *a, const void *data, size_t n)
{
    return a->len == n && (n == 0 || memcmp(a->data, data, n) == 0);
}

static struct gt_codec_chain *chain_of(const char *spec, size_t item_size, size_t n_items, int format, struct gt_err *err)
{
    struct gt_codec_array array = {.item_size = item_size, .n_items = n_items, .zarr_format = format};
    struct json_object *a = NULL, *b = NULL;
    struct gt_codec_chain *chain = NULL;
    if (format == 3 ? gt_codec_spec_v3(spec, &array, &a, err) : gt_codec_spec_v2(spec, &array, &a, &b, err))
        return NULL;
    if (format == 3)
        gt_codec_parse_v3(&chain, a, &array, err);
    else
        gt_codec_parse_v2(&chain, a, b, &array, err);
    json_object_put(a);
    json_object_put(b);
    return chain;
}

static void test_crc32c(void)
{
    struct gt_buf buf = {0};
    int levels;
    const struct gt_kernels *const *kernels = gt_kernels_all(&levels);
    fill(&buf, 3000, 256);
    for (int k = 0; k < levels; k++) {
        bool equal = true;
        for (size_t n = 0; n < 2900; n += 1 + n / 7)
            for (size_t from = 0; from < 9; from++)
                equal &= kernels[k]->crc32c(7, buf.data + from, n) == kernels[0]->crc32c(7, buf.data + from, n);
        ok(equal && kernels[k]->crc32c(0, "123456789", 9) == 0xE3069283u, "crc32c, %s: the standard text, and as the reference",
           kernels[k]->name);
    }
    gt_buf_release(&buf);
}

static bool round_trip(const char *spec, size_t item_size, size_t n_items, int format)
{
    struct gt_buf raw = {0}, coded = {0}, again = {0}, back = {0}, scratch[2] = {{0}};
    struct gt_err err = {0};
    struct gt_codec_chain *chain = chain_of(spec, item_size, n_items, format, &err);
    fill(&raw, item_size * n_items, 4);
    bool pass = chain && !gt_codec_encode(chain, &raw, &coded, scratch, &err) && !gt_codec_encode(chain, &raw, &again, scratch, &err) &&
                same(&coded, again.data, again.len) && !gt_codec_decode(chain, coded.data, coded.len, &back, scratch, &err) &&
                same(&back, raw.data, raw.len);
    if (!pass)
        diag("%s v%d size %zu: %s", spec, format, item_size, err.msg);
    gt_codec_free(chain);
    gt_buf_release(&raw), gt_buf_release(&coded), gt_buf_release(&again), gt_buf_release(&back);
    gt_buf_release(&scratch[0]), gt_buf_release(&scratch[1]);
    return pass;
}

static void test_round_trips(void)
{
    static const size_t sizes[] = {1, 2, 4, 8, 52};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++)
        for (int format = 2; format <= 3; format++) {
            bool pass = true;
            for (size_t k = 0; k < 5; k++)
                for (size_t n = 1; n < 100000; n = n * 13 + 1)
                    pass &= format == 3 && sizes[k] == 52 ? true : round_trip(specs[s], sizes[k], n, format);
            ok(pass, "%s goes there and back in v%d", specs[s], format);
        }
}

static struct gt_codec_chain *chain_v2(const char *filters, const char *compressor, bool big, struct gt_codec_array array,
                                       struct gt_err *err)
{
    struct gt_codec_chain *chain = NULL;
    struct json_object *f = filters ? json_tokener_parse(filters) : NULL, *c = compressor ? json_tokener_parse(compressor) : NULL;
    array.zarr_format = 2;
    array.big_endian = big;
    gt_codec_parse_v2(&chain, f, c, &array, err);
    json_object_put(f);
    json_object_put(c);
    return chain;
}

static struct gt_codec_chain *chain_v3(const char *codecs, struct gt_codec_array array, struct gt_err *err)
{
    struct gt_codec_chain *chain = NULL;
    struct json_object *list = json_tokener_parse(codecs);
    array.zarr_format = 3;
    gt_codec_parse_v3(&chain, list, &array, err);
    json_object_put(list);
    return chain;
}

static void test_endian(void)
{
    static const struct {
        size_t size, unit;
        const char *in, *out;
    } cases[] = {{2, 0, "abcdefghijklmnop", "badcfehgjilknmpo"},
                 {4, 0, "abcdefghijklmnop", "dcbahgfelkjiponm"},
                 {8, 0, "abcdefghijklmnop", "hgfedcbaponmlkji"},
                 {8, 4, "abcdefghijklmnop", "dcbahgfelkjiponm"},
                 {1, 0, "abcdefghijklmnop", "abcdefghijklmnop"}};
    struct gt_buf out = {0}, back = {0}, scratch[2] = {{0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int zip = 0; zip < 2; zip++) {
            struct gt_err err = {0};
            struct gt_codec_array array = {.item_size = cases[i].size, .unit = cases[i].unit, .n_items = 16 / cases[i].size};
            struct gt_codec_chain *chain = chain_v2(NULL, zip ? "{\"id\":\"zlib\",\"level\":1}" : NULL, true, array, &err);
            struct gt_buf raw = {.data = (uint8_t *)(uintptr_t)cases[i].in, .len = 16};
            bool pass = chain && !gt_codec_encode(chain, &raw, &out, scratch, &err);
            pass = pass && (zip || same(&out, cases[i].out, 16));
            pass = pass && !gt_codec_decode(chain, out.data, out.len, &back, scratch, &err) && same(&back, cases[i].in, 16);
            ok(pass, "big endian items of %zu bytes%s %s", cases[i].size, zip ? " in zlib" : "", err.msg);
            gt_codec_free(chain);
        }
    gt_buf_release(&out), gt_buf_release(&back), gt_buf_release(&scratch[0]), gt_buf_release(&scratch[1]);
}

static void test_strings(void)
{
    struct gt_strs list = {0}, back = {0};
    struct gt_buf raw = {0}, coded = {0}, scratch[2] = {{0}};
    gt_strs_add(&list, "A", 1, NULL), gt_strs_add(&list, "", 0, NULL), gt_strs_add(&list, "\xc3\xa9t\xc3\xa9", 5, NULL);
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++)
        for (int format = 2; format <= 3; format++) {
            struct gt_err err = {0};
            struct gt_codec_chain *chain = chain_of(specs[s], 0, 5, format, &err);
            gt_strs_clear(&back);
            bool pass = chain && !gt_vlen_pack(&list, 0, 3, 5, &raw, &err) && !gt_codec_encode(chain, &raw, &coded, scratch, &err) &&
                        !gt_codec_decode(chain, coded.data, coded.len, &raw, scratch, &err) && !gt_vlen_unpack(&raw, false, &back, &err) &&
                        back.n == 5 && strcmp(gt_strs_get(&back, 2), gt_strs_get(&list, 2)) == 0 && *gt_strs_get(&back, 4) == 0;
            ok(pass, "strings with %s in v%d %s", specs[s], format, err.msg);
            gt_codec_free(chain);
        }
    struct gt_err err = {0};
    gt_vlen_pack(&list, 0, 3, 3, &raw, &err);
    raw.len -= 1;
    ok(gt_vlen_unpack(&raw, false, &back, &err) == GT_INPUT, "strings cut short: %s", err.msg);
    raw.data[0] = 2;
    gt_err_clear(&err);
    ok(gt_vlen_unpack(&raw, false, &back, &err) == GT_INPUT, "bytes after the strings: %s", err.msg);
    memset(raw.data, 255, 8);
    gt_err_clear(&err);
    ok(gt_vlen_unpack(&raw, false, &back, &err) == GT_INPUT, "lengths beyond the end: %s", err.msg);
    gt_strs_release(&list), gt_strs_release(&back);
    gt_buf_release(&raw), gt_buf_release(&coded), gt_buf_release(&scratch[0]), gt_buf_release(&scratch[1]);
}

/* Each damaged form of a coded chunk either fails or has the right size, and the
 * right bytes where there is a checksum. */
static void test_damage(const char *spec, int format)
{
    enum { N = 4096 };
    struct gt_buf raw = {0}, coded = {0}, copy = {0}, back = {0}, scratch[2] = {{0}};
    struct gt_codec_chain *chain = chain_of(spec, 4, N / 4, format, NULL);
    bool cut = chain != NULL, flip = chain != NULL, summed = strncmp(spec, "zstd", 4) == 0;
    fill(&raw, N, 4);
    gt_codec_encode(chain, &raw, &coded, scratch, NULL);
    for (size_t n = 0; n < coded.len; n++) {
        gt_buf_resize(&copy, n, NULL); /* a copy, so that the sanitizer sees reads past its end */
        if (n > 0)
            memcpy(copy.data, coded.data, n);
        cut &= gt_codec_decode(chain, n > 0 ? copy.data : (const void *)"", n, &back, scratch, NULL) == GT_INPUT;
        gt_buf_release(&copy);
    }
    for (int i = 0; i < 3000; i++) {
        size_t at = random_u32() % (i % 2 ? coded.len : coded.len < 32 ? coded.len : 32);
        uint8_t old = coded.data[at];
        coded.data[at] ^= (uint8_t)(1u << random_u32() % 8);
        int rc = gt_codec_decode(chain, coded.data, coded.len, &back, scratch, NULL);
        flip &= rc == GT_INPUT || (rc == 0 && back.len == N && (!summed || same(&back, raw.data, N)));
        coded.data[at] = old;
    }
    ok(cut, "%s v%d refuses any shortened chunk", spec, format);
    ok(flip, "%s v%d survives damage", spec, format);
    gt_codec_free(chain);
    gt_buf_release(&raw), gt_buf_release(&coded), gt_buf_release(&back), gt_buf_release(&scratch[0]), gt_buf_release(&scratch[1]);
}

/* A header that claims far more than the chunk has is refused without taking memory. */
static void test_bombs(void)
{
    struct gt_budget budget;
    struct gt_buf raw = {0}, coded = {0}, back = {.budget = &budget}, scratch[2] = {{0}},
                  few[2] = {{.budget = &budget}, {.budget = &budget}};
    fill(&raw, 8 << 20, 1);
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        struct gt_err err = {0};
        gt_budget_init(&budget, 1 << 20);
        struct gt_codec_chain *big = chain_of(specs[s], 1, 8 << 20, 2, &err), *small = chain_of(specs[s], 1, 1000, 2, &err);
        gt_codec_encode(big, &raw, &coded, scratch, &err);
        ok(gt_codec_decode(small, coded.data, coded.len, &back, few, &err) == GT_INPUT && budget.high < 64 << 10,
           "%s: 8 MiB in a chunk of 1,000 bytes: %s", specs[s], err.msg);
        gt_codec_free(big), gt_codec_free(small);
        gt_buf_release(&back);
    }
    gt_buf_release(&raw), gt_buf_release(&coded), gt_buf_release(&scratch[0]), gt_buf_release(&scratch[1]);
    gt_buf_release(&few[0]), gt_buf_release(&few[1]);
}

/* Contexts that threads do not keep are counted while a chunk is encoded. */
static void test_work(void)
{
    static const char *const large[] = {"zstd:15", "zstd:22", "blosc:zstd:9"};
    struct gt_budget budget;
    struct gt_buf raw = {0}, coded = {.budget = &budget}, scratch[2] = {{0}};
    fill(&raw, 4 << 20, 1);
    for (size_t s = 0; s < sizeof large / sizeof *large; s++) {
        struct gt_err err = {0};
        struct gt_codec_chain *chain = chain_of(large[s], 1, 4 << 20, 2, &err);
        int64_t work = (int64_t)gt_codec_work_bytes(chain, raw.len);
        gt_budget_init(&budget, work);
        ok(gt_codec_encode(chain, &raw, &coded, scratch, &err) == GT_NOFIT, "%s: %s", large[s], err.msg);
        gt_buf_release(&coded);
        gt_budget_init(&budget, work + (8 << 20));
        ok(!gt_codec_encode(chain, &raw, &coded, scratch, &err) && budget.high >= work + (4 << 20) && budget.used == (int64_t)coded.cap,
           "%s: %lld bytes are counted, and given back", large[s], (long long)work);
        gt_buf_release(&coded);
        gt_codec_free(chain);
    }
    gt_buf_release(&raw), gt_buf_release(&scratch[0]), gt_buf_release(&scratch[1]);
}

static void test_metadata(void)
{
    struct gt_codec_array u1 = {.item_size = 1, .n_items = 10}, i4 = {.item_size = 4, .n_items = 10}, text = {.n_items = 10};
    static const char *const bad[] = {"[]",
                                      "{}",
                                      "[1]",
                                      "[{\"configuration\":{}}]",
                                      "[\"bytes\",{\"name\":\"packbits\"}]",
                                      "[\"bytes\",\"bytes\"]",
                                      "[\"zstd\"]",
                                      "[\"bytes\",{\"name\":\"gzip\",\"configuration\":{\"level\":\"9x\"}}]",
                                      "[\"bytes\",{\"name\":\"blosc\",\"configuration\":{\"cname\":\"none\"}}]",
                                      "[\"bytes\",{\"name\":\"blosc\",\"configuration\":{\"clevel\":10}}]",
                                      "[\"vlen-utf8\"]",
                                      "[\"bytes\",{\"name\":\"zstd\",\"configuration\":3}]",
                                      "[\"bytes\",\"lz4\"]",
                                      "[null]"};
    struct gt_codec_chain *chain;
    struct gt_err err = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++, gt_err_clear(&err))
        ok(!chain_v3(bad[i], u1, &err) && err.status == GT_INPUT, "%s: %s", bad[i], err.msg);
    ok(!chain_v3("[\"bytes\"]", i4, &err) && err.status == GT_INPUT, "%s", err.msg);
    gt_err_clear(&err);
    ok(!chain_v3("[{\"name\":\"bytes\"}]", text, &err) && err.status == GT_INPUT, "%s", err.msg);
    gt_err_clear(&err);
    ok(!chain_v2(NULL, NULL, false, text, &err) && err.status == GT_INPUT, "%s", err.msg);
    gt_err_clear(&err);
    ok(!chain_v2("[{\"id\":\"categorize\"}]", NULL, false, i4, &err) && strstr(err.msg, "'categorize' is not supported"), "%s", err.msg);
    gt_err_clear(&err);
    chain = chain_v3("[\"bytes\",{\"name\":\"gzip\",\"configuration\":{\"level\":3}},\"crc32c\"]", u1, &err);
    ok(chain && strcmp(gt_codec_describe(chain), "gzip:3+crc32c") == 0, "a bare name is a codec: %s",
       chain ? gt_codec_describe(chain) : err.msg);
    gt_codec_free(chain);
    u1.n_items = (size_t)3 << 30;
    ok(!chain_v3("[\"bytes\",\"blosc\"]", u1, &err) && err.status == GT_INPUT, "%s", err.msg);
    gt_err_clear(&err);
    chain = chain_of("blosc:zstd:5:bitshuffle", 2, 4, 2, &err);
    ok(chain && strcmp(gt_codec_describe(chain), "blosc:zstd:5:bitshuffle") == 0, "describe gives the spec back");
    gt_codec_free(chain);
    chain = chain_of("blosc:zstd:1:shuffle:256K", 2, 4, 2, &err);
    ok(chain && strcmp(gt_codec_describe(chain), "blosc:zstd:1:shuffle:262144") == 0, "and the size of blocks");
    gt_codec_free(chain);
    chain = chain_of("[{\"name\":\"zstd\",\"configuration\":{\"level\":2}},\"crc32c\"]", 2, 4, 3, &err);
    ok(chain && strcmp(gt_codec_describe(chain), "zstd:2+crc32c") == 0, "a spec may be JSON %s", err.msg);
    gt_codec_free(chain);
    static const char *const nonsense[] = {"zip",
                                           "{\"name\":\"zstd\",\"configuration\":{\"level\":\"2\"}}",
                                           "zstd:x",
                                           "zstd:99",
                                           "gzip:10",
                                           "gzip:1:2",
                                           "blosc:no",
                                           "blosc:lz4:5:turn",
                                           "a:b:c:d:e",
                                           "a:b:c:d:e:f",
                                           "blosc:lz4:5:shuffle:0",
                                           "blosc:lz4:5:shuffle:17M",
                                           "blosc:lz4:5:shuffle:x",
                                           "{",
                                           "",
                                           "[{\"name\":\"z\"}]"};
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++, gt_err_clear(&err))
        ok(!chain_of(nonsense[i], 4, 4, 3, &err) && err.status == GT_USAGE, "'%s': %s", nonsense[i], err.msg);
}

static bool read_whole(const char *path, struct gt_buf *buf)
{
    FILE *f = fopen(path, "rb");
    buf->len = 0;
    for (size_t n = 1; f && n > 0;) {
        gt_buf_reserve(buf, buf->len + 65536, NULL);
        n = fread(buf->data + buf->len, 1, 65536, f);
        buf->len += n;
    }
    return f && fclose(f) == 0;
}

static struct json_object *read_json(const char *path)
{
    struct gt_buf buf = {0};
    struct json_object *json = NULL;
    if (read_whole(path, &buf) && gt_buf_append(&buf, "", 1, NULL) == 0)
        json = json_tokener_parse((char *)buf.data);
    gt_buf_release(&buf);
    return json;
}

/* The items of an .npy file: where they begin and how large they are. */
static size_t npy_start(const struct gt_buf *npy, size_t *item_size)
{
    const char *descr = memmem(npy->data, npy->len, "'descr': '", 10);
    if (npy->len < 12 || !descr || descr[11] == 'O')
        return 0;
    *item_size = (size_t)atoi(descr + 12) * (descr[11] == 'U' ? 4 : 1);
    return 10 + npy->data[8] + 256u * npy->data[9];
}

static bool vector(const char *encoded, struct json_object *config)
{
    char path[4096];
    const char *dir = strstr(encoded, "/codec."), *number = strrchr(encoded, '.') - 2;
    struct gt_buf npy = {0}, data = {0}, back = {0}, scratch[2] = {{0}};
    struct gt_err err = {0};
    size_t size = 1;
    snprintf(path, sizeof path, "%.*s/array.%.2s.npy", (int)(dir - encoded), encoded, number);
    bool pass = read_whole(path, &npy) && read_whole(encoded, &data);
    size_t start = npy_start(&npy, &size);
    struct gt_codec_array array = {.item_size = size,
                                   .unit = 1,
                                   .type = size == 1 ? GT_BOOL : GT_U8,
                                   .n_items = start ? (npy.len - start) / size : 0,
                                   .zarr_format = 2};
    struct gt_codec_chain *chain = NULL;
    if (start > 0) {
        pass = pass && !gt_codec_parse_v2(&chain, NULL, config, &array, &err) &&
               !gt_codec_decode(chain, data.data, data.len, &back, scratch, &err) && same(&back, npy.data + start, npy.len - start);
    } else { /* strings are pickled there: what is read is written as the same bytes again */
        struct gt_strs list = {0};
        pass = pass && !gt_vlen_unpack(&data, false, &list, &err) && !gt_vlen_pack(&list, 0, list.n, list.n, &back, &err) &&
               same(&back, data.data, data.len) && list.n > 0;
        gt_strs_release(&list);
    }
    if (!pass)
        diag("%s: %s", encoded, err.msg);
    gt_codec_free(chain);
    gt_buf_release(&npy), gt_buf_release(&data), gt_buf_release(&back), gt_buf_release(&scratch[0]), gt_buf_release(&scratch[1]);
    return pass;
}

static void test_vectors(const char *data)
{
    static const char *const names[] = {"blosc", "zstd", "zlib", "gzip", "lz4", "vlen-utf8", "crc32c", "shuffle", "packbits"};
    char path[4096];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        glob_t files = {0};
        bool pass = true;
        snprintf(path, sizeof path, "%s/zarr/numcodecs/%s/codec.*/encoded.*.dat", data, names[i]);
        glob(path, 0, NULL, &files);
        for (size_t k = 0; k < files.gl_pathc; k++) {
            snprintf(path, sizeof path, "%.*s/config.json", (int)(strrchr(files.gl_pathv[k], '/') - files.gl_pathv[k]), files.gl_pathv[k]);
            struct json_object *config = read_json(path);
            pass &= vector(files.gl_pathv[k], config);
            json_object_put(config);
        }
        ok(pass && files.gl_pathc > 0, "%zu vectors of numcodecs for %s", files.gl_pathc, names[i]);
        globfree(&files);
    }
}

int main(void)
{
    const char *data = test_data();
    test_crc32c();
    test_round_trips();
    test_endian();
    test_strings();
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++)
        test_damage(specs[s], s % 2 ? 2 : 3);
    test_damage("[\"crc32c\"]", 3);
    test_bombs();
    test_work();
    test_metadata();
    if (data)
        test_vectors(data);
    else
        skip("no test data");
    return done_testing();
}
