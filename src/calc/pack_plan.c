/* What packing will do, and the memory that it takes. */
#include "base/size.h"
#include "calc/pack.h"

/* Names of samples for the metadata, and what is known at the end only. */
static int64_t table_bytes(const struct gt_source_info *info)
{
    return gt_bytes_add(gt_bytes_mul(info->n_samples, 48), 64 << 10);
}

static int64_t room_of(const struct gt_engine *engine)
{
    return engine->budget.limit - atomic_load(&engine->budget.used);
}

/* Stripes could be lower, where that would do. */
static void advise(const struct gt_pack_plan *plan, const struct gt_engine *engine, struct gt_err *err)
{
    int64_t others = 0, bytes = plan->shape.stripe_bytes + plan->shape.site_bytes;
    for (int i = 0; i < GT_PACK_SHARES; i++)
        others = gt_bytes_add(others, i == GT_PACK_STRIPES || i == GT_PACK_SITES ? 0 : plan->share[i].least);
    double fits = (double)plan->shape.chunk_variants * (double)(room_of(engine) - others) / (double)bytes * 0.9;
    if (fits < 1 || !err)
        return;
    err->hint[0] = '\0';
    gt_hint(err, "--memory %lldM would do, or --chunks variants=%lld", (long long)gt_shares_memory(engine, gt_bytes_add(others, bytes)),
            (long long)fits);
}

static int settle(struct gt_pack_plan *plan, const struct gt_engine *engine, const struct gt_source_info *info, struct gt_err *err)
{
    plan->share[GT_PACK_READING] = (struct gt_share){.name = "reading", .least = info->read_least, .wanted = info->read_wanted};
    plan->share[GT_PACK_STRIPES] = (struct gt_share){
        .name = "a stripe", .least = plan->shape.stripe_bytes, .wanted = gt_shares_of_flow(engine, 1, plan->shape.stripe_bytes)};
    plan->share[GT_PACK_SITES] = (struct gt_share){.name = "chunks of sites", .least = plan->shape.site_bytes};
    plan->share[GT_PACK_TABLES] = (struct gt_share){.name = "tables", .least = table_bytes(info)};
    int status = gt_shares_settle(plan->share, GT_PACK_SHARES, engine, err);
    if (status == GT_NOFIT)
        advise(plan, engine, err);
    return status;
}

/* A stripe may take half of the memory, where reading leaves that. */
int gt_pack_plan_make(struct gt_pack_plan *plan, const struct gt_engine *engine, const struct gt_source_info *info,
                      const struct gt_pack_opts *opts, struct gt_err *err)
{
    int64_t half = engine->budget.limit / 2, room = room_of(engine) - gt_bytes_add(info->read_least, table_bytes(info));
    struct gt_vcz_wish wish = {.layout = GT_VCZ_PACKED,
                               .chunk_variants = opts->chunk_variants,
                               .chunk_samples = opts->chunk_samples,
                               .zarr_format = opts->zarr_format ? opts->zarr_format : 2,
                               .stream = opts->stream,
                               .codec = opts->codec,
                               .memory = room < half ? room : half};
    int status;

    *plan = (struct gt_pack_plan){.stripes = -1};
    if (info->n_samples <= 0)
        return gt_fail(err, GT_INPUT, "'%s' has no samples to pack", info->name);
    status = gt_vcz_shape_choose(&plan->shape, info, &wish, err);
    if (status)
        return status;
    plan->sample_chunks = gt_ceil_div(info->n_samples, plan->shape.chunk_samples);
    if (info->n_variants >= 0)
        plan->stripes = gt_ceil_div(info->n_variants, plan->shape.chunk_variants);
    return settle(plan, engine, info, err);
}
