/* What the files of gt_bytes share. */
#ifndef GT_GENO_BYTES_IMPL_H
#define GT_GENO_BYTES_IMPL_H

#include <zlib.h>

#include "storage/bgzf/byte_stream.h"

struct libdeflate_decompressor;

struct gt_bytes_virtual_offset {
    int64_t offset; /* of the next byte to read from the input */
    int64_t text;   /* bytes delivered, for gzip */
    bool end_block; /* the last BGZF block was empty */
};

struct gt_bytes {
    struct gt_engine *engine;
    struct gt_input *input;
    enum { BYTES_PLAIN, BYTES_BGZF, BYTES_GZIP } kind;
    struct gt_bytes_virtual_offset at, mark;
    struct gt_buf raw; /* read and not yet used: [raw_pos, raw.len) */
    size_t raw_pos;
    size_t piece; /* text of a task */
    bool lines;
    struct gt_flow *flow;
    bool uncounted; /* what is read is no part of the pass */
    bool limited;   /* to these: */
    const struct gt_stretch *stretches;
    size_t n_stretches, stretch; /* the one that is read */
    bool inside;                 /* of it */
    /* BGZF */
    struct gt_buf pulled; /* struct gt_bytes_block, until the mark */
    size_t drop;          /* of the next block's text: what is before the place that was sought */
    /* gzip */
    z_stream z;
    bool z_open, member_open;
    int64_t skip; /* text to throw away after a rewind */
};

/* A block that was pulled. */
struct gt_bytes_block {
    int64_t offset;
    size_t text;
};

struct gt_bytes_item {
    struct gt_text_segment piece; /* first: next hands it out */
    struct gt_buf raw;            /* whole BGZF blocks */
    int64_t offset;               /* of the first of them in the input; of plain text, of the piece */
    size_t drop, last;            /* of their text: bytes at the beginning that are left out, bytes of the last block that are taken */
    struct libdeflate_decompressor *inflater;
    bool ready;
};

/* At least `need` bytes in raw, or what is left of the input. */
int gt_bytes_fill(struct gt_bytes *bytes, size_t need, struct gt_err *err);
int gt_bytes_truncated(const struct gt_bytes *bytes, const char *how, struct gt_err *err);

static inline const uint8_t *gt_bytes_raw(const struct gt_bytes *bytes, size_t *n)
{
    *n = bytes->raw.len - bytes->raw_pos;
    return *n ? bytes->raw.data + bytes->raw_pos : NULL;
}
/* Of the first byte in raw. */
static inline int64_t gt_bytes_offset(const struct gt_bytes *bytes)
{
    return bytes->at.offset - (int64_t)(bytes->raw.len - bytes->raw_pos);
}

/* Up to n bytes of the input; fewer at its end only. */
int gt_bytes_read_some(struct gt_bytes *bytes, uint8_t *data, size_t n, size_t *got, struct gt_err *err);

/* byte_stream_bgzf.c: the blocks of a task, GT_END after the last; their text. */
int gt_bytes_read_bgzf(struct gt_bytes *bytes, struct gt_bytes_item *item, struct gt_err *err);
int gt_bytes_inflate(const struct gt_bytes *bytes, struct gt_bytes_item *item, struct gt_err *err);
/* byte_stream_plain.c, byte_stream_gzip.c: the text of a task. */
int gt_bytes_read_plain(struct gt_bytes *bytes, struct gt_bytes_item *item, struct gt_err *err);
int gt_bytes_read_gzip(struct gt_bytes *bytes, struct gt_buf *text, struct gt_err *err);
void gt_bytes_rewind_gzip(struct gt_bytes *bytes);
/* byte_stream_bgzf.c */
uint64_t gt_bytes_block_place(const struct gt_bytes_item *item, size_t n);

#endif
