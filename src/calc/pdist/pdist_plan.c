/* How a run will go. */
#include <string.h>

#include "calc/cluster/cluster.h"
#include "calc/pairs/tile_writer.h"
#include "calc/pdist/candidates.h"
#include "calc/pdist/pdist_internal.h"
#include "core/base/size.h"
#include "core/engine/flow.h"

/* Sites of a block, and what one takes with all that is made of it. */
enum { MOST_SITES = 8192, SHORT_SITES = 2048, FEWEST_SITES = 64, DENSE_SITES = 1024, BLOCK_BYTES = 104 << 20, SAMPLE_BYTES = 16384 };
/* With more samples than this, a block takes twice as much for each: more sparse sites are summed at once (calc/pairs/acc_sparse.c). */
enum { MANY_SAMPLES = 8192 };

/* Of all pairs. */
static struct gt_acc_setup setup_of(const struct gt_pdist_plan *plan, const struct gt_engine *engine)
{
    const struct gt_pair_box all = gt_pdist_all(plan);
    return gt_pdist_setup(plan, (struct gt_engine *)engine, &all);
}

static int64_t block_bytes(const struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_row_source_info *info)
{
    const struct gt_acc_setup setup = setup_of(plan, engine);
    return (int64_t)info->row_bytes * plan->block_sites + gt_acc_choose(&setup)->block_bytes(&setup) + 4096;
}

static bool has_rest(const struct gt_pdist_plan *plan, const struct gt_engine *engine)
{
    const struct gt_acc_setup setup = setup_of(plan, engine);
    return gt_acc_choose(&setup)->rest != NULL;
}

/* The most sites of a block, not above those it has, that take no more than `most` bytes. */
static void shrink_blocks(struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_row_source_info *info, int64_t most)
{
    while (plan->block_sites > FEWEST_SITES && block_bytes(plan, engine, info) > most)
        plan->block_sites /= 2;
    plan->block_bytes = block_bytes(plan, engine, info);
}

/* Sites of equal weight come together in tall blocks, which are worth more memory; and so do those of many samples, the sums of which
 * pass through memory once a block. */
static int64_t block_limit(const struct gt_pdist_plan *plan, int64_t room)
{
    bool products = false;
    for (int k = 0; k < plan->n_planes; k++)
        products |= plan->planes[k].terms && plan->planes[k].reach == GT_SITE_WEIGHTS_PRODUCTS;
    const int64_t sample = plan->samples > MANY_SAMPLES ? 2 * SAMPLE_BYTES : SAMPLE_BYTES;
    const int64_t tall = gt_min_i64((int64_t)12 * BLOCK_BYTES, plan->samples * sample);
    int64_t bytes = products || tall > BLOCK_BYTES ? room / 12 : room / 16,
            most = products ? 2 * BLOCK_BYTES : gt_max_i64(BLOCK_BYTES, tall);
    return bytes < most ? bytes : most;
}

static int count_planes(const struct gt_sink_wants *wants)
{
    int n = 0;
    while (wants->planes[n])
        n++;
    return n;
}

static int64_t longest(const struct gt_strs *ids)
{
    size_t most = 0;
    for (size_t i = 0; i < ids->n; i++)
        most = gt_strs_len(ids, i) > most ? gt_strs_len(ids, i) : most;
    return (int64_t)most;
}

/* With what is made of them, and the ids. */
static int64_t triangle_bytes(const struct gt_row_source_info *info, int triangles)
{
    const int64_t n = info->samples, pairs = gt_bytes_mul(n, n) / 2;
    return gt_bytes_add(gt_bytes_mul(pairs, triangles * (int64_t)sizeof(double)),
                        gt_bytes_add(gt_cluster_bytes(n), 2 * (int64_t)info->ids->text_len));
}

/* At the least boxes are as narrow as can be, blocks and tiles as low, and no sites are listed. */
static void name_allotments(struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_row_source_info *info,
                            const struct gt_pdist_opts *opts)
{
    struct gt_pdist_plan low = *plan;
    int64_t wanted_planes = opts->wants.counts ? plan->n_planes : count_planes(&opts->wants);
    int64_t cell = (plan->n_planes + 2 * wanted_planes) * (int64_t)sizeof(double) +
                   gt_sink_cell_bytes(&opts->wants, longest(info->plink_ids ? info->plink_ids : info->ids));
    int64_t row = gt_bytes_mul(plan->samples - plan->column_at, cell) + 4096, minimum, wanted, unused;
    low.block_sites = FEWEST_SITES;
    low.rare = GT_RARE_DENSE;
    plan->allotment[GT_PDIST_READING] =
        (struct gt_allotment){.name = "reading", .minimum = info->read_minimum, .preferred = info->read_preferred};
    plan->allotment[GT_PDIST_BLOCKS] = (struct gt_allotment){.name = "blocks of sites",
                                                             .minimum = block_bytes(&low, engine, info),
                                                             .preferred = gt_bytes_mul(gt_pdist_blocks(engine), plan->block_bytes)};
    gt_pdist_sums(&low, engine, &minimum, &unused);
    gt_pdist_sums(plan, engine, &unused, &wanted);
    plan->allotment[GT_PDIST_SUMS] =
        (struct gt_allotment){.name = "pair sums", .minimum = minimum, .preferred = gt_max_i64(wanted, gt_candidates_bytes(plan, engine))};
    plan->allotment[GT_PDIST_RESULTS] = (struct gt_allotment){
        .name = "a row of results", .minimum = row, .preferred = gt_memory_plan_of_flow(engine, 0, gt_bytes_mul(GT_TILE_ROWS, row))};
    int64_t columns = plan->samples - plan->column_at, kept = opts->wants.kept < columns ? opts->wants.kept : columns;
    plan->allotment[GT_PDIST_SINK] =
        (struct gt_allotment){.name = "what the output keeps",
                              .minimum = gt_bytes_mul(plan->last - plan->first,
                                                      kept ? gt_bytes_mul(kept, opts->wants.kept_bytes) + (int64_t)sizeof(int64_t) : 0)};
    if (opts->wants.memory)
        plan->allotment[GT_PDIST_SINK].minimum =
            gt_bytes_add(plan->allotment[GT_PDIST_SINK].minimum,
                         opts->wants.memory(&opts->wants, info->ids, info->column_ids ? info->column_ids : info->ids));
    if (opts->wants.triangles)
        plan->allotment[GT_PDIST_SINK].minimum =
            gt_bytes_add(plan->allotment[GT_PDIST_SINK].minimum + opts->wants.held, triangle_bytes(info, opts->wants.triangles));
    plan->allotment[GT_PDIST_CACHE] = (struct gt_allotment){.name = "rows between passes", .kept = true};
}

/* Rows that stay in memory between passes take a part of what the sums of one pass would like. */
static int settle(struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_row_source_info *info, struct gt_err *err)
{
    int64_t room = engine->budget.limit - atomic_load(&engine->budget.used);
    int status = gt_memory_plan_fit(plan->allotment, GT_PDIST_ALLOTMENTS, engine, err);
    if (status || info->slab_row || plan->allotment[GT_PDIST_SUMS].size >= plan->allotment[GT_PDIST_SUMS].preferred)
        return status;
    plan->allotment[GT_PDIST_CACHE].preferred = info->sites < 0 || gt_bytes_mul(info->sites, (int64_t)info->row_bytes) > room / 12
                                                    ? room / 12
                                                    : gt_bytes_mul(info->sites, (int64_t)info->row_bytes);
    return gt_memory_plan_fit(plan->allotment, GT_PDIST_ALLOTMENTS, engine, err);
}

/* Gives blocks of at most so many sites, so many of which are to fit, and sums their memory. */
static int allot(struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_row_source_info *info,
                 const struct gt_pdist_opts *opts, int64_t sites, int blocks, struct gt_err *err)
{
    plan->block_sites = sites;
    shrink_blocks(plan, engine, info, block_limit(plan, engine->budget.limit - atomic_load(&engine->budget.used)));
    name_allotments(plan, engine, info, opts);
    int status = settle(plan, engine, info, err);
    if (!status)
        shrink_blocks(plan, engine, info, plan->allotment[GT_PDIST_BLOCKS].size / blocks);
    return status;
}

static bool has_room(const struct gt_pdist_plan *plan, const struct gt_engine *engine)
{
    int64_t least, all;
    gt_pdist_sums(plan, engine, &least, &all);
    return plan->block_bytes <= plan->allotment[GT_PDIST_BLOCKS].size && least <= plan->allotment[GT_PDIST_SUMS].size;
}

/* The sums of all pairs are gone through once a block.  So where lists of rare sites leave room for short blocks only, tall ones without
 * lists are faster; two of them are to fit, unless two short ones do not. */
static int choose_blocks(struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_row_source_info *info,
                         const struct gt_pdist_opts *opts, int64_t sites, struct gt_err *err)
{
    struct gt_pdist_plan dense = *plan;
    int status = allot(plan, engine, info, opts, sites, 1, err);
    const bool fits = !status && has_room(plan, engine);
    const int blocks = plan->block_bytes > plan->allotment[GT_PDIST_BLOCKS].size / 2 ? 1 : 2;
    if (status || (fits && plan->block_sites >= DENSE_SITES))
        return status;
    dense.rare = GT_RARE_DENSE;
    status = allot(&dense, engine, info, opts, gt_min_i64(sites, DENSE_SITES), blocks, err);
    if (!status && (!fits || dense.block_sites >= 4 * plan->block_sites))
        *plan = dense;
    return status;
}

/* Do candidates fit where everything else takes what it must?  It gets what is left then.  Without them less memory would do, and that
 * stays what is needed. */
static bool has_room_for_candidates(struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_row_source_info *info,
                                    int64_t sites)
{
    struct gt_allotment *sums = &plan->allotment[GT_PDIST_SUMS];
    const int64_t room = engine->budget.limit - atomic_load(&engine->budget.used), needed = engine->needs->minimum;
    int64_t least = plan->early_bytes - sums->minimum;
    for (int k = 0; k < GT_PDIST_ALLOTMENTS; k++)
        least += plan->allotment[k].minimum;
    if (sums->size >= plan->early_bytes || least > room)
        return sums->size >= plan->early_bytes;
    sums->minimum = plan->early_bytes;
    int status = gt_memory_plan_fit(plan->allotment, GT_PDIST_ALLOTMENTS, engine, NULL);
    engine->needs->minimum = needed;
    for (int k = 0; k < 2 && !status; k++) {
        plan->rare = k ? GT_RARE_DENSE : plan->rare;
        plan->block_sites = sites;
        shrink_blocks(plan, engine, info, plan->allotment[GT_PDIST_BLOCKS].size);
        if (has_room(plan, engine))
            return true;
    }
    return false;
}

/* What ranks move; plan->rank_sends has the sums of all boxes once. */
static void plan_ranks(struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_row_source_info *info,
                       const struct gt_pdist_opts *opts)
{
    const int64_t sites = plan->most;
    plan->shared = engine->comm.size > 1 && plan->kind == GT_ROWS_PACKED && info->divisible && !plan->moments && !opts->wants.counts;
    const int64_t own = sites < 0 || !plan->shared ? sites : gt_min_i64(info->share_most, sites);
    plan->rank_rows = own;
    plan->chain = info->rows == GT_ROWS_F64;
    plan->rank_reads = own < 0 || info->rows != GT_ROWS_PACKED ? -1 : gt_bytes_mul(own, (int64_t)info->row_bytes);
    plan->rank_sends = gt_bytes_mul(plan->rank_sends, plan->boxes ? plan->passes / plan->boxes : 0);
}

/* Blocks of few samples are short, to stay in the second cache: their sums are soon gone through. */
int gt_pdist_plan(struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_row_source_info *info,
                  const struct gt_pdist_opts *opts, struct gt_err *err)
{
    int64_t n = info->samples, sites = MOST_SITES;
    *plan = (struct gt_pdist_plan){.kind = info->rows,
                                   .alleles = info->alleles,
                                   .ploidy = info->ploidy,
                                   .part = opts->wants.part,
                                   .samples = n,
                                   .rows = info->rectangle ? info->rectangle : n,
                                   .column_at = gt_ceil_div(info->rectangle, GT_PAIR_STEP) * GT_PAIR_STEP,
                                   .head = opts->part == 0,
                                   .device = info->rows != GT_ROWS_COUNTS ? opts->device : NULL,
                                   .variants = info->sites,
                                   .most = info->sites < 0 ? info->most : info->sites};
    gt_pdist_choose_rows(plan, opts);
    int status = gt_pdist_choose_numbers(plan, info, opts, err);
    if (!status)
        status = gt_pdist_choose_planes(plan, info, opts, err);
    if (!status && opts->wants.check_ids)
        status = opts->wants.check_ids(info->ids, err);
    while (sites > SHORT_SITES && sites > 8 * n)
        sites /= 2;
    if (!status)
        gt_candidates_plan(plan, engine, info, opts);
    if (!status)
        status = choose_blocks(plan, engine, info, opts, sites, err);
    plan->early_bytes = gt_candidates_bytes(plan, engine);
    if (!status && plan->bound && !has_room_for_candidates(plan, engine, info, sites)) {
        plan->bound = NULL;
        status = choose_blocks(plan, engine, info, opts, sites, err);
    }
    if (status)
        return status;
    for (struct gt_pdist_walk walk = {0}; gt_pdist_next_box(plan, engine, &walk); plan->boxes++) {
        plan->sums_bytes = gt_max_i64(plan->sums_bytes, walk.sums_bytes);
        plan->rank_sends = gt_bytes_add(plan->rank_sends, walk.sums_bytes);
        plan->device_bytes = gt_max_i64(plan->device_bytes, gt_pdist_device_bytes(plan, engine, &walk.box));
    }
    if (plan->device && (status = gt_device_check_room(plan->device, plan->device_bytes, err)) != GT_OK)
        return status;
    plan->passes = plan->boxes > 1 && gt_pdist_is_relative(opts) ? 2 * plan->boxes : plan->boxes;
    plan_ranks(plan, engine, info, opts);
    gt_plan_record_step(engine->plan, &(struct gt_plan_step){.flow = "pdist",
                                                             .read = "collect",
                                                             .work = "encode",
                                                             .part = "pairs",
                                                             .tasks = info->sites < 0 ? -1 : gt_ceil_div(info->sites, plan->block_sites),
                                                             .task_bytes = plan->block_bytes,
                                                             .passes = plan->passes});
    if (has_rest(plan, engine))
        gt_plan_record_step(
            engine->plan,
            &(struct gt_plan_step){
                .flow = "rest", .read = "encode", .part = "pairs", .tasks = 1, .task_bytes = plan->block_bytes, .passes = plan->passes});
    gt_plan_record_step(engine->plan, &(struct gt_plan_step){.flow = "distances", .work = "format", .tasks = -1, .passes = plan->boxes});
    plan->reads = plan->passes * gt_row_source_reads(info, plan->allotment[GT_PDIST_READING].size) + (plan->moments != 0);
    return GT_OK;
}
