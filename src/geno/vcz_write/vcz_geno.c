/* packed_dosage of a row_group.  Everything after its last variant is written as zeros. */
#include <string.h>

#include "core/base/size.h"
#include "geno/vcz_write/vcz_internal.h"

int vcz_encode_dosage(const struct gt_vcz *vcz, int64_t row_group, const struct gt_block *block, struct gt_buf *bytes, struct gt_err *err)
{
    size_t width = (size_t)vcz->opts.chunk_samples / 4, n = (size_t)vcz->opts.chunk_variants, row = (size_t)(vcz->n_samples + 3) / 4;
    struct gt_buf *raw = &bytes[VCZ_RAW];
    int status = 0;

    if (vcz->sample_chunks == 1 && block->stride == row && width == row && (size_t)block->n == n) { /* rows as they are */
        struct gt_buf view = {.data = block->rows.data, .len = n * row, .cap = n * row};
        return vcz_add_chunk(vcz, VCZ_DOSAGE, row_group, 0, &view, bytes, err);
    }
    for (size_t c = 0; c < (size_t)vcz->sample_chunks && !status; c++) {
        size_t from = c * width, part = row - from < width ? row - from : width;
        status = gt_buf_resize(raw, n * width, err);
        if (status)
            return status;
        memset(raw->data, 0, n * width);
        for (size_t v = 0; v < (size_t)block->n; v++)
            memcpy(raw->data + v * width, gt_block_row(block, (int64_t)v) + from, part);
        status = vcz_add_chunk(vcz, VCZ_DOSAGE, row_group, (int64_t)c, raw, bytes, err);
    }
    return status;
}
