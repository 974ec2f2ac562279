/* A stage: a step that blocks of variants go through on their way from an input to the consumer.
 *
 * A reader is the first stage of its input: it reads ahead, decodes and filters on the engine's threads.  Any other
 * stage takes blocks from the one before it (`in`), on the thread of its consumer, and passes them on; geno/source
 * builds chains of them.  A pass is start, next until GT_END or an error, and stop. */
#ifndef GT_GENO_STAGE_H
#define GT_GENO_STAGE_H

#include "geno/model/block.h"

struct gt_geno_info;
struct gt_stage;

/* What a pass takes of memory, in bytes. */
struct gt_stage_needs {
    int64_t minimum, preferred;
    int64_t block; /* variants of a block, at most, about */
};

/* A position before a block that a chain has delivered, for a later pass or another process to start at.  Whole numbers
 * alone: it is written into journals. */
struct gt_checkpoint {
    int64_t skip;                         /* variants of the block that were delivered as well */
    int64_t input;                        /* variant of all inputs together; -1 = not known, or what comes depends on those before */
    int64_t delivered;                    /* variants before the block */
    int64_t segment, first, record, line; /* number of the input, and of its first variant; the block's first variant in it */
    uint64_t virtual_offset;                       /* struct gt_block */
    int64_t contigs, filters;             /* lengths of the tables */
    int64_t high_contig, high_position, top_contig, top_position; /* last site before the segment, and with what was read of it */
    struct gt_select_stats stats;                                 /* of what is before the block */
};

/* How a pass begins. */
struct gt_start {
    unsigned fields; /* enum gt_site_fields that the consumer needs */
    int64_t memory;  /* needs.least or more */
    /* Of a chain that was built in the same way; NULL: the first variant.  A stage that cannot begin there sets it to NULL
     * and begins with the first variant. */
    const struct gt_checkpoint *at;
};

struct gt_stage_ops {
    /* Of a pass with these fields.  What is given beyond the least is used as it comes. */
    void (*needs)(const struct gt_stage *stage, unsigned fields, struct gt_stage_needs *needs);
    /* Begins a pass, and ends the one before, with all its blocks released.  `at` is borrowed until start returns. */
    int (*start)(struct gt_stage *stage, struct gt_start *start, struct gt_err *err);
    /* The next block, in order; GT_END after the last.  One caller at a time.  The block is the consumer's, who may change
     * it, until its owner releases it. */
    int (*next)(struct gt_stage *stage, struct gt_block **block, struct gt_err *err);
    /* A block that this stage is the owner of; any thread. */
    void (*release)(struct gt_stage *stage, struct gt_block *block);
    /* Ends the pass: threads stop, memory is given back.  All blocks were released.  Nothing to do without a pass. */
    void (*stop)(struct gt_stage *stage);
    /* Stops and frees the stage, and not the one before it. */
    void (*close)(struct gt_stage *stage);
    /* Of the block that next delivered last.  NULL: a reader, whose position is in its blocks. */
    void (*checkpoint)(const struct gt_stage *stage, struct gt_checkpoint *checkpoint);
};

struct gt_stage {
    const struct gt_stage_ops *ops;
    const struct gt_geno_info *info; /* of what leaves the stage; tables may grow in next */
    struct gt_stage *in;             /* NULL: a reader */
    bool can_restart;                /* more than one pass can be made: not of a pipe */
    struct gt_select_stats stats;    /* what this stage counted in this pass; those of a chain are added up */
};

static inline void gt_stage_release(struct gt_block *block)
{
    block->owner->ops->release(block->owner, block);
}

#endif
