/* Places from which a part can be read: found near an offset, without reading what is before it. */
#include "config.h"

#include <libdeflate.h>
#include <string.h>

#include "storage/bgzf/bgzf.h"
#include "storage/bgzf/byte_stream_internal.h"

#define WINDOW ((size_t)1 << 18) /* of a look: a few of the largest blocks */
#define PLAIN_WINDOW ((size_t)1 << 14)
#define BLOCK_MAX ((size_t)1 << 16)

/* What is looked at of the input. */
struct window {
    const struct gt_bytes *bytes;
    size_t size; /* of a look */
    struct gt_buf raw, text;
    int64_t offset; /* of raw */
};

static int look(struct window *w, int64_t offset, struct gt_err *err)
{
    const int64_t left = w->bytes->input->size - offset;
    w->offset = offset;
    int status = gt_buf_resize(&w->raw, left < (int64_t)w->size ? (size_t)(left > 0 ? left : 0) : w->size, err);
    return status || !w->raw.len ? status : gt_input_pread(w->bytes->input, w->raw.data, w->raw.len, offset, err);
}

static bool at_end(const struct window *w)
{
    return w->offset + (int64_t)w->raw.len >= w->bytes->input->size;
}

/* A block at that byte of raw, and another one after it, or the end of the input. */
static bool is_block(const struct window *w, size_t at)
{
    size_t text;
    const int64_t size = gt_bgzf_block(w->raw.data + at, w->raw.len - at, &text);
    if (size <= 0 || (size_t)size > w->raw.len - at)
        return false;
    const size_t next = at + (size_t)size;
    return next == w->raw.len ? at_end(w) : gt_bgzf_block(w->raw.data + next, w->raw.len - next, &text) >= 0;
}

static int find_block(struct window *w, int64_t offset, size_t *at, struct gt_err *err)
{
    int status = look(w, offset, err);
    for (*at = 0; !status && *at < w->raw.len; ++*at)
        if (w->raw.data[*at] == 0x1f && is_block(w, *at))
            return GT_OK;
    if (status || at_end(w))
        return status;
    return gt_fail(err, GT_INPUT, "'%s' is damaged: no BGZF block after byte %lld", w->bytes->input->name, (long long)offset);
}

/* The whole block at that byte of raw into text.  *size: of the block. */
static int inflate_block(struct window *w, size_t at, struct libdeflate_decompressor *inflater, size_t *size, struct gt_err *err)
{
    size_t text = 0;
    const int64_t n = gt_bgzf_block(w->raw.data + at, w->raw.len - at, &text);
    const char *what = n <= 0 || (size_t)n > w->raw.len - at ? "it is not whole" : NULL;
    int status = what ? GT_OK : gt_buf_resize(&w->text, text, err);
    if (!what && !status)
        what = gt_bgzf_inflate(inflater, w->raw.data + at, (size_t)n, w->text.data, text);
    *size = what ? 0 : (size_t)n;
    return what ? gt_fail(err, GT_INPUT, "'%s' is damaged: BGZF block at byte %lld: %s", w->bytes->input->name,
                          (long long)(w->offset + (int64_t)at), what)
                : status;
}

/* After the first line end in the blocks from that byte on. */
static int find_line(struct window *w, size_t at, struct libdeflate_decompressor *inflater, uint64_t *place, struct gt_err *err)
{
    size_t size;
    int status = GT_OK;
    for (; !status; at += size) {
        if (w->raw.len - at < BLOCK_MAX && !at_end(w)) {
            status = look(w, w->offset + (int64_t)at, err);
            at = 0;
        }
        if (status || at == w->raw.len)
            return status;
        status = inflate_block(w, at, inflater, &size, err);
        const uint8_t *nl = status || !w->text.len ? NULL : memchr(w->text.data, '\n', w->text.len);
        if (!nl)
            continue;
        const size_t after = (size_t)(nl + 1 - w->text.data);
        *place =
            after < w->text.len ? (uint64_t)(w->offset + (int64_t)at) << 16 | after : (uint64_t)(w->offset + (int64_t)(at + size)) << 16;
        return GT_OK;
    }
    return status;
}

static int next_line_bgzf(struct window *w, int64_t offset, uint64_t *place, struct gt_err *err)
{
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    size_t at = 0;
    int status = inflater ? find_block(w, offset, &at, err) : gt_fail(err, GT_FAIL, "no memory for a decompressor");
    if (!status && at < w->raw.len)
        status = find_line(w, at, inflater, place, err);
    libdeflate_free_decompressor(inflater);
    return status;
}

static int next_line_plain(struct window *w, int64_t offset, uint64_t *place, struct gt_err *err)
{
    const uint8_t *nl = NULL;
    int status = look(w, offset, err);
    while (!status && w->raw.len && !(nl = memchr(w->raw.data, '\n', w->raw.len)))
        status = look(w, w->offset + (int64_t)w->raw.len, err);
    if (nl)
        *place = (uint64_t)(w->offset + (nl + 1 - w->raw.data));
    return status;
}

int gt_bytes_next_line(const struct gt_bytes *bytes, int64_t offset, uint64_t *place, struct gt_err *err)
{
    struct gt_budget *budget = &bytes->engine->budget;
    const bool bgzf = gt_bytes_is_bgzf(bytes);
    struct window w = {.bytes = bytes, .size = bgzf ? WINDOW : PLAIN_WINDOW, .raw.budget = budget, .text.budget = budget};
    *place = UINT64_MAX;
    int status = (bgzf ? next_line_bgzf : next_line_plain)(&w, offset, place, err);
    gt_buf_release(&w.raw);
    gt_buf_release(&w.text);
    return status;
}

uint64_t gt_bytes_place(const struct gt_bytes *bytes, size_t n)
{
    const struct gt_bytes_block *block = (const struct gt_bytes_block *)bytes->pulled.data;
    const struct gt_bytes_block *end = block + bytes->pulled.len / sizeof *block;
    if (!gt_bytes_is_bgzf(bytes))
        return n;
    for (; block < end; n -= block->text, block++)
        if (n < block->text)
            return (uint64_t)block->offset << 16 | n;
    return (uint64_t)bytes->mark.offset << 16;
}

int64_t gt_bytes_place_offset(const struct gt_bytes *bytes, uint64_t place)
{
    return (int64_t)(gt_bytes_is_bgzf(bytes) ? place >> 16 : place);
}
