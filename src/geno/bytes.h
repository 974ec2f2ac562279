/* The bytes that a file or pipe holds: plain text, BGZF or gzip, decompressed.
 *
 * BGZF is a flow: blocks are read in order, inflated and checked on the computing
 * threads, delivered in order.  Plain text and gzip are read by the flow's reader
 * alone.  Damage is GT_INPUT and names the offset; a BGZF file without its
 * end-of-file block is truncated. */
#ifndef GT_GENO_BYTES_H
#define GT_GENO_BYTES_H

#include "engine/engine.h"
#include "store/input.h"

struct gt_bytes;

/* The input is borrowed and must outlive the stream. */
int gt_bytes_open(struct gt_bytes **out, struct gt_engine *engine, struct gt_input *input, struct gt_err *err);
void gt_bytes_free(struct gt_bytes *bytes);

/* Before gt_bytes_start, on the caller's thread: appends the next piece to `text`;
 * GT_END when there is none. */
int gt_bytes_pull(struct gt_bytes *bytes, struct gt_buf *text, struct gt_err *err);
/* The place that gt_bytes_rewind returns to: behind what was pulled. */
void gt_bytes_mark(struct gt_bytes *bytes);
int gt_bytes_rewind(struct gt_bytes *bytes, struct gt_err *err); /* seekable inputs, stopped */

/* Read ahead from here on.  memory: for pieces in flight. */
int gt_bytes_start(struct gt_bytes *bytes, int64_t memory, struct gt_err *err);
/* The next piece, not empty; it is the caller's until gt_bytes_done.  GT_END after the last. */
int gt_bytes_next(struct gt_bytes *bytes, const struct gt_buf **piece, struct gt_err *err);
void gt_bytes_done(struct gt_bytes *bytes, const struct gt_buf *piece);
void gt_bytes_stop(struct gt_bytes *bytes);

#endif
