#include "config.h"

#include "storage/bgzf/byte_stream.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/engine/flow.h"
#include "core/engine/memory_plan.h"
#include "kernels/kernels.h"
#include "storage/bgzf/bgzf.h"
#include "storage/bgzf/byte_stream_internal.h"

#define PULL ((size_t)1 << 16) /* of what is pulled: headers are short as a rule */
#define RAW ((size_t)1 << 18)  /* of a read */

/* --- reading the input ----------------------------------------------------------- */

int gt_bytes_read_some(struct gt_bytes *bytes, uint8_t *data, size_t n, size_t *got, struct gt_err *err)
{
    struct gt_input *input = bytes->input;
    int status = 0;
    *got = 0;
    if (input->seekable) {
        int64_t left = input->size - bytes->at.offset;
        *got = left <= 0 ? 0 : left < (int64_t)n ? (size_t)left : n;
        status = *got ? gt_input_pread(input, data, *got, bytes->at.offset, err) : 0;
    } else {
        for (size_t some = 1; !status && some && *got < n; *got += some) {
            some = 0;
            status = gt_input_read(input, data + *got, n - *got, &some, err);
        }
    }
    bytes->at.offset += (int64_t)*got;
    gt_flow_bytes((int64_t)*got);
    if (!bytes->uncounted)
        gt_engine_passed(bytes->engine, (int64_t)*got);
    return status;
}

int gt_bytes_fill(struct gt_bytes *bytes, size_t need, struct gt_err *err)
{
    struct gt_buf *raw = &bytes->raw;
    size_t have = raw->len - bytes->raw_pos, got;
    if (have >= need)
        return 0;
    if (have)
        memmove(raw->data, raw->data + bytes->raw_pos, have);
    raw->len = have;
    bytes->raw_pos = 0;
    int status = gt_buf_reserve(raw, RAW, err);
    if (status)
        return status;
    /* a pipe is not made to wait for more than is needed */
    size_t room = raw->cap - have;
    status = gt_bytes_read_some(bytes, raw->data + have, room, &got, err);
    raw->len = have + got;
    return status;
}

int gt_bytes_truncated(const struct gt_bytes *bytes, const char *how, struct gt_err *err)
{
    return gt_fail(err, GT_INPUT, "'%s' is truncated: %s", bytes->input->name, how);
}

/* --- pieces -------------------------------------------------------------------------- */

static void init_item(const struct gt_bytes *bytes, struct gt_bytes_item *item)
{
    item->piece.text.budget = item->raw.budget = &bytes->engine->budget;
    item->ready = true;
}

static int bytes_read(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct gt_bytes *bytes = ctx;
    struct gt_bytes_item *item = data;
    (void)task;
    if (!item->ready)
        init_item(bytes, item);
    if (bytes->kind == BYTES_BGZF)
        return gt_bytes_read_bgzf(bytes, item, err);
    return bytes->kind == BYTES_GZIP ? gt_bytes_read_gzip(bytes, &item->piece.text, err) : gt_bytes_read_plain(bytes, item, err);
}

static void find_lines(struct gt_text_segment *piece)
{
    const uint8_t *text = piece->text.data, *end = text + piece->text.len;
    const uint8_t *first = piece->text.len ? memchr(text, '\n', piece->text.len) : NULL;
    piece->head = piece->tail = first ? (size_t)(first + 1 - text) : 0;
    piece->lines = piece->records = 0;
    if (!first)
        return;
    for (const uint8_t *p = first + 1, *nl; p < end && (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1) {
        piece->lines++;
        piece->records += nl - p > 1 || (nl - p == 1 && *p != '\r');
        piece->tail = (size_t)(nl + 1 - text);
    }
}

static int bytes_work(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct gt_bytes *bytes = ctx;
    struct gt_bytes_item *item = data;
    int status = bytes->kind == BYTES_BGZF ? gt_bytes_inflate(bytes, item, err) : 0;
    (void)task;
    if (!status && bytes->lines)
        find_lines(&item->piece);
    return status;
}

static void bytes_release(void *ctx, void *data)
{
    struct gt_bytes_item *item = data;
    (void)ctx;
    gt_buf_release(&item->piece.text);
    gt_buf_release(&item->raw);
    libdeflate_free_decompressor(item->inflater);
}

/* --- the stream -------------------------------------------------------------------------- */

/* bcftools -Ou writes BCF bare. */
static int look_at_bcf(struct gt_bytes *bytes, struct gt_err *err)
{
    struct gt_input *input = bytes->input;
    uint8_t head[2] = {0};
    int status = 0;
    if (input->seekable && input->size >= 2)
        status = gt_input_pread(input, head, 2, 0, err);
    else if (input->peek_len - input->peek_pos >= 2)
        memcpy(head, input->peek + input->peek_pos, 2);
    bytes->kind = head[0] == 0x1f && head[1] == 0x8b ? BYTES_BGZF : BYTES_PLAIN;
    return status;
}

int gt_bytes_open(struct gt_bytes **out, struct gt_engine *engine, struct gt_input *input, struct gt_err *err)
{
    struct gt_bytes *bytes = gt_alloc(1, sizeof *bytes, err);
    int status = 0;
    if (!bytes)
        return GT_FAIL;
    bytes->engine = engine;
    bytes->input = input;
    bytes->raw.budget = bytes->pulled.budget = &engine->budget;
    bytes->piece = PULL;
    if (input->kind == GT_KIND_VCF_GZIP)
        bytes->kind = BYTES_GZIP;
    else if (input->kind == GT_KIND_VCF_BGZF)
        bytes->kind = BYTES_BGZF;
    else if (input->kind == GT_KIND_BCF)
        status = look_at_bcf(bytes, err);
    if (status)
        gt_bytes_free(bytes);
    else
        *out = bytes;
    return status;
}

void gt_bytes_free(struct gt_bytes *bytes)
{
    if (!bytes)
        return;
    gt_bytes_stop(bytes);
    if (bytes->z_open)
        inflateEnd(&bytes->z);
    gt_buf_release(&bytes->raw);
    gt_buf_release(&bytes->pulled);
    free(bytes);
}

/* The blocks of an item that was pulled, so that places in their text are known. */
static int keep_blocks(struct gt_bytes *bytes, const struct gt_bytes_item *item, struct gt_err *err)
{
    int status = 0;
    size_t size;
    for (size_t at = 0; at < item->raw.len && !status; at += size) {
        struct gt_bytes_block block = {.offset = item->offset + (int64_t)at};
        size = (size_t)gt_bgzf_block(item->raw.data + at, item->raw.len - at, &block.text);
        status = gt_buf_append(&bytes->pulled, &block, sizeof block, err);
    }
    return status;
}

int gt_bytes_pull(struct gt_bytes *bytes, struct gt_buf *text, struct gt_err *err)
{
    struct gt_bytes_item item = {0};
    int status = bytes_read(bytes, 0, &item, err);
    if (!status)
        status = bytes_work(bytes, 0, &item, err);
    if (!status && bytes->kind == BYTES_BGZF)
        status = keep_blocks(bytes, &item, err);
    if (!status)
        status = gt_buf_append(text, item.piece.text.data, item.piece.text.len, err);
    bytes_release(bytes, &item);
    return status;
}

void gt_bytes_set_start(struct gt_bytes *bytes)
{
    bytes->mark = bytes->at;
    bytes->mark.offset = gt_bytes_offset(bytes);
}

int64_t gt_bytes_before(const struct gt_bytes *bytes)
{
    return bytes->at.offset;
}

int64_t gt_bytes_guess(const struct gt_bytes *bytes, size_t pulled)
{
    double ratio = bytes->mark.offset > 0 ? (double)pulled / (double)bytes->mark.offset : 0;
    return bytes->input->seekable ? (int64_t)(ratio * (double)bytes->input->size) : 0;
}

int gt_bytes_rewind(struct gt_bytes *bytes, struct gt_err *err)
{
    if (!bytes->input->seekable)
        return gt_fail(err, GT_FAIL, "'%s' is a stream and cannot be read again", bytes->input->name);
    bytes->at = bytes->mark;
    bytes->raw.len = bytes->raw_pos = 0;
    bytes->limited = bytes->uncounted = false;
    bytes->drop = 0;
    if (bytes->kind == BYTES_GZIP)
        gt_bytes_rewind_gzip(bytes);
    return 0;
}

int gt_bytes_seek(struct gt_bytes *bytes, uint64_t place, struct gt_err *err)
{
    const bool bgzf = bytes->kind == BYTES_BGZF;
    const int64_t offset = (int64_t)(bgzf ? place >> 16 : place);
    if (bytes->kind == BYTES_GZIP || offset < 0 || offset > bytes->input->size)
        return gt_fail(err, GT_INPUT, "'%s' has no virtual offset %llx", bytes->input->name, (unsigned long long)place);
    bytes->at.offset = offset;
    bytes->at.end_block = false;
    bytes->drop = bgzf ? place & 0xffff : 0;
    return 0;
}

void gt_bytes_limit(struct gt_bytes *bytes, const struct gt_stretch *stretches, size_t n)
{
    bytes->limited = true;
    bytes->stretches = stretches;
    bytes->n_stretches = n;
    bytes->stretch = 0;
    bytes->inside = false;
}

void gt_bytes_uncounted(struct gt_bytes *bytes)
{
    bytes->uncounted = true;
}

/* The text, and what it is inflated from. */
static size_t task_bytes(size_t piece)
{
    return piece + piece / 2 + GT_KERNEL_PAD;
}

/* Blocks of BGZF are cut out of what was read.  One piece may be held while the next one is
 * waited for. */
void gt_bytes_needs(const struct gt_bytes *bytes, int64_t *minimum, int64_t *preferred)
{
    int64_t window = bytes->kind == BYTES_PLAIN ? 0 : (int64_t)(RAW + GT_BYTES_MIN);
    *minimum = window + 2 * (int64_t)task_bytes(GT_BYTES_MIN);
    *preferred = gt_bytes_add(window, gt_memory_plan_of_flow(bytes->engine, 1, (int64_t)task_bytes(GT_BYTES_SEGMENT)));
}

int gt_bytes_start(struct gt_bytes *bytes, bool lines, int64_t memory, struct gt_err *err)
{
    static const struct gt_flow_ops inflating = {.name = "bgzf",
                                                 .read_name = "read",
                                                 .work_name = "inflate",
                                                 .item_size = sizeof(struct gt_bytes_item),
                                                 .read = bytes_read,
                                                 .work = bytes_work,
                                                 .release = bytes_release};
    static const struct gt_flow_ops reading = {.name = "text",
                                               .read_name = "read",
                                               .work_name = "lines",
                                               .item_size = sizeof(struct gt_bytes_item),
                                               .read = bytes_read,
                                               .work = bytes_work,
                                               .release = bytes_release};
    /* small pieces where memory is scarce, so that a few still fit side by side */
    size_t piece = GT_BYTES_SEGMENT;
    while (piece > GT_BYTES_MIN && (int64_t)piece * 8 > memory)
        piece /= 2;
    bytes->piece = piece;
    bytes->lines = lines;
    struct gt_flow_opts opts = {.tasks = -1, .readers = 1, .memory = memory, .task_bytes = task_bytes(piece)};
    return gt_flow_start(&bytes->flow, bytes->engine, bytes->kind == BYTES_BGZF ? &inflating : &reading, &opts, bytes, err);
}

size_t gt_bytes_segment_bytes(const struct gt_bytes *bytes)
{
    return bytes->piece;
}

int gt_bytes_next(struct gt_bytes *bytes, struct gt_text_segment **piece, struct gt_err *err)
{
    for (;;) {
        void *item;
        int64_t task;
        int status = gt_flow_next(bytes->flow, &item, &task, err);
        if (status)
            return status;
        struct gt_text_segment *next = &((struct gt_bytes_item *)item)->piece;
        if (next->text.len || next->cut) {
            *piece = next;
            return 0;
        }
        gt_flow_done(bytes->flow, item); /* and *piece is not that one: it is given back once */
    }
}

bool gt_bytes_can_seek(const struct gt_bytes *bytes)
{
    return bytes->kind != BYTES_GZIP && bytes->input->seekable;
}

bool gt_bytes_is_bgzf(const struct gt_bytes *bytes)
{
    return bytes->kind == BYTES_BGZF;
}

uint64_t gt_bytes_segment_offset(const struct gt_bytes *bytes, const struct gt_text_segment *piece, size_t n)
{
    const struct gt_bytes_item *item = (const struct gt_bytes_item *)piece;
    if (!bytes->input->seekable || bytes->kind == BYTES_GZIP)
        return UINT64_MAX;
    return bytes->kind == BYTES_BGZF ? gt_bytes_block_place(item, n) : (uint64_t)item->offset + n;
}

void gt_bytes_done(struct gt_bytes *bytes, struct gt_text_segment *piece)
{
    gt_flow_done(bytes->flow, piece);
}

void gt_bytes_stop(struct gt_bytes *bytes)
{
    gt_flow_free(bytes->flow);
    bytes->flow = NULL;
}
