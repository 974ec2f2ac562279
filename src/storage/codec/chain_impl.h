/* What building a chain and running it share.  Private to src/codec. */
#ifndef GT_CODEC_CHAIN_IMPL_H
#define GT_CODEC_CHAIN_IMPL_H

#include "storage/codec/step.h"

#define GT_CHAIN_STEPS 16

struct gt_codec_chain {
    int n;
    int last_writer; /* the first step in encoding order that writes when decoding, -1 for none */
    int last_active; /* the last one that is not idle, -1 for none */
    struct gt_step step[GT_CHAIN_STEPS];
    struct gt_str text; /* see gt_codec_describe */
};

#endif
