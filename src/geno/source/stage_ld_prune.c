/* --ld-prune: blocks wait until it is known which of their variants stay.  A second pass
 * knows it beforehand. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "geno/select/ld_prune.h"
#include "geno/source/source_internal.h"

/* A block that waits, and then is the consumer's. */
struct pending {
    struct gt_block block; /* first: a consumer's block is turned back into this */
    int64_t number;        /* of its first variant, before pruning */
    struct pending *next;
};

struct pruning {
    struct gt_stage stage; /* the owner of blocks that waited */
    struct gt_prune_opts opts;
    bool haplotypes, ids_wanted;
    struct gt_prune *rule;
    struct pending *oldest, **end;
    struct gt_buf kept; /* a bit a variant, as the first pass left it */
    bool known, ended;  /* all of that; all of a first pass is taken */
    int64_t taken;      /* variants of this pass, before pruning */
    struct gt_strs ids; /* of variants that stay, where ids are there */
};

static struct pruning *of_stage(struct gt_stage *stage)
{
    return (struct pruning *)stage;
}

/* Number of variants assumed to be in a window in bases: that of common variants in 1000 Genomes. */
static int64_t window_of(const struct pruning *p, const struct gt_geno_info *info)
{
    const int64_t likely = p->opts.bases ? p->opts.window / 300 + 2 : p->opts.window;
    return info->n_variants_max >= 0 && info->n_variants_max < likely ? info->n_variants_max : likely;
}

/* Bytes of the rule and of blocks that wait, where the stage before hands out `block` variants at a time. */
static int64_t bytes_of(const struct gt_stage *stage, int64_t block)
{
    const struct gt_geno_info *info = stage->info;
    const int64_t row = (info->n_samples + 3) / 4, window = window_of((const struct pruning *)stage, info);
    const int64_t waiting = gt_bytes_mul(gt_bytes_add(window, 2 * block), row + (int64_t)sizeof(struct gt_site) + 16);
    return gt_bytes_add(gt_prune_bytes(info->n_samples, window, block), waiting);
}

static void prune_needs(const struct gt_stage *stage, unsigned fields, struct gt_stage_needs *needs)
{
    gt_stage_needs_of_in(stage, fields | GT_SITE_POS, needs);
    const int64_t bytes = bytes_of(stage, needs->block);
    needs->minimum = gt_bytes_add(needs->minimum, bytes);
    needs->preferred = gt_bytes_add(needs->preferred, bytes);
}

static void release_pending(struct gt_stage *stage, struct gt_block *block)
{
    (void)stage;
    gt_block_release(block);
    free((struct pending *)(void *)block);
}

static void prune_stop(struct gt_stage *stage)
{
    struct pruning *p = of_stage(stage);
    while (p->oldest) {
        struct pending *next = p->oldest->next;
        release_pending(stage, &p->oldest->block);
        p->oldest = next;
    }
    p->end = &p->oldest;
    gt_prune_free(p->rule);
    p->rule = NULL;
    gt_stage_stop_in(stage);
}

static int prune_start(struct gt_stage *stage, struct gt_start *start, struct gt_err *err)
{
    struct pruning *p = of_stage(stage);
    struct gt_stage_needs in;
    gt_stage_needs_of_in(stage, start->fields | GT_SITE_POS, &in);
    struct gt_start own = {.fields = start->fields | GT_SITE_POS,
                           .memory = gt_max_i64(in.minimum, start->memory - bytes_of(stage, in.block)),
                           .deal = start->deal};
    start->at = NULL; /* what stays depends on the variants before it */
    prune_stop(stage);
    stage->stats.dropped_ld = 0;
    p->ids_wanted = start->fields & GT_SITE_ID;
    p->taken = 0;
    p->ended = false;
    if (!p->known) {
        p->kept.len = 0;
        gt_strs_clear(&p->ids);
    }
    return stage->in->ops->start(stage->in, &own, err);
}

/* --- which stay ------------------------------------------------------------------------- */

static bool is_kept(const struct pruning *p, int64_t number)
{
    return p->kept.data[number / 8] >> number % 8 & 1;
}

static int note_kept(struct pruning *p, int64_t number, int64_t n, struct gt_err *err)
{
    const size_t had = p->kept.len, need = (size_t)(number + n + 7) / 8;
    int status = need > p->kept.cap ? gt_buf_reserve(&p->kept, need + need / 2, err) : GT_OK;
    if (!status)
        status = gt_buf_resize(&p->kept, need, err);
    if (status)
        return status;
    memset(p->kept.data + had, 0, need - had);
    for (int64_t k = number; k < number + n; k++)
        p->kept.data[k / 8] |= (uint8_t)(gt_prune_keeps(p->rule, k) << k % 8);
    return GT_OK;
}

static int note_id(struct pruning *p, const struct gt_block *block, const struct gt_site *site, struct gt_err *err)
{
    if (p->known || !p->ids_wanted)
        return GT_OK;
    const char *id = gt_strs_get(&block->ids, site->id);
    return gt_strs_add(&p->ids, id, strlen(id), err);
}

/* Leaves the variants of the block that stay; the first of it is that number. */
static int choose(struct pruning *p, struct gt_block *block, int64_t number, struct gt_err *err)
{
    const int64_t n = block->n;
    int64_t out = 0;
    for (int64_t v = 0; v < n; v++) {
        if (!is_kept(p, number + v))
            continue;
        int status = note_id(p, block, &gt_block_sites(block)[v], err);
        if (status)
            return status;
        gt_block_move_row(block, v, out++);
    }
    p->stage.stats.dropped_ld += n - out;
    return out < n ? gt_block_cut(block, out, p->stage.info, p->haplotypes, err) : GT_OK;
}

/* --- the first pass ------------------------------------------------------------------- */

static int copy_block(struct pruning *p, const struct gt_block *block, struct gt_err *err)
{
    struct pending *pending = gt_alloc(1, sizeof *pending, err);
    if (!pending)
        return GT_FAIL;
    gt_block_init(&pending->block, p->kept.budget);
    pending->block.owner = &p->stage;
    pending->block.stride = block->stride;
    pending->block.stats = block->stats;
    pending->number = p->taken;
    pending->next = NULL;
    *p->end = pending;
    p->end = &pending->next;
    p->taken += block->n;
    return gt_block_append(&pending->block, block, 0, block->n, err);
}

static int take(struct pruning *p, const struct gt_block *block, struct gt_err *err)
{
    int status = p->rule ? GT_OK : gt_prune_new(&p->rule, &p->opts, p->stage.info->n_samples, p->kept.budget, err);
    if (!status && block->n)
        status = copy_block(p, block, err);
    for (int64_t v = 0; v < block->n && !status; v++) {
        const struct gt_site *site = &gt_block_sites(block)[v];
        status = gt_prune_add(p->rule, site->contig, site->position, gt_block_row(block, v), err);
    }
    return status;
}

static int hand_out(struct pruning *p, struct gt_block **out, struct gt_err *err)
{
    struct pending *pending = p->oldest;
    int status = note_kept(p, pending->number, pending->block.n, err);
    if (!status)
        status = choose(p, &pending->block, pending->number, err);
    if (status)
        return status;
    p->oldest = pending->next;
    p->end = p->oldest ? p->end : &p->oldest;
    *out = &pending->block;
    return GT_OK;
}

static bool is_ready(const struct pruning *p)
{
    return p->oldest && p->oldest->number + p->oldest->block.n <= gt_prune_decided(p->rule);
}

static int next_first(struct pruning *p, struct gt_block **out, struct gt_err *err)
{
    struct gt_stage *in = p->stage.in;
    while (!is_ready(p) && !p->ended) {
        struct gt_block *block;
        int status = in->ops->next(in, &block, err);
        p->ended = status == GT_END;
        if (!status) {
            status = take(p, block, err);
            gt_stage_release(block);
        } else if (p->ended && p->rule) {
            gt_prune_end(p->rule);
        }
        if (status && !p->ended)
            return status;
    }
    if (p->oldest)
        return hand_out(p, out, err);
    p->known = true;
    return GT_END;
}

static int prune_next(struct gt_stage *stage, struct gt_block **out, struct gt_err *err)
{
    struct pruning *p = of_stage(stage);
    if (!p->known)
        return next_first(p, out, err);
    int status = stage->in->ops->next(stage->in, out, err);
    if (status)
        return status;
    const int64_t number = p->taken;
    p->taken += (*out)->n;
    status = choose(p, *out, number, err);
    if (status)
        gt_stage_release(*out);
    return status;
}

static void prune_checkpoint(const struct gt_stage *stage, struct gt_checkpoint *checkpoint)
{
    stage->in->ops->checkpoint(stage->in, checkpoint);
    checkpoint->input = -1;
}

static void prune_close(struct gt_stage *stage)
{
    struct pruning *p = of_stage(stage);
    prune_stop(stage);
    gt_buf_release(&p->kept);
    gt_strs_release(&p->ids);
    free(p);
}

static const struct gt_stage_ops prune_ops = {prune_needs, prune_start, prune_next,      release_pending,
                                              prune_stop,  prune_close, prune_checkpoint};

int gt_ld_prune_open(struct gt_stage **last, struct gt_concat *inputs, struct gt_err *err)
{
    struct pruning *p = gt_alloc(1, sizeof *p, err);
    if (!p)
        return GT_FAIL;
    p->stage = gt_stage_over(*last, &prune_ops);
    p->kept.budget = p->ids.budget = &inputs->engine->budget;
    p->haplotypes = inputs->select.haplotypes;
    p->end = &p->oldest;
    int status = gt_prune_parse(&p->opts, inputs->select.ld_prune, err);
    if (status) {
        free(p);
        return status;
    }
    inputs->tables.info.n_variants = -1;
    *last = &p->stage;
    return GT_OK;
}

const struct gt_strs *gt_ld_prune_ids(const struct gt_stage *last)
{
    while (last && last->ops != &prune_ops)
        last = last->in;
    return last ? &((const struct pruning *)last)->ids : NULL;
}
