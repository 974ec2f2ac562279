/* lzma as numcodecs has it: .xz and .lzma files, and raw streams, whose filters the metadata has.  Read, not written. */
#include "config.h"

#include <lzma.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "storage/codec/step.h"

enum { XZ = 1, ALONE = 2, RAW = 3, MOST_FILTERS = 3 };

/* Of raw streams.  level has the format. */
struct raw {
    lzma_filter filter[MOST_FILTERS + 1];
    lzma_options_lzma options[MOST_FILTERS];
    lzma_options_delta delta[MOST_FILTERS];
};

/* Names of filter options in Python. */
static int parse_options(struct json_object *conf, lzma_options_lzma *options, struct gt_err *err)
{
    int preset = LZMA_PRESET_DEFAULT, dict = 0, lc, lp, pb;
    int rc = gt_conf_int(conf, "preset", 0, 9, &preset, err);
    if (rc || lzma_lzma_preset(options, (uint32_t)preset))
        return rc ? rc : gt_fail(err, GT_INPUT, "'preset' is not known");
    lc = (int)options->lc, lp = (int)options->lp, pb = (int)options->pb;
    if ((rc = gt_conf_int(conf, "dict_size", 4096, 1 << 30, &dict, err)) || (rc = gt_conf_int(conf, "lc", 0, 4, &lc, err)) ||
        (rc = gt_conf_int(conf, "lp", 0, 4, &lp, err)) || (rc = gt_conf_int(conf, "pb", 0, 4, &pb, err)))
        return rc;
    options->lc = (uint32_t)lc, options->lp = (uint32_t)lp, options->pb = (uint32_t)pb;
    if (dict)
        options->dict_size = (uint32_t)dict;
    return 0;
}

static int parse_filters(struct raw *raw, struct json_object *list, struct gt_err *err)
{
    size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
    if (n < 1 || n > MOST_FILTERS)
        return gt_fail(err, GT_INPUT, "'filters' is not a list of 1 to %d filters, which raw streams need", MOST_FILTERS);
    for (size_t i = 0; i < n; i++) {
        struct json_object *entry = json_object_array_get_idx(list, i), *id = NULL;
        if (json_object_is_type(entry, json_type_object))
            json_object_object_get_ex(entry, "id", &id);
        raw->filter[i].id = json_object_is_type(id, json_type_int) ? (lzma_vli)json_object_get_int64(id) : LZMA_VLI_UNKNOWN;
        int rc = 0, dist = 1;
        if (raw->filter[i].id == LZMA_FILTER_LZMA1 || raw->filter[i].id == LZMA_FILTER_LZMA2) {
            rc = parse_options(entry, &raw->options[i], err);
            raw->filter[i].options = &raw->options[i];
        } else if (raw->filter[i].id == LZMA_FILTER_DELTA) {
            rc = gt_conf_int(entry, "dist", 1, 256, &dist, err);
            raw->delta[i] = (lzma_options_delta){.type = LZMA_DELTA_TYPE_BYTE, .dist = (uint32_t)dist};
            raw->filter[i].options = &raw->delta[i];
        } else {
            rc = gt_fail_unsupported(err, "a filter other than LZMA and delta is not supported");
        }
        if (rc)
            return rc;
    }
    raw->filter[n].id = LZMA_VLI_UNKNOWN;
    return 0;
}

static int parse(struct gt_step *step, struct json_object *conf, int zarr_format, struct gt_codec_array *array, struct gt_err *err)
{
    struct json_object *filters = NULL;
    (void)zarr_format, (void)array;
    step->level = XZ;
    int rc = gt_conf_int(conf, "format", XZ, RAW, &step->level, err);
    if (rc || step->level != RAW)
        return rc;
    struct raw *raw = step->own = gt_alloc(1, sizeof *raw, err);
    if (conf)
        json_object_object_get_ex(conf, "filters", &filters);
    return raw ? parse_filters(raw, filters, err) : GT_FAIL;
}

static size_t bound(const struct gt_step *step, size_t n, bool *exact)
{
    (void)step;
    *exact = false;
    return lzma_stream_buffer_bound(n) ? lzma_stream_buffer_bound(n) : n;
}

static int encode(const struct gt_step *step, struct gt_view in, struct gt_buf *out, struct gt_err *err)
{
    (void)step, (void)in, (void)out;
    return gt_fail_unsupported(err, "it can be read but not written");
}

/* What the decoder takes is counted: a header may ask for more than a GB. */
struct taking {
    struct gt_budget *budget;
    struct gt_err *err;
};

union block {
    size_t n;
    max_align_t align;
};

static void *take(void *ctx, size_t count, size_t size)
{
    struct taking *t = ctx;
    size_t n = count * size + sizeof(union block); /* liblzma asks for 1 of them */
    union block *block;
    if (t->budget && gt_budget_take(t->budget, n, t->err))
        return NULL;
    block = malloc(n);
    if (!block) {
        if (t->budget)
            gt_budget_give(t->budget, n);
        return NULL;
    }
    block->n = n;
    return block + 1;
}

static void give(void *ctx, void *p)
{
    struct taking *t = ctx;
    union block *block = p;
    if (!block)
        return;
    block--;
    if (t->budget)
        gt_budget_give(t->budget, block->n);
    free(block);
}

static lzma_ret begin(const struct gt_step *step, lzma_stream *stream)
{
    const struct raw *raw = step->own;
    return step->level == XZ      ? lzma_stream_decoder(stream, UINT64_MAX, LZMA_CONCATENATED)
           : step->level == ALONE ? lzma_alone_decoder(stream, UINT64_MAX)
                                  : lzma_raw_decoder(stream, raw->filter);
}

static int fail(lzma_ret status, struct gt_err *err)
{
    if (status == LZMA_MEM_ERROR)
        return err && err->status ? err->status : gt_no_memory(err);
    return gt_fail(err, GT_INPUT, "truncated or damaged lzma data");
}

/* Twice the room, when what is there is full. */
static int grow(const struct gt_step *step, struct gt_buf *out, lzma_stream *stream, struct gt_err *err)
{
    size_t made = out->len;
    if (made > step->raw_limit)
        return gt_fail(err, GT_INPUT, "decodes to more than %zu bytes", step->raw_limit);
    int rc = gt_buf_resize(out, made < step->raw_limit / 2 ? 2 * made + 64 : step->raw_limit + 1, err);
    stream->next_out = out->data + made;
    stream->avail_out = rc ? 0 : out->len - made;
    return rc;
}

static int decode(const struct gt_step *step, struct gt_view *view, struct gt_buf *out, struct gt_err *err)
{
    struct taking taking = {out->budget, err};
    const lzma_allocator allocator = {take, give, &taking};
    lzma_stream stream = LZMA_STREAM_INIT;
    stream.allocator = &allocator;
    int rc = gt_step_room(out, step->raw_exact ? step->raw_limit + 1 : 4096, err);
    if (rc)
        return rc;
    lzma_ret status = begin(step, &stream);
    stream.next_in = view->data, stream.avail_in = view->n;
    stream.next_out = out->data, stream.avail_out = out->len;
    while (!rc && status == LZMA_OK) {
        status = lzma_code(&stream, LZMA_FINISH);
        if (status == LZMA_OK && stream.avail_out == 0)
            rc = grow(step, out, &stream, err);
    }
    size_t made = out->len - stream.avail_out;
    /* A raw stream of LZMA1 has no mark at its end. */
    bool whole = status == LZMA_STREAM_END ||
                 (status == LZMA_BUF_ERROR && step->level == RAW && stream.avail_in == 0 && step->raw_exact && made == step->raw_limit);
    if (!rc && (!whole || stream.avail_in > 0))
        rc = fail(whole ? LZMA_DATA_ERROR : status, err);
    lzma_end(&stream);
    if (rc || (rc = gt_step_check_size(step, made, err)))
        return rc;
    out->len = made;
    *view = (struct gt_view){out->data, made};
    return 0;
}

const struct gt_codec gt_codec_lzma = {
    .name = "lzma", .kind = GT_BYTES_BYTES, .v2_only = true, .parse = parse, .bound = bound, .encode = encode, .decode = decode};
