#include "config.h"

#include "core/engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if HAVE_MALLOPT
#include <malloc.h>
#endif

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/flow_impl.h"

#define MIB (INT64_C(1) << 20)

/* What the process takes in addition to counted buffers: code and libraries as they are when it
 * starts, stacks and trace rings, the private memory of htslib, connections.  A fixed figure, so
 * that what was planned once fits again. */
static int64_t allowance(const struct gt_limits *limits)
{
    return 24 * MIB + (limits->threads + limits->io_threads) * MIB + limits->io_threads * limits->io_bytes;
}

/* By default glibc raises its mmap threshold to the largest block it has seen
 * freed, up to 32 MiB, and gives each thread an arena of its own: buffers that
 * are counted as given back would stay resident.  So: blocks from 256 KiB on
 * go straight back to the system, and few arenas. */
static void keep_resident_memory_honest(void)
{
#if HAVE_MALLOPT
    mallopt(M_MMAP_THRESHOLD, 256 << 10);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
    mallopt(M_ARENA_MAX, 4);
#endif
}

int gt_engine_init(struct gt_engine *engine, const struct gt_limits *limits, const char *tmpdir, struct gt_err *err)
{
    char given[GT_NUM_LEN], needed[GT_NUM_LEN];
    int64_t taken;
    int status;
    *engine = (struct gt_engine){.limits = *limits, .tmpdir = tmpdir};
    gt_comm_self(&engine->comm);
    if (!engine->tmpdir || !*engine->tmpdir)
        engine->tmpdir = getenv("TMPDIR");
    if (!engine->tmpdir || !*engine->tmpdir)
        engine->tmpdir = "/tmp";
    keep_resident_memory_honest();
    taken = allowance(limits);
    if (limits->memory <= taken) {
        gt_fail(err, GT_NOFIT, "%s of memory (%s) is too little: code, libraries and %d threads take about %s",
                gt_format_size(given, limits->memory), limits->memory_from, limits->threads, gt_format_size(needed, taken));
        gt_hint(err, "use --memory %lldM or more, or fewer threads with -@%s", (long long)(taken / MIB + 1),
                limits->io_bytes ? ", or fewer connections with --io" : "");
        return GT_NOFIT;
    }
    gt_budget_init(&engine->budget, limits->memory - taken);
    engine->needs = gt_alloc(1, sizeof *engine->needs, err);
    engine->plan = gt_plan_record_new(err);
    status = engine->needs && engine->plan ? gt_trace_init(&engine->trace, err) : GT_FAIL;
    if (!status)
        status = gt_pool_start(&engine->pool, limits->threads, err);
    if (!status)
        gt_flow_keep_memory(engine);
    if (status)
        gt_engine_release(engine);
    return status;
}

void gt_engine_release(struct gt_engine *engine)
{
    engine->budget.keeper = NULL;
    gt_pool_stop(engine->pool);
    engine->pool = NULL;
    gt_trace_release(&engine->trace);
    gt_comm_self(&engine->comm);
    free(engine->needs);
    engine->needs = NULL;
    gt_plan_record_free(engine->plan);
    engine->plan = NULL;
}

void gt_engine_pass(struct gt_engine *engine, int64_t size)
{
    atomic_store(&engine->pass.size, size);
    atomic_store(&engine->pass.done, 0);
    atomic_store(&engine->pass.began_ns, gt_trace_now(&engine->trace));
}

void gt_engine_passed(struct gt_engine *engine, int64_t bytes)
{
    atomic_fetch_add(&engine->pass.done, bytes);
}

void gt_engine_pass_over(struct gt_engine *engine)
{
    atomic_store(&engine->pass.size, 0);
}

void gt_engine_cancel(struct gt_engine *engine, int status)
{
    int none = 0;
    atomic_compare_exchange_strong(&engine->cancelled, &none, status > 0 ? status : GT_CANCEL);
    if (!engine->pool)
        return;
    pthread_mutex_lock(&engine->pool->lock);
    gt_pool_wake_all(engine->pool);
    gt_flow_memory_event(engine->pool);
    pthread_mutex_unlock(&engine->pool->lock);
}
