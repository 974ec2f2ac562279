/* Readers: what each kind of genotype input provides. */
#ifndef GT_GENO_READER_H
#define GT_GENO_READER_H

#include "core/engine/engine.h"
#include "geno/model/geno_info.h"
#include "geno/model/stage.h"

struct gt_filter;

/* Base of every reader, a stage without one before it.  Blocks come out filtered: gt_filter_block is called on the
 * reader's worker threads.  Of a checkpoint a reader looks at place, line and record, and not at all where place is
 * UINT64_MAX: the filter knows from which variant on blocks are wanted. */
struct gt_reader {
    struct gt_stage stage;
    struct gt_engine *engine;
    struct gt_geno_info info;       /* of the whole input, before selection */
    struct gt_strs warnings;        /* in order; touched on the thread of next only */
    const struct gt_filter *filter; /* borrowed; set before start */
    bool recounts;                  /* it looks at all calls in every pass: those before a checkpoint are counted again */
    bool not_indexed;               /* set by start: block.first counts what is read, an index leaves out the rest */
    int64_t n_skipped;              /* set by start: variants that it will not look at, see gt_filter_window */
    int64_t counted;                /* at GT_END: variants of the whole input, where it got to its end; else -1 */
};

/* Of a zeroed reader.  The tables of info are counted in the engine's budget. */
void gt_reader_init(struct gt_reader *reader, const struct gt_stage_ops *ops, struct gt_engine *engine, bool can_restart);
void gt_reader_base_release(struct gt_reader *reader); /* info and warnings */

#endif
