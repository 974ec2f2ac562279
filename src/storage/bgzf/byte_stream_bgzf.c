/* BGZF: blocks that say how long they are, so that they are found without inflating. */
#include "config.h"

#include <libdeflate.h>
#include <string.h>

#include "core/engine/flow.h"
#include "kernels/kernels.h"
#include "storage/bgzf/bgzf.h"
#include "storage/bgzf/byte_stream_internal.h"

#define END_MAX ((int64_t)1 << 20) /* bytes that empty blocks at the end of a file may take */

/* The next block is whole in raw: its size into *size; 0 at the end of the input. */
static int next_block(struct gt_bytes *bytes, size_t *size, size_t *text, struct gt_err *err)
{
    size_t have, need = GT_BGZF_HEADER;
    *size = 0;
    for (;;) {
        int status = gt_bytes_fill(bytes, need, err);
        if (status)
            return status;
        const uint8_t *data = gt_bytes_raw(bytes, &have);
        if (!have)
            return 0;
        int64_t n = gt_bgzf_block(data, have, text);
        if (n < 0)
            return gt_fail(err, GT_INPUT, "'%s' is damaged: no BGZF block at byte %lld", bytes->input->name,
                           (long long)gt_bytes_offset(bytes));
        if (n > 0 && (size_t)n <= have) {
            *size = (size_t)n;
            return 0;
        }
        if (have < need)
            return gt_bytes_truncated(bytes, "it ends inside a BGZF block", err);
        need = n > 0 ? (size_t)n : need + GT_BGZF_HEADER;
    }
}

/* --- stretches ---------------------------------------------------------------------- */

int gt_bytes_misfit(const struct gt_bytes *bytes, struct gt_err *err)
{
    gt_fail(err, GT_INPUT, "'%s' does not match its index", bytes->input->name);
    gt_hint(err, "index it again, or remove the index");
    return GT_INPUT;
}

static void seek(struct gt_bytes *bytes, int64_t offset)
{
    if (offset >= gt_bytes_offset(bytes) && offset <= bytes->at.offset) {
        bytes->raw_pos = bytes->raw.len - (size_t)(bytes->at.offset - offset);
        return;
    }
    bytes->raw.len = bytes->raw_pos = 0;
    bytes->at.offset = offset;
}

/* Is the next block the one that the stretch ends in?  *last: how much of its text is taken. */
static int stretch_ends(const struct gt_bytes *bytes, bool *ends, size_t *last, struct gt_err *err)
{
    uint64_t to = bytes->limited ? bytes->stretches[bytes->stretch].to : UINT64_MAX;
    *ends = gt_bytes_offset(bytes) >= (int64_t)(to >> 16);
    *last = *ends ? (size_t)(to & 0xffff) : SIZE_MAX;
    return *ends && gt_bytes_offset(bytes) > (int64_t)(to >> 16) ? gt_bytes_misfit(bytes, err) : 0;
}

/* Goes to the beginning of the next stretch, unless the reading is inside one. */
static int next_stretch(struct gt_bytes *bytes, struct gt_bytes_item *item)
{
    if (!bytes->limited || bytes->inside)
        return 0;
    if (bytes->stretch == bytes->n_stretches)
        return GT_END;
    seek(bytes, (int64_t)(bytes->stretches[bytes->stretch].from >> 16));
    item->drop = bytes->stretches[bytes->stretch].from & 0xffff;
    bytes->inside = true;
    return 0;
}

/* --- tasks -------------------------------------------------------------------------- */

static int take_block(struct gt_bytes *bytes, struct gt_bytes_item *item, size_t size, size_t text, struct gt_err *err)
{
    if (!item->raw.len)
        item->offset = gt_bytes_offset(bytes);
    int status = gt_buf_append(&item->raw, bytes->raw.data + bytes->raw_pos, size, err);
    bytes->raw_pos += size;
    bytes->at.end_block = text == 0;
    return status;
}

/* Nothing is left of the input. */
static int at_end(struct gt_bytes *bytes, const struct gt_bytes_item *item, struct gt_err *err)
{
    if (bytes->inside && bytes->stretches[bytes->stretch].to != UINT64_MAX)
        return gt_bytes_misfit(bytes, err);
    if (item->raw.len)
        return 0;
    return bytes->at.end_block ? GT_END : gt_bytes_truncated(bytes, "the BGZF end-of-file block is missing", err);
}

/* Blocks until the piece is full or its stretch ends. */
static int read_blocks(struct gt_bytes *bytes, struct gt_bytes_item *item, struct gt_err *err)
{
    size_t size, text, last;
    int status = 0;
    for (size_t total = 0; !status && total < bytes->piece && !item->piece.cut; total += text) {
        if ((status = stretch_ends(bytes, &item->piece.cut, &last, err)) != 0 || (item->piece.cut && !last))
            break;
        if ((status = next_block(bytes, &size, &text, err)) != 0)
            break;
        if (!size)
            return at_end(bytes, item, err);
        item->last = last;
        status = take_block(bytes, item, size, text, err);
    }
    return status;
}

int gt_bytes_read_bgzf(struct gt_bytes *bytes, struct gt_bytes_item *item, struct gt_err *err)
{
    item->raw.len = item->drop = 0;
    item->last = SIZE_MAX;
    item->piece.cut = false;
    item->drop = bytes->drop;
    bytes->drop = 0;
    int status = next_stretch(bytes, item);
    if (!status)
        status = read_blocks(bytes, item, err);
    if (item->piece.cut) {
        bytes->inside = false;
        bytes->stretch++;
    }
    return status;
}

/* What of the text lies in the stretch that was asked for. */
static int trim(const struct gt_bytes *bytes, struct gt_bytes_item *item, size_t last_block, struct gt_err *err)
{
    struct gt_buf *text = &item->piece.text;
    if (item->last != SIZE_MAX) {
        if (item->last > last_block)
            return gt_bytes_misfit(bytes, err);
        text->len -= last_block - item->last;
    }
    if (item->drop > text->len)
        return gt_bytes_misfit(bytes, err);
    if (item->drop)
        memmove(text->data, text->data + item->drop, text->len - item->drop);
    text->len -= item->drop;
    return 0;
}

int gt_bytes_inflate(const struct gt_bytes *bytes, struct gt_bytes_item *item, struct gt_err *err)
{
    struct gt_buf *out = &item->piece.text;
    size_t total = 0, size = 0, text = 0;
    for (size_t at = 0; at < item->raw.len; at += size, total += text)
        size = (size_t)gt_bgzf_block(item->raw.data + at, item->raw.len - at, &text);
    int status = gt_buf_reserve(out, total + GT_KERNEL_PAD, err);
    if (!status)
        out->len = total;
    if (!status && !item->inflater && !(item->inflater = libdeflate_alloc_decompressor()))
        status = gt_fail(err, GT_FAIL, "no memory for a decompressor");
    total = 0;
    for (size_t at = 0; at < item->raw.len && !status; at += size, total += text) {
        size = (size_t)gt_bgzf_block(item->raw.data + at, item->raw.len - at, &text);
        const char *what = gt_bgzf_inflate(item->inflater, item->raw.data + at, size, out->data + total, text);
        if (what)
            status = gt_fail(err, GT_INPUT, "'%s' is damaged: BGZF block at byte %lld: %s", bytes->input->name,
                             (long long)(item->offset + (int64_t)at), what);
    }
    gt_flow_bytes((int64_t)total);
    return status ? status : trim(bytes, item, text, err);
}

/* --- places ----------------------------------------------------------------------------- */

uint64_t gt_bytes_block_place(const struct gt_bytes_item *item, size_t n)
{
    size_t text = 0, at = 0;
    for (n += item->drop; at < item->raw.len; n -= text) {
        const int64_t size = gt_bgzf_block(item->raw.data + at, item->raw.len - at, &text);
        if (n < text)
            return (uint64_t)(item->offset + (int64_t)at) << 16 | n;
        at += (size_t)size;
    }
    return (uint64_t)(item->offset + (int64_t)at) << 16;
}

int gt_bytes_ends_at(struct gt_bytes *bytes, uint64_t place, bool *ends, struct gt_err *err)
{
    size_t size = 1, text = 0, inside = place & 0xffff;
    int status = 0;
    *ends = bytes->input->size >= (int64_t)(place >> 16) && bytes->input->size - (int64_t)(place >> 16) <= END_MAX;
    if (!*ends)
        return 0;
    seek(bytes, (int64_t)(place >> 16));
    for (bool first = true; *ends && !(status = next_block(bytes, &size, &text, err)) && size; first = false) {
        *ends = first ? text == inside : text == 0;
        bytes->raw_pos += size;
    }
    *ends = *ends && text == 0;
    return status;
}
