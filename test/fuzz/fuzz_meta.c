/* Zarr metadata: the first byte chooses the format, the rest is cut at "|||" into the
 * documents of a small hierarchy in memory, which is opened, listed and read. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "arrays/zarr/group.h"
#include "fuzz.h"
#include "storage/store/memory_store.h"

enum { FORMATS = 2, DOCUMENTS = 5 };

static const char *const keys[FORMATS][DOCUMENTS] = {
    {".zgroup", "a/.zarray", "a/.zattrs", ".zmetadata", ".zattrs"},
    {"zarr.json", "a/zarr.json", "b/zarr.json", "g/zarr.json", "g/c/zarr.json"},
};

static struct gt_budget budget;

static void put_all(struct gt_store *store, int format, const uint8_t *data, const uint8_t *end)
{
    for (int i = 0; i < DOCUMENTS && data < end; i++) {
        const uint8_t *cut = memmem(data, (size_t)(end - data), "|||", 3), *stop = cut ? cut : end;
        if (stop > data)
            gt_store_put(store, keys[format][i], data, (size_t)(stop - data), NULL);
        data = cut ? cut + 3 : end;
    }
    gt_store_put(store, "a/0", "0123456789abcdef", 16, NULL);
    gt_store_put(store, "a/0.0", "0123456789abcdef", 16, NULL);
    gt_store_put(store, "a/c/0", "0123456789abcdef", 16, NULL);
    gt_store_put(store, "a/c/0/0", "0123456789abcdef", 16, NULL);
}

/* What metadata say must hold together, whatever they are; small arrays are read. */
static void read_array(struct gt_array *array)
{
    struct gt_buf raw = {.budget = &budget};
    struct gt_strs texts = {0};
    struct gt_err err = {0};
    int64_t items = 1;
    if (array->ndim < 0 || array->ndim > GT_MAX_DIMS || (array->dtype.type != GT_STRING && array->chunk_items && !array->chunk_bytes))
        abort();
    for (int i = 0; i < array->ndim; i++) {
        if (array->shape[i] < 0 || array->chunk[i] < 1 || gt_array_grid(array, i) < 0)
            abort();
        items = array->shape[i] < 4096 && items < 4096 ? items * array->shape[i] : 4096;
    }
    if (items < 4096 && array->chunk_bytes < 1 << 20) {
        int status = gt_array_read_all(array, &raw, &err);
        if (status > 0 && !err.msg[0])
            abort();
        if (array->dtype.type == GT_STRING || array->dtype.type == GT_BYTES || array->dtype.type == GT_UCS4)
            gt_array_read_strings(array, &budget, &texts, &err);
    }
    gt_strs_release(&texts);
    gt_buf_release(&raw);
}

static void open_array(struct gt_group *group, struct gt_store *store, const char *path)
{
    struct gt_array *array = NULL;
    struct gt_err err = {0};
    int status = group ? gt_group_array(group, path, &array, &err) : gt_array_open(&array, store, path, &err);
    if (status == 0) {
        read_array(array);
        gt_array_free(array);
    } else if (status > 0 && !err.msg[0]) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct gt_store *store;
    struct gt_group *group = NULL;
    struct gt_node *nodes = NULL;
    size_t n_nodes = 0;
    struct gt_err err = {0};
    if (n == 0)
        return 0;
    gt_budget_init(&budget, 8 << 20);
    if (gt_store_new_memory(&store, &budget, NULL))
        abort();
    put_all(store, data[0] % FORMATS, data + 1, data + n);
    open_array(NULL, store, "a");
    open_array(NULL, store, "");
    int status = gt_group_open(&group, store, "", &err);
    if (status == 0) {
        gt_group_provisional(group);
        status = gt_group_nodes(group, &nodes, &n_nodes, &err);
        for (size_t i = 0; status == 0 && i < n_nodes; i++)
            if (nodes[i].is_array)
                open_array(group, store, nodes[i].path);
        gt_nodes_free(nodes, n_nodes);
        gt_group_free(group);
    }
    if (status > 0 && !err.msg[0])
        abort();
    gt_store_free(store);
    if (budget.used != 0)
        abort();
    return 0;
}

size_t fuzz_seed(unsigned which, uint8_t *out, size_t room)
{
    static const char *const seeds[] = {
        "\2{\"zarr_format\":2}|||{\"zarr_format\":2,\"shape\":[8],\"chunks\":[4],\"dtype\":\"<i4\",\"compressor\":null,\"fill_value\":-1,"
        "\"order\":\"C\",\"filters\":null}|||{\"_ARRAY_DIMENSIONS\":[\"x\"],\"gt_packed\":{\"bits\":2,\"samples\":4,\"missing\":3}}",
        "\2{\"zarr_format\":2}|||{\"zarr_format\":2,\"shape\":[3,4],\"chunks\":[2,4],\"dtype\":\">f8\",\"compressor\":{\"id\":\"blosc\","
        "\"cname\":\"zstd\",\"clevel\":1,\"shuffle\":2,\"blocksize\":0},\"fill_value\":\"-Infinity\",\"order\":\"F\",\"filters\":[{\"id\":"
        "\"delta\",\"dtype\":\"<f8\"}],\"dimension_separator\":\"/\"}|||{}|||{\"zarr_consolidated_format\":1,\"metadata\":{\".zgroup\":"
        "{\"zarr_format\":2},\"b/.zarray\":{\"zarr_format\":2,\"shape\":[],\"chunks\":[],\"dtype\":\"|S3\",\"compressor\":{\"id\":\"zlib\","
        "\"level\":1},\"fill_value\":\"QUJD\",\"order\":\"C\",\"filters\":[]},\"b/.zattrs\":{}}}",
        "\2|||{\"zarr_format\":2,\"shape\":[5],\"chunks\":[16],\"dtype\":\"|O\",\"compressor\":{\"id\":\"zstd\",\"level\":1},"
        "\"fill_value\":\"\",\"order\":\"C\",\"filters\":[{\"id\":\"vlen-utf8\"}]}|||{\"a\":[1,2.5,null,\"\\u00e9\"]}",
        "\3{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":{\"gt_stream\":{\"provisional\":true}}}|||{\"zarr_format\":3,"
        "\"node_type\":\"array\",\"shape\":[16],\"data_type\":\"uint8\",\"chunk_grid\":{\"name\":\"regular\",\"configuration\":"
        "{\"chunk_shape\":[16]}},\"chunk_key_encoding\":{\"name\":\"default\",\"configuration\":{\"separator\":\"/\"}},\"fill_value\":0,"
        "\"codecs\":[{\"name\":\"bytes\"},\"crc32c\"],\"attributes\":{},\"dimension_names\":[\"x\"]}|||{\"zarr_format\":3,\"node_type\":"
        "\"array\",\"shape\":[2,2],\"data_type\":\"float32\",\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[2,2]}"
        "},"
        "\"chunk_key_encoding\":{\"name\":\"v2\"},\"fill_value\":\"0x7f800001\",\"codecs\":[{\"name\":\"transpose\",\"configuration\":"
        "{\"order\":[1,0]}},{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}},{\"name\":\"zstd\",\"configuration\":{\"level\":1}}"
        "]}"
        "|||{\"zarr_format\":3,\"node_type\":\"group\",\"consolidated_metadata\":{\"kind\":\"inline\",\"must_understand\":false,"
        "\"metadata\":{}}}",
        "\3|||{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[4,4],\"data_type\":\"int8\",\"chunk_grid\":{\"name\":\"regular\","
        "\"configuration\":{\"chunk_shape\":[4,4]}},\"chunk_key_encoding\":{\"name\":\"default\"},\"fill_value\":-1,\"codecs\":[{\"name\":"
        "\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[2,2],\"codecs\":[\"bytes\"],\"index_codecs\":[{\"name\":\"bytes\","
        "\"configuration\":{\"endian\":\"little\"}},\"crc32c\"],\"index_location\":\"start\"}}]}",
    };
    return fuzz_seed_text(seeds, sizeof seeds / sizeof *seeds, which, out, room);
}
