/* --ld-prune: blocks wait until it is known which of their variants stay.  A second pass
 * knows it beforehand. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/shares.h"
#include "geno/select/ld_prune.h"
#include "geno/source/source_internal.h"

/* A block that waits, and then is the consumer's. */
struct pending {
    struct gt_block block; /* first: a consumer's block is turned back into this */
    int64_t number;        /* of its first variant, before pruning */
    struct pending *next;
};

struct gt_pruning {
    struct gt_stage stage; /* the owner of blocks that waited */
    struct gt_prune_opts opts;
    struct gt_prune *rule;
    struct pending *oldest, **end;
    struct gt_buf kept; /* a bit a variant, as the first pass left it */
    bool known;         /* all of that */
    bool ended;         /* no more blocks will come, in this pass */
    int64_t taken, delivered;
    struct gt_strs ids; /* of variants that stay, where ids are there */
};

/* So many variants are thought to be within reach where it is bases: as many as 1000 Genomes has common ones. */
static int64_t window_of(const struct gt_pruning *p, const struct gt_geno_info *info)
{
    const int64_t likely = p->opts.bases ? p->opts.window / 300 + 2 : p->opts.window;
    return info->n_variants_max >= 0 && info->n_variants_max < likely ? info->n_variants_max : likely;
}

static void release_pending(struct gt_stage *stage, struct gt_block *block)
{
    (void)stage;
    gt_block_release(block);
    free((struct pending *)(void *)block);
}

int gt_source_prune_open(struct gt_source *source, struct gt_err *err)
{
    if (!source->select.ld_prune)
        return GT_OK;
    struct gt_pruning *p = source->pruning = gt_alloc(1, sizeof *p, err);
    static const struct gt_stage_ops ops = {.release = release_pending};
    if (!p)
        return GT_FAIL;
    p->stage.ops = &ops;
    p->end = &p->oldest;
    p->kept.budget = p->ids.budget = &source->engine->budget;
    source->fields |= GT_SITE_POS;
    return gt_prune_parse(&p->opts, source->select.ld_prune, err);
}

void gt_source_prune_measure(struct gt_source *source)
{
    struct gt_geno_info *info = &source->info;
    if (!source->pruning)
        return;
    const int64_t row = (info->n_samples + 3) / 4, window = window_of(source->pruning, info);
    const int64_t bytes = gt_bytes_add(gt_prune_bytes(info->n_samples, window), gt_bytes_mul(gt_bytes_add(window, 2 * info->read_block),
                                                                                             row + (int64_t)sizeof(struct gt_site) + 16));
    info->read_least = gt_bytes_add(info->read_least, bytes);
    info->read_wanted = gt_bytes_add(info->read_wanted, bytes);
    info->n_variants = -1;
}

static void drop_pending(struct gt_pruning *p)
{
    while (p->oldest) {
        struct pending *next = p->oldest->next;
        gt_block_release(&p->oldest->block);
        free(p->oldest);
        p->oldest = next;
    }
    p->end = &p->oldest;
}

void gt_source_prune_rewind(struct gt_source *source)
{
    struct gt_pruning *p = source->pruning;
    if (!p)
        return;
    drop_pending(p);
    gt_prune_free(p->rule);
    p->rule = NULL;
    p->taken = p->delivered = 0;
    p->ended = false;
    if (!p->known) {
        p->kept.len = 0;
        gt_strs_clear(&p->ids);
    }
}

void gt_source_prune_free(struct gt_source *source)
{
    if (!source->pruning)
        return;
    drop_pending(source->pruning);
    gt_prune_free(source->pruning->rule);
    gt_buf_release(&source->pruning->kept);
    gt_strs_release(&source->pruning->ids);
    free(source->pruning);
}

const struct gt_strs *gt_source_pruned_ids(const struct gt_source *source)
{
    return source->pruning ? &source->pruning->ids : NULL;
}

/* --- which stay ------------------------------------------------------------------------- */

static bool is_kept(const struct gt_pruning *p, int64_t number)
{
    return p->kept.data[number / 8] >> number % 8 & 1;
}

static int note_kept(struct gt_pruning *p, int64_t number, int64_t n, struct gt_err *err)
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

static int note_id(struct gt_source *source, const struct gt_block *block, const struct gt_site *site, struct gt_err *err)
{
    struct gt_pruning *p = source->pruning;
    if (p->known || !(source->fields & GT_SITE_ID))
        return GT_OK;
    const char *id = gt_strs_get(&block->ids, site->id);
    return gt_strs_add(&p->ids, id, strlen(id), err);
}

/* Leaves the variants of the block that stay; the first of it is that number. */
static int choose(struct gt_source *source, struct gt_block *block, int64_t number, struct gt_err *err)
{
    struct gt_pruning *p = source->pruning;
    const struct gt_site *sites = gt_block_sites(block);
    int64_t out = 0;
    int status = GT_OK;
    for (int64_t v = 0; v < block->n && !status; v++) {
        if (is_kept(p, number + v)) {
            status = note_id(source, block, &sites[v], err);
            gt_source_move_row(block, v, out++);
            continue;
        }
        gt_source_uncount_row(source, &source->stats, block, v);
        source->stats.dropped_ld++;
    }
    block->first = p->delivered;
    block->input = -1;
    p->delivered += out;
    return status ? status : gt_source_cut_rows(block, out, err);
}

/* --- the first pass ------------------------------------------------------------------- */

static int copy_block(struct gt_source *source, const struct gt_block *block, struct pending **out, struct gt_err *err)
{
    struct gt_pruning *p = source->pruning;
    struct pending *pending = gt_alloc(1, sizeof *pending, err);
    if (!pending)
        return GT_FAIL;
    gt_block_init(&pending->block, &source->engine->budget);
    pending->number = p->taken;
    pending->next = NULL;
    *p->end = *out = pending;
    p->end = &pending->next;
    pending->block.stride = block->stride;
    pending->block.owner = &p->stage;
    int status = gt_block_append(&pending->block, block, 0, block->n, err);
    p->taken += block->n;
    return status;
}

static int take(struct gt_source *source, struct gt_block *block, struct gt_err *err)
{
    struct gt_pruning *p = source->pruning;
    struct pending *pending;
    int status = p->rule ? GT_OK : gt_prune_new(&p->rule, &p->opts, source->info.n_samples, &source->engine->budget, err);
    if (!status && block->n)
        status = copy_block(source, block, &pending, err);
    for (int64_t v = 0; v < block->n && !status; v++) {
        const struct gt_site *site = &gt_block_sites(block)[v];
        status = gt_prune_add(p->rule, site->contig, site->position, gt_block_row(block, v), err);
    }
    gt_source_done(source, block);
    return status;
}

static int end(struct gt_pruning *p)
{
    if (p->rule)
        gt_prune_end(p->rule);
    p->ended = true;
    return GT_OK;
}

static int hand_out(struct gt_source *source, struct gt_block **out, struct gt_err *err)
{
    struct gt_pruning *p = source->pruning;
    struct pending *pending = p->oldest;
    int status = note_kept(p, pending->number, pending->block.n, err);
    if (!status)
        status = choose(source, &pending->block, pending->number, err);
    if (status)
        return status;
    p->oldest = pending->next;
    p->end = p->oldest ? p->end : &p->oldest;
    *out = &pending->block;
    return GT_OK;
}

static bool is_ready(const struct gt_pruning *p)
{
    return p->oldest && p->oldest->number + p->oldest->block.n <= gt_prune_decided(p->rule);
}

static int next_known(struct gt_source *source, struct gt_block **out, struct gt_err *err)
{
    struct gt_pruning *p = source->pruning;
    int status = gt_source_next_unpruned(source, out, err);
    if (status)
        return status;
    const int64_t number = p->taken;
    p->taken += (*out)->n;
    status = choose(source, *out, number, err);
    if (status)
        gt_source_done(source, *out);
    return status;
}

int gt_source_next_pruned(struct gt_source *source, struct gt_block **out, struct gt_err *err)
{
    struct gt_pruning *p = source->pruning;
    if (p->known)
        return next_known(source, out, err);
    while (!is_ready(p) && !p->ended) {
        struct gt_block *block;
        int status = gt_source_next_unpruned(source, &block, err);
        if (!status)
            status = take(source, block, err);
        else if (status == GT_END)
            status = end(p);
        if (status)
            return status;
    }
    if (p->oldest)
        return hand_out(source, out, err);
    p->known = true;
    int status = gt_source_check_enough(source, p->delivered, false, err);
    return status ? status : GT_END;
}
