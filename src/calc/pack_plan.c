/* What packing will do, and the memory that it takes. */
#include "base/size.h"
#include "calc/pack.h"

/* room: what the input leaves for a stripe. */
static int does_not_fit(const struct gt_pack_plan *plan, const struct gt_engine *engine, const struct gt_source_info *info, int64_t room,
                        struct gt_err *err)
{
    char samples[GT_NUM_LEN], variants[GT_NUM_LEN], needs[GT_NUM_LEN], limit[GT_NUM_LEN], has[GT_NUM_LEN];
    int64_t bytes = plan->stripe_bytes + plan->site_bytes, read = info->read_bytes + info->read_site_bytes;
    double fits = (double)plan->shape.chunk_variants * (double)room / (double)bytes * 0.9;

    gt_format_size(limit, engine->limits.memory);
    if (fits < 1 && read > plan->memory) {
        gt_fail(err, GT_NOFIT, "reading '%s' takes %s for a chunk, and %s of memory leave %s for that and for packing", info->name,
                gt_format_size(needs, read), limit, gt_format_size(has, engine->budget.limit));
        gt_hint(err, "give more with --memory");
        return GT_NOFIT;
    }
    gt_fail(err, GT_NOFIT, "a stripe of %s variants x %s samples takes %s, and %s of memory leave %s for it",
            gt_format_count(variants, plan->shape.chunk_variants), gt_format_count(samples, info->n_samples), gt_format_size(needs, bytes),
            limit, gt_format_size(has, room));
    if (fits >= 1)
        gt_hint(err, "use --chunks variants=%lld, or more --memory", (long long)fits);
    else
        gt_hint(err, "give more with --memory");
    return GT_NOFIT;
}

int gt_pack_plan_make(struct gt_pack_plan *plan, const struct gt_engine *engine, const struct gt_source_info *info,
                      const struct gt_pack_opts *opts, struct gt_err *err)
{
    int64_t half = engine->budget.limit / 2, read = info->read_bytes + info->read_site_bytes;
    int64_t room = engine->budget.limit - read;
    struct gt_vcz_wish wish = {.layout = GT_VCZ_PACKED,
                               .chunk_variants = opts->chunk_variants,
                               .chunk_samples = opts->chunk_samples,
                               .zarr_format = opts->zarr_format ? opts->zarr_format : 2,
                               .stream = opts->stream};
    int status;

    *plan = (struct gt_pack_plan){.stripes = -1};
    if (info->n_samples <= 0)
        return gt_fail(err, GT_INPUT, "'%s' has no samples to pack", info->name);
    wish.memory = room = room < half ? room : half;
    status = gt_vcz_shape_choose(&plan->shape, info, &wish, err);
    if (status)
        return status;
    plan->sample_chunks = gt_ceil_div(info->n_samples, plan->shape.chunk_samples);
    if (!gt_vcz_stripe_bytes(&plan->shape, GT_VCZ_PACKED, info->n_samples, &plan->stripe_bytes, &plan->site_bytes))
        return gt_fail(err, GT_USAGE, "chunks of %lld variants x %lld samples are larger than 2 GiB", (long long)plan->shape.chunk_variants,
                       (long long)plan->shape.chunk_samples);
    if (info->n_variants >= 0)
        plan->stripes = gt_ceil_div(info->n_variants, plan->shape.chunk_variants);
    plan->memory = half - plan->site_bytes;
    return plan->stripe_bytes > room - plan->site_bytes ? does_not_fit(plan, engine, info, room, err) : 0;
}
