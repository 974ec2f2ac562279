/* Genotypes as a feed: the packed rows of a source. */
#include <stdlib.h>

#include "base/mem.h"
#include "calc/feed.h"
#include "geno/regroup.h"

struct geno {
    struct gt_feed base;
    struct gt_engine *engine;
    struct gt_source *source;
    struct gt_regroup *regroup;
};

/* Integer sums do not depend on where blocks end: what fills a quarter is handed on as it is. */
static int start(struct gt_feed *base, const struct gt_feed_opts *opts, struct gt_err *err)
{
    struct geno *feed = (struct geno *)base;
    const struct gt_regroup_opts blocks = {
        .variants = opts->block_sites, .least = (opts->block_sites + 3) / 4, .again = opts->again, .keep = opts->keep};
    gt_source_grant(feed->source, opts->memory);
    return gt_regroup_open(&feed->regroup, feed->engine, feed->source, &blocks, err);
}

static int next(struct gt_feed *base, struct gt_rows *rows, const void **held, struct gt_err *err)
{
    const struct gt_block *block;
    int status = gt_regroup_next(((struct geno *)base)->regroup, &block, err);
    if (status)
        return status;
    *rows = (struct gt_rows){block->rows.data, block->stride, block->n};
    *held = block;
    return 0;
}

static void done(struct gt_feed *base, const void *held)
{
    gt_regroup_done(((struct geno *)base)->regroup, held);
}

static int rewind_feed(struct gt_feed *base, struct gt_err *err)
{
    return gt_regroup_rewind(((struct geno *)base)->regroup, err);
}

static void free_feed(struct gt_feed *base)
{
    gt_regroup_free(((struct geno *)base)->regroup);
    free(base);
}

int gt_feed_genotypes(struct gt_feed **out, struct gt_engine *engine, struct gt_source *source, struct gt_err *err)
{
    static const struct gt_feed_ops ops = {start, next, done, rewind_feed, free_feed};
    const struct gt_source_info *info = gt_source_info(source);
    struct geno *feed = gt_alloc(1, sizeof *feed, err);
    if (!feed)
        return GT_FAIL;
    feed->base.ops = &ops;
    feed->base.info = (struct gt_feed_info){.rows = GT_ROWS_PACKED,
                                            .samples = info->n_samples,
                                            .sites = info->n_variants,
                                            .row_bytes = ((size_t)info->n_samples + 3) / 4,
                                            .read_least = info->read_least,
                                            .read_wanted = info->read_wanted,
                                            .ids = &info->samples,
                                            .name = info->name};
    feed->engine = engine;
    feed->source = source;
    *out = &feed->base;
    return 0;
}
