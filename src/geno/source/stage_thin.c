/* Thinning, of the variants that pass the filters: --bp-space, as PLINK, and --thin-count. */
#include "config.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/philox.h"
#include "geno/source/source_internal.h"

struct thin {
    struct gt_stage stage;
    bool haplotypes;
    int64_t space;            /* --bp-space, or 0 */
    struct gt_locus last;     /* the variant kept last */
    int64_t count, total;     /* --thin-count, or 0: so many of `total` */
    int64_t seed, seen, kept; /* of this pass */
    int64_t *dropped;         /* the counter, of stage.stats */
};

static struct thin *of_stage(struct gt_stage *stage)
{
    return (struct thin *)stage;
}

static unsigned fields_of(const struct thin *t, unsigned fields)
{
    return t->space ? fields | GT_SITE_POS : fields;
}

static void thin_needs(const struct gt_stage *stage, unsigned fields, struct gt_stage_needs *needs)
{
    gt_stage_needs_of_in(stage, fields_of((const struct thin *)stage, fields), needs);
}

static int thin_start(struct gt_stage *stage, struct gt_start *start, struct gt_err *err)
{
    struct thin *t = of_stage(stage);
    struct gt_start own = {.fields = fields_of(t, start->fields), .memory = start->memory, .deal = start->deal};
    start->at = NULL; /* what stays depends on the variants before it */
    t->last.contig = -1;
    t->seen = t->kept = 0;
    *t->dropped = 0;
    return stage->in->ops->start(stage->in, &own, err);
}

/* As PLINK: a variant at a distance of `space` stays. */
static bool is_apart(struct thin *t, const struct gt_site *site)
{
    if (site->contig == t->last.contig && site->position - t->last.position < t->space)
        return false;
    t->last = (struct gt_locus){site->contig, site->position};
    return true;
}

/* Selection sampling (Knuth, The Art of Computer Programming, volume 2, 3.4.2, algorithm S): each set of `count` variants is as
 * likely as any other. */
static bool is_drawn(struct thin *t)
{
    const uint32_t counter[4] = {(uint32_t)t->seen, (uint32_t)((uint64_t)t->seen >> 32), 0, 0};
    const uint32_t key[2] = {(uint32_t)t->seed, (uint32_t)((uint64_t)t->seed >> 32)};
    uint32_t bits[4];
    gt_philox(counter, key, bits);
    const double uniform = (double)(((uint64_t)bits[0] << 32 | bits[1]) >> 11) * 0x1p-53;
    const bool drawn = uniform * (double)(t->total - t->seen) < (double)(t->count - t->kept);
    t->seen++;
    t->kept += drawn;
    return drawn;
}

static int thin_next(struct gt_stage *stage, struct gt_block **out, struct gt_err *err)
{
    struct thin *t = of_stage(stage);
    int status = stage->in->ops->next(stage->in, out, err);
    if (status)
        return status;
    struct gt_block *block = *out;
    const int64_t n = block->n;
    int64_t kept = 0;
    for (int64_t v = 0; v < n; v++)
        if (t->space ? is_apart(t, &gt_block_sites(block)[v]) : is_drawn(t))
            gt_block_move_row(block, v, kept++);
    *t->dropped += n - kept;
    if (kept < n && (status = gt_block_cut(block, kept, stage->info, t->haplotypes, err)) != 0)
        gt_stage_release(block);
    return status;
}

static void thin_checkpoint(const struct gt_stage *stage, struct gt_checkpoint *checkpoint)
{
    stage->in->ops->checkpoint(stage->in, checkpoint);
    checkpoint->input = -1;
}

static void thin_close(struct gt_stage *stage)
{
    free(stage);
}

static struct thin *open_thin(struct gt_stage *in, const struct gt_concat *inputs, struct gt_err *err)
{
    static const struct gt_stage_ops ops = {thin_needs, thin_start, thin_next, NULL, gt_stage_stop_in, thin_close, thin_checkpoint};
    struct thin *t = gt_alloc(1, sizeof *t, err);
    if (!t)
        return NULL;
    t->stage = gt_stage_over(in, &ops);
    t->haplotypes = inputs->select.haplotypes;
    return t;
}

int gt_space_open(struct gt_stage **last, struct gt_concat *inputs, struct gt_err *err)
{
    struct thin *t = open_thin(*last, inputs, err);
    if (!t)
        return GT_FAIL;
    t->space = inputs->select.bp_space;
    t->dropped = &t->stage.stats.dropped_space;
    inputs->tables.info.n_variants = -1;
    *last = &t->stage;
    return GT_OK;
}

int gt_thin_count_open(struct gt_stage **last, struct gt_concat *inputs, struct gt_err *err)
{
    struct thin *t = open_thin(*last, inputs, err);
    if (!t)
        return GT_FAIL;
    t->count = inputs->select.thin_count;
    t->total = inputs->select.thin_total;
    t->seed = inputs->select.seed;
    t->dropped = &t->stage.stats.dropped_thin_count;
    inputs->tables.info.n_variants = inputs->tables.info.n_variants_max = t->total < t->count ? t->total : t->count;
    *last = &t->stage;
    return GT_OK;
}
