/* Chunks and zips that zarr-python reads, and the other way round. */
#include "config.h"

#include <json-c/json.h>
#include <string.h>

#include "storage/archive/store_create.h"
#include "storage/archive/zip_store.h"
#include "storage/codec/codec.h"
#include "storage/codec/vlen.h"
#include "storage/store/dir_store.h"
#include "test/support/scratch.h"
#include "test/support/tap.h"

enum { N = 100, CHUNK = 40 };

static const char *const specs[] = {
    "none", "zstd:1", "zstd:19", "gzip:6", "zlib:1", "lz4", "blosc", "lz4:9", "blosc:zstd:7:bitshuffle", "blosc:blosclz:1:noshuffle"};

/* Array `path` of 0..99 as <i4, or of their names, in chunks of 40. */
static bool write_array(struct gt_store *store, const char *path, const char *spec, bool strings)
{
    struct gt_codec_array array = {.item_size = strings ? 0 : 4, .n_items = CHUNK, .zarr_format = 2};
    struct json_object *filters, *compressor;
    struct gt_codec_chain *chain = NULL;
    struct gt_buf raw = {0}, coded = {0}, scratch[2] = {{0}};
    struct gt_strs names = {0};
    char text[4096], key[64];
    bool pass = gt_codec_spec_v2(spec, &array, &filters, &compressor, NULL) == 0 &&
                gt_codec_parse_v2(&chain, filters, compressor, &array, NULL) == 0;
    int n =
        snprintf(text, sizeof text,
                 "{\"zarr_format\":2,\"shape\":[%d],\"chunks\":[%d],\"dtype\":\"%s\",\"order\":\"C\",\"fill_value\":null,\"filters\":%s,"
                 "\"compressor\":%s}",
                 N, CHUNK, strings ? "|O" : "<i4", json_object_to_json_string(filters), json_object_to_json_string(compressor));
    snprintf(key, sizeof key, "%s/.zarray", path);
    pass = pass && gt_store_put(store, key, text, (size_t)n, NULL) == 0;
    for (int i = 0; i < 3 * CHUNK; i++) {
        n = snprintf(text, sizeof text, "name %d", i);
        gt_strs_add(&names, text, i < N ? (size_t)n : 0, NULL);
    }
    for (int32_t c = 0; c < 3 && pass; c++) {
        raw.len = 0;
        for (int32_t i = c * CHUNK; i < (c + 1) * CHUNK && !strings; i++)
            gt_buf_append(&raw, &i, 4, NULL);
        if (strings)
            gt_vlen_pack(&names, (size_t)(c * CHUNK), CHUNK, CHUNK, &raw, NULL);
        snprintf(key, sizeof key, "%s/%d", path, c);
        pass = gt_codec_encode(chain, &raw, &coded, scratch, NULL) == 0 && gt_store_put(store, key, coded.data, coded.len, NULL) == 0;
    }
    gt_codec_free(chain);
    json_object_put(filters);
    json_object_put(compressor);
    gt_strs_release(&names);
    gt_buf_release(&raw), gt_buf_release(&coded), gt_buf_release(&scratch[0]), gt_buf_release(&scratch[1]);
    return pass;
}

static bool write_store(const char *path)
{
    struct gt_store *store;
    char name[32];
    bool pass = gt_store_create(&store, path, false, "", NULL) == 0 && gt_store_put(store, ".zgroup", "{\"zarr_format\":2}", 17, NULL) == 0;
    for (size_t i = 0; i < sizeof specs / sizeof *specs && pass; i++)
        for (int strings = 0; strings < 2; strings++) {
            snprintf(name, sizeof name, "%s%zu", strings ? "s" : "i", i);
            pass &= write_array(store, name, specs[i], strings);
        }
    pass = pass && gt_store_finish(store, NULL) == 0;
    gt_store_free(store);
    return pass;
}

static struct json_object *get_json(struct gt_store *store, const char *key)
{
    struct gt_buf buf = {0};
    struct json_object *json = NULL;
    if (gt_store_get(store, key, &buf, NULL) == 0 && gt_buf_append(&buf, "", 1, NULL) == 0)
        json = json_tokener_parse((char *)buf.data);
    gt_buf_release(&buf);
    return json;
}

static int32_t load_i4(const uint8_t *p)
{
    int32_t x;
    memcpy(&x, p, 4);
    return x;
}

/* Reads what Python wrote under `path`. */
static bool read_array(struct gt_store *store, const char *path)
{
    char key[64];
    struct json_object *dtype = NULL, *filters = NULL, *compressor = NULL;
    struct gt_buf stored = {0}, raw = {0}, scratch[2] = {{0}};
    struct gt_err err = {0};
    struct gt_codec_chain *chain = NULL;
    snprintf(key, sizeof key, "%s/.zarray", path);
    struct json_object *meta = get_json(store, key);
    json_object_object_get_ex(meta, "dtype", &dtype);
    json_object_object_get_ex(meta, "filters", &filters);
    json_object_object_get_ex(meta, "compressor", &compressor);
    const char *type = json_object_get_string(dtype);
    bool strings = type && strcmp(type, "|O") == 0, big = type && *type == '>';
    struct gt_codec_array array = {.item_size = strings ? 0 : 4, .n_items = CHUNK, .big_endian = big, .zarr_format = 2};
    bool pass = gt_codec_parse_v2(&chain, filters, compressor, &array, &err) == 0;
    for (int c = 0; c < 3 && pass; c++) {
        struct gt_strs names = {0};
        snprintf(key, sizeof key, "%s/%d", path, c);
        pass = gt_store_get(store, key, &stored, &err) == 0 && gt_codec_decode(chain, stored.data, stored.len, &raw, scratch, &err) == 0 &&
               (!strings || gt_vlen_unpack(&raw, false, &names, &err) == 0);
        for (int i = 0; i < CHUNK && c * CHUNK + i < N && pass; i++) {
            char want[32];
            snprintf(want, sizeof want, "name %d", c * CHUNK + i);
            pass = strings ? strcmp(gt_strs_get(&names, (size_t)i), want) == 0 : load_i4(raw.data + 4 * i) == c * CHUNK + i;
        }
        gt_strs_release(&names);
    }
    if (!pass)
        diag("%s: %s", path, err.msg);
    gt_codec_free(chain);
    json_object_put(meta);
    gt_buf_release(&stored), gt_buf_release(&raw), gt_buf_release(&scratch[0]), gt_buf_release(&scratch[1]);
    return pass;
}

static int read_one(void *ctx, const char *key, int64_t size)
{
    const char *end = strstr(key, "/.zarray");
    char path[64];
    (void)size;
    if (!end)
        return 0;
    snprintf(path, sizeof path, "%.*s", (int)(end - key), key);
    return read_array(ctx, path) ? 0 : GT_FAIL;
}

int main(void)
{
    struct gt_store *store;
    struct gt_err err = {0};
    scratch_open();
    ok(write_store("a.zip") && write_store("a.zarr") && write_store("a.tar"), "stores are written");
    if (!scratch_python("import zarr, numcodecs\nassert zarr.__version__ < '3'\n")) {
        skip("no zarr-python 2");
        scratch_close();
        return done_testing();
    }
    ok(scratch_python("import zarr, numpy, tarfile\n"
                      "tarfile.open('a.tar').extractall('t.zarr')\n"
                      "for name in 'a.zip', 'a.zarr', 't.zarr':\n"
                      "    g = zarr.open(name, mode='r')\n"
                      "    assert len(list(g)) == 20, list(g)\n"
                      "    for k, a in g.items():\n"
                      "        want = range(100) if k[0] == 'i' else ['name %d' % i for i in range(100)]\n"
                      "        assert list(a[:]) == list(want), (name, k, a[:])\n"),
       "zarr-python reads a zip, a directory and an extracted stream");
    ok(scratch_python(
           "import zarr, numpy, numcodecs\n"
           "z = numcodecs\n"
           "codecs = [None, z.Zstd(1), z.Zstd(9), z.GZip(5), z.Zlib(1), z.LZ4(), z.Blosc('lz4', 5, 1), z.Blosc('zstd', 3, 2),\n"
           "          z.Blosc('zlib', 1, 0), z.Blosc('blosclz', 9, -1), z.Blosc('lz4hc', 9, 1)]\n"
           "for store in zarr.ZipStore('p.zip', mode='w'), zarr.DirectoryStore('p.zarr'):\n"
           "    g = zarr.group(store)\n"
           "    for i, c in enumerate(codecs):\n"
           "        for t in '<i4', '>i4':\n"
           "            a = g.create_dataset('%s%d' % ('lb'[t[0] == '>'], i), shape=100, chunks=40, dtype=t, compressor=c)\n"
           "            a[:] = numpy.arange(100)\n"
           "        a = g.create_dataset('s%d' % i, shape=100, chunks=40, dtype=object, object_codec=z.VLenUTF8(), compressor=c)\n"
           "        a[:] = numpy.array(['name %d' % i for i in range(100)], dtype=object)\n"
           "    if hasattr(store, 'close'): store.close()\n"),
       "zarr-python writes");
    ok(gt_store_open_zip(&store, "p.zip", NULL, &err) == 0 && store->ops->list(store, "", read_one, store, &err) == 0, "its zip is read %s",
       err.msg);
    gt_store_free(store);
    ok(gt_store_open_dir(&store, "p.zarr", &err) == 0 && store->ops->list(store, "", read_one, store, &err) == 0,
       "its directory is read %s", err.msg);
    gt_store_free(store);
    scratch_close();
    return done_testing();
}
