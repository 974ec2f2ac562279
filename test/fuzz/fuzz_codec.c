/* The first byte chooses a chain, the rest is a stored chunk; 255: a codec list
 * as JSON. */
#include "config.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "storage/codec/codec.h"
#include "storage/codec/vlen.h"

enum { N_ITEMS = 2000, JSON = 255 }; /* 50 x 40 */

#define LITTLE "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}"
#define INNER                                                                                                                              \
    "{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[5,8],\"codecs\":[" LITTLE "],\"index_codecs\":[" LITTLE "]}}"
#define SHARD(place, codecs)                                                                                                               \
    "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[10,8],\"codecs\":[" codecs "],\"index_codecs\":[" LITTLE          \
    "],\"index_location\":\"" place "\"}}]"

static const struct {
    const char *spec;
    size_t item_size;
    int format;
} chains[] = {{"blosc:lz4:5:shuffle", 4, 3},
              {"blosc:zstd:3:bitshuffle", 1, 2},
              {"blosc:blosclz:5:shuffle", 2, 2},
              {"zstd:1", 4, 3},
              {"gzip:6", 4, 3},
              {"zlib:6", 4, 2},
              {"lz4", 4, 2},
              {"[\"crc32c\"]", 4, 3},
              {"blosc:lz4:5", 0, 2},
              {"zstd:1", 0, 3},
              {"gzip:1", 0, 3},
              {"none", 0, 3},
              {"lz4", 0, 2},
              {"[{\"name\":\"gzip\"},{\"name\":\"zstd\"},\"crc32c\"]", 4, 3},
              {"[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}},\"zstd\"]", 4, 3},
              {"[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}},\"vlen-utf8\"]", 0, 3},
              {"[{\"id\":\"delta\",\"dtype\":\"<i4\",\"astype\":\"<i8\"},{\"id\":\"zlib\"}]", 4, 2},
              {"[{\"id\":\"fixedscaleoffset\",\"dtype\":\"<i4\",\"astype\":\"<f4\",\"scale\":3,\"offset\":7}]", 4, 2},
              {SHARD("end", LITTLE ",\"zstd\""), 4, 3},
              {SHARD("start", LITTLE), 4, 3},
              {SHARD("end", "\"vlen-utf8\",\"gzip\""), 0, 3},
              {SHARD("end", INNER), 4, 3},
              {"[{\"id\":\"bz2\",\"level\":1}]", 4, 2},
              {"[{\"id\":\"shuffle\",\"elementsize\":8},{\"id\":\"adler32\"},{\"id\":\"zlib\"}]", 4, 2},
              {"[{\"name\":\"packbits\",\"configuration\":{\"padding_encoding\":\"last_byte\"}}]", 4, 3},
              {"[{\"id\":\"packbits\"}]", 1, 2},
              {"[{\"id\":\"astype\",\"encode_dtype\":\"<f8\",\"decode_dtype\":\"<i4\"}]", 4, 2},
              {"[{\"id\":\"lzma\"}]", 4, 2},
              {"[{\"id\":\"lzma\",\"format\":3,\"filters\":[{\"id\":3,\"dist\":4},{\"id\":33,\"preset\":1}]}]", 4, 2}};

static struct gt_codec_chain *chain_of(unsigned which)
{
    struct gt_codec_array array = {.item_size = chains[which].item_size,
                                   .type = chains[which].item_size == 4 ? GT_I32 : GT_BOOL,
                                   .n_items = N_ITEMS,
                                   .ndim = 2,
                                   .chunk = {50, 40},
                                   .zarr_format = chains[which].format};
    struct json_object *a = NULL, *b = NULL;
    struct gt_codec_chain *chain = NULL;
    if (array.zarr_format == 3 ? gt_codec_spec_v3(chains[which].spec, &array, &a, NULL) == 0
                               : gt_codec_spec_v2(chains[which].spec, &array, &a, &b, NULL) == 0) {
        if (array.zarr_format == 3)
            gt_codec_parse_v3(&chain, a, &array, NULL);
        else
            gt_codec_parse_v2(&chain, a, b, &array, NULL);
    }
    json_object_put(a);
    json_object_put(b);
    return chain;
}

static void parse(const uint8_t *data, size_t n)
{
    char *text = strndup((const char *)data, n);
    struct json_object *json = json_tokener_parse(text);
    struct gt_codec_array array = {.item_size = 4, .type = GT_I32, .n_items = N_ITEMS, .ndim = 2, .chunk = {50, 40}, .zarr_format = 3};
    struct gt_codec_chain *chain;
    struct gt_err err = {0};
    if (gt_codec_parse_v3(&chain, json, &array, &err) == 0)
        gt_codec_free(chain);
    if (gt_codec_parse_v2(&chain, json, json, &array, &err) == 0)
        gt_codec_free(chain);
    json_object_put(json);
    free(text);
}

/* A part of the chunk, with what the whole says of it. */
static void see_part(const struct gt_codec_chain *chain, const uint8_t *data, size_t n, struct gt_budget *budget)
{
    struct gt_buf whole = {.budget = budget}, part = {.budget = budget}, scratch[2] = {{.budget = budget}, {.budget = budget}};
    struct gt_err err = {0};
    size_t first = n % 1000, end = first + 1 + n % 77;
    if (gt_codec_has_part(chain, data, n, &first, &end)) {
        int rc = gt_codec_decode_part(chain, data, n, first, end, &part, NULL),
            all = gt_codec_decode(chain, data, n, &whole, scratch, &err);
        if (!all && (rc || memcmp(whole.data + first, part.data + first, end - first) != 0))
            abort();
    }
    gt_buf_release(&whole), gt_buf_release(&part), gt_buf_release(&scratch[0]), gt_buf_release(&scratch[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct gt_budget budget;
    if (n == 0)
        return 0;
    if (data[0] == JSON) {
        parse(data + 1, n - 1);
        return 0;
    }
    unsigned which = data[0] % (sizeof chains / sizeof *chains);
    struct gt_codec_chain *chain = chain_of(which);
    gt_budget_init(&budget, 16 << 20);
    struct gt_buf raw = {.budget = &budget}, scratch[2] = {{.budget = &budget}, {.budget = &budget}};
    struct gt_err err = {0};
    see_part(chain, data + 1, n - 1, &budget);
    if (gt_codec_decode(chain, data + 1, n - 1, &raw, scratch, &err) == 0) {
        struct gt_strs list = {0};
        if (chains[which].item_size > 0 ? raw.len != N_ITEMS * chains[which].item_size
                                        : gt_vlen_unpack(&raw, true, &list, NULL) != 0 || list.n != N_ITEMS)
            abort();
        gt_strs_release(&list);
    }
    gt_codec_free(chain);
    gt_buf_release(&raw), gt_buf_release(&scratch[0]), gt_buf_release(&scratch[1]);
    return 0;
}

size_t fuzz_seed(unsigned which, uint8_t *out, size_t room)
{
    static const char json[] = "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}},{\"name\":\"blosc\",\"configuration\":"
                               "{\"cname\":\"zstd\",\"clevel\":1,\"shuffle\":\"bitshuffle\",\"typesize\":4,\"blocksize\":0}},\"crc32c\"]";
    struct gt_buf raw = {0}, coded = {0}, scratch[2] = {{0}};
    if (which == sizeof chains / sizeof *chains) {
        out[0] = JSON;
        memcpy(out + 1, json, sizeof json);
        return sizeof json;
    }
    if (which > sizeof chains / sizeof *chains)
        return 0;
    struct gt_codec_chain *chain = chain_of(which);
    struct gt_strs list = {0};
    for (int i = 0; i < N_ITEMS; i++)
        gt_strs_add(&list, "ACGT", (size_t)(i % 5), NULL);
    if (chains[which].item_size == 0) {
        gt_vlen_pack(&list, 0, list.n, list.n, &raw, NULL);
    } else {
        gt_buf_resize(&raw, N_ITEMS * chains[which].item_size, NULL);
        for (size_t i = 0; i < raw.len; i++)
            raw.data[i] = (uint8_t)(i * i / 7 % 3);
    }
    size_t n = gt_codec_encode(chain, &raw, &coded, scratch, NULL) == 0 && coded.len < room ? coded.len : 0;
    out[0] = (uint8_t)which;
    if (n > 0)
        memcpy(out + 1, coded.data, n);
    gt_codec_free(chain);
    gt_strs_release(&list);
    gt_buf_release(&raw), gt_buf_release(&coded), gt_buf_release(&scratch[0]), gt_buf_release(&scratch[1]);
    return n + 1;
}
