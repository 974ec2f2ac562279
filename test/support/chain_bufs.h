/* Buffers of a test that sends bytes through a chain and back. */
#ifndef GT_TEST_CHAIN_BUFS_H
#define GT_TEST_CHAIN_BUFS_H

#include <string.h>

#include "core/base/budget.h"
#include "storage/codec/codec.h"

struct bufs {
    struct gt_buf raw, coded, back, scratch[2];
};

static inline void bufs_release(struct bufs *b)
{
    gt_buf_release(&b->raw);
    gt_buf_release(&b->coded);
    gt_buf_release(&b->back);
    gt_buf_release(&b->scratch[0]);
    gt_buf_release(&b->scratch[1]);
}

static inline bool there_and_back(const struct gt_codec_chain *chain, struct bufs *b, struct gt_err *err)
{
    return chain && !gt_codec_encode(chain, &b->raw, &b->coded, b->scratch, err) &&
           !gt_codec_decode(chain, b->coded.data, b->coded.len, &b->back, b->scratch, err) && b->back.len == b->raw.len &&
           (b->raw.len == 0 || memcmp(b->back.data, b->raw.data, b->raw.len) == 0);
}

#endif
