#include "config.h"

#include "geno/bytes.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "engine/flow.h"
#include "geno/bgzf.h"

#define PIECE ((size_t)1 << 19) /* text of a ticket */
#define RAW ((size_t)1 << 18)   /* of a read */

struct place {
    int64_t offset; /* of the next byte to read from the input */
    int64_t text;   /* bytes delivered, for gzip */
    bool end_block; /* the last BGZF block was empty */
};

struct gt_bytes {
    struct gt_engine *engine;
    struct gt_input *input;
    enum { PLAIN, BGZF, GZIP } kind;
    struct place at, mark;
    struct gt_buf raw; /* read and not yet used: [raw_pos, raw.len) */
    size_t raw_pos;
    size_t piece;
    z_stream z;
    bool z_open, member_open;
    int64_t skip; /* text to throw away after a rewind of gzip */
    struct gt_flow *flow;
};

struct bytes_item {
    struct gt_buf text; /* first: next hands it out */
    struct gt_buf raw;  /* whole BGZF blocks */
    int64_t offset;     /* of the first of them in the input */
    struct libdeflate_decompressor *inflater;
    bool ready;
};

/* --- reading the input ----------------------------------------------------------- */

/* Up to n bytes of the input; fewer at its end only. */
static int read_input(struct gt_bytes *bytes, uint8_t *data, size_t n, size_t *got, struct gt_err *err)
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
    return status;
}

/* At least `need` bytes in raw, or what is left of the input. */
static int fill(struct gt_bytes *bytes, size_t need, struct gt_err *err)
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
    status = read_input(bytes, raw->data + have, room, &got, err);
    raw->len = have + got;
    return status;
}

static const uint8_t *raw_at(const struct gt_bytes *bytes, size_t *n)
{
    *n = bytes->raw.len - bytes->raw_pos;
    return *n ? bytes->raw.data + bytes->raw_pos : NULL;
}

static int truncated(const struct gt_bytes *bytes, const char *how, struct gt_err *err)
{
    return gt_fail(err, GT_INPUT, "'%s' is truncated: %s", bytes->input->name, how);
}

/* --- BGZF ------------------------------------------------------------------------- */

/* The next block is whole in raw: its size into *size; 0 at the end of the input. */
static int next_block(struct gt_bytes *bytes, size_t *size, size_t *text, struct gt_err *err)
{
    size_t have, need = GT_BGZF_HEADER;
    *size = 0;
    for (;;) {
        int status = fill(bytes, need, err);
        if (status)
            return status;
        const uint8_t *data = raw_at(bytes, &have);
        if (!have)
            return 0;
        int64_t offset = bytes->at.offset - (int64_t)have;
        int64_t n = gt_bgzf_block(data, have, text);
        if (n < 0)
            return gt_fail(err, GT_INPUT, "'%s' is damaged: no BGZF block at byte %lld", bytes->input->name, (long long)offset);
        if (n > 0 && (size_t)n <= have) {
            *size = (size_t)n;
            return 0;
        }
        if (have < need)
            return truncated(bytes, "it ends inside a BGZF block", err);
        need = n > 0 ? (size_t)n : need + GT_BGZF_HEADER;
    }
}

static int read_blocks(struct gt_bytes *bytes, struct bytes_item *item, struct gt_err *err)
{
    size_t total = 0, size, text;
    item->raw.len = 0;
    while (total < bytes->piece) {
        int status = next_block(bytes, &size, &text, err);
        if (status)
            return status;
        if (!size)
            break;
        if (!item->raw.len)
            item->offset = bytes->at.offset - (int64_t)(bytes->raw.len - bytes->raw_pos);
        status = gt_buf_append(&item->raw, bytes->raw.data + bytes->raw_pos, size, err);
        if (status)
            return status;
        bytes->raw_pos += size;
        bytes->at.end_block = text == 0;
        total += text;
    }
    if (item->raw.len)
        return 0;
    if (!bytes->at.end_block) {
        truncated(bytes, "the BGZF end-of-file block is missing", err);
        return GT_INPUT;
    }
    return GT_END;
}

static int inflate_blocks(const struct gt_bytes *bytes, struct bytes_item *item, struct gt_err *err)
{
    size_t total = 0, size = 0, text;
    for (size_t at = 0; at < item->raw.len; at += size, total += text)
        size = (size_t)gt_bgzf_block(item->raw.data + at, item->raw.len - at, &text);
    int status = gt_buf_reserve(&item->text, total + 1, err);
    if (!status)
        item->text.len = total;
    if (!status && !item->inflater && !(item->inflater = libdeflate_alloc_decompressor()))
        status = gt_fail(err, GT_FAIL, "no memory for a decompressor");
    total = 0;
    for (size_t at = 0; at < item->raw.len && !status; at += size, total += text) {
        size = (size_t)gt_bgzf_block(item->raw.data + at, item->raw.len - at, &text);
        const char *what = gt_bgzf_inflate(item->inflater, item->raw.data + at, size, item->text.data + total, text);
        if (what)
            status = gt_fail(err, GT_INPUT, "'%s' is damaged: BGZF block at byte %lld: %s", bytes->input->name,
                             (long long)(item->offset + (int64_t)at), what);
    }
    gt_flow_bytes((int64_t)total);
    return status;
}

/* --- gzip --------------------------------------------------------------------------- */

static int damaged_gzip(const struct gt_bytes *bytes, struct gt_err *err)
{
    return gt_fail(err, GT_INPUT, "'%s' is damaged: bad gzip data near byte %lld", bytes->input->name,
                   (long long)(bytes->at.offset - (int64_t)(bytes->raw.len - bytes->raw_pos)));
}

/* What follows a member: another one, or zeros as padding, or the end. */
static int next_member(struct gt_bytes *bytes, bool *end, struct gt_err *err)
{
    size_t have;
    int status;
    *end = false;
    for (;;) {
        if ((status = fill(bytes, 1, err)) != 0)
            return status;
        const uint8_t *data = raw_at(bytes, &have);
        if (!have) {
            *end = true;
            return 0;
        }
        if (*data) {
            if (*data != 0x1f || inflateReset(&bytes->z) != Z_OK)
                return damaged_gzip(bytes, err);
            bytes->member_open = true;
            return 0;
        }
        bytes->raw_pos++;
    }
}

static int read_gzip(struct gt_bytes *bytes, struct gt_buf *text, struct gt_err *err)
{
    bool end = false;
    int status = gt_buf_resize(text, bytes->piece, err);
    z_stream *z = &bytes->z;
    if (!status && !bytes->z_open && inflateInit2(z, 15 + 16) != Z_OK)
        status = gt_fail(err, GT_FAIL, "no memory for a decompressor");
    if (status)
        return status;
    bytes->z_open = true;
    z->next_out = text->data;
    z->avail_out = (uInt)text->len;
    while (z->avail_out && !status && !end) {
        if (!bytes->member_open && ((status = next_member(bytes, &end, err)) != 0 || end))
            break;
        size_t have;
        if ((status = fill(bytes, 1, err)) != 0)
            break;
        const uint8_t *data = raw_at(bytes, &have);
        if (!have)
            return truncated(bytes, "the gzip stream ends early", err);
        z->next_in = (Bytef *)(uintptr_t)data;
        z->avail_in = (uInt)have;
        int code = inflate(z, Z_NO_FLUSH);
        bytes->raw_pos += have - z->avail_in;
        if (code == Z_STREAM_END)
            bytes->member_open = false;
        else if (code != Z_OK)
            status = damaged_gzip(bytes, err);
    }
    text->len -= z->avail_out;
    bytes->at.text += (int64_t)text->len;
    return status ? status : text->len ? 0 : GT_END;
}

/* After a rewind the text before the mark is inflated once more and dropped. */
static int skip_gzip(struct gt_bytes *bytes, struct gt_buf *text, struct gt_err *err)
{
    for (;;) {
        int status = read_gzip(bytes, text, err);
        if (status || !bytes->skip)
            return status;
        size_t drop = bytes->skip < (int64_t)text->len ? (size_t)bytes->skip : text->len;
        bytes->skip -= (int64_t)drop;
        memmove(text->data, text->data + drop, text->len - drop);
        text->len -= drop;
        if (text->len)
            return 0;
    }
}

/* --- pieces -------------------------------------------------------------------------- */

static int read_plain(struct gt_bytes *bytes, struct gt_buf *text, struct gt_err *err)
{
    size_t got = 0;
    int status = gt_buf_resize(text, bytes->piece, err);
    if (!status)
        status = read_input(bytes, text->data, bytes->piece, &got, err);
    text->len = got;
    return status ? status : got ? 0 : GT_END;
}

static int bytes_read(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct gt_bytes *bytes = ctx;
    struct bytes_item *item = data;
    (void)ticket;
    if (!item->ready) {
        item->text.budget = item->raw.budget = &bytes->engine->budget;
        item->ready = true;
    }
    if (bytes->kind == BGZF)
        return read_blocks(bytes, item, err);
    return bytes->kind == GZIP ? skip_gzip(bytes, &item->text, err) : read_plain(bytes, &item->text, err);
}

static int bytes_work(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    (void)ticket;
    return inflate_blocks(ctx, data, err);
}

static void bytes_release(void *ctx, void *data)
{
    struct bytes_item *item = data;
    (void)ctx;
    gt_buf_release(&item->text);
    gt_buf_release(&item->raw);
    libdeflate_free_decompressor(item->inflater);
}

int gt_bytes_open(struct gt_bytes **out, struct gt_engine *engine, struct gt_input *input, struct gt_err *err)
{
    uint8_t head[2] = {0};
    struct gt_bytes *bytes = gt_alloc(1, sizeof *bytes, err);
    int status = 0;
    if (!bytes)
        return GT_FAIL;
    bytes->engine = engine;
    bytes->input = input;
    bytes->raw.budget = &engine->budget;
    bytes->piece = PIECE;
    if (input->kind == GT_KIND_VCF_GZIP)
        bytes->kind = GZIP;
    else if (input->kind == GT_KIND_VCF_BGZF)
        bytes->kind = BGZF;
    else if (input->kind == GT_KIND_BCF) { /* bcftools -Ou writes it bare */
        if (input->seekable && input->size >= 2)
            status = gt_input_pread(input, head, 2, 0, err);
        else if (input->peek_len - input->peek_pos >= 2)
            memcpy(head, input->peek + input->peek_pos, 2);
        bytes->kind = head[0] == 0x1f && head[1] == 0x8b ? BGZF : PLAIN;
    }
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
    free(bytes);
}

int gt_bytes_pull(struct gt_bytes *bytes, struct gt_buf *text, struct gt_err *err)
{
    struct bytes_item item = {0};
    int status = bytes_read(bytes, 0, &item, err);
    if (!status && bytes->kind == BGZF)
        status = bytes_work(bytes, 0, &item, err);
    if (!status)
        status = gt_buf_append(text, item.text.data, item.text.len, err);
    bytes_release(bytes, &item);
    return status;
}

void gt_bytes_mark(struct gt_bytes *bytes)
{
    bytes->mark = bytes->at;
    bytes->mark.offset -= (int64_t)(bytes->raw.len - bytes->raw_pos);
}

int gt_bytes_rewind(struct gt_bytes *bytes, struct gt_err *err)
{
    if (!bytes->input->seekable)
        return gt_fail(err, GT_FAIL, "'%s' is a stream and cannot be read again", bytes->input->name);
    bytes->at = bytes->mark;
    bytes->raw.len = bytes->raw_pos = 0;
    if (bytes->kind == GZIP) {
        bytes->skip = bytes->mark.text;
        bytes->at = (struct place){0};
        bytes->member_open = false;
        if (bytes->z_open)
            inflateReset(&bytes->z);
    }
    return 0;
}

int gt_bytes_start(struct gt_bytes *bytes, int64_t memory, struct gt_err *err)
{
    static const struct gt_flow_ops inflating = {.name = "bgzf",
                                                 .read_name = "read",
                                                 .work_name = "inflate",
                                                 .item_size = sizeof(struct bytes_item),
                                                 .read = bytes_read,
                                                 .work = bytes_work,
                                                 .release = bytes_release};
    static const struct gt_flow_ops reading = {
        .name = "text", .read_name = "read", .item_size = sizeof(struct bytes_item), .read = bytes_read, .release = bytes_release};
    /* small pieces where memory is scarce, so that a few still fit side by side */
    size_t piece = PIECE;
    while (piece > (size_t)1 << 16 && (int64_t)piece * 8 > memory)
        piece /= 2;
    bytes->piece = piece;
    struct gt_flow_opts opts = {.tickets = -1, .readers = 1, .memory = memory, .ticket_bytes = piece + piece / 2};
    return gt_flow_start(&bytes->flow, bytes->engine, bytes->kind == BGZF ? &inflating : &reading, &opts, bytes, err);
}

int gt_bytes_next(struct gt_bytes *bytes, const struct gt_buf **piece, struct gt_err *err)
{
    for (;;) {
        void *item;
        int64_t ticket;
        int status = gt_flow_next(bytes->flow, &item, &ticket, err);
        if (status)
            return status;
        *piece = &((struct bytes_item *)item)->text;
        if ((*piece)->len)
            return 0;
        gt_flow_done(bytes->flow, item);
    }
}

void gt_bytes_done(struct gt_bytes *bytes, const struct gt_buf *piece)
{
    gt_flow_done(bytes->flow, (void *)(uintptr_t)piece);
}

void gt_bytes_stop(struct gt_bytes *bytes)
{
    gt_flow_free(bytes->flow);
    bytes->flow = NULL;
}
