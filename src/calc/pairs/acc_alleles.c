/* Packed rows of which some are of one allele: sites are summed in one accumulator, rows of alleles in another one, whose sums are
 * halves.  A plane that takes no rows of alleles is that of the sites. */
#include <stdlib.h>
#include <string.h>

#include "calc/pairs/accumulator.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"

enum { SITES, ALLELES, ACCS };

struct alleles_acc {
    struct gt_acc base;
    struct gt_acc *acc[ACCS];
    struct gt_plane planes[GT_MAX_PLANES]; /* of alleles */
};

struct alleles_block {
    struct gt_acc_block base;
    const struct gt_acc_ops *ops; /* of the two */
    struct gt_acc_block *block[ACCS];
    struct gt_buf rows[ACCS]; /* of a block that is marked, without the marks */
};

static const struct gt_acc_ops *inner(const struct gt_acc_setup *setup)
{
    return setup->device ? &gt_acc_device : &gt_acc_cpu;
}

/* The setup of one of the two; planes: room for those of alleles. */
static struct gt_acc_setup setup_of(const struct gt_acc_setup *setup, int which, struct gt_plane planes[GT_MAX_PLANES])
{
    struct gt_acc_setup own = *setup;
    own.alleles = false;
    if (which == SITES)
        return own;
    for (int k = 0; k < setup->n_planes; k++) {
        planes[k] = (struct gt_plane){.name = setup->planes[k].name, .ploidy = setup->planes[k].ploidy};
        memcpy(planes[k].f, setup->planes[k].of_alleles, sizeof planes[k].f);
    }
    own.planes = planes;
    return own;
}

static bool takes(const struct gt_acc_setup *setup)
{
    struct gt_plane planes[GT_MAX_PLANES];
    bool both = setup->rows == GT_ROWS_PACKED && setup->alleles;
    for (int which = 0; which < ACCS && both; which++) {
        const struct gt_acc_setup own = setup_of(setup, which, planes);
        both = inner(setup)->takes(&own);
    }
    return both;
}

static int64_t sums_bytes(const struct gt_acc_setup *setup)
{
    struct gt_plane planes[GT_MAX_PLANES];
    int64_t bytes = 0;
    for (int which = 0; which < ACCS; which++) {
        const struct gt_acc_setup own = setup_of(setup, which, planes);
        bytes = gt_bytes_add(bytes, inner(setup)->sums_bytes(&own));
    }
    return bytes;
}

static size_t row_bytes(const struct gt_acc_setup *setup)
{
    return ((size_t)setup->n_samples + 3) / 4;
}

static int64_t block_bytes(const struct gt_acc_setup *setup)
{
    struct gt_plane planes[GT_MAX_PLANES];
    int64_t bytes = setup->block_rows * (int64_t)row_bytes(setup) + ACCS * (GT_KERNEL_PAD + 64);
    for (int which = 0; which < ACCS; which++) {
        const struct gt_acc_setup own = setup_of(setup, which, planes);
        bytes = gt_bytes_add(bytes, inner(setup)->block_bytes(&own));
    }
    return bytes;
}

static void alleles_free(struct gt_acc *base)
{
    struct alleles_acc *acc = (struct alleles_acc *)base;
    for (int which = 0; which < ACCS && acc; which++)
        if (acc->acc[which])
            acc->acc[which]->ops->free(acc->acc[which]);
    free(acc);
}

static int init(struct gt_acc **out, const struct gt_acc_setup *setup, struct gt_err *err)
{
    struct alleles_acc *acc = gt_alloc(1, sizeof *acc, err);
    int status = acc ? GT_OK : GT_FAIL;
    for (int which = 0; which < ACCS && !status; which++) {
        const struct gt_acc_setup own = setup_of(setup, which, acc->planes);
        status = inner(setup)->init(&acc->acc[which], &own, err);
    }
    if (status) {
        alleles_free(&acc->base);
        return status;
    }
    acc->base = (struct gt_acc){.ops = &gt_acc_alleles, .setup = *setup, .parts = acc->acc[SITES]->parts + acc->acc[ALLELES]->parts};
    *out = &acc->base;
    return GT_OK;
}

static void block_free(struct gt_acc_block *base)
{
    struct alleles_block *block = (struct alleles_block *)base;
    for (int which = 0; which < ACCS && block; which++) {
        block->ops->block_free(block->block[which]);
        gt_buf_release(&block->rows[which]);
    }
    free(block);
}

/* --- rows ------------------------------------------------------------------------- */

static const uint8_t *row_at(const struct gt_rows *rows, int64_t v)
{
    return (const uint8_t *)rows->data + (size_t)v * rows->stride;
}

static int which_of(const struct gt_rows *rows, int64_t v)
{
    return row_at(rows, v)[rows->stride - 1] ? ALLELES : SITES;
}

/* Rows of a marked block by what they are of. */
static int part_rows(const struct gt_acc *acc, const struct gt_rows *rows, struct alleles_block *block, struct gt_rows own[ACCS],
                     struct gt_err *err)
{
    const size_t bytes = row_bytes(&acc->setup);
    int64_t n[ACCS] = {0};
    int status = GT_OK;
    for (int64_t v = 0; v < rows->n; v++)
        n[which_of(rows, v)]++;
    for (int which = 0; which < ACCS && !status; which++) {
        status = gt_buf_resize(&block->rows[which], (size_t)n[which] * bytes + GT_KERNEL_PAD, err);
        own[which] = (struct gt_rows){.data = block->rows[which].data, .stride = bytes};
    }
    for (int64_t v = 0; v < rows->n && !status; v++) {
        const int which = which_of(rows, v);
        memcpy(block->rows[which].data + (size_t)own[which].n++ * bytes, row_at(rows, v), bytes);
    }
    return status;
}

static struct alleles_block *new_block(const struct gt_acc_setup *setup, struct gt_err *err)
{
    struct alleles_block *block = gt_alloc(1, sizeof *block, err);
    for (int which = 0; which < ACCS && block; which++)
        block->rows[which].budget = setup->budget;
    if (block)
        block->ops = inner(setup);
    return block;
}

/* The block to reuse, or a new one. */
static struct alleles_block *block_of(const struct gt_acc *acc, struct gt_acc_block **block, struct gt_err *err)
{
    struct alleles_block *made = *block ? NULL : new_block(&acc->setup, err);
    if (made)
        *block = &made->base;
    return (struct alleles_block *)*block;
}

/* What is missing in rows of alleles says nothing: it may be another allele. */
static int prepare(struct gt_acc *base, const struct gt_rows *rows, struct gt_acc_block **out, struct gt_err *err)
{
    struct alleles_acc *acc = (struct alleles_acc *)base;
    struct gt_rows own[ACCS] = {*rows, {.data = rows->data, .stride = rows->stride}};
    struct alleles_block *block = block_of(base, out, err);
    if (!block)
        return GT_FAIL;
    int status = rows->marked ? part_rows(base, rows, block, own, err) : GT_OK;
    for (int which = 0; which < ACCS && !status; which++)
        status = inner(&acc->base.setup)->prepare(acc->acc[which], &own[which], &block->block[which], err);
    if (!status)
        block->base = (struct gt_acc_block){.sites = own[SITES].n,
                                            .any_missing = block->block[SITES]->any_missing,
                                            .light = block->block[SITES]->light && block->block[ALLELES]->light};
    return status;
}

static int rest(struct gt_acc *base, struct gt_acc_block **out, struct gt_err *err)
{
    struct alleles_acc *acc = (struct alleles_acc *)base;
    const struct gt_acc_ops *ops = inner(&base->setup);
    if (!ops->rest)
        return GT_END;
    struct alleles_block *block = block_of(base, out, err);
    int status = GT_OK, kinds = 0;
    if (!block)
        return GT_FAIL;
    block->base = (struct gt_acc_block){0};
    for (int which = 0; which < ACCS && !status; which++) {
        status = ops->rest(acc->acc[which], &block->block[which], err);
        kinds += status == GT_OK;
        if (status == GT_END) {
            ops->block_free(block->block[which]);
            block->block[which] = NULL;
            status = GT_OK;
        }
    }
    return status || kinds ? status : GT_END;
}

static int add(struct gt_acc *base, const struct gt_acc_block *from, int64_t part, struct gt_err *err)
{
    struct alleles_acc *acc = (struct alleles_acc *)base;
    const struct alleles_block *block = (const struct alleles_block *)from;
    const int64_t parts = acc->acc[SITES]->parts;
    const int which = part < parts ? SITES : ALLELES;
    if (!block->block[which]) /* of the rest */
        return GT_OK;
    return inner(&acc->base.setup)->add(acc->acc[which], block->block[which], which == SITES ? part : part - parts, err);
}

/* --- sums --------------------------------------------------------------------------- */

static int finish(struct gt_acc *base, struct gt_comm *comm, struct gt_err *err)
{
    struct alleles_acc *acc = (struct alleles_acc *)base;
    int status = GT_OK;
    for (int which = 0; which < ACCS && !status; which++)
        status = inner(&acc->base.setup)->finish(acc->acc[which], comm, err);
    base->sites = acc->acc[SITES]->sites;
    return status;
}

static int merge(struct gt_acc *base, const struct gt_acc *other, struct gt_err *err)
{
    struct alleles_acc *acc = (struct alleles_acc *)base;
    int status = GT_OK;
    for (int which = 0; which < ACCS && !status; which++)
        status = inner(&acc->base.setup)->merge(acc->acc[which], ((const struct alleles_acc *)other)->acc[which], err);
    base->sites = acc->acc[SITES]->sites;
    return status;
}

/* The sums of alleles of a box that is a panel at most, to those of sites that stand in `all`. */
static void add_panel(const struct alleles_acc *acc, const struct gt_pair_box *all, const struct gt_pair_box *box, double *const planes[])
{
    double sums[GT_MAX_PLANES][GT_PANEL * GT_PANEL], *at[GT_MAX_PLANES];
    const int64_t width = box->col1 - box->col0;
    for (int k = 0; k < GT_MAX_PLANES; k++)
        at[k] = sums[k];
    inner(&acc->base.setup)->tile(acc->acc[ALLELES], box, at);
    for (int k = 0; k < acc->base.setup.n_planes; k++)
        for (int64_t i = box->row0; i < box->row1; i++) {
            double *to = planes[k] + (i - all->row0) * (all->col1 - all->col0) + box->col0 - all->col0;
            for (int64_t j = 0; j < width; j++)
                to[j] += sums[k][(i - box->row0) * width + j] / 2;
        }
}

static int64_t panel_end(int64_t at, int64_t end)
{
    return gt_min_i64(end, (at / GT_PANEL + 1) * GT_PANEL);
}

static void tile(const struct gt_acc *base, const struct gt_pair_box *all, double *const planes[])
{
    const struct alleles_acc *acc = (const struct alleles_acc *)base;
    struct gt_pair_box box = *all;
    inner(&acc->base.setup)->tile(acc->acc[SITES], all, planes);
    if (!acc->acc[ALLELES]->sites)
        return;
    for (; box.row0 < all->row1; box.row0 = box.row1) {
        box.row1 = panel_end(box.row0, all->row1);
        for (box.col0 = all->col0; box.col0 < all->col1; box.col0 = box.col1) {
            box.col1 = panel_end(box.col0, all->col1);
            add_panel(acc, all, &box, planes);
        }
    }
}

const struct gt_acc_ops gt_acc_alleles = {
    .name = "alleles",
    .takes = takes,
    .sums_bytes = sums_bytes,
    .block_bytes = block_bytes,
    .init = init,
    .prepare = prepare,
    .add = add,
    .rest = rest,
    .merge = merge,
    .finish = finish,
    .tile = tile,
    .block_free = block_free,
    .free = alleles_free,
};
