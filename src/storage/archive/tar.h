/* The parts of the tar reader.  Private to src/store. */
#ifndef GT_STORE_TAR_H
#define GT_STORE_TAR_H

#include "core/base/budget.h"
#include "core/base/spoolfile.h"
#include "core/base/str.h"
#include "storage/input/input.h"

struct gt_tar_stream {
    struct gt_input input;
    struct archive *archive;
    uint8_t *block;      /* what read gave last */
    int64_t total;       /* bytes read so far */
    int64_t nonzero_end; /* offset after the last byte that is not zero */
    bool eof;
    struct gt_err io;  /* failure of a read */
    struct gt_str key; /* of the current entry */
    char *root;        /* "x.zarr/" when the stream begins with that directory, else NULL */
    bool begun;
};

/* Takes over *input, also on failure. */
int gt_tar_stream_open(struct gt_tar_stream *stream, struct gt_input *input, struct gt_err *err);
/* The next regular file: its key ("./" and the root directory taken off), valid
 * until the next call.  GT_END once the end mark was seen and the input read to
 * its end.  Data that were not read are skipped. */
int gt_tar_stream_next(struct gt_tar_stream *stream, const char **key, int64_t *size, struct gt_err *err);
/* The data of the current entry, which has that size, into the buffer; GT_NOFIT when it cannot hold them. */
int gt_tar_stream_take(struct gt_tar_stream *stream, int64_t size, struct gt_buf *buf, struct gt_err *err);
/* Or after what is in the file, which is opened if need be: from *offset on. */
int gt_tar_stream_spool(struct gt_tar_stream *stream, int64_t size, struct gt_spoolfile *spool, int64_t *offset, struct gt_err *err);
void gt_tar_stream_release(struct gt_tar_stream *stream);

#endif
