/* A stage: a step that blocks of variants pass through between an input and the consumer.
 *
 * A reader is the first stage: it reads ahead, decodes and filters on the threads of the engine.  Any other stage takes
 * blocks from the previous stage (`in`), on the consumer's thread, and passes them on; geno/source builds chains of stages.
 * A pass is start, next until GT_END or an error, and stop. */
#ifndef GT_GENO_STAGE_H
#define GT_GENO_STAGE_H

#include "geno/model/block.h"

struct gt_geno_info;
struct gt_stage;

/* Memory needed by a pass, in bytes. */
struct gt_stage_needs {
    int64_t minimum, preferred;
    int64_t block; /* maximum number of variants of a block, approximately */
};

/* The position of a delivered block, from which a later pass or another process can continue.  Integers only, since it is
 * written to journals. */
struct gt_checkpoint {
    int64_t skip;      /* variants of the block that were already delivered */
    int64_t input;     /* index of the variant in all inputs together; -1: not known, or the output depends on earlier variants */
    int64_t delivered; /* variants delivered before the block */
    int64_t segment, first, record,
        line;                 /* index of the input and of its first variant; index and line of the block's first variant in it */
    uint64_t virtual_offset;  /* struct gt_block */
    int64_t contigs, filters; /* lengths of these tables */
    int64_t high_contig, high_position, top_contig, top_position; /* last site before the segment, and including what was read of it */
    struct gt_select_stats stats;                                 /* of everything before the block */
};

/* Parameters of a pass. */
struct gt_start {
    unsigned fields; /* enum gt_site_fields requested */
    int64_t memory;  /* at least needs.minimum */
    bool deal; /* a reader that is made for it may parse a part and get the blocks of other ranks: all make the same pass, to its end */
    /* A checkpoint of an identical chain; NULL: start at the first variant.  A stage that cannot start there sets it to NULL
     * and starts at the first variant. */
    const struct gt_checkpoint *at;
};

struct gt_stage_ops {
    /* Memory of a pass with these fields.  Memory above the minimum is used as available. */
    void (*needs)(const struct gt_stage *stage, unsigned fields, struct gt_stage_needs *needs);
    /* Starts a pass; ends the previous one, all of whose blocks have been released.  `at` is borrowed until start returns. */
    int (*start)(struct gt_stage *stage, struct gt_start *start, struct gt_err *err);
    /* The next block in order; GT_END after the last.  One caller at a time.  The consumer owns the block and may modify it
     * until it is released to its owner. */
    int (*next)(struct gt_stage *stage, struct gt_block **block, struct gt_err *err);
    /* Returns a block owned by this stage; any thread. */
    void (*release)(struct gt_stage *stage, struct gt_block *block);
    /* Ends the pass: stops threads and frees memory.  All blocks must have been released.  No effect without a pass. */
    void (*stop)(struct gt_stage *stage);
    /* Stops and frees this stage, but not the previous one. */
    void (*close)(struct gt_stage *stage);
    /* Checkpoint of the block delivered last.  NULL for readers, whose position is in the block. */
    void (*checkpoint)(const struct gt_stage *stage, struct gt_checkpoint *checkpoint);
};

struct gt_stage {
    const struct gt_stage_ops *ops;
    const struct gt_geno_info *info; /* describes the output of the stage; tables may grow in next */
    struct gt_stage *in;             /* previous stage; NULL for a reader */
    bool can_restart;                /* supports more than one pass; false for a pipe */
    struct gt_select_stats stats;    /* counts of this stage in this pass; the statistics of a chain are their sum */
};

static inline void gt_stage_release(struct gt_block *block)
{
    block->owner->ops->release(block->owner, block);
}

#endif
