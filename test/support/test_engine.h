/* An engine for tests, with a GiB of memory. */
#ifndef GT_TEST_ENGINE_H
#define GT_TEST_ENGINE_H

#include "core/engine/engine.h"
#include "test/support/tap.h"

static void start_engine(struct gt_engine *engine, int threads)
{
    const struct gt_limits limits = {
        .threads = threads, .io_threads = 2, .memory = INT64_C(1) << 30, .threads_from = "test", .memory_from = "test"};
    struct gt_err err = {0};
    if (gt_engine_init(engine, &limits, NULL, &err)) {
        printf("Bail out! %s\n", err.msg);
        exit(1);
    }
}

#endif
