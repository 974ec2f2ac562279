/* Genotypes as a row source: the packed rows of a source. */
#include <stdlib.h>
#include <xxhash.h>

#include "calc/pairs/variant_ranges.h"
#include "calc/pdist/row_source.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "geno/source/source.h"

struct geno {
    struct gt_row_source base;
    struct gt_engine *engine;
    struct gt_source *source;
    enum gt_allele_rows alleles;
    bool digest; /* the rows of this pass are to be counted in */
    struct gt_variant_ranges ranges;
};

static int add_ranges(void *ctx, const struct gt_block *block, struct gt_err *err)
{
    struct geno *row_source = ctx;
    int status = GT_OK;
    for (int64_t v = 0; v < block->n && block->sites.len && !status; v++) {
        const struct gt_site *site = &gt_block_sites(block)[v];
        const size_t first = site->first_allele, n = first + (size_t)site->n_alleles <= block->alleles.n ? (size_t)site->n_alleles : 0;
        if (site->contig >= 0 && site->position > 0)
            status =
                gt_variant_ranges_add(&row_source->ranges, gt_site_contig(block, site), site->position, &block->alleles, first, n, err);
    }
    return status;
}

static int64_t alleles_bytes(const struct geno *row_source)
{
    return row_source->alleles ? gt_source_alleles_bytes(row_source->source) : 0;
}

/* Integer sums do not depend on where blocks end: what fills a quarter, or an eighth where rows are gathered, is handed on as it is. */
static int start(struct gt_row_source *base, const struct gt_row_source_opts *opts, struct gt_err *err)
{
    struct geno *row_source = (struct geno *)base;
    const struct gt_reblock_opts blocks = {.variants = opts->block_sites,
                                           .minimum =
                                               opts->exact && !opts->share ? 0 : gt_ceil_div(opts->block_sites, opts->gathered ? 8 : 4),
                                           .again = opts->again,
                                           .keep = opts->keep,
                                           .look = opts->digest ? add_ranges : NULL,
                                           .look_ctx = row_source,
                                           .alleles = row_source->alleles};
    gt_source_set_memory(row_source->source, opts->memory - alleles_bytes(row_source));
    row_source->digest = opts->digest;
    if (opts->share && !gt_source_split(row_source->source))
        return gt_fail(err, GT_FAIL, "'%s' cannot be divided", base->info.name);
    return gt_source_reblock(row_source->source, &blocks, err);
}

static void add_digest(struct gt_row_source_info *info, const struct gt_block *block)
{
    const size_t bytes = ((size_t)info->samples + 3) / 4;
    for (int64_t v = 0; v < block->n; v++) {
        const uint8_t *row = gt_block_row(block, v);
        info->digest += XXH3_64bits_withSeed(row, bytes, block->marked ? row[block->stride - 1] : 0);
    }
}

static int next(struct gt_row_source *base, struct gt_rows *rows, const void **held, struct gt_err *err)
{
    struct gt_block *block;
    struct geno *row_source = (struct geno *)base;
    int status = gt_source_next(row_source->source, &block, err);
    if (status) {
        row_source->digest = false;
        return status;
    }
    if (row_source->digest)
        add_digest(&base->info, block);
    *rows = (struct gt_rows){.data = block->rows.data, .stride = block->stride, .n = block->n, .marked = block->marked};
    *held = block;
    return 0;
}

static void done(struct gt_row_source *base, const void *held)
{
    gt_source_done(((struct geno *)base)->source, (struct gt_block *)held);
}

static int join(struct gt_row_source *base, struct gt_err *err)
{
    return gt_source_join(((struct geno *)base)->source, err);
}

static int rewind_row_source(struct gt_row_source *base, struct gt_err *err)
{
    return gt_source_rewind(((struct geno *)base)->source, err);
}

static void free_row_source(struct gt_row_source *base)
{
    gt_source_stop(((struct geno *)base)->source);
    gt_variant_ranges_release(&((struct geno *)base)->ranges);
    free(base);
}

int gt_row_source_genotypes(struct gt_row_source **out, struct gt_engine *engine, struct gt_source *source, enum gt_allele_rows alleles,
                            struct gt_err *err)
{
    static const struct gt_row_source_ops ops = {start, next, done, rewind_row_source, free_row_source};
    const struct gt_geno_info *info = gt_source_info(source);
    struct geno *row_source = gt_alloc(1, sizeof *row_source, err);
    if (!row_source)
        return GT_FAIL;
    row_source->engine = engine;
    row_source->source = source;
    row_source->alleles = gt_source_has_alleles(source) ? alleles : GT_ALLELES_POOLED;
    row_source->base.ops = &ops;
    row_source->base.join = join;
    row_source->base.info =
        (struct gt_row_source_info){.rows = GT_ROWS_PACKED,
                                    .ploidy = info->ploidy,
                                    .alleles = row_source->alleles != GT_ALLELES_POOLED,
                                    .samples = info->n_samples,
                                    .sites = info->n_variants,
                                    .most = info->n_variants_max,
                                    .row_bytes = ((size_t)info->n_samples + 3) / 4 + (row_source->alleles != GT_ALLELES_POOLED),
                                    .read_minimum = info->read_minimum + alleles_bytes(row_source),
                                    .read_preferred = gt_bytes_add(info->read_preferred, alleles_bytes(row_source)),
                                    .ids = &info->samples,
                                    .plink_ids = info->plink_ids.n ? &info->plink_ids : NULL,
                                    .ranges = &row_source->ranges,
                                    .divisible = gt_source_is_divisible(source),
                                    .share_most = gt_source_share_most(source, 1, info->n_variants_max),
                                    .name = info->name};
    gt_variant_ranges_init(&row_source->ranges, &engine->budget);
    *out = &row_source->base;
    return 0;
}
