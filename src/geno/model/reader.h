/* Readers: what each kind of genotype input provides to gt_source. */
#ifndef GT_GENO_READER_H
#define GT_GENO_READER_H

#include "core/engine/engine.h"
#include "geno/model/block.h"
#include "geno/model/geno_info.h"

struct gt_filter;
struct gt_reader;

/* What a pass takes of memory, see gt_geno_info. */
struct gt_reader_needs {
    int64_t least, wanted;
    int64_t block; /* variants of a block, at most, about */
};

struct gt_reader_ops {
    /* ... with these site fields.  What is given beyond the least is used as it comes. */
    void (*needs)(const struct gt_reader *reader, unsigned fields, struct gt_reader_needs *needs);
    /* Begin reading ahead from the first variant.  Blocks come out filtered
     * (gt_filter_block is called on the reader's worker threads), with the site
     * fields asked for.  memory: the reader's share of the budget. */
    int (*start)(struct gt_reader *reader, const struct gt_filter *filter, unsigned fields, int64_t memory, struct gt_err *err);
    /* Next block in order, GT_END after the last. */
    int (*next)(struct gt_reader *reader, struct gt_block **block, struct gt_err *err);
    void (*done)(struct gt_reader *reader, struct gt_block *block);
    /* Stop the flows; start may follow when can_restart. */
    void (*stop)(struct gt_reader *reader);
    void (*free)(struct gt_reader *reader);
};

/* Where a pass begins, rather than with the first variant: as a block said it (place, line, and first as `record`). */
struct gt_reader_from {
    bool given;
    uint64_t place;
    int64_t line, record;
};

/* Base of every reader; filled in by its open function. */
struct gt_reader {
    const struct gt_reader_ops *ops;
    struct gt_engine *engine;
    struct gt_geno_info info;   /* of the whole input, before selection */
    struct gt_strs warnings;    /* in order; touched on the thread of next only */
    bool can_restart;           /* a file or a directory; a pipe cannot */
    struct gt_reader_from from; /* of the next start, only given where a block had a place */
    bool recounts;              /* it looks at all calls in every pass: those before a mark are counted again */
    bool unnumbered;            /* set by start: block.first counts what is read, an index leaves out the rest */
    int64_t passed_over;        /* set by start: variants that it will not look at, see gt_filter_window */
    int64_t counted;            /* at GT_END: variants of the whole input, where it got to its end; else -1 */
};

void gt_reader_base_release(struct gt_reader *reader); /* info and warnings */

#endif
