/* Zarr metadata, fill values, keys, and arrays written and read back. */
#include <json-c/json.h>
#include <stdint.h>
#include <string.h>

#include "arrays/zarr/group.h"
#include "arrays/zarr/meta.h"
#include "core/base/str.h"
#include "storage/store/dir_store.h"
#include "storage/store/memory_store.h"
#include "test/support/tap.h"
#include "test/support/zarr_write.h"

static struct gt_store *memory(void)
{
    static struct gt_budget budget;
    struct gt_store *store = NULL;
    struct gt_err err = {0};

    gt_budget_init(&budget, 1 << 28);
    if (gt_store_new_memory(&store, &budget, &err))
        diag("%s", err.msg);
    return store;
}

/* An array of this metadata, of no store. */
static void parse(struct gt_array **out, const char *path, int zarr_format, const char *meta, struct gt_err *err)
{
    struct json_object *document = NULL;

    if (!gt_json_parse(&document, meta, strlen(meta), path, NULL, err))
        gt_array_from_json(out, NULL, path, zarr_format, document, NULL, err);
    json_object_put(document);
}

static struct gt_array *parse_v2(const char *meta, struct gt_err *err)
{
    struct gt_array *array = NULL;

    gt_err_clear(err);
    parse(&array, "a", 2, meta, err);
    return array;
}

/* A v2 document of the usual form. */
static struct gt_array *with(const char *shape, const char *chunks, const char *dtype, const char *fill, struct gt_err *err)
{
    char meta[1024];

    snprintf(meta, sizeof meta,
             "{\"zarr_format\":2,\"shape\":%s,\"chunks\":%s,\"dtype\":\"%s\",\"compressor\":null,\"fill_value\":%s,\"order\":\"C\","
             "\"filters\":%s}",
             shape, chunks, dtype, fill, strchr(dtype, 'O') ? "[{\"id\":\"vlen-utf8\"}]" : "null");
    return parse_v2(meta, err);
}

static void test_fill(void)
{
    static const struct {
        const char *dtype, *fill, *hex; /* hex: the item's bytes, or NULL for an error */
    } cases[] = {
        {"<i4", "0", "00000000"},
        {"<i4", "-1", "ffffffff"},
        {"<i4", "\"-2\"", "feffffff"},
        {"<i4", "[7]", "07000000"},
        {"<i4", "3.0", "03000000"},
        {"<i4", "null", "00000000"},
        {"<i4", "3.5", NULL},
        {"|i1", "128", NULL},
        {"|i1", "-128", "80"},
        {"|u1", "-1", NULL},
        {"|u1", "255", "ff"},
        {"<u8", "18446744073709551615", "ffffffffffffffff"},
        {"<u8", "\"18446744073709551615\"", "ffffffffffffffff"},
        {"<i8", "-9223372036854775808", "0000000000000080"},
        {"<i8", "9223372036854775808", NULL},
        {"<f4", "\"NaN\"", "0000c07f"},
        {"<f4", "\"+Infinity\"", "0000807f"},
        {"<f8", "\"-Infinity\"", "000000000000f0ff"},
        {"<f4", "\"1.5\"", "0000c03f"},
        {"<f4", "\"0x7F800001\"", "0100807f"},
        {"<f2", "1.5", "003e"},
        {"<f2", "65536", "007c"},
        {"<f2", "6e-8", "0100"},
        {"<f4", "\"x\"", NULL},
        {"<f4", "{}", NULL},
        {"<c8", "[1.5, \"-Infinity\"]", "0000c03f000080ff"},
        {"<c8", "1.5", "0000c03f00000000"},
        {"<c16", "[0, 1]", "0000000000000000000000000000f03f"},
        {"<c8", "[1, 2, 3]", NULL},
        {"<c8", "[1, \"x\"]", NULL},
        {"<M8[ns]", "\"NaT\"", "0000000000000080"},
        {"<M8[D]", "-1", "ffffffffffffffff"},
        {">m8[25us]", "7", "0700000000000000"},
        {"<m8", "0", "0000000000000000"},
        {"<M8[D]", "\"yesterday\"", NULL},
        {"<M8[fortnight]", "0", NULL},
        {"<M8[D", "0", NULL},
        {"|b1", "true", "01"},
        {"|b1", "0", "00"},
        {"|b1", "\"False\"", "00"},
        {"|S3", "\"\"", "000000"},
        {"|S3", "\"YWJj\"", "616263"},
        {"|S3", "\"ab\"", "616200"},
        {"|S3", "\"abcde\"", NULL},
        {"<U2", "\"\\u00e9\"", "e900000000000000"},
        {"|i1", "127", "7f"},
        {"|i1", "-129", NULL},
        {"|u1", "256", NULL},
        {"|u1", "\"-0\"", "00"},
        {"|u1", "-0.0", "00"},
        {"<i2", "32767", "ff7f"},
        {"<i2", "32768", NULL},
        {"<u2", "65535", "ffff"},
        {"<u2", "65536", NULL},
        {"<i4", "2147483647", "ffffff7f"},
        {"<i4", "2147483648", NULL},
        {"<i4", "-2147483648", "00000080"},
        {"<i4", "-2147483649", NULL},
        {"<i4", "\"+5\"", "05000000"},
        {"<i4", "\"5x\"", NULL},
        {"<i4", "\"/\"", NULL},
        {"<i4", "\":\"", NULL},
        {"<i4", "-3.0", "fdffffff"},
        {"<u4", "4294967295", "ffffffff"},
        {"<u4", "4294967296", NULL},
        {"<i8", "\"9223372036854775807\"", "ffffffffffffff7f"},
        {"<i8", "\"9223372036854775808\"", NULL},
        {"<i8", "\"-9223372036854775808\"", "0000000000000080"},
        {"<i8", "\"-9223372036854775809\"", NULL},
        {"<i8", "9007199254740991.0", "ffffffffffff1f00"},
        {"<i8", "-9007199254740991.0", "010000000000e0ff"},
        {"<i8", "9007199254740992.0", NULL},
        {"<u8", "\"18446744073709551616\"", NULL},
        {"<f2", "65504", "ff7b"},
        {"<f2", "65519", "ff7b"},
        {"<f2", "65520", "007c"},
        {"<f2", "2.98e-8", "0000"},
        {"<f2", "2.99e-8", "0100"},
        {"|S3", "\"abcd\"", "69b71d"},
        {"|S4", "\"abcd\"", "69b71d00"},
        {"|S3", "\"abc\"", "616263"},
        {"|S2", "\"abcd\"", NULL},
        {"<U1", "\"ab\"", "61000000"},
        {"|O", "\"\"", "0100000000000000"},
        {"|O", "0", "0100000000000000"},
        {"|O", "\"ab\"", "01000000020000006162"},
        {"|O", "5", NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gt_err err = {0};
        struct gt_array *array = with("[3]", "[1]", cases[i].dtype, cases[i].fill, &err);
        struct gt_buf raw = {0}, scratch[2] = {{0}, {0}};
        char hex[64] = "";
        int64_t zero = 0;

        if (array && gt_array_decode(array, &zero, NULL, &raw, scratch, &err) == 0)
            for (size_t j = 0; j < raw.len && j < 31; j++)
                snprintf(hex + 2 * j, 3, "%02x", raw.data[j]);
        ok(cases[i].hex ? strcmp(hex, cases[i].hex) == 0 : !array && err.status == GT_INPUT, "fill value %s of %s", cases[i].fill,
           cases[i].dtype);
        if (cases[i].hex && strcmp(hex, cases[i].hex) != 0)
            diag("%s %s", hex, err.msg);
        gt_buf_release(&raw);
        gt_array_free(array);
    }
}

/* Code points at the borders of UTF-8's lengths and of what is none, as U items and as their fill value. */
static void test_code_points(void)
{
    static const struct {
        uint32_t point;
        const char *json, *utf8; /* NULL: it is no code point */
    } cases[] = {{0x41, "\"A\"", "A"},
                 {0x7f, "\"\\u007f\"", "\x7f"},
                 {0x80, "\"\\u0080\"", "\xc2\x80"},
                 {0x7ff, "\"\\u07ff\"", "\xdf\xbf"},
                 {0x800, "\"\\u0800\"", "\xe0\xa0\x80"},
                 {0xd7ff, "\"\\ud7ff\"", "\xed\x9f\xbf"},
                 {0xd800, NULL, NULL},
                 {0xdfff, NULL, NULL},
                 {0xe000, "\"\\ue000\"", "\xee\x80\x80"},
                 {0xffff, "\"\\uffff\"", "\xef\xbf\xbf"},
                 {0x10000, "\"\\ud800\\udc00\"", "\xf0\x90\x80\x80"},
                 {0x10ffff, "\"\\udbff\\udfff\"", "\xf4\x8f\xbf\xbf"},
                 {0x110000, NULL, NULL},
                 {0xffffffff, NULL, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gt_store *store = memory();
        struct gt_array *array = NULL;
        struct gt_strs strs = {0};
        struct gt_err err = {0};
        char meta[300];
        /* two chunks of one item: one of them is stored, the other one is the fill value */
        snprintf(meta, sizeof meta,
                 "{\"zarr_format\":2,\"shape\":[2],\"chunks\":[1],\"dtype\":\"<U2\",\"compressor\":null,\"fill_value\":%s,"
                 "\"order\":\"C\",\"filters\":null}",
                 cases[i].json ? cases[i].json : "\"\"");
        gt_store_put(store, "a/.zarray", meta, strlen(meta), &err);
        gt_store_put(store, "a/0", (const uint32_t[]){cases[i].point, 'x'}, 8, &err);
        int status = gt_array_open(&array, store, "a", &err);
        if (!status)
            status = gt_array_read_strings(array, NULL, &strs, &err);
        char wanted[8] = "";
        if (cases[i].utf8)
            snprintf(wanted, sizeof wanted, "%sx", cases[i].utf8);
        ok(cases[i].utf8
               ? !status && strs.n == 2 && strcmp(gt_strs_get(&strs, 0), wanted) == 0 && strcmp(gt_strs_get(&strs, 1), cases[i].utf8) == 0
               : status == GT_INPUT,
           "U+%04X %s", cases[i].point, status ? err.msg : "");
        gt_strs_release(&strs);
        gt_array_free(array);
        gt_store_free(store);
    }
}

static void test_hostile(void)
{
    static const char *const shapes[][2] = {
        {"[-1]", "[1]"},
        {"[4]", "[0]"},
        {"[4]", "[-2]"},
        {"[4,4]", "[2]"},
        {"4", "[2]"},
        {"[1.5]", "[1]"},
        {"[\"4\"]", "[1]"},
        {"[4611686018427387904,4611686018427387904]", "[1,1]"},
        {"[10,10]", "[4611686018427387904,4611686018427387904]"},
        {"[10]", "[9223372036854775807]"},
        {"[10]", "[18446744073709551615]"},
        {"[10]", "[1099511627777]"},
        {"[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[1]"},
    };
    static const char *const documents[] = {
        "",
        "{",
        "[]",
        "7",
        "{}",
        "{\"zarr_format\":2}",
        "{\"zarr_format\":3,\"shape\":[1],\"chunks\":[1],\"dtype\":\"<i4\",\"compressor\":null,\"fill_value\":0,\"order\":\"C\","
        "\"filters\":null}",
        "{\"zarr_format\":2,\"shape\":[1],\"chunks\":[1],\"dtype\":[[\"a\",\"<i4\"]],\"compressor\":null,\"fill_value\":0,\"order\":\"C\","
        "\"filters\":null}",
        "{\"zarr_format\":2,\"shape\":[1],\"chunks\":[1],\"dtype\":\"<c32\",\"compressor\":null,\"fill_value\":0,\"order\":\"C\","
        "\"filters\":null}",
        "{\"zarr_format\":2,\"shape\":[1],\"chunks\":[1],\"dtype\":\"<M8[xs]\",\"compressor\":null,\"fill_value\":0,\"order\":\"C\","
        "\"filters\":null}",
        "{\"zarr_format\":2,\"shape\":[1],\"chunks\":[1],\"dtype\":\"<U99999999\",\"compressor\":null,\"fill_value\":\"\",\"order\":\"C\","
        "\"filters\":null}",
        "{\"zarr_format\":2,\"shape\":[1],\"chunks\":[1],\"dtype\":\"|O\",\"compressor\":null,\"fill_value\":0,\"order\":\"C\",\"filters\":"
        "null}",
        "{\"zarr_format\":2,\"shape\":[1],\"chunks\":[1],\"dtype\":\"|i1\",\"compressor\":{\"id\":\"nonesuch\"},\"fill_value\":0,\"order\":"
        "\"C\",\"filters\":null}",
        "{\"zarr_format\":2,\"shape\":[1],\"chunks\":[1],\"dtype\":\"|i1\",\"compressor\":null,\"fill_value\":0,\"order\":\"Z\","
        "\"filters\":null}",
        "{\"zarr_format\":2,\"shape\":[1],\"chunks\":[1],\"dtype\":\"|i1\",\"compressor\":null,\"fill_value\":0,\"order\":\"C\","
        "\"filters\":7}",
        "{\"zarr_format\":2,\"shape\":[1],\"chunks\":[1],\"dtype\":\"|i1\",\"compressor\":null,\"fill_value\":0,\"order\":\"C\","
        "\"filters\":null} x",
    };
    struct gt_err err;

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct gt_array *array = with(shapes[i][0], shapes[i][1], "<i4", "0", &err);
        ok(!array && err.status == GT_INPUT, "shape %s in chunks %s is refused", shapes[i][0], shapes[i][1]);
        gt_array_free(array);
    }
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        struct gt_array *array = parse_v2(documents[i], &err);
        ok(!array && err.status == GT_INPUT, "bad .zarray %zu is refused: %s", i, err.msg);
        gt_array_free(array);
    }
    char deep[2048];
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    ok(!parse_v2(deep, &err) && err.status == GT_INPUT, "metadata nested too deeply is refused");
}

static struct gt_array *v3(const char *extra, const char *type, const char *fill, struct gt_err *err)
{
    struct gt_array *array = NULL;
    char meta[2048];

    gt_err_clear(err);
    snprintf(meta, sizeof meta,
             "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[5,4],\"data_type\":%s,\"chunk_grid\":{\"name\":\"regular\","
             "\"configuration\":"
             "{\"chunk_shape\":[2,2]}},\"chunk_key_encoding\":\"default\",\"fill_value\":%s,\"codecs\":[\"bytes\",\"crc32c\"]%s}",
             type, fill, extra);
    parse(&array, "g/a", 3, meta, err);
    return array;
}

/* How v3 says it keys its chunks. */
static void test_v3_keys(void)
{
    static const struct {
        const char *encoding, *key; /* NULL: refused */
    } cases[] = {
        {"\"default\"", "g/a/c/2/1"},
        {"\"v2\"", "g/a/2.1"},
        {"{\"name\":\"default\"}", "g/a/c/2/1"},
        {"{\"name\":\"v2\"}", "g/a/2.1"},
        {"{\"name\":\"v2\",\"configuration\":{}}", "g/a/2.1"},
        {"{\"name\":\"default\",\"configuration\":{\"separator\":\".\"}}", "g/a/c.2.1"},
        {"{\"name\":\"v2\",\"configuration\":{\"separator\":\"/\"}}", "g/a/2/1"},
        {"{\"name\":\"v2\",\"configuration\":{\"separator\":\"-\"}}", NULL},
        {"\"v1\"", NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gt_array *array = NULL;
        struct gt_err err = {0};
        struct gt_str key = {0};
        char meta[1024];
        snprintf(meta, sizeof meta,
                 "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[5,4],\"data_type\":\"int8\",\"chunk_grid\":{\"name\":\"regular\","
                 "\"configuration\":{\"chunk_shape\":[2,2]}},\"chunk_key_encoding\":%s,\"fill_value\":0,\"codecs\":[\"bytes\"]}",
                 cases[i].encoding);
        parse(&array, "g/a", 3, meta, &err);
        if (array)
            gt_array_key(array, (int64_t[]){2, 1}, &key, NULL);
        ok(cases[i].key ? array && strcmp(key.s, cases[i].key) == 0 : !array && err.status == GT_INPUT, "chunk keys %s: %s",
           cases[i].encoding, array ? key.s : err.msg);
        gt_str_release(&key);
        gt_array_free(array);
    }
}

static void test_v3(void)
{
    static const struct {
        const char *extra, *type, *fill;
        bool good;
    } cases[] = {
        {"", "\"int8\"", "0", true},
        {"", "{\"name\":\"int8\"}", "0", true},
        {",\"attributes\":{\"x\":1},\"dimension_names\":[\"a\",null]", "\"int8\"", "0", true},
        {",\"storage_transformers\":[]", "\"int8\"", "0", true},
        {",\"storage_transformers\":[{\"name\":\"x\"}]", "\"int8\"", "0", false},
        {",\"surprise\":1", "\"int8\"", "0", false},
        {",\"surprise\":{\"must_understand\":true}", "\"int8\"", "0", false},
        {",\"surprise\":{\"must_understand\":false}", "\"int8\"", "0", true},
        {"", "\"int2\"", "-2", true},
        {"", "\"int2\"", "2", false},
        {"", "\"uint4\"", "15", true},
        {"", "\"uint4\"", "16", false},
        {"", "\"int3\"", "0", false},
        {"", "\"complex256\"", "0", false},
        {"", "{\"name\":\"numpy.datetime64\",\"configuration\":{\"unit\":\"ns\",\"scale_factor\":1}}", "\"NaT\"", false}, /* no endian */
        {"", "{\"name\":\"numpy.timedelta64\",\"configuration\":{\"unit\":\"week\"}}", "0", false},
        {"", "\"int8\"", "300", false},
        {"", "\"bool\"", "true", true},
    };
    struct gt_err err;
    struct gt_str key = {0};
    struct gt_array *array;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        array = v3(cases[i].extra, cases[i].type, cases[i].fill, &err);
        ok((array != NULL) == cases[i].good, "zarr.json with %s %s is %s", cases[i].type, cases[i].extra,
           cases[i].good ? "read" : "refused");
        gt_array_free(array);
    }
    array = v3(",\"dimension_names\":[\"a\",null]", "\"int8\"", "0", &err);
    gt_array_key(array, (int64_t[]){2, 1}, &key, NULL);
    ok(strcmp(key.s, "g/a/c/2/1") == 0 && gt_array_grid(array, 0) == 3, "key %s", key.s);
    ok(array->dim_names[0] && strcmp(array->dim_names[0], "a") == 0 && !array->dim_names[1], "dimension names");
    gt_array_free(array);
    array = with("[]", "[]", "<i4", "0", &err);
    gt_array_key(array, (int64_t[]){0}, &key, NULL);
    ok(array && strcmp(key.s, "a/0") == 0 && array->chunk_items == 1, "key of a v2 scalar");
    gt_array_free(array);
    gt_str_release(&key);
}

static int add_array(struct gt_array **out, struct gt_store *store, struct gt_array_spec spec, int format)
{
    struct gt_err err = {0};
    int status = gt_array_new(out, store, &spec, format, &err);

    if (status)
        diag("%s", err.msg);
    return status;
}

/* A store of three arrays, in `format`; and what was put into them. */
static int write_store(struct gt_store *store, int format, const int32_t *numbers, const struct gt_strs *names, struct gt_err *err)
{
    struct json_object *attrs = json_tokener_parse("{\"answer\": 42}");
    struct gt_array *arrays[3] = {0};
    int16_t scalar = -7;
    int status = 0;

    status |= add_array(&arrays[0], store,
                        (struct gt_array_spec){.path = "sub/numbers",
                                               .type = GT_I32,
                                               .ndim = 3,
                                               .shape = {5, 7, 3},
                                               .chunk = {2, 4, 3},
                                               .dim_names = {"x", "y", "z"},
                                               .codec = "blosc:zstd:5:shuffle",
                                               .attrs = attrs},
                        format);
    status |= add_array(&arrays[1], store,
                        (struct gt_array_spec){.path = "names",
                                               .type = GT_STRING,
                                               .ndim = 1,
                                               .shape = {10},
                                               .chunk = {4},
                                               .dim_names = {"n"},
                                               .codec = "zstd:1",
                                               .fill_zero = true},
                        format);
    status |= add_array(&arrays[2], store, (struct gt_array_spec){.path = "scalar", .type = GT_I16, .ndim = 0, .codec = "gzip:6"}, format);
    if (!status)
        status = gt_group_put_meta(store, format, attrs, arrays, 3, err);
    if (!status)
        status = write_array(arrays[0], numbers, err);
    if (!status)
        status = write_strings(arrays[1], names, err);
    if (!status)
        status = write_array(arrays[2], &scalar, err);
    if (!status)
        status = gt_store_finish(store, err);
    for (int i = 0; i < 3; i++)
        gt_array_free(arrays[i]);
    json_object_put(attrs);
    return status;
}

static void make_data(int32_t numbers[105], struct gt_strs *names)
{
    for (int i = 0; i < 105; i++)
        numbers[i] = i * i - 50 * i;
    for (int i = 0; i < 10; i++) {
        char text[32];
        int n = i == 3 ? 0 : snprintf(text, sizeof text, i == 4 ? "caf\xc3\xa9" : "name%d", i);
        gt_strs_add(names, text, (size_t)n, NULL);
    }
}

static void check_store(struct gt_store *store, int format, const int32_t *numbers, const struct gt_strs *names)
{
    struct gt_err err = {0};
    struct gt_group *group = NULL;
    struct gt_array *array = NULL;
    struct gt_buf raw = {0};
    struct gt_strs strs = {0};
    struct gt_node *nodes = NULL;
    size_t n = 0, same = 0;
    struct json_object *answer = NULL;

    ok(gt_group_open(&group, store, "", &err) == 0 && group->zarr_format == format && group->consolidated, "v%d: root group %s", format,
       err.msg);
    ok(json_object_object_get_ex(group->attrs, "answer", &answer) && json_object_get_int(answer) == 42, "v%d: root attributes", format);
    ok(gt_group_nodes(group, &nodes, &n, &err) == 0 && n == 5 && strcmp(nodes[4].path, "sub/numbers") == 0 && nodes[4].is_array &&
           !nodes[3].is_array,
       "v%d: nodes by consolidated metadata (%zu)", format, n);
    gt_nodes_free(nodes, n);
    group->consolidated = NULL; /* it is the document's */
    ok(gt_group_nodes(group, &nodes, &n, &err) == 0 && n == 5, "v%d: nodes by keys (%zu) %s", format, n, err.msg);
    gt_nodes_free(nodes, n);
    ok(gt_group_array(group, "sub/numbers", &array, &err) == 0 && array->ndim == 3 && array->dim_names[1] &&
           strcmp(array->dim_names[1], "y") == 0,
       "v%d: array %s", format, err.msg);
    ok(gt_array_read_all(array, &raw, &err) == 0 && raw.len == 420 && memcmp(raw.data, numbers, 420) == 0, "v%d: numbers %s", format,
       err.msg);
    gt_array_free(array);
    ok(gt_group_array(group, "names", &array, &err) == 0 && gt_array_read_strings(array, NULL, &strs, &err) == 0, "v%d: names %s", format,
       err.msg);
    for (size_t i = 0; i < strs.n && i < names->n; i++)
        same += strcmp(gt_strs_get(&strs, i), gt_strs_get(names, i)) == 0;
    ok(strs.n == 10 && same == 10, "v%d: %zu of %zu names", format, same, strs.n);
    gt_array_free(array);
    ok(gt_group_array(group, "scalar", &array, &err) == 0 && gt_array_read_all(array, &raw, &err) == 0 && raw.len == 2 &&
           (int8_t)raw.data[0] == -7,
       "v%d: scalar %s", format, err.msg);
    gt_array_free(array);
    ok(gt_group_array(group, "nothing", &array, &err) == GT_NOENT && !array, "v%d: absent array", format);
    gt_group_free(group);
    gt_buf_release(&raw);
    gt_strs_release(&strs);
}

static void test_write(void)
{
    int32_t numbers[105];
    struct gt_strs names = {0};

    make_data(numbers, &names);
    for (int format = 2; format <= 3; format++) {
        struct gt_err err = {0};
        struct gt_store *store = memory();
        ok(write_store(store, format, numbers, &names, &err) == 0, "v%d: write %s", format, err.msg);
        check_store(store, format, numbers, &names);
        gt_store_free(store);
    }
    gt_strs_release(&names);
}

static void put_text(struct gt_store *store, const char *key, const char *text)
{
    struct gt_err err = {0};
    if (gt_store_put(store, key, text, strlen(text), &err))
        diag("%s", err.msg);
}

static void test_precedence(void)
{
    static const char v2[] =
        "{\"zarr_format\":2,\"shape\":[1],\"chunks\":[1],\"dtype\":\"|i1\",\"compressor\":null,\"fill_value\":0,\"order\":\"C\","
        "\"filters\":[],\"unknown\":1}";
    static const char v3_text[] =
        "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[2],\"data_type\":\"int8\",\"chunk_grid\":{\"name\":\"regular\","
        "\"configuration\":{\"chunk_shape\":[2]}},\"chunk_key_encoding\":{\"name\":\"v2\"},\"fill_value\":0,\"codecs\":[\"bytes\"]}";
    struct gt_err err = {0};
    struct gt_store *store = memory();
    struct gt_group *group = NULL;
    struct gt_array *array = NULL;
    struct gt_node *nodes = NULL;
    struct gt_str key = {0};
    size_t n = 0;

    put_text(store, ".zgroup", "{\"zarr_format\": 2}");
    put_text(store, "a/.zarray", v2);
    put_text(store, ".zmetadata", "{\"zarr_consolidated_format\":1,\"metadata\":{\"../x/.zarray\":{},\"b/.zarray\":{},\"a/.zarray\":{}}}");
    ok(gt_group_open(&group, store, "", &err) == 0 && gt_group_nodes(group, &nodes, &n, &err) == 0 && n == 3,
       "paths that climb out are no nodes");
    gt_nodes_free(nodes, n);
    gt_group_free(group);
    ok(gt_array_open(&array, store, "a", &err) == 0 && array->zarr_format == 2 && array->shape[0] == 1, "unknown v2 keys are ignored %s",
       err.msg);
    gt_array_free(array);
    put_text(store, "a/zarr.json", v3_text);
    ok(gt_array_open(&array, store, "a", &err) == 0 && array->zarr_format == 3 && array->shape[0] == 2, "v3 wins over v2 %s", err.msg);
    gt_array_key(array, (int64_t[]){0}, &key, NULL);
    ok(strcmp(key.s, "a/0") == 0, "v3 with keys as in v2: %s", key.s);
    gt_array_free(array);
    ok(gt_group_open(&group, store, "a", &err) == GT_NOENT && gt_array_open(&array, store, "", &err) == GT_NOENT,
       "a group is no array, an array no group");
    gt_str_release(&key);
    gt_store_free(store);
}

static void test_chunk_bounds(void)
{
    struct gt_err err = {0};
    struct gt_store *store = memory();
    struct gt_array *array = NULL;
    struct gt_array_spec spec = {
        .path = "a", .type = GT_U8, .ndim = 1, .shape = {1}, .chunk = {(int64_t)1 << 31}, .codec = "blosc:lz4:5:shuffle"};
    struct gt_buf stored = {0}, raw = {0}, scratch[2] = {{0}, {0}};
    int64_t zero = 0;

    ok(gt_array_new(&array, store, &spec, 2, &err) > 0, "a chunk beyond blosc's limit is refused: %s", err.msg);
    gt_err_clear(&err);
    spec.codec = "none";
    spec.chunk[0] = 4;
    ok(gt_array_new(&array, store, &spec, 2, &err) == 0, "array without compression %s", err.msg);
    ok(gt_array_fetch(array, &zero, &stored, &err) == GT_NOENT, "no such chunk");
    ok(gt_store_put(store, "a/0", "", 0, &err) == 0 && gt_array_fetch(array, &zero, &stored, &err) == GT_INPUT,
       "a chunk of no bytes is damage: %s", err.msg);
    gt_err_clear(&err);
    gt_buf_append(&stored, "abc", 3, NULL);
    ok(gt_array_decode(array, &zero, &stored, &raw, scratch, &err) == GT_INPUT && strstr(err.msg, "'a/0'"), "a short chunk is named: %s",
       err.msg);
    gt_buf_release(&stored);
    gt_buf_release(&raw);
    gt_array_free(array);
    gt_store_free(store);
}

/* Stores on disk, read by another implementation (v2; v3 where it can). */
static void test_python(void)
{
    static const char script[] =
        "import sys, numpy as np, zarr\n"
        "g = zarr.open(sys.argv[1], 'r'); c = zarr.open_consolidated(sys.argv[1])\n"
        "i = np.arange(105)\n"
        "for r in (g, c):\n"
        "    assert (r['sub/numbers'][:].ravel() == i * i - 50 * i).all()\n"
        "    assert r['sub/numbers'].attrs['_ARRAY_DIMENSIONS'] == ['x', 'y', 'z']\n"
        "    assert list(r['names'][:]) == ['name0', 'name1', 'name2', '', 'caf\\u00e9'] + ['name%d' % k for k in range(5, 10)]\n"
        "    assert r['scalar'][()] == -7 and r.attrs['answer'] == 42\n"
        "    assert r['sub/numbers'].fill_value is None\n";
    const char *python = getenv("PYTHON");
    char dir[] = "/tmp/t_zarr.XXXXXX", path[64], command[4096];
    struct gt_strs names = {0};
    int32_t numbers[105];

    snprintf(command, sizeof command, "'%s' -c 'import zarr, numpy' 2>/dev/null", python ? python : "");
    if (!python || !*python || system(command) != 0) {
        skip("no python3 with zarr");
        return;
    }
    if (!mkdtemp(dir))
        return;
    make_data(numbers, &names);
    for (int format = 2; format <= 3; format++) {
        struct gt_err err = {0};
        struct gt_store *store = NULL;
        snprintf(path, sizeof path, "%s/v%d.zarr", dir, format);
        ok(gt_store_create_dir(&store, path, false, "test", &err) == 0 && write_store(store, format, numbers, &names, &err) == 0,
           "v%d: on disk %s", format, err.msg);
        gt_store_free(store);
        if (gt_store_open_dir(&store, path, &err) == 0)
            check_store(store, format, numbers, &names);
        gt_store_free(store);
    }
    snprintf(command, sizeof command, "'%s' - '%s/v2.zarr' <<'END'\n%sEND\n", python, dir, script);
    ok(system(command) == 0, "python3-zarr reads what was written");
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    ok(system(command) == 0, "cleaned up");
    gt_strs_release(&names);
}

int main(void)
{
    test_fill();
    test_code_points();
    test_hostile();
    test_v3();
    test_v3_keys();
    test_write();
    test_precedence();
    test_chunk_bounds();
    test_python();
    return done_testing();
}
