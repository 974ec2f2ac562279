#include "config.h"

#include "geno/source/row_spool.h"

#include <string.h>

#include "core/base/size.h"

void gt_row_spool_init(struct gt_row_spool *spool, struct gt_engine *engine, size_t row_bytes)
{
    *spool = (struct gt_row_spool){.file = {.fd = -1, .tmpdir = engine->tmpdir}, .row_bytes = row_bytes, .scratch.budget = &engine->budget};
}

void gt_row_spool_release(struct gt_row_spool *spool)
{
    gt_buf_release(&spool->scratch);
    gt_spoolfile_release(&spool->file);
}

int gt_row_spool_put(struct gt_row_spool *spool, const struct gt_block *block, struct gt_err *err)
{
    size_t bytes = (size_t)block->n * spool->row_bytes;
    const uint8_t *rows = block->rows.data;
    int status = gt_spoolfile_open(&spool->file, err);
    if (!status && block->stride != spool->row_bytes) {
        status = gt_buf_resize(&spool->scratch, bytes, err);
        for (int64_t v = 0; v < block->n && !status; v++)
            memcpy(spool->scratch.data + (size_t)v * spool->row_bytes, gt_block_row(block, v), spool->row_bytes);
        rows = spool->scratch.data;
    }
    return status ? status : gt_spoolfile_write(&spool->file, rows, bytes, spool->file.end, err);
}

int gt_row_spool_next(struct gt_row_spool *spool, int64_t n, struct gt_block *block, struct gt_err *err)
{
    block->n = gt_min_i64((spool->file.end - spool->at) / (int64_t)spool->row_bytes, n);
    block->stride = spool->row_bytes;
    if (!block->n)
        return GT_END;
    const size_t bytes = (size_t)block->n * spool->row_bytes;
    int status = gt_block_rows(block, block->n, err);
    if (!status)
        status = gt_spoolfile_read(&spool->file, block->rows.data, bytes, spool->at, err);
    spool->at += (int64_t)bytes;
    return status;
}

void gt_row_spool_rewind(struct gt_row_spool *spool)
{
    spool->at = 0;
}
