/* --codec SPEC -> metadata of a new array. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "storage/codec/step.h"

#define MAX_FIELDS 5
#define MOST_BLOCK ((int64_t)16 << 20)

/* "blosc:zstd:5:bitshuffle:256K", cut at the colons. */
struct spec {
    char *text;
    const char *field[MAX_FIELDS]; /* "" where there is none */
    int n;
};

static int split(struct spec *spec, const char *text, struct gt_err *err)
{
    *spec = (struct spec){.text = gt_strdup(text, err), .field = {"", "", "", "", ""}};
    if (!spec->text)
        return GT_FAIL;
    for (char *rest = spec->text; rest; spec->n++) {
        if (spec->n == MAX_FIELDS) {
            free(spec->text);
            return gt_fail(err, GT_USAGE, "codec '%s' has too many parts", text);
        }
        spec->field[spec->n] = strsep(&rest, ":");
    }
    return 0;
}

static int parse_level(const char *text, const char *of, int low, int high, int *level, struct gt_err *err)
{
    char *end;
    if (!*text)
        return 0;
    errno = 0;
    long n = strtol(text, &end, 10);
    if (errno || *end || isspace((unsigned char)*text) || n < low || n > high)
        return gt_fail(err, GT_USAGE, "level '%s' of codec '%s' is not a number from %d to %d", text, of, low, high);
    *level = (int)n;
    return 0;
}

static bool add_int(struct json_object *to, const char *key, int n)
{
    return gt_json_set_int(to, key, n);
}

/* Of what is compressed at a time; none: 0, as libblosc chooses. */
static int parse_block(const char *text, int64_t *bytes, struct gt_err *err)
{
    *bytes = 0;
    if (!*text)
        return 0;
    int rc = gt_parse_size(text, bytes, err);
    if (!rc && (*bytes < 1 || *bytes > MOST_BLOCK))
        rc = gt_fail(err, GT_USAGE, "codec 'blosc': block size '%s' is not from 1 byte to 16M", text);
    return rc;
}

static int blosc_conf(const struct spec *spec, size_t item_size, int format, struct json_object *conf, struct gt_err *err)
{
    static const char *const shuffles[] = {"noshuffle", "shuffle", "bitshuffle"};
    int level = 5, shuffle = 0, rc = parse_level(spec->field[2], "blosc", 0, 9, &level, err);
    int64_t block;
    rc = rc ? rc : parse_block(spec->field[4], &block, err);
    if (rc)
        return rc;
    const char *name = *spec->field[3] ? spec->field[3] : "shuffle";
    while (shuffle < 3 && strcmp(shuffles[shuffle], name) != 0)
        shuffle++;
    if (shuffle == 3)
        return gt_fail(err, GT_USAGE, "unknown shuffle '%s'; choose noshuffle, shuffle or bitshuffle", name);
    bool ok = gt_json_set_text(conf, "cname", *spec->field[1] ? spec->field[1] : "lz4") && add_int(conf, "clevel", level);
    if (format == 3)
        ok = ok && gt_json_set_text(conf, "shuffle", name) && add_int(conf, "typesize", item_size > 0 ? (int)item_size : 1);
    else
        ok = ok && add_int(conf, "shuffle", shuffle);
    return ok && add_int(conf, "blocksize", (int)block) ? 0 : gt_no_memory(err);
}

static int level_conf(const struct spec *spec, int low, int high, int level, const char *key, struct json_object *conf, struct gt_err *err)
{
    if (spec->n > 2)
        return gt_fail(err, GT_USAGE, "codec '%s' takes one number, its level", spec->field[0]);
    int rc = parse_level(spec->field[1], spec->field[0], low, high, &level, err);
    if (!rc && !add_int(conf, key, level))
        rc = gt_no_memory(err);
    return rc;
}

/* Codecs that Zarr v3 has by the names of numcodecs. */
static const struct {
    const char *name, *v3, *key;
    int low, high, level;
} foreign[] = {{"lz4", "numcodecs.lz4", "acceleration", 1, 65537, 1},
               {"zlib", "numcodecs.zlib", "level", 0, 9, 6},
               {"bz2", "numcodecs.bz2", "level", 1, 9, 1}};

/* The configuration of a short spec into conf; *name is the codec's. */
static int short_conf(struct spec *spec, size_t item_size, int format, struct json_object *conf, const char **name, struct gt_err *err)
{
    int rc;
    *name = spec->field[0];
    if (strcmp(*name, "lz4") == 0 && format == 3 && spec->n == 1) {
        /* v3 has no lz4 of its own that every reader knows: blosc has it inside. */
        struct spec inside = {.field = {"blosc", "lz4", "5", "noshuffle", ""}, .n = 4};
        *name = "blosc";
        return blosc_conf(&inside, item_size, format, conf, err);
    }
    if (strcmp(*name, "blosc") == 0)
        return blosc_conf(spec, item_size, format, conf, err);
    if (strcmp(*name, "gzip") == 0)
        return level_conf(spec, 0, 9, 6, "level", conf, err);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (strcmp(*name, foreign[i].name) == 0) {
            *name = format == 3 ? foreign[i].v3 : *name;
            return level_conf(spec, foreign[i].low, foreign[i].high, foreign[i].level, foreign[i].key, conf, err);
        }
    if (strcmp(*name, "zstd") == 0) {
        rc = level_conf(spec, -131072, 22, 1, "level", conf, err);
        if (!rc && format == 3 && !gt_json_set(conf, "checksum", json_object_new_boolean(true)))
            rc = gt_no_memory(err);
        return rc;
    }
    rc = gt_fail(err, GT_USAGE, "unknown codec '%s'", spec->field[0]);
    gt_hint(err, "codecs are zstd:LEVEL, blosc:NAME:LEVEL:SHUFFLE:BLOCK, gzip:LEVEL, zlib:LEVEL, bz2:LEVEL, lz4, none, or the JSON of a "
                 "Zarr codec list");
    return rc;
}

/* The codec of a short spec as an object of format 2 or 3; NULL for "none". */
static int from_short(const char *text, size_t item_size, int format, struct json_object **codec, struct gt_err *err)
{
    struct spec spec;
    const char *name;
    *codec = NULL;
    if (strcmp(text, "none") == 0)
        return 0;
    int rc = split(&spec, text, err);
    if (rc)
        return rc;
    struct json_object *conf = json_object_new_object();
    rc = short_conf(&spec, item_size, format, conf, &name, err);
    if (!rc && format == 2) {
        *codec = json_object_get(conf);
        rc = gt_json_set_text(conf, "id", name) ? 0 : gt_no_memory(err);
    } else if (!rc) {
        *codec = json_object_new_object();
        rc = gt_json_set_text(*codec, "name", name) && gt_json_set_shared(*codec, "configuration", conf) ? 0 : gt_no_memory(err);
    }
    json_object_put(conf);
    free(spec.text);
    if (rc) {
        json_object_put(*codec);
        *codec = NULL;
    }
    return rc;
}

static int as_usage(int rc, struct gt_err *err)
{
    if (rc == GT_INPUT && err)
        err->status = GT_USAGE;
    return rc == GT_INPUT ? GT_USAGE : rc;
}

/* Numbers are read from texts too, as some write them, but no other reader takes those from us. */
static int check_numbers(struct json_object *list, struct gt_err *err)
{
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        struct json_object *entry = json_object_array_get_idx(list, i), *conf = gt_json_get(entry, "configuration");
        if (!json_object_is_type(conf ? conf : entry, json_type_object))
            continue;
        json_object_object_foreach(conf ? conf : entry, key, value)
        {
            const char *text = json_object_is_type(value, json_type_string) ? json_object_get_string(value) : "";
            if (isdigit((unsigned char)text[*text == '-']))
                return gt_fail(err, GT_USAGE, "--codec: '%s' is a string where a number is needed: \"%s\"", key, text);
        }
    }
    return 0;
}

/* A spec that is JSON as a new list (a single object is a list of one), NULL
 * when it is none. */
static int from_json(const char *text, struct json_object **list, struct gt_err *err)
{
    *list = NULL;
    if (text[0] != '[' && text[0] != '{')
        return 0;
    struct json_object *parsed;
    int rc = as_usage(gt_json_parse(&parsed, text, strlen(text), "--codec", NULL, err), err);
    if (rc)
        return rc;
    *list = parsed;
    if (json_object_is_type(parsed, json_type_object)) {
        *list = json_object_new_array();
        if (!gt_json_add(*list, parsed)) {
            json_object_put(*list);
            *list = NULL;
            return gt_no_memory(err);
        }
    }
    if (json_object_is_type(*list, json_type_array) && (rc = check_numbers(*list, err)) != 0) {
        json_object_put(*list);
        *list = NULL;
    }
    return rc;
}

static const struct gt_codec *codec_of(struct json_object *entry, int format)
{
    struct json_object *name;
    if (json_object_is_type(entry, json_type_object) &&
        (json_object_object_get_ex(entry, "name", &name) || json_object_object_get_ex(entry, "id", &name)))
        entry = name;
    return json_object_is_type(entry, json_type_string) ? gt_codec_find(json_object_get_string(entry), format) : NULL;
}

/* Where in a list of v3 the step from array to bytes has to be put in: after those
 * from array to array; -1 when it is there. */
static int64_t bytes_place(struct json_object *list, int format)
{
    int64_t place = 0, n = list ? (int64_t)json_object_array_length(list) : 0;
    for (int64_t i = 0; i < n; i++) {
        const struct gt_codec *codec = codec_of(json_object_array_get_idx(list, (size_t)i), format);
        if (codec && codec->kind == GT_ARRAY_BYTES)
            return -1;
        if (codec && codec->kind == GT_ARRAY_ARRAY && place == i)
            place = i + 1;
    }
    return place;
}

/* The step from array to bytes that items of this size need. */
static struct json_object *first_step(size_t item_size)
{
    struct json_object *step = json_object_new_object(), *conf = NULL;
    bool ok = gt_json_set_text(step, "name", item_size > 0 ? "bytes" : "vlen-utf8");
    if (item_size > 1) {
        conf = json_object_new_object();
        ok = gt_json_set_text(conf, "endian", "little") && gt_json_set_shared(step, "configuration", conf) && ok;
        json_object_put(conf);
    }
    return gt_json_if_complete(step, ok);
}

/* What a configuration that does not name it stands for here.  Readers of Zarr 3 want all members, and have other defaults. */
static bool add_defaults(const char *name, size_t item_size, struct json_object *conf)
{
    static const struct {
        const char *codec, *member, *value;
    } defaults[] = {{"zstd", "level", "0"},
                    {"zstd", "checksum", "true"},
                    {"gzip", "level", "1"},
                    {"blosc", "cname", "\"lz4\""},
                    {"blosc", "clevel", "5"},
                    {"blosc", "blocksize", "0"},
                    {"blosc", "shuffle", "\"shuffle\""},
                    {"bytes", "endian", "\"little\""}};
    bool ok = conf;
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults && ok; i++)
        if (strcmp(name, defaults[i].codec) == 0 && !json_object_object_get_ex(conf, defaults[i].member, NULL))
            ok = gt_json_set(conf, defaults[i].member, json_tokener_parse(defaults[i].value));
    if (ok && strcmp(name, "blosc") == 0 && !json_object_object_get_ex(conf, "typesize", NULL))
        ok = add_int(conf, "typesize", item_size > 0 ? (int)item_size : 1);
    return ok;
}

static struct json_object *complete_list(struct json_object *list, size_t item_size);

/* A codec as others read it: an object, not its name alone, with a configuration and all of its members. */
static struct json_object *complete(struct json_object *entry, size_t item_size)
{
    static const char *const lists[] = {"codecs", "index_codecs"};
    const char *name = json_object_is_type(entry, json_type_string) ? json_object_get_string(entry) : gt_json_text(entry, "name");
    struct json_object *whole = json_object_new_object(), *conf = gt_json_get(entry, "configuration"), *value;
    if (!name || (conf && !json_object_is_type(conf, json_type_object))) { /* refused when it is parsed */
        json_object_put(whole);
        return json_object_get(entry);
    }
    conf = conf ? json_object_get(conf) : json_object_new_object();
    bool ok =
        gt_json_set_text(whole, "name", name) && ((strcmp(name, "bytes") == 0 && item_size < 2) || add_defaults(name, item_size, conf));
    for (int i = 0; i < 2 && ok; i++)
        if (strcmp(name, "sharding_indexed") == 0 && json_object_object_get_ex(conf, lists[i], &value) &&
            json_object_is_type(value, json_type_array))
            ok = gt_json_set(conf, lists[i], complete_list(value, i ? sizeof(uint64_t) : item_size));
    if (ok && (json_object_object_length(conf) > 0 || strncmp(name, "numcodecs.", 10) == 0))
        ok = gt_json_set_shared(whole, "configuration", conf);
    json_object_put(conf);
    return gt_json_if_complete(whole, ok);
}

static struct json_object *complete_list(struct json_object *list, size_t item_size)
{
    struct json_object *whole = json_object_new_array();
    bool ok = whole;
    for (size_t i = 0; i < json_object_array_length(list) && ok; i++)
        ok = gt_json_add(whole, complete(json_object_array_get_idx(list, i), item_size));
    return gt_json_if_complete(whole, ok);
}

/* A list as the other Zarr format has it: v3 has names, v2 has ids. */
static void hint_format(struct json_object *list, int format, struct gt_err *err)
{
    bool other = false;
    for (size_t i = 0, n = list ? json_object_array_length(list) : 0; i < n; i++) {
        struct json_object *entry = json_object_array_get_idx(list, i);
        const bool id = gt_json_get(entry, "id"), name = json_object_is_type(entry, json_type_string) || gt_json_get(entry, "name");
        other |= format == 2 ? name && !id : id && !name;
    }
    if (other && format == 2)
        gt_hint(err, "add --zarr-format 3, or name the codec as Zarr 2 does: --codec '[{\"id\": \"zstd\", \"level\": 1}]'");
    else if (other)
        gt_hint(err, "use --zarr-format 2, or name the codec as Zarr 3 does: --codec '[{\"name\": \"zstd\", \"configuration\": {\"level\": "
                     "1}}]'");
}

int gt_codec_spec_v3(const char *spec, const struct gt_codec_array *array, struct json_object **codecs, struct gt_err *err)
{
    struct gt_codec_chain *chain = NULL;
    struct json_object *list, *codec = NULL, *result;
    *codecs = NULL;
    int rc = from_json(spec, &list, err);
    if (rc || (!list && (rc = from_short(spec, array->item_size, 3, &codec, err))))
        return rc;
    int64_t n = list ? (int64_t)json_object_array_length(list) : 0, place = bytes_place(list, 3);
    result = json_object_new_array();
    bool ok = result;
    for (int64_t i = 0; i <= n && ok; i++) {
        if (i == place)
            ok = gt_json_add(result, first_step(array->item_size));
        if (i < n)
            ok = ok && gt_json_add(result, complete(json_object_array_get_idx(list, (size_t)i), array->item_size));
    }
    ok = (!codec || gt_json_add(result, codec)) && ok;
    rc = ok ? as_usage(gt_codec_parse_v3(&chain, result, array, err), err) : gt_no_memory(err);
    gt_codec_free(chain);
    if (rc == GT_USAGE)
        hint_format(list, 3, err);
    json_object_put(list);
    if (rc)
        json_object_put(result);
    else
        *codecs = result;
    return rc;
}

/* Filters, then the compressor, which is the last unless that is a filter too. */
static bool split_list(struct json_object *list, struct json_object *filters, struct json_object **compressor)
{
    bool ok = true;
    for (size_t i = 0, n = list ? json_object_array_length(list) : 0; ok && i < n; i++) {
        struct json_object *entry = json_object_array_get_idx(list, i);
        const struct gt_codec *codec = codec_of(entry, 2);
        if (i + 1 < n || (codec && codec->filter))
            ok = gt_json_add_shared(filters, entry);
        else
            *compressor = json_object_get(entry);
    }
    return ok;
}

int gt_codec_spec_v2(const char *spec, const struct gt_codec_array *array, struct json_object **filters, struct json_object **compressor,
                     struct gt_err *err)
{
    struct gt_codec_chain *chain = NULL;
    struct json_object *list, *last = NULL, *before = json_object_new_array();
    *filters = *compressor = NULL;
    int rc = from_json(spec, &list, err);
    if (!rc && !list)
        rc = from_short(spec, array->item_size, 2, &last, err);
    bool ok = before;
    if (array->item_size == 0 && bytes_place(list, 2) >= 0) {
        struct json_object *strings = json_object_new_object();
        ok = gt_json_set_text(strings, "id", "vlen-utf8") && gt_json_add_shared(before, strings);
        json_object_put(strings);
    }
    ok = ok && split_list(list, before, &last);
    if (!rc && !ok)
        rc = gt_no_memory(err);
    if (!rc)
        rc = as_usage(gt_codec_parse_v2(&chain, before, last, array, err), err);
    gt_codec_free(chain);
    if (rc == GT_USAGE)
        hint_format(list, 2, err);
    json_object_put(list);
    if (!rc && json_object_array_length(before) > 0)
        *filters = json_object_get(before);
    if (!rc)
        *compressor = json_object_get(last);
    json_object_put(before);
    json_object_put(last);
    return rc;
}
