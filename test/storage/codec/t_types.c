/* Codecs and types that other programs' arrays have: packed bits, items of less than a
 * byte, shuffled bytes, checksums, bz2, complex numbers of either byte order. */
#include <json-c/json.h>
#include <string.h>

#include "core/base/mem.h"
#include "storage/codec/codec.h"
#include "test/support/chain_bufs.h"
#include "test/support/random.h"
#include "test/support/tap.h"

/* An array of one axis.  text: v3 codecs, or v2 filters and a compressor, as a list. */
static struct gt_codec_chain *chain_of(const char *text, struct gt_dtype dtype, size_t n, int format, struct gt_err *err)
{
    struct gt_codec_array array = {.item_size = dtype.size,
                                   .unit = gt_dtype_turned(&dtype),
                                   .type = dtype.type,
                                   .bits = dtype.bits,
                                   .big_endian = dtype.big_endian,
                                   .n_items = n,
                                   .ndim = 1,
                                   .chunk = {(int64_t)n},
                                   .zarr_format = format};
    struct json_object *list = json_tokener_parse(text);
    struct gt_codec_chain *chain = NULL;
    gt_err_clear(err);
    if (format == 3)
        gt_codec_parse_v3(&chain, list, &array, err);
    else
        gt_codec_parse_v2(&chain, list, NULL, &array, err);
    json_object_put(list);
    return chain;
}

static struct gt_dtype type_of(const char *name, int format)
{
    struct gt_dtype dtype;
    if (format == 3 ? gt_dtype_parse_v3(&dtype, name, NULL) : gt_dtype_parse_v2(&dtype, name, NULL))
        diag("no type %s", name);
    return dtype;
}

static bool is_bytes(const struct gt_buf *buf, const void *bytes, size_t n)
{
    return buf->len == n && (n == 0 || memcmp(buf->data, bytes, n) == 0);
}

/* Items that the type can hold. */
static void fill_raw(struct bufs *b, struct gt_dtype dtype, size_t n)
{
    int bits = dtype.bits ? dtype.bits : dtype.type == GT_BOOL ? 1 : 8;
    gt_buf_resize(&b->raw, n * dtype.size, NULL);
    for (size_t i = 0; i < b->raw.len; i++) {
        int x = (int)random_below(1 << bits);
        b->raw.data[i] = (uint8_t)(dtype.bits && dtype.type == GT_I8 ? x - (1 << (bits - 1)) : x);
    }
}

/* What is cut off, or has a bit turned where the codec knows of all bits, is an error. */
static bool damage_is_found(const struct gt_codec_chain *chain, struct bufs *b, bool all_bits)
{
    struct gt_err err = {0};
    bool found = true;
    for (size_t n = 0; n < b->coded.len; n += 1 + b->coded.len / 50)
        found &= gt_codec_decode(chain, b->coded.data, n, &b->back, b->scratch, &err) == GT_INPUT;
    for (int i = 0; all_bits && i < 50 && b->coded.len; i++) {
        size_t at = (size_t)random_below((int64_t)b->coded.len);
        b->coded.data[at] ^= 0x10;
        gt_err_clear(&err);
        found &= gt_codec_decode(chain, b->coded.data, b->coded.len, &b->back, b->scratch, &err) == GT_INPUT;
        b->coded.data[at] ^= 0x10;
    }
    return found;
}

static const char *const types[] = {"bool", "int2", "uint2", "int4", "uint4", "int8", "uint16", "float32", "complex64", "complex128"};
enum { N_TYPES = sizeof types / sizeof *types };

static void test_packbits(void)
{
    static const char *const codecs[] = {"[\"packbits\"]",
                                         "[{\"name\":\"packbits\",\"configuration\":{\"padding_encoding\":\"first_byte\"}}]",
                                         "[{\"name\":\"packbits\",\"configuration\":{\"padding_encoding\":\"last_byte\"}}, \"crc32c\"]"};
    bool pass = true, damage = true;
    for (int i = 0; i < 600; i++) {
        struct gt_dtype dtype = type_of(types[i % N_TYPES], 3);
        size_t n = i < 60 ? 1 + (size_t)i / N_TYPES : 1 + (size_t)random_below(300);
        struct gt_err err = {0};
        struct bufs b = {0};
        struct gt_codec_chain *chain = chain_of(codecs[i / N_TYPES % 3], dtype, n, 3, &err);
        fill_raw(&b, dtype, n);
        bool same = there_and_back(chain, &b, &err);
        if (!same)
            diag("%zu of %s: %s", n, types[i % N_TYPES], err.msg);
        pass &= same;
        damage &= same && damage_is_found(chain, &b, false);
        gt_codec_free(chain);
        bufs_release(&b);
    }
    ok(pass, "packed bits of all types, any number of items, all forms of padding");
    ok(damage, "cut short they are an error");
}

/* All bits of a value may be named; a part of them is refused. */
static void test_bit_range(void)
{
    static const struct {
        const char *type, *conf;
        bool fits;
    } ranges[] = {{"uint4", "\"first_bit\":0,\"last_bit\":3", true},
                  {"uint4", "\"first_bit\":0", true},
                  {"uint4", "\"last_bit\":1", false},
                  {"uint4", "\"last_bit\":4", false},
                  {"uint4", "\"first_bit\":1", false},
                  {"bool", "\"last_bit\":0", true},
                  {"uint16", "\"last_bit\":15", true},
                  {"uint16", "\"last_bit\":7", false}};
    bool pass = true;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        char text[200];
        struct gt_err err = {0};
        snprintf(text, sizeof text, "[{\"name\":\"packbits\",\"configuration\":{%s}}]", ranges[i].conf);
        struct gt_codec_chain *chain = chain_of(text, type_of(ranges[i].type, 3), 9, 3, &err);
        pass &= (chain != NULL) == ranges[i].fits && (chain || strstr(err.msg, "a range of bits"));
        gt_codec_free(chain);
    }
    ok(pass, "packed bits: all of a value's bits, not a part of them");
}

/* Every other count of padding bits than the right one is damage, wherever it stands. */
static void test_padding_count(void)
{
    static const struct {
        const char *type, *codecs;
        int format;
        bool last;
    } forms[] = {
        {"bool", "[{\"name\":\"packbits\",\"configuration\":{\"padding_encoding\":\"first_byte\"}}]", 3, false},
        {"int4", "[{\"name\":\"packbits\",\"configuration\":{\"padding_encoding\":\"last_byte\"}}]", 3, true},
        {"bool", "[{\"name\":\"numcodecs.packbits\",\"configuration\":{}},\"bytes\"]", 3, false},
        {"|b1", "[{\"id\":\"packbits\"}]", 2, false},
    };
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        bool found = true;
        for (size_t n = 1; n < 40; n++) {
            struct gt_dtype dtype = type_of(forms[f].type, forms[f].format);
            struct gt_err err = {0};
            struct bufs b = {0};
            struct gt_codec_chain *chain = chain_of(forms[f].codecs, dtype, n, forms[f].format, &err);
            fill_raw(&b, dtype, n);
            found &= there_and_back(chain, &b, &err);
            uint8_t *count = &b.coded.data[forms[f].last ? b.coded.len - 1 : 0];
            const uint8_t right = *count;
            for (int wrong = 0; wrong < 256; wrong++) {
                *count = (uint8_t)wrong;
                gt_err_clear(&err);
                int status = gt_codec_decode(chain, b.coded.data, b.coded.len, &b.back, b.scratch, &err);
                found &= wrong == right ? status == GT_OK : status == GT_INPUT;
            }
            gt_codec_free(chain);
            bufs_release(&b);
        }
        ok(found, "a wrong count of padding bits is an error: %s %s", forms[f].type, forms[f].codecs);
    }
}

/* Layouts as the specification has them. */
static void test_layouts(void)
{
    static const struct {
        const char *type, *codecs;
        int format;
        uint8_t raw[8];
        size_t n;
        uint8_t coded[8];
        size_t n_coded;
    } cases[] = {
        {"bool", "[\"packbits\"]", 3, {0, 1, 1, 0, 0, 0, 0, 0}, 8, {0x06}, 1},
        {"uint2", "[\"packbits\"]", 3, {1, 2, 3}, 3, {0x39}, 1},
        {"int4",
         "[{\"name\":\"packbits\",\"configuration\":{\"padding_encoding\":\"first_byte\"}}]",
         3,
         {0xFF, 0xF8, 7},
         3,
         {4, 0x8F, 7},
         3},
        {"uint2", "[{\"name\":\"packbits\",\"configuration\":{\"padding_encoding\":\"last_byte\"}}]", 3, {1, 2, 3}, 3, {0x39, 2}, 2},
        {"bool", "[{\"name\":\"numcodecs.packbits\",\"configuration\":{}},\"bytes\"]", 3, {1, 0, 1}, 3, {5, 0xA0}, 2},
        {"|b1", "[{\"id\":\"packbits\"}]", 2, {1, 0, 1}, 3, {5, 0xA0}, 2},
        {"|u1", "[{\"id\":\"shuffle\",\"elementsize\":4}]", 2, {1, 2, 3, 4, 5, 6, 7, 8}, 8, {1, 5, 2, 6, 3, 7, 4, 8}, 8},
        {"|u1", "[{\"id\":\"shuffle\",\"elementsize\":0}]", 2, {1, 2, 3}, 3, {1, 2, 3}, 3},
        {"|u1", "[{\"id\":\"adler32\"}]", 2, {'a', 'b', 'c'}, 3, {0x27, 0x01, 0x4D, 0x02, 'a', 'b', 'c'}, 7},
        {"|u1", "[{\"id\":\"crc32\"}]", 2, {'a', 'b', 'c'}, 3, {0xC2, 0x41, 0x24, 0x35, 'a', 'b', 'c'}, 7},
        {"|u1", "[{\"id\":\"crc32\",\"location\":\"end\"}]", 2, {'a', 'b', 'c'}, 3, {'a', 'b', 'c', 0xC2, 0x41, 0x24, 0x35}, 7},
        {"|u1", "[{\"id\":\"fletcher32\"}]", 2, {1, 2, 3}, 3, {1, 2, 3, 2, 4, 4, 5}, 7},
        {">c8", "null", 2, {1, 2, 3, 4, 5, 6, 7, 8}, 1, {4, 3, 2, 1, 8, 7, 6, 5}, 8},
        {">M8[s]", "null", 2, {1, 2, 3, 4, 5, 6, 7, 8}, 1, {8, 7, 6, 5, 4, 3, 2, 1}, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gt_dtype dtype = type_of(cases[i].type, cases[i].format);
        struct gt_err err = {0};
        struct bufs b = {0};
        struct gt_codec_chain *chain = chain_of(cases[i].codecs, dtype, cases[i].n, cases[i].format, &err);
        gt_buf_append(&b.raw, cases[i].raw, cases[i].n * dtype.size, NULL);
        ok(there_and_back(chain, &b, &err) && is_bytes(&b.coded, cases[i].coded, cases[i].n_coded), "%s by %s %s", cases[i].type,
           cases[i].codecs, err.msg);
        gt_codec_free(chain);
        bufs_release(&b);
    }
}

/* A whole byte for an item of a few bits: the upper ones say nothing. */
static void test_upper_bits(void)
{
    static const uint8_t stored[4] = {0xFD, 0x02, 0x07, 0x80};
    static const struct {
        const char *type;
        uint8_t want[4];
    } cases[] = {{"uint2", {1, 2, 3, 0}}, {"int2", {1, 0xFE, 0xFF, 0}}, {"int4", {0xFD, 2, 7, 0}}, {"uint4", {0x0D, 2, 7, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gt_err err = {0};
        struct bufs b = {0};
        struct gt_codec_chain *chain = chain_of("[\"bytes\"]", type_of(cases[i].type, 3), 4, 3, &err);
        ok(chain && !gt_codec_decode(chain, stored, 4, &b.back, b.scratch, &err) && is_bytes(&b.back, cases[i].want, 4), "%s as bytes %s",
           cases[i].type, err.msg);
        gt_codec_free(chain);
        bufs_release(&b);
    }
}

static void test_compressors(void)
{
    static const struct {
        const char *codecs;
        bool checked; /* by what the codec writes: any bit that turns is found */
    } cases[] = {{"[{\"id\":\"bz2\",\"level\":1}]", false},
                 {"[{\"id\":\"bz2\",\"level\":9}]", false},
                 {"[{\"id\":\"adler32\"}]", true},
                 {"[{\"id\":\"crc32\"}]", true},
                 {"[{\"id\":\"fletcher32\"}]", true},
                 {"[{\"id\":\"shuffle\",\"elementsize\":2},{\"id\":\"bz2\"}]", false},
                 {"[{\"id\":\"shuffle\",\"elementsize\":1},{\"id\":\"crc32c\"}]", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool pass = true, damage = true;
        for (int k = 0; k < 20; k++) {
            size_t n = k < 3 ? (size_t)k : (size_t)random_below(5000);
            struct gt_dtype dtype = type_of("<i2", 2);
            struct gt_err err = {0};
            struct bufs b = {0};
            struct gt_codec_chain *chain = chain_of(cases[i].codecs, dtype, n, 2, &err);
            fill_raw(&b, dtype, n);
            pass &= there_and_back(chain, &b, &err);
            damage &= pass && (n == 0 || damage_is_found(chain, &b, cases[i].checked));
            gt_codec_free(chain);
            bufs_release(&b);
        }
        ok(pass, "there and back: %s", cases[i].codecs);
        ok(damage, "damage is found: %s", cases[i].codecs);
    }
}

/* bz2: streams behind one another are one; more than a chunk is refused before it is kept. */
static void test_bz2_streams(void)
{
    struct gt_err err = {0};
    struct bufs b = {0};
    struct gt_codec_chain *half = chain_of("[{\"id\":\"bz2\"}]", type_of("|u1", 2), 1000, 2, &err);
    struct gt_codec_chain *whole = chain_of("[{\"id\":\"bz2\"}]", type_of("|u1", 2), 2000, 2, &err);
    fill_raw(&b, type_of("|u1", 2), 1000);
    bool there = there_and_back(half, &b, &err);
    size_t one = b.coded.len;
    gt_buf_resize(&b.coded, 2 * one, NULL);
    memcpy(b.coded.data + one, b.coded.data, one);
    ok(there && !gt_codec_decode(whole, b.coded.data, b.coded.len, &b.back, b.scratch, &err) && b.back.len == 2000 &&
           memcmp(b.back.data + 1000, b.raw.data, 1000) == 0,
       "two streams %s", err.msg);
    ok(gt_codec_decode(half, b.coded.data, b.coded.len, &b.back, b.scratch, &err) == GT_INPUT, "more than a chunk: %s", err.msg);
    gt_codec_free(half);
    gt_codec_free(whole);
    bufs_release(&b);
}

static void test_refused(void)
{
    static const struct {
        const char *type, *codecs;
        int format;
        bool unsupported;
    } cases[] = {
        {"string", "[\"packbits\"]", 3, false},
        {"uint8", "[{\"name\":\"packbits\",\"configuration\":{\"padding_encoding\":\"both\"}}]", 3, false},
        {"uint8", "[{\"name\":\"packbits\",\"configuration\":{\"first_bit\":2}}]", 3, true},
        {"|u1", "[{\"id\":\"packbits\"}]", 2, false},
        {"|u1", "[{\"id\":\"shuffle\",\"elementsize\":2}]", 2, false},
        {"|u1", "[{\"id\":\"bz2\",\"level\":10}]", 2, false},
        {"|u1", "[{\"id\":\"adler32\",\"location\":\"middle\"}]", 2, false},
        {"uint8", "[\"bytes\",\"bz2\"]", 3, true},
        {"|u1", "[{\"id\":\"pcodec\"}]", 2, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gt_err err = {0};
        struct gt_codec_chain *chain = chain_of(cases[i].codecs, type_of(cases[i].type, cases[i].format), 5, cases[i].format, &err);
        ok(!chain && err.status == GT_INPUT && err.unsupported == cases[i].unsupported, "refused: %s", err.msg);
        gt_codec_free(chain);
    }
}

/* Chunks of strings do not say how long they are: what a codec unpacks grows until it fits.  Texts that compress by 1 to 10,000. */
static void test_unknown_size(void)
{
    static const char *const codecs[] = {"bz2", "gzip", "zlib", "zstd", "lz4", "blosc"};
    for (size_t c = 0; c < sizeof codecs / sizeof *codecs; c++) {
        char text[80];
        struct gt_err err = {0};
        struct bufs b = {0};
        int wrong = 0;
        snprintf(text, sizeof text, "[{\"id\":\"vlen-utf8\"},{\"id\":\"%s\"}]", codecs[c]);
        struct gt_codec_chain *chain = chain_of(text, type_of("|O", 2), 1, 2, &err);
        for (uint32_t n = 0, step = 1; n < 3000000 && chain; n += step, step = n < 600 ? 1 : n < 3000 ? 7 : n) {
            gt_buf_resize(&b.raw, 8 + (size_t)n, NULL); /* one string: their number, its length, its bytes */
            memcpy(b.raw.data, (const uint32_t[]){1, n}, 8);
            for (uint32_t i = 0; i < n; i++)
                b.raw.data[8 + i] = (uint8_t)(i % 1000 < 30 && n % 3 == 0 ? 'a' + random_below(26) : 'x');
            wrong += !there_and_back(chain, &b, &err);
        }
        ok(chain && !wrong, "strings of any length in %s %s", codecs[c], err.msg);
        gt_codec_free(chain);
        bufs_release(&b);
    }
}

/* Names of types of Zarr 2 (NumPy's), and what is none. */
static void test_type_names(void)
{
    static const struct {
        const char *name;
        size_t size; /* 0: not read */
        bool big;
        const char *again;
    } cases[] = {{"<i4", 4, false, "<i4"},
                 {">i4", 4, true, ">i4"},
                 {"=i4", 4, false, "<i4"},
                 {"i4", 4, false, "<i4"},
                 {">i1", 1, false, "|i1"},
                 {"|b1", 1, false, "|b1"},
                 {">c16", 16, true, ">c16"},
                 {"<f2", 2, false, "<f2"},
                 {"|S1", 1, false, "|S1"},
                 {"|S65536", 65536, false, NULL},
                 {"|S65537", 0, false, NULL},
                 {"|S0", 0, false, NULL},
                 {"|S", 0, false, NULL},
                 {"|S1x", 0, false, NULL},
                 {"|S-1", 0, false, NULL},
                 {"|S/", 0, false, NULL},
                 {"|S:", 0, false, NULL},
                 {"|S90", 90, false, "|S90"},
                 {"<U1", 4, false, "<U1"},
                 {">U3", 12, true, ">U3"},
                 {"<U16384", 65536, false, NULL},
                 {"<U16385", 0, false, NULL},
                 {"<U99999999999999999999", 0, false, NULL},
                 {"<U0", 0, false, NULL},
                 {"<M8[ns]", 8, false, "<M8[ns]"},
                 {">m8[25us]", 8, true, ">m8[25us]"},
                 {"<M8", 8, false, "<M8"},
                 {"<M8[", 0, false, NULL},
                 {"<M8[ns", 0, false, NULL},
                 {"<M8ns]", 0, false, NULL},
                 {"<M8[]", 8, false, "<M8"},
                 {"<M8[5]", 0, false, NULL},
                 {"<M8[xs]", 0, false, NULL},
                 {"<M8[generic]", 8, false, "<M8[generic]"},
                 {"<M8[12345us]", 8, false, "<M8[12345us]"},
                 {"<M8[123456us]", 0, false, NULL},
                 {"<i3", 0, false, NULL},
                 {"<i4x", 0, false, NULL},
                 {"<>i4", 0, false, NULL},
                 {"", 0, false, NULL},
                 {"<", 0, false, NULL},
                 {"int4", 1, false, NULL},
                 {"float64", 8, false, "<f8"},
                 {"datetime64", 0, false, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gt_dtype dtype;
        struct gt_err err = {0};
        char name[GT_DTYPE_NAME];
        int status = gt_dtype_parse_v2(&dtype, cases[i].name, &err);
        const bool same = !status && dtype.size == cases[i].size && dtype.big_endian == cases[i].big &&
                          (!cases[i].again || strcmp(gt_dtype_name_v2(&dtype, name), cases[i].again) == 0);
        ok(cases[i].size ? same : status == GT_INPUT && err.unsupported, "type '%s': %s", cases[i].name,
           cases[i].size ? "read" : "not supported");
    }
}

/* Settings of the wrong type, and one beyond each end of what they may be. */
static void test_settings(void)
{
    static const struct {
        const char *codecs, *type;
        int format;
        bool good;
    } cases[] = {{"[{\"id\":\"gzip\",\"level\":9}]", "|u1", 2, true},
                 {"[{\"id\":\"gzip\",\"level\":-1}]", "|u1", 2, true},
                 {"[{\"id\":\"gzip\",\"level\":10}]", "|u1", 2, false},
                 {"[{\"id\":\"gzip\",\"level\":-2}]", "|u1", 2, false},
                 {"[{\"id\":\"gzip\",\"level\":3.0}]", "|u1", 2, true},
                 {"[{\"id\":\"gzip\",\"level\":3.5}]", "|u1", 2, false},
                 {"[{\"id\":\"gzip\",\"level\":\"3\"}]", "|u1", 2, true},
                 {"[{\"id\":\"gzip\",\"level\":\"-1\"}]", "|u1", 2, true},
                 {"[{\"id\":\"gzip\",\"level\":\"\"}]", "|u1", 2, false},
                 {"[{\"id\":\"gzip\",\"level\":\"-\"}]", "|u1", 2, false},
                 {"[{\"id\":\"gzip\",\"level\":\"+3\"}]", "|u1", 2, false},
                 {"[{\"id\":\"gzip\",\"level\":\" 3\"}]", "|u1", 2, false},
                 {"[{\"id\":\"gzip\",\"level\":\"3 \"}]", "|u1", 2, false},
                 {"[{\"id\":\"gzip\",\"level\":\"99999999999999999999\"}]", "|u1", 2, false},
                 {"[{\"id\":\"gzip\",\"level\":true}]", "|u1", 2, false},
                 {"[{\"id\":\"gzip\",\"level\":[]}]", "|u1", 2, false},
                 {"[{\"id\":\"bz2\",\"level\":0}]", "|u1", 2, false},
                 {"[{\"id\":\"blosc\",\"cname\":3}]", "|u1", 2, false},
                 {"[\"bytes\",{\"name\":\"zstd\",\"configuration\":{\"checksum\":1}}]", "uint8", 3, false},
                 {"[\"bytes\",{\"name\":\"zstd\",\"configuration\":{\"checksum\":true}}]", "uint8", 3, true},
                 {"[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}]", "uint16", 3, true},
                 {"[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"middle\"}}]", "uint16", 3, false},
                 {"[{\"name\":\"bytes\",\"configuration\":{\"endian\":1}}]", "uint16", 3, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gt_err err = {0};
        struct gt_codec_chain *chain = chain_of(cases[i].codecs, type_of(cases[i].type, cases[i].format), 5, cases[i].format, &err);
        ok(!chain == !cases[i].good && (chain || err.status == GT_INPUT), "%s: %s", cases[i].codecs, chain ? "taken" : err.msg);
        gt_codec_free(chain);
    }
}

int main(void)
{
    test_packbits();
    test_bit_range();
    test_padding_count();
    test_layouts();
    test_upper_bits();
    test_compressors();
    test_bz2_streams();
    test_refused();
    test_unknown_size();
    test_type_names();
    test_settings();
    return done_testing();
}
