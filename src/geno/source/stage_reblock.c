/* Blocks of a fixed number of variants, whatever the sizes that come, and what is kept of them between passes. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/source/row_spool.h"
#include "geno/source/source_internal.h"
#include "kernels/kernels.h"

/* A block of the previous stage that is in use: by this stage until it is consumed, and by every view that has not been
 * returned. */
struct shared {
    struct gt_block *block;
    int users;
};

struct part {
    struct gt_block block; /* first: what is handed out; its own buffers, or a view */
    struct gt_block spare; /* of a view: the own buffers */
    struct shared *of;     /* of a view: what it looks at */
    bool kept;
    struct part *next; /* free */
};

struct reading {
    int64_t number; /* with turns: of the next block among all */
    int64_t handed; /* blocks of this pass */
    struct shared *from;
    int64_t taken; /* variants of it */
    int64_t skip;  /* variants still to be skipped */
    bool ended;
    struct gt_checkpoint before; /* the block taken last, which may have been released; skip: .. */
    int64_t begin;               /* .. its rows in front of the block, and those taken of it */
};

struct kept {
    struct part **part;
    size_t n, cap, next;
    struct gt_budget budget; /* of rows */
    bool full;               /* no more blocks are kept */
    bool more;               /* and what came after them begins at `rest` */
    struct gt_checkpoint rest;
    int64_t rest_number; /* of its block */
};

struct reblock {
    struct gt_stage stage;
    struct gt_engine *engine;
    struct gt_reblock_opts opts;
    size_t row_bytes;
    int64_t delivered; /* in this pass */
    int64_t pass;      /* -1: none yet */
    struct reading reading;
    struct kept kept;
    bool spools;
    struct gt_row_spool spool;
    pthread_mutex_t lock; /* free parts, users of what is shared */
    struct part *free;
};

static struct reblock *of_stage(struct gt_stage *stage)
{
    return (struct reblock *)stage;
}

/* --- parts -------------------------------------------------------------------- */

static struct part *new_part(struct reblock *r, struct gt_err *err)
{
    pthread_mutex_lock(&r->lock);
    struct part *part = r->free;
    if (part)
        r->free = part->next;
    pthread_mutex_unlock(&r->lock);
    if (!part && (part = gt_alloc(1, sizeof *part, err)) != NULL)
        gt_block_init(&part->block, &r->engine->budget);
    if (part && part->block.rows.budget == &r->kept.budget) { /* it was to be kept, but nothing came */
        gt_buf_release(&part->block.rows);
        part->block.rows.budget = &r->engine->budget;
    }
    if (part) {
        gt_block_clear(&part->block);
        part->block.owner = &r->stage;
    }
    return part;
}

static void free_part(struct part *part)
{
    gt_block_release(&part->block);
    free(part);
}

static void leave(struct reblock *r, struct shared *shared)
{
    pthread_mutex_lock(&r->lock);
    bool last = --shared->users == 0;
    pthread_mutex_unlock(&r->lock);
    if (!last)
        return;
    gt_stage_release(shared->block);
    free(shared);
}

static void reblock_release(struct gt_stage *stage, struct gt_block *block)
{
    struct reblock *r = of_stage(stage);
    struct part *part = (struct part *)block;
    if (part->kept)
        return;
    if (part->of) {
        leave(r, part->of);
        part->of = NULL;
        part->block = part->spare;
    }
    pthread_mutex_lock(&r->lock);
    part->next = r->free;
    r->free = part;
    pthread_mutex_unlock(&r->lock);
}

/* n variants of what is shared, where they stand. */
static void look_at(struct reblock *r, struct part *part, int64_t n)
{
    const struct gt_block *src = r->reading.from->block;
    struct gt_block *view = &part->block;
    const size_t first = (size_t)r->reading.taken, site = sizeof(struct gt_site);
    part->spare = *view;
    *view = *src;
    view->owner = &r->stage;
    view->n = n;
    view->first = r->delivered;
    view->rows.data += first * src->stride;
    view->rows.len = (size_t)n * src->stride + GT_KERNEL_PAD;
    view->sites.len = !r->opts.sites || !src->sites.len ? 0 : (size_t)n * site;
    if (view->sites.len)
        view->sites.data += first * site;
    part->of = r->reading.from;
    pthread_mutex_lock(&r->lock);
    part->of->users++;
    pthread_mutex_unlock(&r->lock);
}

/* --- from the stage before ------------------------------------------------------- */

static void drop_shared(struct reblock *r)
{
    if (r->reading.from)
        leave(r, r->reading.from);
    r->reading.from = NULL;
    r->reading.taken = 0;
}

static int share_block(struct reblock *r, struct gt_err *err)
{
    struct reading *reading = &r->reading;
    struct gt_stage *in = r->stage.in;
    struct shared *shared = gt_alloc(1, sizeof *shared, err);
    int status = shared ? in->ops->next(in, &shared->block, err) : GT_FAIL;
    if (status) {
        free(shared);
        reading->ended = status == GT_END;
        return status;
    }
    shared->users = 1;
    reading->from = shared;
    in->ops->checkpoint(in, &reading->before);
    reading->begin = reading->before.skip;
    reading->taken = gt_min_i64(reading->skip, shared->block->n);
    reading->skip -= reading->taken;
    reading->before.skip = reading->begin + reading->taken;
    return r->opts.look && !r->pass ? r->opts.look(r->opts.look_ctx, shared->block, err) : GT_OK;
}

/* A block with variants left in it; GT_END after the last. */
static int need_shared(struct reblock *r, struct gt_err *err)
{
    struct reading *reading = &r->reading;
    while (!reading->from || reading->taken == reading->from->block->n) {
        drop_shared(r);
        int status = reading->ended ? GT_END : share_block(r, err);
        if (status)
            return status;
    }
    return GT_OK;
}

/* Reserves space for the records of a part, assuming the record size of the incoming block, unless that is too much; otherwise the buffer
 * grows and is copied. */
static void expect_texts(const struct reblock *r, struct gt_block *to, const struct gt_block *src)
{
    size_t likely;
    if (src->texts.len && gt_mul_size(src->texts.len / (size_t)src->n + 1, (size_t)r->opts.variants, &likely) &&
        gt_add_size(likely, likely / 16, &likely) && likely <= (size_t)r->engine->budget.limit / 16)
        (void)gt_buf_try(&to->texts, likely);
}

/* Room for the rows of a block before the first of them, so that none is moved; without it the rows grow as they come. */
static void expect_rows(const struct reblock *r, struct gt_block *to, const struct gt_block *src)
{
    size_t bytes;
    if (gt_mul_size((size_t)r->opts.variants, r->opts.sites ? src->stride : r->row_bytes, &bytes) &&
        gt_add_size(bytes, GT_KERNEL_PAD, &bytes))
        (void)gt_buf_try(&to->rows, bytes);
}

static void copy_row(const struct gt_block *src, int64_t v, uint8_t *to, size_t stride, bool marked)
{
    const uint8_t *from = gt_block_row(src, v);
    memcpy(to, from, stride - marked);
    if (marked)
        to[stride - 1] = src->marked ? from[src->stride - 1] : 0;
}

static int copy_rows(struct reblock *r, struct gt_block *to, int64_t n, struct gt_err *err)
{
    const struct gt_block *src = r->reading.from->block;
    const int64_t from = r->reading.taken;
    if (!to->n) {
        expect_rows(r, to, src);
        if (r->opts.sites)
            expect_texts(r, to, src);
    }
    if (r->opts.sites)
        return gt_block_append(to, src, from, n, err);
    to->stride = r->row_bytes;
    int status = gt_block_rows(to, to->n + n, err);
    if (status)
        return status;
    uint8_t *dst = to->rows.data + (size_t)to->n * to->stride;
    to->marked = r->opts.alleles;
    const bool same = src->stride == to->stride && src->marked == to->marked;
    if (same)
        memcpy(dst, gt_block_row(src, from), (size_t)n * to->stride);
    for (int64_t v = 0; v < n && !same; v++)
        copy_row(src, from + v, dst + (size_t)v * to->stride, to->stride, to->marked);
    to->n += n;
    return 0;
}

/* The next variants as they come into the part; own: into its own buffers. */
static int assemble(struct reblock *r, struct part *part, bool own, struct gt_err *err)
{
    struct reading *reading = &r->reading;
    struct gt_block *block = &part->block;
    int status = 0;
    while (!status && block->n < r->opts.minimum && (status = need_shared(r, err)) == 0) {
        int64_t left = reading->from->block->n - reading->taken, room = r->opts.variants - block->n, n = left < room ? left : room;
        if (!own && !block->n && n >= r->opts.minimum)
            look_at(r, part, n);
        else
            status = copy_rows(r, block, n, err);
        reading->taken += n;
        reading->before.skip = reading->begin + reading->taken;
    }
    if (reading->from && reading->taken == reading->from->block->n)
        drop_shared(r);
    block->first = r->delivered;
    return status == GT_END && block->n ? 0 : status;
}

/* Up to the next block of this process: GT_END after the last. */
static int skip_others(struct reblock *r, struct gt_err *err)
{
    struct reading *reading = &r->reading;
    int status = GT_OK;
    for (; !status && r->opts.part.turns > 1 && r->reading.number % r->opts.part.turns != r->opts.part.turn; r->reading.number++)
        for (int64_t left = r->opts.variants; left > 0 && !status && (status = need_shared(r, err)) == 0;) {
            const int64_t n = gt_min_i64(left, reading->from->block->n - reading->taken);
            reading->taken += n;
            reading->before.skip = reading->begin + reading->taken;
            left -= n;
        }
    if (r->opts.part.turns > 1)
        r->delivered = r->reading.number * r->opts.variants;
    return status;
}

/* --- between passes ---------------------------------------------------------------- */

/* Has one more block room in memory?  Takes it. */
static bool can_keep(struct reblock *r, struct part *part)
{
    struct kept *kept = &r->kept;
    struct gt_buf rows = {.budget = &kept->budget};
    if (gt_grow(&kept->part, &kept->cap, kept->n + 1, sizeof(struct part *), NULL) ||
        !gt_buf_try(&rows, (size_t)r->opts.variants * r->row_bytes + GT_KERNEL_PAD))
        return false;
    gt_buf_release(&part->block.rows);
    part->block.rows = rows;
    return true;
}

/* What comes from here on is not kept: where does it begin? */
static int note_rest(struct reblock *r, struct gt_err *err)
{
    int status = need_shared(r, err);
    if (status)
        return status;
    r->kept.more = true;
    r->kept.rest = r->reading.before;
    r->kept.rest_number = r->reading.number;
    return GT_OK;
}

static int read_first_pass(struct reblock *r, struct part *part, struct gt_err *err)
{
    struct kept *kept = &r->kept;
    int status = skip_others(r, err);
    if (status)
        return status;
    bool keep = !kept->full && can_keep(r, part);
    if (r->opts.again && !keep && !kept->full) {
        kept->full = true;
        status = note_rest(r, err);
    }
    if (!status)
        status = assemble(r, part, keep || (r->spools && r->opts.alleles), err); /* all that are spooled have marks */
    if (!status && keep) {
        part->kept = true;
        kept->part[kept->n++] = part;
    } else if (!status && r->spools) {
        status = gt_row_spool_put(&r->spool, &part->block, err);
    }
    return status;
}

static int read_later_pass(struct reblock *r, struct part *part, struct gt_err *err)
{
    int status = r->kept.more ? skip_others(r, err) : GT_END;
    if (status)
        return status;
    part->block.first = r->delivered;
    part->block.marked = r->spools && r->opts.alleles;
    return r->spools ? gt_row_spool_next(&r->spool, r->opts.variants, &part->block, err) : assemble(r, part, false, err);
}

static int reblock_next(struct gt_stage *stage, struct gt_block **block, struct gt_err *err)
{
    struct reblock *r = of_stage(stage);
    struct part *part;
    int status = 0;
    if (r->opts.part.limited && r->reading.handed >= r->opts.part.blocks)
        return GT_END;
    if (r->pass && r->kept.next < r->kept.n) {
        part = r->kept.part[r->kept.next++];
    } else {
        if (!(part = new_part(r, err)))
            return GT_FAIL;
        status = r->pass ? read_later_pass(r, part, err) : read_first_pass(r, part, err);
        r->reading.number++;
    }
    if (status) {
        reblock_release(stage, &part->block);
        return status;
    }
    r->delivered += part->block.n;
    r->reading.handed++;
    *block = &part->block;
    return 0;
}

/* --- passes ------------------------------------------------------------------------ */

static void reblock_stop(struct gt_stage *stage)
{
    drop_shared(of_stage(stage));
    gt_stage_stop_in(stage);
}

static int start_in(struct reblock *r, struct gt_start *start, struct gt_err *err)
{
    const struct gt_checkpoint *at = start->at;
    int status = r->stage.in->ops->start(r->stage.in, start, err);
    r->reading.skip = at ? at->skip + (start->at ? 0 : at->delivered) : r->opts.part.skip;
    return status;
}

static int reblock_start(struct gt_stage *stage, struct gt_start *start, struct gt_err *err)
{
    struct reblock *r = of_stage(stage);
    struct gt_start rest = {.fields = start->fields, .memory = start->memory, .at = &r->kept.rest};
    reblock_stop(stage);
    r->pass += r->pass < 0 || r->opts.again;
    r->kept.next = 0;
    gt_row_spool_rewind(&r->spool);
    r->reading.number = r->reading.handed = 0;
    r->delivered = r->opts.part.first * r->opts.variants;
    r->reading.ended = false;
    if (!r->pass)
        return start_in(r, start, err);
    r->reading.number = r->kept.rest_number;
    return r->kept.more && !r->spools ? start_in(r, &rest, err) : GT_OK;
}

static void reblock_checkpoint(const struct gt_stage *stage, struct gt_checkpoint *checkpoint)
{
    *checkpoint = ((const struct reblock *)stage)->reading.before;
}

static void reblock_close(struct gt_stage *stage)
{
    struct reblock *r = of_stage(stage);
    reblock_stop(stage);
    for (size_t i = 0; i < r->kept.n; i++)
        free_part(r->kept.part[i]);
    while (r->free) {
        struct part *next = r->free->next;
        free_part(r->free);
        r->free = next;
    }
    free(r->kept.part);
    gt_budget_part_end(&r->kept.budget);
    gt_row_spool_release(&r->spool);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

int gt_reblock_open(struct gt_stage **last, struct gt_engine *engine, const struct gt_reblock_opts *opts, struct gt_err *err)
{
    static const struct gt_stage_ops ops = {gt_stage_needs_of_in, reblock_start, reblock_next,      reblock_release,
                                            reblock_stop,         reblock_close, reblock_checkpoint};
    if (opts->variants < 1 || opts->minimum > opts->variants || (opts->sites && (opts->again || opts->alleles)))
        return gt_fail(err, GT_USAGE, "blocks of %lld variants cannot be made", (long long)opts->variants);
    struct reblock *r = gt_alloc(1, sizeof *r, err);
    if (!r)
        return GT_FAIL;
    r->stage = gt_stage_over(*last, &ops);
    r->engine = engine;
    r->opts = *opts;
    r->opts.minimum = opts->minimum ? opts->minimum : opts->variants;
    r->row_bytes = ((size_t)r->stage.info->n_samples + 3) / 4 + (opts->alleles != GT_ALLELES_POOLED);
    r->pass = -1;
    r->kept.full = !opts->again;
    r->spools = opts->again && !r->stage.can_restart;
    gt_row_spool_init(&r->spool, engine, r->row_bytes);
    r->stage.can_restart |= opts->again;
    pthread_mutex_init(&r->lock, NULL);
    int status = opts->again ? gt_budget_part(&r->kept.budget, &engine->budget, opts->keep, err) : 0;
    if (status)
        reblock_close(&r->stage);
    else
        *last = &r->stage;
    return status;
}
