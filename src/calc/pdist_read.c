#include <string.h>

#include "base/size.h"
#include "calc/pdist_impl.h"
#include "kernels/kernels.h"

static size_t row_bytes(const struct gt_pdist_reader *reader)
{
    return (size_t)gt_ceil_div(reader->samples, 4);
}

int gt_pdist_reread(struct gt_pdist_reader *reader, int64_t pass, struct gt_err *err)
{
    reader->pass = pass;
    reader->sites = reader->taken = 0;
    reader->held = NULL;
    reader->ended = false;
    return pass && !reader->spooling ? gt_source_rewind(reader->source, err) : GT_OK;
}

/* Rows of the held block onto the piece, up to the planned number of sites.  A block that
 * is large enough is taken over as it is; a taller one in parts. */
static int take_rows(struct gt_pdist_reader *reader, struct gt_pdist_piece *piece, struct gt_err *err)
{
    struct gt_block *from = reader->held;
    int64_t room = reader->block_sites - piece->sites, n = from->n - reader->taken;
    if (!piece->sites && !reader->taken && n <= room && n * 4 >= room) {
        gt_buf_swap(&piece->rows, &from->rows);
        piece->sites = reader->taken = n;
        piece->stride = from->stride;
        return GT_OK;
    }
    size_t width = row_bytes(reader);
    n = n < room ? n : room;
    piece->stride = width; /* a block that was taken over leaves the loop of read_source */
    int status = gt_buf_resize(&piece->rows, (size_t)(piece->sites + n) * width + GT_KERNEL_PAD, err);
    if (status)
        return status;
    for (int64_t v = 0; v < n; v++)
        memcpy(piece->rows.data + (size_t)(piece->sites + v) * width, gt_block_row(from, reader->taken + v), width);
    piece->sites += n;
    reader->taken += n;
    return GT_OK;
}

static int read_source(struct gt_pdist_reader *reader, struct gt_pdist_piece *piece, struct gt_err *err)
{
    int status = GT_OK;
    while (!reader->ended && !status && piece->sites * 4 < reader->block_sites) {
        if (!reader->held) {
            status = gt_source_next(reader->source, &reader->held, err);
            reader->taken = 0;
        }
        if (status == GT_END) {
            reader->ended = true;
            return GT_OK;
        }
        if (status)
            return status;
        status = take_rows(reader, piece, err);
        if (reader->taken == reader->held->n) {
            gt_source_done(reader->source, reader->held);
            reader->held = NULL;
        }
    }
    return status;
}

/* The next rows of what the first pass kept. */
static int read_spool(struct gt_pdist_reader *reader, struct gt_pdist_piece *piece, struct gt_err *err)
{
    size_t width = row_bytes(reader);
    int64_t left = (width ? reader->spool.end / (int64_t)width : 0) - reader->sites;
    piece->sites = left < reader->block_sites ? left : reader->block_sites;
    piece->stride = width;
    int status = gt_buf_resize(&piece->rows, (size_t)piece->sites * width + GT_KERNEL_PAD, err);
    return status ? status
                  : gt_spoolfile_read(&reader->spool, piece->rows.data, (size_t)piece->sites * width, reader->sites * (int64_t)width, err);
}

int gt_pdist_read(struct gt_pdist_reader *reader, struct gt_pdist_piece *piece, struct gt_err *err)
{
    piece->sites = 0;
    piece->rows.len = 0;
    int status = reader->spooling && reader->pass ? read_spool(reader, piece, err) : read_source(reader, piece, err);
    if (status)
        return status;
    reader->sites += piece->sites;
    return piece->sites ? GT_OK : GT_END;
}

int gt_pdist_keep(struct gt_pdist_reader *reader, struct gt_pdist_piece *piece, struct gt_err *err)
{
    size_t width = row_bytes(reader);
    for (int64_t v = 1; v < piece->sites && piece->stride != width; v++)
        memmove(piece->rows.data + (size_t)v * width, piece->rows.data + (size_t)v * piece->stride, width);
    int status = gt_spoolfile_open(&reader->spool, err);
    return status ? status : gt_spoolfile_write(&reader->spool, piece->rows.data, (size_t)piece->sites * width, reader->spool.end, err);
}
