/* Genotypes as a feed: the packed rows of a source. */
#include <stdlib.h>
#include <xxhash.h>

#include "calc/pairs/variant_ranges.h"
#include "calc/pdist/feed.h"
#include "core/base/mem.h"
#include "geno/source/source.h"

struct geno {
    struct gt_feed base;
    struct gt_engine *engine;
    struct gt_source *source;
    bool digest; /* the rows of this pass are to be counted in */
    struct gt_variant_ranges ranges;
};

static int add_ranges(void *ctx, const struct gt_block *block, struct gt_err *err)
{
    struct geno *feed = ctx;
    int status = GT_OK;
    for (int64_t v = 0; v < block->n && block->sites.len && !status; v++) {
        const struct gt_site *site = &gt_block_sites(block)[v];
        const size_t first = site->first_allele, n = first + (size_t)site->n_alleles <= block->alleles.n ? (size_t)site->n_alleles : 0;
        if (site->contig >= 0 && site->position > 0)
            status = gt_variant_ranges_add(&feed->ranges, gt_site_contig(block, site), site->position, &block->alleles, first, n, err);
    }
    return status;
}

/* Integer sums do not depend on where blocks end: what fills a quarter is handed on as it is. */
static int start(struct gt_feed *base, const struct gt_feed_opts *opts, struct gt_err *err)
{
    struct geno *feed = (struct geno *)base;
    const struct gt_reblock_opts blocks = {.variants = opts->block_sites,
                                           .minimum = (opts->block_sites + 3) / 4,
                                           .again = opts->again,
                                           .keep = opts->keep,
                                           .look = opts->digest ? add_ranges : NULL,
                                           .look_ctx = feed};
    gt_source_set_memory(feed->source, opts->memory);
    feed->digest = opts->digest;
    return gt_source_reblock(feed->source, &blocks, err);
}

static void add_digest(struct gt_feed_info *info, const struct gt_block *block)
{
    for (int64_t v = 0; v < block->n; v++)
        info->digest += XXH3_64bits(gt_block_row(block, v), info->row_bytes);
}

static int next(struct gt_feed *base, struct gt_rows *rows, const void **held, struct gt_err *err)
{
    struct gt_block *block;
    struct geno *feed = (struct geno *)base;
    int status = gt_source_next(feed->source, &block, err);
    if (status) {
        feed->digest = false;
        return status;
    }
    if (feed->digest)
        add_digest(&base->info, block);
    *rows = (struct gt_rows){.data = block->rows.data, .stride = block->stride, .n = block->n};
    *held = block;
    return 0;
}

static void done(struct gt_feed *base, const void *held)
{
    gt_source_done(((struct geno *)base)->source, (struct gt_block *)held);
}

static int rewind_feed(struct gt_feed *base, struct gt_err *err)
{
    return gt_source_rewind(((struct geno *)base)->source, err);
}

static void free_feed(struct gt_feed *base)
{
    gt_source_stop(((struct geno *)base)->source);
    gt_variant_ranges_release(&((struct geno *)base)->ranges);
    free(base);
}

int gt_feed_genotypes(struct gt_feed **out, struct gt_engine *engine, struct gt_source *source, struct gt_err *err)
{
    static const struct gt_feed_ops ops = {start, next, done, rewind_feed, free_feed};
    const struct gt_geno_info *info = gt_source_info(source);
    struct geno *feed = gt_alloc(1, sizeof *feed, err);
    if (!feed)
        return GT_FAIL;
    feed->base.ops = &ops;
    feed->base.info = (struct gt_feed_info){.rows = GT_ROWS_PACKED,
                                            .ploidy = info->ploidy,
                                            .samples = info->n_samples,
                                            .sites = info->n_variants,
                                            .row_bytes = ((size_t)info->n_samples + 3) / 4,
                                            .read_minimum = info->read_minimum,
                                            .read_preferred = info->read_preferred,
                                            .ids = &info->samples,
                                            .plink_ids = info->plink_ids.n ? &info->plink_ids : NULL,
                                            .ranges = &feed->ranges,
                                            .name = info->name};
    gt_variant_ranges_init(&feed->ranges, &engine->budget);
    feed->engine = engine;
    feed->source = source;
    *out = &feed->base;
    return 0;
}
