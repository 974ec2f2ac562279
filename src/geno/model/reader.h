/* Readers: the interface of all genotype input formats. */
#ifndef GT_GENO_READER_H
#define GT_GENO_READER_H

#include "core/engine/engine.h"
#include "geno/model/geno_info.h"
#include "geno/model/stage.h"

struct gt_filter;

/* Base of every reader, a stage without predecessor.  Blocks are delivered filtered: gt_filter_block runs on the worker threads
 * of the reader.  A reader uses virtual_offset, line and record of a checkpoint, or nothing if virtual_offset is UINT64_MAX: the filter
 * knows the first variant needed. */
struct gt_reader {
    struct gt_stage stage;
    struct gt_engine *engine;
    struct gt_geno_info info;       /* the whole input, before selection */
    struct gt_strs warnings;        /* in order; used on the thread of next only */
    const struct gt_filter *filter; /* borrowed; set before start */
    bool deal;                      /* set by the source: passes with gt_start.deal will come */
    bool can_deal;                  /* set at open: is made for them */
    bool recounts;                  /* reads all calls in every pass: those before a checkpoint are counted again */
    bool not_indexed;               /* set by start: an index is used to skip variants, and block.first counts only those read */
    int64_t n_skipped;              /* set by start: variants that are not read, see gt_filter_window */
    int64_t counted;                /* at GT_END: variants of the whole input if it was read to its end; else -1 */
};

/* Initialises a zeroed reader.  The tables of info are counted in the budget of the engine. */
void gt_reader_init(struct gt_reader *reader, const struct gt_stage_ops *ops, struct gt_engine *engine, bool can_restart);
void gt_reader_base_release(struct gt_reader *reader); /* info and warnings */

#endif
