/* vlen-utf8 and vlen-bytes: u32 count, then u32 length and bytes of each text.  The raw form
 * of a string chunk is the same, so the step only checks. */
#include "config.h"

#include "storage/codec/vlen.h"

#include <string.h>

#include "core/base/le.h"
#include "core/base/utf8.h"
#include "storage/codec/step.h"

/* The next text of n bytes at data, *pos in and out.  False when it passes the end. */
static bool next_text(const uint8_t *data, size_t n, size_t *pos, const char **text, size_t *len)
{
    if (n - *pos < 4)
        return false;
    *len = gt_le32(data + *pos);
    *pos += 4;
    if (n - *pos < *len)
        return false;
    *text = (const char *)data + *pos;
    *pos += *len;
    return true;
}

/* Calls gt_strs_add for each text when list is not NULL. */
static int walk(const uint8_t *data, size_t n, bool nul, size_t *count, struct gt_strs *list, struct gt_err *err)
{
    size_t pos = 4, len;
    const char *text;
    if (n < 4)
        return gt_fail(err, GT_INPUT, "truncated strings: %zu bytes", n);
    *count = gt_le32(data);
    /* a text takes four bytes at least, and in the list one for its NUL */
    if (list && *count <= n / 4) {
        int rc = gt_strs_reserve(list, *count, n - 4 - 3 * *count, err);
        if (rc)
            return rc;
    }
    for (size_t i = 0; i < *count; i++) {
        if (!next_text(data, n, &pos, &text, &len))
            return gt_fail(err, GT_INPUT, "truncated strings: %zu of %zu are complete", i, *count);
        if (!nul && memchr(text, 0, len))
            return gt_fail_unsupported(err, "string %zu holds a NUL byte, which is not supported", i);
        int rc = list ? gt_strs_add(list, text, len, err) : 0;
        if (rc)
            return rc;
    }
    if (pos != n)
        return gt_fail(err, GT_INPUT, "%zu bytes after the last of %zu strings", n - pos, *count);
    return 0;
}

int gt_vlen_unpack(const struct gt_buf *raw, bool nul, struct gt_strs *list, struct gt_err *err)
{
    size_t count;
    return walk(raw->data, raw->len, nul, &count, list, err);
}

/* One in that many; a place and a start take less room than that many starts. */
#define FEW 8

static int add_few(const struct gt_buf *raw, size_t count, size_t texts, size_t bytes, struct gt_strs *list, struct gt_buf *places,
                   struct gt_err *err)
{
    size_t pos = 4, len;
    const char *text;
    int rc = gt_strs_reserve(list, texts, bytes + texts, err);
    if (!rc)
        rc = gt_buf_reserve(places, texts * sizeof(uint32_t), err);
    for (uint32_t i = 0; i < count && !rc; i++) {
        if (!next_text(raw->data, raw->len, &pos, &text, &len))
            return gt_fail(err, GT_INPUT, "truncated strings");
        if (len == 0)
            continue;
        rc = gt_strs_add(list, text, len, err);
        if (!rc)
            rc = gt_buf_append(places, &i, sizeof i, err);
    }
    return rc;
}

int gt_vlen_unpack_few(const struct gt_buf *raw, struct gt_strs *list, struct gt_buf *places, bool *few, struct gt_err *err)
{
    size_t count, pos = 4, len, texts = 0, bytes = 0;
    const char *text;
    int rc = walk(raw->data, raw->len, false, &count, NULL, err);

    if (rc)
        return rc;
    for (size_t i = 0; i < count && next_text(raw->data, raw->len, &pos, &text, &len); i++) {
        texts += len > 0;
        bytes += len;
    }
    *few = texts < count / FEW;
    places->len = 0;
    return *few ? add_few(raw, count, texts, bytes, list, places, err) : 0;
}

int gt_vlen_pack(const struct gt_strs *list, size_t from, size_t n, size_t n_items, struct gt_buf *raw, struct gt_err *err)
{
    size_t size = 4, pos = 4;
    if (n_items > UINT32_MAX || n > n_items || from > list->n || n > list->n - from)
        return gt_fail(err, GT_FAIL, "%zu strings do not fit a chunk of %zu", n, n_items);
    for (size_t i = 0; i < n_items; i++)
        size += 4 + (i < n ? gt_strs_len(list, from + i) : 0);
    int rc = gt_step_room(raw, size, err);
    if (rc)
        return rc;
    gt_le_put(raw->data, n_items, 4);
    for (size_t i = 0; i < n_items; i++) {
        const char *text = i < n ? gt_strs_get(list, from + i) : "";
        size_t len = i < n ? gt_strs_len(list, from + i) : 0;
        if (len > UINT32_MAX)
            return gt_fail(err, GT_FAIL, "a string of %zu bytes is too long", len);
        if ((rc = gt_check_utf8("string", text, len, err)) != 0)
            return rc;
        gt_le_put(raw->data + pos, len, 4);
        memcpy(raw->data + pos + 4, text, len);
        pos += 4 + len;
    }
    return 0;
}

static int parse(struct gt_step *step, struct json_object *conf, int zarr_format, struct gt_codec_array *array, struct gt_err *err)
{
    (void)conf, (void)zarr_format, (void)array, (void)err;
    step->writes = false;
    step->idle = true;
    return 0;
}

static size_t bound(const struct gt_step *step, size_t n, bool *exact)
{
    (void)step;
    *exact = false;
    return n;
}

static int decode(const struct gt_step *step, struct gt_view *view, struct gt_buf *out, struct gt_err *err)
{
    size_t count;
    (void)out;
    int rc = walk(view->data, view->n, true, &count, NULL, err);
    if (!rc && count != step->n_items)
        rc = gt_fail(err, GT_INPUT, "%zu strings where a chunk has %zu", count, step->n_items);
    return rc;
}

const struct gt_codec gt_codec_vlen_utf8 = {.name = "vlen-utf8", .kind = GT_ARRAY_BYTES, .parse = parse, .bound = bound, .decode = decode};
const struct gt_codec gt_codec_vlen_bytes = {
    .name = "vlen-bytes", .kind = GT_ARRAY_BYTES, .parse = parse, .bound = bound, .decode = decode};
