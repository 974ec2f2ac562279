/* The engine that a fuzz target runs on, started once, and a path read to its end. */
#ifndef GT_FUZZ_ENGINE_H
#define GT_FUZZ_ENGINE_H

#include <stdlib.h>

#include "geno/source/source.h"

__attribute__((unused)) static struct gt_engine *fuzz_engine(void)
{
    static struct gt_engine one;
    static int started;
    struct gt_limits limits = {.threads = 1, .io_threads = 1, .memory = (int64_t)2 << 30, .threads_from = "", .memory_from = ""};
    if (!started && gt_engine_init(&one, &limits, "/tmp", NULL))
        abort();
    started = 1;
    one.budget.limit = 8 << 20;
    return &one;
}

/* Every block goes to see(ctx, block), which may be NULL.  Returns GT_END or the
 * failure, which must have a message; nothing may be left in the budget. */
__attribute__((unused)) static int fuzz_read(const struct gt_source_opts *opts, void (*see)(void *ctx, const struct gt_block *block),
                                             void *ctx, struct gt_select_stats *stats, struct gt_err *err)
{
    struct gt_source *source = NULL;
    struct gt_block *block;
    int status = gt_source_open(&source, fuzz_engine(), opts, err);
    while (!status && (status = gt_source_next(source, &block, err)) == 0) {
        if (see)
            see(ctx, block);
        gt_source_done(source, block);
    }
    if (stats && status == GT_END)
        *stats = *gt_source_stats(source);
    gt_source_free(source);
    if ((status > 0 && !err->msg[0]) || fuzz_engine()->budget.used != 0)
        abort();
    return status;
}

#endif
