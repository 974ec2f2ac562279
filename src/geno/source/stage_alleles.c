/* Rows of single alleles behind those of multiallelic sites. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/model/dosage.h"
#include "geno/source/source_internal.h"
#include "kernels/kernels.h"

enum { MISSING = 3, MOST_ALLELES = GT_ALLELE_LAST + 1 };

/* Where a block of the stage before is gone through. */
struct cursor {
    struct gt_block *block;       /* NULL: none */
    int64_t v;                    /* site */
    int row, rows;                /* of the site: rows made, rows in all */
    int64_t made;                 /* rows of the block so far */
    uint8_t allele[MOST_ALLELES]; /* of each row of one allele */
};

struct alleles {
    struct gt_stage stage;
    struct gt_engine *engine;
    struct gt_reblock_opts opts;
    size_t row_bytes;
    int64_t passes;
    int64_t skip; /* variants still to be left out */
    struct cursor at;
    int64_t before; /* rows of its block that stand before the block delivered last */
};

static struct alleles *of_stage(struct gt_stage *stage)
{
    return (struct alleles *)stage;
}

static const struct gt_site *site_at(const struct cursor *at)
{
    return &gt_block_sites(at->block)[at->v];
}

/* --- which rows a site has ------------------------------------------------------ */

/* The allele of haplotype k of the call, or of a call; MOST_ALLELES: missing. */
static unsigned allele_of(uint8_t put, unsigned code, int k)
{
    if (code == MISSING)
        return MOST_ALLELES;
    return put == GT_ALLELE_BY_CODE ? code > (unsigned)k : put;
}

static unsigned code_at(const uint8_t *row, int64_t s)
{
    return row[s / 4] >> 2 * (s & 3) & 3;
}

/* Alleles that a site shows. */
static void see(const struct alleles *a, bool seen[MOST_ALLELES + 1])
{
    const struct cursor *at = &a->at;
    const uint8_t *row = gt_block_row(at->block, at->v), *calls = gt_block_calls(at->block, site_at(at));
    const bool haploid = a->stage.info->ploidy == GT_HAPLOID, haplotypes = a->opts.alleles == GT_ALLELES_OF_HAPLOTYPES;
    for (int64_t s = 0; s < a->stage.info->n_samples; s++) {
        const unsigned code = code_at(row, s);
        if (haplotypes) {
            seen[allele_of(calls[s], code, 0)] = true;
            continue;
        }
        seen[allele_of(calls[2 * s], code, 0)] = true;
        if (!haploid)
            seen[allele_of(calls[2 * s + 1], code, 1)] = true;
    }
}

/* The rows of the site that is next: one, or with those of the alleles, where two ALTs are seen. */
static void begin_site(struct alleles *a)
{
    struct cursor *at = &a->at;
    bool seen[MOST_ALLELES + 1] = {false};
    int alts = 0;
    at->row = 0;
    at->rows = 1;
    if (!site_at(at)->calls)
        return;
    see(a, seen);
    for (int k = 1; k < MOST_ALLELES; k++)
        alts += seen[k];
    for (int k = a->opts.alleles == GT_ALLELES_OF_HAPLOTYPES; k < MOST_ALLELES && alts > 1; k++)
        if (seen[k])
            at->allele[at->rows++ - 1] = (uint8_t)k;
}

/* --- making them ------------------------------------------------------------------ */

/* 0 in the place of all codes but 3. */
static void make_known(const uint8_t *from, size_t n, uint8_t *to)
{
    for (size_t k = 0; k < n; k++) {
        const unsigned missing = from[k] & from[k] >> 1 & 0x55;
        to[k] = (uint8_t)(missing | missing << 1);
    }
}

static unsigned count_of(const struct alleles *a, const uint8_t *calls, unsigned code, unsigned allele)
{
    const unsigned first = allele_of(calls[0], code, 0) == allele;
    if (code == MISSING)
        return MISSING;
    return a->stage.info->ploidy == GT_HAPLOID ? first : first + (allele_of(calls[1], code, 1) == allele);
}

static void make_counts(const struct alleles *a, const uint8_t *row, const uint8_t *calls, unsigned allele, uint8_t *to)
{
    for (int64_t s = 0; s < a->stage.info->n_samples; s++)
        to[s / 4] |= (uint8_t)(count_of(a, calls + 2 * s, code_at(row, s), allele) << 2 * (s & 3));
}

static void make_haplotypes(const struct alleles *a, const uint8_t *row, const uint8_t *calls, unsigned allele, uint8_t *to)
{
    for (int64_t s = 0; s < a->stage.info->n_samples; s++) {
        const unsigned has = allele_of(calls[s], code_at(row, s), 0);
        const unsigned code = has == 0 || has == MOST_ALLELES ? MISSING : has == allele;
        to[s / 4] |= (uint8_t)(code << 2 * (s & 3));
    }
}

/* The next row, with its mark. */
static void make_row(struct alleles *a, uint8_t *to)
{
    struct cursor *at = &a->at;
    const bool haplotypes = a->opts.alleles == GT_ALLELES_OF_HAPLOTYPES;
    const uint8_t *row = gt_block_row(at->block, at->v), *calls = gt_block_calls(at->block, site_at(at));
    memset(to, 0, a->row_bytes);
    to[a->row_bytes] = at->row > 0;
    if (at->row > 0)
        (haplotypes ? make_haplotypes : make_counts)(a, row, calls, at->allele[at->row - 1], to);
    else if (at->rows > 1 && !haplotypes)
        make_known(row, a->row_bytes, to);
    else
        memcpy(to, row, a->row_bytes);
    at->made++;
    if (++at->row == at->rows && ++at->v < at->block->n)
        begin_site(a);
}

static int make_block(struct alleles *a, struct gt_block **out, struct gt_err *err)
{
    const size_t stride = a->row_bytes + 1;
    struct gt_block *block = gt_alloc(1, sizeof *block, err);
    if (!block)
        return GT_FAIL;
    gt_block_init(block, &a->engine->budget);
    block->owner = &a->stage;
    block->stride = stride;
    block->marked = true;
    int status = gt_buf_resize(&block->rows, GT_ALLELE_ROWS * stride + GT_KERNEL_PAD, err);
    while (!status && block->n < GT_ALLELE_ROWS && a->at.v < a->at.block->n)
        make_row(a, block->rows.data + (size_t)block->n++ * stride);
    if (status)
        gt_stage_release(block);
    else
        *out = block;
    return status;
}

/* --- blocks of the stage before ---------------------------------------------------- */

static void leave(struct alleles *a)
{
    if (a->at.block)
        gt_stage_release(a->at.block);
    a->at.block = NULL;
}

static bool has_calls(const struct gt_block *block)
{
    for (int64_t v = 0; v < block->n && block->sites.len && block->calls.len; v++)
        if (gt_block_sites(block)[v].calls)
            return true;
    return false;
}

/* The next one, from the first variant that is wanted on; `whole` where it has none of our rows and none to leave out. */
static int take(struct alleles *a, bool *whole, struct gt_err *err)
{
    struct gt_block *block;
    int status = a->stage.in->ops->next(a->stage.in, &block, err);
    if (status)
        return status;
    if (a->opts.look && a->passes == 1)
        status = a->opts.look(a->opts.look_ctx, block, err);
    if (status) {
        gt_stage_release(block);
        return status;
    }
    const int64_t from = gt_min_i64(a->skip, block->n);
    a->skip -= from;
    *whole = !from && !has_calls(block);
    a->at = (struct cursor){.block = block, .v = from};
    return GT_OK;
}

static int alleles_next(struct gt_stage *stage, struct gt_block **out, struct gt_err *err)
{
    struct alleles *a = of_stage(stage);
    bool whole = false;
    int status = GT_OK;
    while (!status && (!a->at.block || a->at.v == a->at.block->n)) {
        leave(a);
        status = take(a, &whole, err);
        if (!status && whole) {
            *out = a->at.block;
            a->at.block = NULL;
            a->before = 0;
            return GT_OK;
        }
        if (!status && a->at.v < a->at.block->n)
            begin_site(a);
    }
    a->before = a->at.made;
    return status ? status : make_block(a, out, err);
}

/* --- passes -------------------------------------------------------------------------- */

static void alleles_stop(struct gt_stage *stage)
{
    leave(of_stage(stage));
    gt_stage_stop_in(stage);
}

/* Where the stages before begin with the first variant, those in front of the checkpoint are left out here. */
static int alleles_start(struct gt_stage *stage, struct gt_start *start, struct gt_err *err)
{
    struct alleles *a = of_stage(stage);
    const struct gt_checkpoint *at = start->at;
    leave(a);
    int status = stage->in->ops->start(stage->in, start, err);
    a->skip = at && !start->at ? at->delivered : 0;
    a->passes++;
    start->at = at;
    return status;
}

static void alleles_release(struct gt_stage *stage, struct gt_block *block)
{
    (void)stage;
    gt_block_release(block);
    free(block);
}

static void alleles_checkpoint(const struct gt_stage *stage, struct gt_checkpoint *checkpoint)
{
    stage->in->ops->checkpoint(stage->in, checkpoint);
    checkpoint->skip = ((const struct alleles *)stage)->before;
}

static void alleles_close(struct gt_stage *stage)
{
    leave(of_stage(stage));
    free(stage);
}

int gt_alleles_open(struct gt_stage **last, struct gt_engine *engine, const struct gt_reblock_opts *opts, struct gt_err *err)
{
    static const struct gt_stage_ops ops = {gt_stage_needs_of_in, alleles_start, alleles_next,      alleles_release,
                                            alleles_stop,         alleles_close, alleles_checkpoint};
    struct alleles *a = gt_alloc(1, sizeof *a, err);
    if (!a)
        return GT_FAIL;
    a->stage = gt_stage_over(*last, &ops);
    a->engine = engine;
    a->opts = *opts;
    a->row_bytes = ((size_t)a->stage.info->n_samples + 3) / 4;
    *last = &a->stage;
    return GT_OK;
}
