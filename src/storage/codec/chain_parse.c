/* Chains as the metadata of v2 and v3 describe them. */
#include "config.h"

#include <string.h>

#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "storage/codec/chain_impl.h"

/* String chunks have no size to check against; offsets in them stay 32-bit. */
#define MAX_STRING_CHUNK INT32_MAX

/* A chain on its way: what the steps so far make of the array. */
struct build {
    struct gt_codec_chain *chain;
    struct gt_codec_array array;
    bool bytes; /* a step has made bytes of it */
};

static int check_place(const struct build *build, const struct gt_codec *codec, struct gt_err *err)
{
    bool filter = codec->filter && build->array.zarr_format == 2;
    if (build->chain->n == GT_CHAIN_STEPS)
        return gt_fail_unsupported(err, "more than %d codecs in a row are not supported", GT_CHAIN_STEPS);
    if (codec->kind == GT_BYTES_BYTES && !build->bytes)
        return gt_fail(err, GT_INPUT, "codec '%s' is in the place of the array-to-bytes codec", codec->name);
    if (codec->kind != GT_BYTES_BYTES && build->bytes && !filter)
        return gt_fail(err, GT_INPUT, "codec '%s' comes after the array-to-bytes codec", codec->name);
    if (((codec == &gt_codec_vlen_utf8 || codec == &gt_codec_vlen_bytes) && build->array.item_size > 0) ||
        ((codec == &gt_codec_bytes || codec == &gt_codec_packbits) && build->array.item_size == 0))
        return gt_fail(err, GT_INPUT, "codec '%s' does not fit items of %s size", codec->name,
                       build->array.item_size > 0 ? "fixed" : "variable");
    return 0;
}

/* What may come out of the step when it decodes. */
static int set_limit(const struct build *build, struct gt_step *step, struct gt_err *err)
{
    if (build->chain->n > 0) {
        const struct gt_step *before = step - 1;
        step->raw_limit = before->codec->bound(before, before->raw_limit, &step->raw_exact);
        return 0;
    }
    step->raw_exact = build->array.item_size > 0;
    step->raw_limit = MAX_STRING_CHUNK;
    if (step->raw_exact &&
        (!gt_mul_size(build->array.n_items, build->array.item_size, &step->raw_limit) || step->raw_limit > INT64_MAX / 16))
        return gt_fail(err, GT_INPUT, "chunks are too large");
    return 0;
}

/* zarr_format: of the configuration; v3 has codecs of v2 under names of their own. */
static int add_step(struct build *build, const struct gt_codec *codec, struct json_object *conf, int zarr_format, struct gt_err *err)
{
    struct gt_codec_chain *chain = build->chain;
    int rc = check_place(build, codec, err);
    if (rc)
        return rc;
    struct gt_step *step = &chain->step[chain->n];
    *step = (struct gt_step){.codec = codec,
                             .writes = true,
                             .n_items = build->array.n_items,
                             .item_size = build->array.item_size,
                             .bits = build->array.bits,
                             .is_signed = build->array.type == GT_I8,
                             .unit = build->array.item_size};
    if (codec->kind != GT_BYTES_BYTES && build->array.unit > 0)
        step->unit = build->array.unit;
    if (step->unit == 0)
        step->unit = 1;
    if ((rc = set_limit(build, step, err)))
        return rc;
    chain->n++;
    build->bytes = build->bytes || codec->kind == GT_ARRAY_BYTES;
    rc = codec->parse(step, conf, zarr_format, &build->array, err);
    if (rc)
        gt_fail_prefix(err, "codec '%s'", codec->name);
    return rc;
}

/* Codecs that are known from elsewhere would give other bounds than ours to what
 * stands before them, so bounds of steps that compress are not taken too tight. */
static int finish_chain(struct gt_codec_chain *chain, struct gt_err *err)
{
    chain->last_writer = chain->last_active = -1;
    for (int i = chain->n - 1; i >= 0; i--) {
        struct gt_step *step = &chain->step[i];
        if (!step->raw_exact && step->raw_limit < MAX_STRING_CHUNK / 2)
            step->raw_limit += step->raw_limit / 8 + 4096;
        if (step->writes)
            chain->last_writer = i;
        if (!step->idle && chain->last_active < 0)
            chain->last_active = i;
    }
    for (int i = 0; i < chain->n; i++) {
        const struct gt_codec *codec = chain->step[i].codec;
        if (codec == &gt_codec_bytes || codec == &gt_codec_vlen_utf8 || codec == &gt_codec_vlen_bytes || codec == &gt_codec_transpose)
            continue;
        gt_str_addf(&chain->text, "%s%s", chain->text.len > 0 ? "+" : "", codec->name);
        if (codec->describe)
            codec->describe(&chain->step[i], &chain->text);
    }
    if (chain->text.len == 0)
        gt_str_add(&chain->text, "none");
    return gt_str_check(&chain->text, err);
}

static int begin(struct build *build, const struct gt_codec_array *array, int zarr_format, struct gt_err *err)
{
    *build = (struct build){.chain = gt_alloc(1, sizeof(struct gt_codec_chain), err), .array = *array};
    build->array.zarr_format = zarr_format;
    return build->chain ? 0 : GT_FAIL;
}

/* rc: how building it went. */
static int end(struct build *build, int rc, struct gt_codec_chain **out, struct gt_err *err)
{
    if (!rc && !build->bytes)
        rc = gt_fail(err, GT_INPUT, "there is no array-to-bytes codec");
    if (rc || (rc = finish_chain(build->chain, err)) != 0) {
        gt_codec_free(build->chain);
        return rc;
    }
    *out = build->chain;
    return 0;
}

/* A codec of v3: {"name": ..., "configuration": ...} or its bare name. */
static int add_v3(struct build *build, struct json_object *entry, struct gt_err *err)
{
    struct json_object *conf = NULL;
    const char *name = NULL;
    int rc, format = 3;
    if (json_object_is_type(entry, json_type_string))
        name = json_object_get_string(entry);
    else if (json_object_is_type(entry, json_type_object) && (rc = gt_conf_text(entry, "name", &name, err)))
        return rc;
    if (!name)
        return gt_fail(err, GT_INPUT, "a codec has no name");
    if (json_object_is_type(entry, json_type_object) && json_object_object_get_ex(entry, "configuration", &conf) && conf &&
        !json_object_is_type(conf, json_type_object))
        return gt_fail(err, GT_INPUT, "codec '%s': 'configuration' is not an object", name);
    const char *plain = name;
    if (strncmp(name, "numcodecs.", 10) == 0)
        plain += 10, format = 2;
    const struct gt_codec *codec = gt_codec_find(plain, format);
    if (!codec || (format == 2 && codec->kind == GT_ARRAY_BYTES))
        return gt_fail_unsupported(err, "codec '%s' is not supported", name);
    return add_step(build, codec, conf, format, err);
}

int gt_codec_parse_v3(struct gt_codec_chain **out, struct json_object *codecs, const struct gt_codec_array *array, struct gt_err *err)
{
    struct build build;
    *out = NULL;
    if (!json_object_is_type(codecs, json_type_array) || json_object_array_length(codecs) == 0)
        return gt_fail(err, GT_INPUT, "'codecs' is not a list of codecs");
    int rc = begin(&build, array, 3, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < json_object_array_length(codecs) && !rc; i++)
        rc = add_v3(&build, json_object_array_get_idx(codecs, i), err);
    return end(&build, rc, out, err);
}

static int add_v2(struct build *build, struct json_object *entry, struct gt_err *err)
{
    const char *id = NULL;
    int rc = 0;
    if (json_object_is_type(entry, json_type_object))
        rc = gt_conf_text(entry, "id", &id, err);
    if (!rc && !id)
        rc = gt_fail(err, GT_INPUT, "a codec has no id");
    if (rc)
        return rc;
    const struct gt_codec *codec = gt_codec_find(id, 2);
    if (!codec || codec == &gt_codec_bytes)
        return gt_fail_unsupported(err, "codec '%s' is not supported", id);
    return add_step(build, codec, entry, 2, err);
}

/* A step that v2 has no codec for, with one member in its configuration. */
static int add_implied(struct build *build, const struct gt_codec *codec, const char *key, const char *value, struct gt_err *err)
{
    struct json_object *conf = json_object_new_object();
    int rc = gt_json_set_text(conf, key, value) ? 0 : gt_no_memory(err);
    if (!rc)
        rc = add_step(build, codec, conf, 2, err);
    json_object_put(conf);
    return rc;
}

int gt_codec_parse_v2(struct gt_codec_chain **out, struct json_object *filters, struct json_object *compressor,
                      const struct gt_codec_array *array, struct gt_err *err)
{
    struct build build;
    int rc;
    *out = NULL;
    if (filters && !json_object_is_type(filters, json_type_array))
        return gt_fail(err, GT_INPUT, "'filters' is not a list of codecs");
    size_t n_filters = filters ? json_object_array_length(filters) : 0;
    if (array->item_size == 0 && n_filters == 0)
        return gt_fail(err, GT_INPUT, "strings without the filter 'vlen-utf8'");
    if ((rc = begin(&build, array, 2, err)))
        return rc;
    if (array->order_f)
        rc = add_implied(&build, &gt_codec_transpose, "order", "F", err);
    if (!rc && array->item_size > 0) /* the dtype says the byte order; strings have their filter */
        rc = add_implied(&build, &gt_codec_bytes, "endian", array->big_endian ? "big" : "little", err);
    for (size_t i = 0; i < n_filters && !rc; i++)
        rc = add_v2(&build, json_object_array_get_idx(filters, i), err);
    if (!rc && compressor)
        rc = add_v2(&build, compressor, err);
    return end(&build, rc, out, err);
}
