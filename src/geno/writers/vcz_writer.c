/* VCF Zarr as a sink of calls, or of packed rows. */
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/writers/geno_writers.h"

struct sink {
    struct gt_calls_sink base;
    struct gt_vcz_opts opts;
    struct gt_store *store;
    struct gt_budget *budget;
    struct gt_vcz *vcz;
};

int64_t gt_vcz_variant_bytes(int64_t n_samples, int64_t chunk_samples)
{
    return 8 * (chunk_samples < n_samples ? chunk_samples : n_samples) + 2 * n_samples + 512;
}

static void cut_chunks(struct sink *sink, const struct gt_geno_info *info)
{
    struct gt_vcz_opts *opts = &sink->opts;
    if (!opts->inner_variants)
        opts->chunk_samples = gt_min_i64(opts->chunk_samples, info->n_samples);
    if (info->n_variants >= 0 && opts->chunk_variants > info->n_variants && !opts->inner_variants)
        opts->chunk_variants = info->n_variants > 0 ? info->n_variants : 1;
    opts->site_variants = opts->chunk_variants;
    sink->base.variant_bytes = gt_vcz_variant_bytes(info->n_samples, opts->chunk_samples);
}

static int begin(struct gt_calls_sink *base, const struct gt_geno_info *info, struct gt_err *err)
{
    struct sink *sink = (struct sink *)base;

    if (sink->opts.layout == GT_VCZ_CALLS)
        cut_chunks(sink, info);
    base->row_group = sink->opts.chunk_variants;
    base->deal = gt_ceil_div(sink->opts.site_variants, base->row_group);
    base->row_group_bytes = sink->opts.row_group_bytes;
    base->site_bytes = sink->opts.site_bytes;
    return gt_vcz_new(&sink->vcz, sink->store, info, &sink->opts, sink->budget, err);
}

static int format(struct gt_calls_sink *base, const struct gt_calls *calls, struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err)
{
    const struct sink *sink = (const struct sink *)base;
    const bool packed = sink->opts.layout == GT_VCZ_PACKED;

    return gt_vcz_encode(sink->vcz, calls->block.first / base->row_group, &calls->block, packed ? NULL : calls, true, bytes, err);
}

static int put(struct gt_calls_sink *base, const struct gt_calls *calls, const struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err)
{
    return gt_vcz_put(((struct sink *)base)->vcz, calls->block.first / base->row_group, bytes, err);
}

static int finish(struct gt_calls_sink *base, struct gt_err *err)
{
    struct sink *sink = (struct sink *)base;
    int status = gt_vcz_finish(sink->vcz, err);

    return status ? status : gt_store_finish(sink->store, err);
}

static void sink_free(struct gt_calls_sink *base)
{
    struct sink *sink = (struct sink *)base;

    gt_vcz_free(sink->vcz);
    gt_store_free(sink->store);
    free(sink);
}

int gt_sink_vcz(struct gt_calls_sink **out, struct gt_store *store, const struct gt_vcz_opts *opts, struct gt_budget *budget,
                struct gt_err *err)
{
    static const struct gt_calls_sink_ops ops = {begin, format, put, finish, sink_free};
    struct sink *sink = gt_alloc(1, sizeof *sink, err);

    if (!sink)
        return GT_FAIL;
    sink->base.ops = &ops;
    sink->base.fields = GT_SITE_ALL;
    sink->base.want = (opts->phased ? GT_CALLS_PHASE : 0) | (opts->alleles > 2 ? GT_CALLS_ALTS : 0);
    sink->base.row_group = opts->chunk_variants;
    sink->base.results = GT_VCZ_RESULTS;
    sink->opts = *opts;
    sink->store = store;
    sink->budget = budget;
    *out = &sink->base;
    return 0;
}
