#include "config.h"

#include "geno/source/stage_reblock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/base/spoolfile.h"
#include "kernels/kernels.h"

/* A block of the source that is in use: by us until all of it is taken, and by every
 * view of it that is out. */
struct lent {
    struct gt_block *block;
    int users;
};

struct part {
    struct gt_block block; /* first: what is handed out; its own buffers, or a view */
    struct gt_block spare; /* of a view: the own buffers */
    struct lent *of;       /* of a view: what it looks at */
    bool kept;
    struct part *next; /* free */
};

/* Where the blocks that are not kept begin: behind `skip` variants of those that the source
 * delivers from number `input` of the input on; -1: from the first one on. */
struct resume {
    int64_t input, skip;
    bool known;
};

struct gt_regroup {
    struct gt_engine *engine;
    struct gt_source *source;
    struct gt_regroup_opts opts;
    size_t row_bytes;
    struct lent *lent;
    struct gt_checkpoint mark;
    int64_t taken;     /* variants of it */
    int64_t marked;    /* the same of the block that `mark` is of, which may have been given back */
    int64_t skip;      /* variants still to be passed over */
    int64_t delivered; /* in this pass */
    bool ended, full;  /* full: no more blocks are kept */
    int64_t pass;
    struct part **kept;
    size_t n_kept, cap_kept, next_kept;
    struct gt_budget keep; /* what kept rows are counted in */
    struct resume resume;
    bool spools;
    struct gt_spoolfile spool; /* rows without padding */
    int64_t spool_at;
    struct gt_buf scratch;
    pthread_mutex_t lock; /* free parts, users of what is lent */
    struct part *free;
};

int gt_regroup_open(struct gt_regroup **out, struct gt_engine *engine, struct gt_source *source, const struct gt_regroup_opts *opts,
                    struct gt_err *err)
{
    if (opts->variants < 1 || opts->least > opts->variants || (opts->sites && opts->again))
        return gt_fail(err, GT_USAGE, "blocks of %lld variants cannot be made", (long long)opts->variants);
    struct gt_regroup *r = gt_alloc(1, sizeof *r, err);
    *out = NULL;
    if (!r)
        return GT_FAIL;
    r->engine = engine;
    r->source = source;
    r->opts = *opts;
    r->opts.least = opts->least ? opts->least : opts->variants;
    r->row_bytes = ((size_t)gt_source_info(source)->n_samples + 3) / 4;
    r->full = !opts->again;
    r->spools = opts->again && !gt_source_can_rewind(source);
    r->spool = (struct gt_spoolfile){.fd = -1, .tmpdir = engine->tmpdir};
    r->scratch.budget = &engine->budget;
    pthread_mutex_init(&r->lock, NULL);
    int status = opts->again ? gt_budget_part(&r->keep, &engine->budget, opts->keep, err) : 0;
    if (status)
        gt_regroup_free(r);
    else
        *out = r;
    return status;
}

/* --- parts -------------------------------------------------------------------- */

static struct part *new_part(struct gt_regroup *r, struct gt_err *err)
{
    pthread_mutex_lock(&r->lock);
    struct part *part = r->free;
    if (part)
        r->free = part->next;
    pthread_mutex_unlock(&r->lock);
    if (!part && (part = gt_alloc(1, sizeof *part, err)) != NULL)
        gt_block_init(&part->block, &r->engine->budget);
    if (part && part->block.rows.budget == &r->keep) { /* it was to be kept, but nothing came */
        gt_buf_release(&part->block.rows);
        part->block.rows.budget = &r->engine->budget;
    }
    if (part)
        gt_block_clear(&part->block);
    return part;
}

static void free_part(struct part *part)
{
    gt_block_release(&part->block);
    free(part);
}

static void give_back(struct gt_regroup *r, struct lent *lent)
{
    pthread_mutex_lock(&r->lock);
    bool last = --lent->users == 0;
    pthread_mutex_unlock(&r->lock);
    if (!last)
        return;
    gt_source_done(r->source, lent->block);
    free(lent);
}

void gt_regroup_done(struct gt_regroup *r, const struct gt_block *block)
{
    struct part *part = (struct part *)block;
    if (part->kept)
        return;
    if (part->of) {
        give_back(r, part->of);
        part->of = NULL;
        part->block = part->spare;
    }
    pthread_mutex_lock(&r->lock);
    part->next = r->free;
    r->free = part;
    pthread_mutex_unlock(&r->lock);
}

/* n variants of what is lent, where they stand. */
static void look_at(struct gt_regroup *r, struct part *part, int64_t n)
{
    const struct gt_block *src = r->lent->block;
    struct gt_block *view = &part->block;
    const size_t first = (size_t)r->taken, site = sizeof(struct gt_site);
    part->spare = *view;
    *view = *src;
    view->n = n;
    view->first = r->delivered;
    view->rows.data += first * src->stride;
    view->rows.len = (size_t)n * src->stride + GT_KERNEL_PAD;
    view->sites.len = !r->opts.sites || !src->sites.len ? 0 : (size_t)n * site;
    if (view->sites.len)
        view->sites.data += first * site;
    part->of = r->lent;
    pthread_mutex_lock(&r->lock);
    r->lent->users++;
    pthread_mutex_unlock(&r->lock);
}

/* --- from the source ------------------------------------------------------------- */

static void drop_lent(struct gt_regroup *r)
{
    if (r->lent)
        give_back(r, r->lent);
    r->lent = NULL;
    r->taken = 0;
}

static int lend(struct gt_regroup *r, struct gt_err *err)
{
    struct lent *lent = gt_alloc(1, sizeof *lent, err);
    int status = lent ? gt_source_next(r->source, &lent->block, err) : GT_FAIL;
    if (status) {
        free(lent);
        r->ended = status == GT_END;
        return status;
    }
    lent->users = 1;
    r->lent = lent;
    gt_source_mark(r->source, &r->mark);
    r->mark.delivered = lent->block->first; /* of what is left of the source's, where it prunes */
    r->taken = r->skip < lent->block->n ? r->skip : lent->block->n;
    r->skip -= r->taken;
    r->marked = r->taken;
    return 0;
}

/* A block with variants left in it; GT_END after the last. */
static int need_lent(struct gt_regroup *r, struct gt_err *err)
{
    while (!r->lent || r->taken == r->lent->block->n) {
        drop_lent(r);
        int status = r->ended ? GT_END : lend(r, err);
        if (status)
            return status;
    }
    return 0;
}

/* Room for the records of a part, if all are as long as those of the source's block, and that is not too much; else it grows, and is
 * copied. */
static void expect_texts(const struct gt_regroup *r, struct gt_block *to, const struct gt_block *src)
{
    size_t likely;
    if (src->texts.len && gt_mul_size(src->texts.len / (size_t)src->n + 1, (size_t)r->opts.variants, &likely) &&
        gt_add_size(likely, likely / 16, &likely) && likely <= (size_t)r->engine->budget.limit / 16)
        (void)gt_buf_try(&to->texts, likely);
}

static int copy_rows(struct gt_regroup *r, struct gt_block *to, int64_t n, struct gt_err *err)
{
    const struct gt_block *src = r->lent->block;
    if (r->opts.sites && !to->n)
        expect_texts(r, to, src);
    if (r->opts.sites)
        return gt_block_append(to, src, r->taken, n, err);
    to->stride = r->row_bytes;
    int status = gt_block_rows(to, to->n + n, err);
    if (status)
        return status;
    uint8_t *dst = to->rows.data + (size_t)to->n * to->stride;
    if (src->stride == to->stride)
        memcpy(dst, gt_block_row(src, r->taken), (size_t)n * to->stride);
    for (int64_t v = 0; v < n && src->stride != to->stride; v++)
        memcpy(dst + (size_t)v * to->stride, gt_block_row(src, r->taken + v), to->stride);
    to->n += n;
    return 0;
}

/* The next variants as they come into the part; own: into its own buffers. */
static int assemble(struct gt_regroup *r, struct part *part, bool own, struct gt_err *err)
{
    struct gt_block *block = &part->block;
    int status = 0;
    while (!status && block->n < r->opts.least && (status = need_lent(r, err)) == 0) {
        int64_t left = r->lent->block->n - r->taken, room = r->opts.variants - block->n, n = left < room ? left : room;
        if (!own && !block->n && n >= r->opts.least)
            look_at(r, part, n);
        else
            status = copy_rows(r, block, n, err);
        r->taken += n;
        r->marked = r->taken;
    }
    if (r->lent && r->taken == r->lent->block->n)
        drop_lent(r);
    block->first = r->delivered;
    return status == GT_END && block->n ? 0 : status;
}

/* --- between passes ---------------------------------------------------------------- */

/* Has one more block room in memory?  Takes it. */
static bool can_keep(struct gt_regroup *r, struct part *part)
{
    struct gt_buf rows = {.budget = &r->keep};
    if (gt_grow(&r->kept, &r->cap_kept, r->n_kept + 1, sizeof(struct part *), NULL) ||
        !gt_buf_try(&rows, (size_t)r->opts.variants * r->row_bytes + GT_KERNEL_PAD))
        return false;
    gt_buf_release(&part->block.rows);
    part->block.rows = rows;
    return true;
}

/* What comes from here on is not kept: where is it in the input? */
static int note_place(struct gt_regroup *r, struct gt_err *err)
{
    int status = need_lent(r, err);
    if (status)
        return status;
    int64_t input = r->lent->block->input;
    r->resume = input < 0 ? (struct resume){-1, r->delivered, true} : (struct resume){input, r->taken, true};
    return 0;
}

static int put_into_spool(struct gt_regroup *r, const struct gt_block *block, struct gt_err *err)
{
    size_t bytes = (size_t)block->n * r->row_bytes;
    const uint8_t *rows = block->rows.data;
    int status = gt_spoolfile_open(&r->spool, err);
    if (!status && block->stride != r->row_bytes) {
        status = gt_buf_resize(&r->scratch, bytes, err);
        for (int64_t v = 0; v < block->n && !status; v++)
            memcpy(r->scratch.data + (size_t)v * r->row_bytes, gt_block_row(block, v), r->row_bytes);
        rows = r->scratch.data;
    }
    return status ? status : gt_spoolfile_write(&r->spool, rows, bytes, r->spool.end, err);
}

static int read_first_pass(struct gt_regroup *r, struct part *part, struct gt_err *err)
{
    bool keep = !r->full && can_keep(r, part);
    int status = 0;
    if (r->opts.again && !keep && !r->full) {
        r->full = true;
        status = note_place(r, err);
    }
    if (!status)
        status = assemble(r, part, keep, err);
    if (!status && keep) {
        part->kept = true;
        r->kept[r->n_kept++] = part;
    } else if (!status && r->spools) {
        status = put_into_spool(r, &part->block, err);
    }
    return status;
}

static int read_spool(struct gt_regroup *r, struct part *part, struct gt_err *err)
{
    struct gt_block *block = &part->block;
    int64_t left = (r->spool.end - r->spool_at) / (int64_t)r->row_bytes;
    block->n = left < r->opts.variants ? left : r->opts.variants;
    block->first = r->delivered;
    block->stride = r->row_bytes;
    if (!block->n)
        return GT_END;
    int status = gt_block_rows(block, block->n, err);
    size_t bytes = (size_t)block->n * r->row_bytes;
    if (!status)
        status = gt_spoolfile_read(&r->spool, block->rows.data, bytes, r->spool_at, err);
    r->spool_at += (int64_t)bytes;
    return status;
}

static int read_later_pass(struct gt_regroup *r, struct part *part, struct gt_err *err)
{
    if (!r->resume.known) /* all of it was kept */
        return GT_END;
    return r->spools ? read_spool(r, part, err) : assemble(r, part, false, err);
}

int gt_regroup_next(struct gt_regroup *r, const struct gt_block **block, struct gt_err *err)
{
    struct part *part;
    int status = 0;
    if (r->pass && r->next_kept < r->n_kept) {
        part = r->kept[r->next_kept++];
    } else {
        if (!(part = new_part(r, err)))
            return GT_FAIL;
        status = r->pass ? read_later_pass(r, part, err) : read_first_pass(r, part, err);
    }
    if (status) {
        gt_regroup_done(r, &part->block);
        return status;
    }
    r->delivered += part->block.n;
    *block = &part->block;
    return 0;
}

void gt_regroup_skip(struct gt_regroup *r, int64_t skip)
{
    r->skip = skip;
}

void gt_regroup_mark(const struct gt_regroup *r, struct gt_checkpoint *mark, int64_t *skip)
{
    *mark = r->mark;
    *skip = r->marked;
}

int gt_regroup_rewind(struct gt_regroup *r, struct gt_err *err)
{
    if (!r->opts.again)
        return gt_fail(err, GT_FAIL, "'%s' was not opened to be read again", gt_source_info(r->source)->name);
    drop_lent(r);
    r->pass++;
    r->next_kept = 0;
    r->spool_at = r->delivered = 0;
    r->ended = false;
    if (!r->resume.known || r->spools)
        return 0;
    r->skip = r->resume.skip;
    return r->resume.input < 0 ? gt_source_rewind(r->source, err) : gt_source_resume(r->source, r->resume.input, err);
}

void gt_regroup_free(struct gt_regroup *r)
{
    if (!r)
        return;
    drop_lent(r);
    for (size_t i = 0; i < r->n_kept; i++)
        free_part(r->kept[i]);
    while (r->free) {
        struct part *next = r->free->next;
        free_part(r->free);
        r->free = next;
    }
    free(r->kept);
    gt_budget_part_end(&r->keep);
    gt_buf_release(&r->scratch);
    gt_spoolfile_release(&r->spool);
    pthread_mutex_destroy(&r->lock);
    free(r);
}
