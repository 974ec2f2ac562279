#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/size.h"
#include "codec/step.h"

#define MAX_STEPS 16
/* String chunks have no size to check against; offsets in them stay 32-bit. */
#define MAX_STRING_CHUNK INT32_MAX

struct gt_codec_chain {
    int n;
    int last_writer; /* the first step in encoding order that writes when decoding, -1 for none */
    int last_active; /* the last one that is not idle, -1 for none */
    struct gt_step step[MAX_STEPS];
    struct gt_str text;
};

int gt_step_room(struct gt_buf *out, size_t n, struct gt_err *err)
{
    if (n > out->cap)
        gt_buf_release(out); /* before the new block is taken, so that only one is counted */
    out->len = 0;
    int rc = gt_buf_reserve(out, n > 0 ? n : 1, err);
    if (!rc)
        out->len = n;
    return rc;
}

int gt_step_check_size(const struct gt_step *step, uint64_t n, struct gt_err *err)
{
    if (step->raw_exact && n != step->raw_limit)
        return gt_fail(err, GT_INPUT, "decodes to %llu bytes instead of %zu", (unsigned long long)n, step->raw_limit);
    if (n > step->raw_limit)
        return gt_fail(err, GT_INPUT, "decodes to more than %zu bytes", step->raw_limit);
    return 0;
}

int gt_step_items(const struct gt_step *step, const struct gt_view *view, size_t stored, size_t decoded, size_t *n, struct gt_buf *out,
                  struct gt_err *err)
{
    *n = view->n / stored;
    int rc = view->n % stored ? gt_fail(err, GT_INPUT, "%zu bytes are no whole number of items", view->n)
                              : gt_step_check_size(step, *n * decoded, err);
    return rc ? rc : gt_step_room(out, *n * decoded, err);
}

/* A chain on its way: what the steps so far make of the array. */
struct build {
    struct gt_codec_chain *chain;
    struct gt_codec_array array;
    bool bytes; /* a step has made bytes of it */
};

static int check_place(const struct build *build, const struct gt_codec *codec, struct gt_err *err)
{
    bool filter = codec->filter && build->array.zarr_format == 2;
    if (build->chain->n == MAX_STEPS)
        return gt_fail_unsupported(err, "more than %d codecs in a row are not supported", MAX_STEPS);
    if (codec->kind == GT_BYTES_BYTES && !build->bytes)
        return gt_fail(err, GT_INPUT, "codec '%s' stands where one from array to bytes must", codec->name);
    if (codec->kind != GT_BYTES_BYTES && build->bytes && !filter)
        return gt_fail(err, GT_INPUT, "codec '%s' stands behind one that makes bytes of the array", codec->name);
    if (((codec == &gt_codec_vlen_utf8 || codec == &gt_codec_vlen_bytes) && build->array.item_size > 0) || ((codec == &gt_codec_bytes || codec == &gt_codec_packbits) && build->array.item_size == 0))
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
        rc = gt_fail(err, GT_INPUT, "no codec makes bytes of the array");
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
        return gt_fail(err, GT_INPUT, "codec '%s': 'configuration' is no object", name);
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
        return gt_fail(err, GT_INPUT, "'codecs' is no list of codecs");
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
    int rc = gt_json_set(conf, key, json_object_new_string(value)) ? 0 : gt_no_memory(err);
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
        return gt_fail(err, GT_INPUT, "'filters' is no list of codecs");
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

void gt_codec_free(struct gt_codec_chain *chain)
{
    if (!chain)
        return;
    for (int i = 0; i < chain->n; i++)
        if (chain->step[i].codec->release)
            chain->step[i].codec->release(&chain->step[i]);
    gt_str_release(&chain->text);
    free(chain);
}

const char *gt_codec_describe(const struct gt_codec_chain *chain)
{
    return chain->text.s;
}

/* Nothing but compressors, whose streams say how they are to be read. */
static bool only_compresses(const struct gt_codec_chain *chain)
{
    for (int i = 0; i < (int)chain->n; i++) {
        const struct gt_step *step = &chain->step[i];
        if (step->codec->kind == GT_BYTES_BYTES ? step->at_start : !step->idle || gt_step_shard(step))
            return false;
    }
    return true;
}

bool gt_codec_alike(const struct gt_codec_chain *a, const struct gt_codec_chain *b)
{
    return only_compresses(a) && only_compresses(b) && strcmp(gt_codec_describe(a), gt_codec_describe(b)) == 0;
}

const struct gt_shard *gt_codec_shard(const struct gt_codec_chain *chain)
{
    return chain->n == 1 ? gt_step_shard(&chain->step[0]) : NULL;
}

size_t gt_codec_bound(const struct gt_codec_chain *chain, bool *exact)
{
    const struct gt_step *last = &chain->step[chain->n - 1];
    size_t n = last->codec->bound(last, last->raw_limit, exact);
    *exact = *exact && last->raw_exact;
    return n;
}

static int copy_out(struct gt_view view, struct gt_buf *out, struct gt_err *err)
{
    int rc = gt_step_room(out, view.n, err);
    if (!rc && view.n > 0)
        memcpy(out->data, view.data, view.n);
    return rc;
}

static size_t step_work(const struct gt_step *step, size_t n)
{
    return !step->idle && step->codec->work ? step->codec->work(step, n) : 0;
}

size_t gt_codec_work_bytes(const struct gt_codec_chain *chain, size_t n)
{
    size_t most = 0;
    for (int i = 0; i < chain->n; i++) {
        size_t work = step_work(&chain->step[i], n);
        most = work > most ? work : most;
    }
    return most;
}

/* Its memory is counted while it works, where it is too much to be kept. */
static int encode_step(const struct gt_step *step, struct gt_view view, struct gt_buf *to, struct gt_err *err)
{
    size_t work = step_work(step, view.n);
    int rc;
    if (work <= GT_CODEC_KEPT || !to->budget)
        return step->codec->encode(step, view, to, err);
    if ((rc = gt_budget_take(to->budget, work, err)) != 0)
        return rc;
    rc = step->codec->encode(step, view, to, err);
    gt_budget_give(to->budget, work);
    return rc;
}

int gt_codec_encode(const struct gt_codec_chain *chain, const struct gt_buf *raw, struct gt_buf *out, struct gt_buf scratch[2],
                    struct gt_err *err)
{
    struct gt_view view = {raw->data, raw->len};
    int which = 0, rc;
    if ((rc = gt_step_check_size(&chain->step[0], raw->len, err)) != 0)
        return rc;
    if (chain->last_active < 0)
        return copy_out(view, out, err);
    for (int i = 0; i <= chain->last_active; i++) {
        const struct gt_step *step = &chain->step[i];
        if (step->idle)
            continue;
        struct gt_buf *to = i == chain->last_active ? out : &scratch[which ^= 1]; /* the other one than `view` is in */
        if ((rc = encode_step(step, view, to, err)) != 0) {
            gt_fail_prefix(err, "codec '%s'", step->codec->name);
            return rc;
        }
        view = (struct gt_view){to->data, to->len};
    }
    return 0;
}

int gt_codec_decode(const struct gt_codec_chain *chain, const void *data, size_t n, struct gt_buf *raw, struct gt_buf scratch[2],
                    struct gt_err *err)
{
    struct gt_view view = {data, n};
    int which = 0, rc;
    for (int i = chain->n - 1; i >= 0; i--) {
        const struct gt_step *step = &chain->step[i];
        struct gt_buf *to = i == chain->last_writer ? raw : step->writes ? &scratch[which ^= 1] : NULL;
        if ((rc = step->codec->decode(step, &view, to, err)) != 0) {
            gt_fail_prefix(err, "codec '%s'", step->codec->name);
            return rc;
        }
    }
    if (chain->last_writer < 0)
        return copy_out(view, raw, err);
    /* A checksum before the last writer may have left its mark in raw. */
    if (view.data != raw->data && view.n > 0)
        memmove(raw->data, view.data, view.n);
    raw->len = view.n;
    return 0;
}

/* The one step that does anything, where that is the last and its output the items. */
static const struct gt_step *only_step(const struct gt_codec_chain *chain)
{
    const struct gt_step *last = &chain->step[chain->n - 1];
    for (int i = 0; i < chain->n - 1; i++)
        if (!chain->step[i].idle || chain->step[i].writes)
            return NULL;
    return last->codec->has_part && last->raw_exact ? last : NULL;
}

bool gt_codec_has_part(const struct gt_codec_chain *chain, const void *data, size_t n, size_t *first, size_t *end)
{
    const struct gt_step *step = only_step(chain);
    return step && *first < *end && *end <= step->raw_limit && step->codec->has_part(step, (struct gt_view){data, n}, first, end);
}

int gt_codec_decode_part(const struct gt_codec_chain *chain, const void *data, size_t n, size_t first, size_t end, struct gt_buf *raw,
                         struct gt_err *err)
{
    const struct gt_step *step = only_step(chain);
    int rc = raw->len == step->raw_limit ? 0 : gt_step_room(raw, step->raw_limit, err); /* others may be reading what is there */
    if (!rc && first < end && (rc = step->codec->decode_part(step, (struct gt_view){data, n}, first, end, raw, err)) != 0)
        gt_fail_prefix(err, "codec '%s'", step->codec->name);
    return rc;
}
