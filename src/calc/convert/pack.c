/* gt_pack_run: a packed store, or complete VCF Zarr of pack_fields.c. */
#include "calc/convert/pack_flow.h"
#include "core/base/size.h"

static struct gt_vcz_opts writer_opts(const struct gt_pack_plan *plan, const struct gt_pack_opts *opts)
{
    return (struct gt_vcz_opts){.layout = GT_VCZ_PACKED,
                                .chunk_variants = plan->shape.chunk_variants,
                                .chunk_samples = plan->shape.chunk_samples,
                                .inner_variants = plan->shape.inner_variants,
                                .inner_samples = plan->shape.inner_samples,
                                .site_variants = plan->shape.site_variants,
                                .codec = opts->codec,
                                .zarr_format = opts->zarr_format ? opts->zarr_format : 2,
                                .history = opts->history,
                                .stream = opts->stream};
}

int gt_pack_run(struct gt_engine *engine, struct gt_source *source, struct gt_store *out, const struct gt_pack_opts *opts,
                struct gt_pack_stats *stats, struct gt_err *err)
{
    const struct gt_geno_info *info = gt_source_info(source);
    struct gt_pack_plan plan;
    struct gt_vcz *vcz = NULL;
    int64_t kept = 0;
    int status = gt_pack_plan_make(&plan, engine, info, opts, err);

    *stats = (struct gt_pack_stats){.samples = info->n_samples};
    if (status)
        return status;
    if (opts->fields)
        return gt_pack_fields(engine, source, out, opts, &plan, stats, err);
    const struct gt_vcz_opts writer = writer_opts(&plan, opts);
    const bool writes = engine->comm.rank == 0;
    status = gt_vcz_new(&vcz, writes ? out : NULL, info, &writer, &engine->budget, err);
    struct gt_pack_resume resume = {.store = out, .vcz = vcz};
    status = status ? status : gt_pack_row_groups(engine, source, &plan, &resume, &kept, err);
    if (!status && writes)
        status = gt_vcz_finish(vcz, err);
    if (!status) {
        const struct gt_vcz_stats *wrote = gt_vcz_stats(vcz);
        stats->variants = wrote->variants;
        stats->bytes_raw = wrote->variants * gt_ceil_div(info->n_samples, 4);
        stats->bytes_stored = wrote->bytes_genotypes;
        stats->bytes_all = wrote->bytes_all;
        stats->max_alleles = wrote->max_alleles;
        stats->files = wrote->files;
        stats->kept = kept;
    }
    gt_vcz_free(vcz);
    return status;
}
