/* Variants as what is compared: rows are samples, with a code of every variant.  A pass over the
 * source turns blocks of it. */
#include <stdlib.h>
#include <string.h>

#include "calc/pdist/row_source_transposed.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/flow.h"
#include "core/engine/memory_plan.h"
#include "geno/source/source.h"
#include "kernels/kernels.h"

/* Variants of a block, multiples of 64, and its bytes, about; blocks on their way; samples of a part. */
enum { MOST_VARIANTS = 1024, FEWEST_VARIANTS = 64, BLOCK_BYTES = 1 << 20, BLOCKS = 4, SOME = 256 };

struct variants {
    struct gt_engine *engine;
    struct gt_source *source;
    bool read;          /* it has to be rewound */
    int64_t block, row; /* variants of a block; bytes of a row, which hold a multiple of 64 codes */
    struct gt_strs ids;
};

/* --- names ---------------------------------------------------------------------------- */

/* A variant without an id is named by its place, or, where the input has no positions, by its number among those that are left. */
static int name_variant(struct variants *self, const struct gt_block *block, int64_t v, struct gt_err *err)
{
    const struct gt_site *site = block->sites.len ? &gt_block_sites(block)[v] : NULL;
    const char *id = site && block->ids.n ? gt_strs_get(&block->ids, site->id) : ".";
    struct gt_str place = {0};
    if (strcmp(id, ".") != 0 && *id)
        return gt_strs_add(&self->ids, id, strlen(id), err);
    if (site && site->contig >= 0 && gt_source_info(self->source)->has & GT_HAS_POSITIONS)
        gt_str_addf(&place, "%s:%lld", gt_strs_get(&block->contigs, (size_t)site->contig), (long long)site->position);
    else
        gt_str_addf(&place, "V%lld", (long long)(block->first + v));
    int status = gt_str_check(&place, err);
    if (!status)
        status = gt_strs_add(&self->ids, place.s, strlen(place.s), err);
    gt_str_release(&place);
    return status;
}

static int name_all(struct variants *self, struct gt_err *err)
{
    const struct gt_geno_info *info = gt_source_info(self->source);
    struct gt_allotment reading = {
        .name = "reading the names of variants", .minimum = info->read_minimum, .preferred = info->read_preferred};
    struct gt_block *block;
    int status = gt_memory_plan_fit(&reading, 1, self->engine, err);
    if (!status)
        gt_source_set_memory(self->source, reading.size);
    while (!status && !(status = gt_source_next(self->source, &block, err))) {
        for (int64_t v = 0; v < block->n && !status; v++)
            status = name_variant(self, block, v, err);
        gt_source_done(self->source, block);
    }
    return status == GT_END ? gt_source_rewind(self->source, err) : status;
}

/* --- rows ------------------------------------------------------------------------------ */

struct making {
    struct variants *self;
    int64_t first, n; /* samples */
    uint8_t *out;
    int64_t at; /* variants read so far */
};

struct item {
    struct gt_block *block;
    int64_t first; /* its first variant */
};

static int read_block(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    struct making *making = ctx;
    struct item *item = it;
    (void)task;
    int status = gt_source_next(making->self->source, &item->block, err);
    if (status)
        return status;
    item->first = making->at;
    making->at += item->block->n;
    gt_flow_bytes(item->block->n * (int64_t)item->block->stride);
    return GT_OK;
}

static int turn(void *ctx, int64_t task, int64_t part, void *it, struct gt_err *err)
{
    const struct making *making = ctx;
    const struct gt_block *block = ((const struct item *)it)->block;
    const int64_t row = making->self->row, from = part * SOME, left = making->n - from, n = left < SOME ? left : SOME;
    (void)task, (void)err;
    gt_kernels()->turn_codes(block->rows.data + (making->first + from) / 4, block->stride, block->n, n,
                             making->out + from * row + ((const struct item *)it)->first / 4, (size_t)row);
    return GT_OK;
}

static void give_back(void *ctx, void *it)
{
    struct item *item = it;
    if (item->block)
        gt_source_done(((struct making *)ctx)->self->source, item->block);
    item->block = NULL;
}

static int end_block(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    (void)task, (void)err;
    give_back(ctx, it);
    return GT_OK;
}

static int make_rows(void *ctx, int64_t first, int64_t n, uint8_t *out, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "turn",
                                           .read_name = "collect",
                                           .part_name = "transpose",
                                           .item_size = sizeof(struct item),
                                           .read = read_block,
                                           .part = turn,
                                           .release = give_back};
    struct variants *self = ctx;
    struct making making = {self, first, n, out, 0};
    const struct gt_flow_opts opts = {.tasks = -1, .parts = gt_ceil_div(n, SOME), .readers = 1, .max_items = 2};
    int status = self->read ? gt_source_rewind(self->source, err) : GT_OK;
    self->read = true;
    return status ? status : gt_flow_run(self->engine, &ops, &opts, &making, end_block, err);
}

/* --- the row source ------------------------------------------------------------------------------ */

static int64_t blocks_bytes(const struct variants *self)
{
    return gt_bytes_mul(BLOCKS * self->block, gt_ceil_div(gt_source_info(self->source)->n_samples, 4));
}

static int start(void *ctx, int64_t memory, struct gt_err *err)
{
    struct variants *self = ctx;
    const struct gt_reblock_opts opts = {.variants = self->block, .again = true};
    gt_source_set_memory(self->source, memory - blocks_bytes(self));
    return gt_source_reblock(self->source, &opts, err);
}

static void variants_free(void *ctx)
{
    struct variants *self = ctx;
    gt_source_stop(self->source);
    gt_strs_release(&self->ids);
    free(self);
}

static int64_t block_variants(int64_t samples)
{
    int64_t n = BLOCK_BYTES / (gt_ceil_div(samples, 4) + 1) / 64 * 64;
    return n < FEWEST_VARIANTS ? FEWEST_VARIANTS : n < MOST_VARIANTS ? n : MOST_VARIANTS;
}

int gt_row_source_variants(struct gt_row_source **out, struct gt_engine *engine, struct gt_source *source, struct gt_err *err)
{
    static const struct gt_slab_ops ops = {start, make_rows, variants_free};
    const struct gt_geno_info *from = gt_source_info(source);
    struct variants *self = gt_alloc(1, sizeof *self, err);
    if (!self)
        return GT_FAIL;
    self->engine = engine;
    self->source = source;
    self->block = block_variants(from->n_samples);
    self->ids.budget = &engine->budget;
    int status = name_all(self, err);
    self->row = gt_ceil_div((int64_t)self->ids.n, 64) * 16;
    const struct gt_row_source_info info = {.rows = GT_ROWS_PACKED,
                                            .ploidy = from->ploidy,
                                            .samples = (int64_t)self->ids.n,
                                            .sites = from->n_samples,
                                            .read_minimum = gt_bytes_add(from->read_minimum, blocks_bytes(self)),
                                            .read_preferred = gt_bytes_add(from->read_preferred, blocks_bytes(self)),
                                            .ids = &self->ids,
                                            .name = from->name,
                                            .slab_row = self->row};
    if (!status)
        status = gt_row_source_slab(out, engine, &ops, self, &info, err);
    if (status)
        variants_free(self);
    return status;
}
