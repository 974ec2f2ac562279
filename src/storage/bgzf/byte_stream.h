/* The bytes that a file or pipe holds: plain text, BGZF or gzip, decompressed.
 *
 * BGZF is a flow: blocks are read in order, inflated and checked on the computing
 * threads, delivered in order.  Plain text and gzip are read by the flow's reader
 * alone.  Damage is GT_INPUT and names the offset; a BGZF file without its
 * end-of-file block is truncated. */
#ifndef GT_GENO_BYTES_H
#define GT_GENO_BYTES_H

#include "core/engine/engine.h"
#include "storage/bgzf/csi_read.h"
#include "storage/input/input.h"

struct gt_bytes;

/* Text of a piece; where memory is scarce. */
#define GT_BYTES_SEGMENT ((size_t)1 << 19)
#define GT_BYTES_MIN ((size_t)1 << 16)

/* The input is borrowed and must outlive the stream. */
int gt_bytes_open(struct gt_bytes **out, struct gt_engine *engine, struct gt_input *input, struct gt_err *err);
void gt_bytes_free(struct gt_bytes *bytes);

/* Before gt_bytes_start, on the caller's thread: appends the next piece to `text`;
 * GT_END when there is none. */
int gt_bytes_pull(struct gt_bytes *bytes, struct gt_buf *text, struct gt_err *err);
/* The place that gt_bytes_rewind returns to: after what was pulled. */
void gt_bytes_set_start(struct gt_bytes *bytes);
int gt_bytes_rewind(struct gt_bytes *bytes, struct gt_err *err); /* seekable inputs, stopped */
/* How many bytes of the input lie before what is read next. */
int64_t gt_bytes_before(const struct gt_bytes *bytes);

/* About how many bytes of text there are in all, when `pulled` of them were pulled until the
 * mark; 0 = no idea, the input does not tell its size. */
int64_t gt_bytes_guess(const struct gt_bytes *bytes, size_t pulled);

/* BGZF or plain text that can be read again and again at any place.  A place is a virtual offset of BGZF, or an offset of plain text. */
bool gt_bytes_can_seek(const struct gt_bytes *bytes);
bool gt_bytes_is_bgzf(const struct gt_bytes *bytes);
/* The place of byte n of the text that gt_bytes_pull gave before gt_bytes_set_start. */
uint64_t gt_bytes_place(const struct gt_bytes *bytes, size_t n);
/* The byte of the input that a place is at: of BGZF, the first byte of its block. */
int64_t gt_bytes_place_offset(const struct gt_bytes *bytes, uint64_t place);
/* After gt_bytes_rewind: the next piece begins at a place that gt_bytes_segment_offset gave.  GT_INPUT: it is none of this input. */
int gt_bytes_seek(struct gt_bytes *bytes, uint64_t place, struct gt_err *err);
/* If it can seek: the first place where a line begins after a line end that is at `offset` of the input or later, of BGZF in a block that
 * begins there or later; UINT64_MAX: there is none.  The stream does not move.  GT_INPUT: there are no blocks. */
int gt_bytes_next_line(const struct gt_bytes *bytes, int64_t offset, uint64_t *place, struct gt_err *err);
/* Of BGZF: is there nothing but the end-of-file block from that place on? */
int gt_bytes_ends_at(struct gt_bytes *bytes, uint64_t place, bool *ends, struct gt_err *err);
/* After gt_bytes_rewind, if it can seek: only these stretches, in order, are read until the next one; one to UINT64_MAX ends with the
 * input.  Borrowed. */
void gt_bytes_limit(struct gt_bytes *bytes, const struct gt_stretch *stretches, size_t n);
/* Until gt_bytes_rewind, what is read does not count as bytes of the pass (gt_engine_passed): the caller counts them. */
void gt_bytes_uncounted(struct gt_bytes *bytes);

/* GT_INPUT: what stands there is not what its index says. */
int gt_bytes_misfit(const struct gt_bytes *bytes, struct gt_err *err);

/* A piece of the text.  Its holder may change it. */
struct gt_text_segment {
    struct gt_buf text; /* empty only where it is cut; GT_KERNEL_PAD bytes after it are readable */
    bool cut;           /* what follows is not from the place after it: a stretch ends here */
    /* Where lines were asked for: the first line end is the last of [0, head), the last
     * one that of [head, tail); head is 0 when there is none in the piece.  lines: those
     * that begin in [head, tail), records: those of them that are not blank. */
    size_t head, tail;
    int64_t lines, records;
};

/* Memory for reading ahead: at the least, and when all threads are kept busy. */
void gt_bytes_needs(const struct gt_bytes *bytes, int64_t *minimum, int64_t *preferred);
/* Read ahead from here on, and look for the lines.  memory: for pieces in flight. */
int gt_bytes_start(struct gt_bytes *bytes, bool lines, int64_t memory, struct gt_err *err);
size_t gt_bytes_segment_bytes(const struct gt_bytes *bytes); /* text of a piece, at most */
/* The next piece; it is the caller's until gt_bytes_done, which any thread may call.
 * GT_END after the last.  Pieces that are held take of the memory: the next one may wait
 * for them. */
int gt_bytes_next(struct gt_bytes *bytes, struct gt_text_segment **piece, struct gt_err *err);
/* Place of byte n of a segment, up to its end.  UINT64_MAX: the input cannot be resumed at a position. */
uint64_t gt_bytes_segment_offset(const struct gt_bytes *bytes, const struct gt_text_segment *piece, size_t n);
void gt_bytes_done(struct gt_bytes *bytes, struct gt_text_segment *piece);
void gt_bytes_stop(struct gt_bytes *bytes);

#endif
