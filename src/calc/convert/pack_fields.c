/* Complete VCF Zarr: the flow of packing parses and encodes row groups of records, another one puts what waited
 * for the end. */
#include <stdio.h>

#include "calc/convert/pack_flow.h"

struct pack {
    struct gt_fields *fields;
    struct gt_vcz *vcz;
    const struct gt_pack_plan *plan;
    struct gt_fields_stats stats;
    int64_t kept; /* row groups that another run put */
};

static int replay(void *ctx, struct gt_err *err)
{
    struct pack *pack = ctx;

    return gt_fields_replay(pack->fields, pack->plan->allotment[GT_PACK_ROW_GROUPS].size, &pack->stats, err);
}

static int finish(struct pack *pack, struct gt_store *out, const struct gt_pack_opts *opts, struct gt_err *err)
{
    const int64_t variants = gt_vcz_variants(pack->vcz);
    struct gt_array **arrays;
    size_t n;
    int status = gt_fields_make_arrays(pack->fields, out, variants, &arrays, &n, err);

    return status ? status : gt_vcz_finish_fields(pack->vcz, arrays, n, opts->stream, replay, pack, err);
}

static void count_literals(const struct pack *pack, bool local, struct gt_pack_literals *to)
{
    struct gt_str names = {0};
    to->n = gt_fields_literals(pack->fields, local, &names);
    if (!names.failed)
        snprintf(to->names, sizeof to->names, "%.380s%s", names.s ? names.s : "", names.len > 380 ? "..." : "");
    gt_str_release(&names);
}

static void tell(const struct pack *pack, struct gt_pack_stats *stats)
{
    const struct gt_vcz_stats *wrote = gt_vcz_stats(pack->vcz);
    const char *name = gt_fields_undeclared(pack->fields);

    stats->variants = wrote->variants;
    stats->bytes_stored = pack->stats.bytes_genotypes;
    stats->bytes_all = wrote->bytes_all + pack->stats.bytes_all;
    stats->max_alleles = pack->stats.max_alleles;
    stats->files = wrote->files + pack->stats.chunks;
    stats->kept = pack->kept;
    stats->undeclared = pack->stats.undeclared;
    count_literals(pack, false, &stats->literals);
    count_literals(pack, true, &stats->local_literals);
    snprintf(stats->undeclared_name, sizeof stats->undeclared_name, "%s", name ? name : "");
}

int gt_pack_fields(struct gt_engine *engine, struct gt_source *source, struct gt_store *out, const struct gt_pack_opts *opts,
                   const struct gt_pack_plan *plan, struct gt_pack_stats *stats, struct gt_err *err)
{
    const struct gt_geno_info *info = gt_source_info(source);
    const int format = opts->zarr_format ? opts->zarr_format : 2;
    const struct gt_fields_opts fields = {.wanted = opts->wanted,
                                          .ploidy = opts->ploidy,
                                          .local_alleles = opts->local_alleles,
                                          .recount = opts->recount,
                                          .lenient = opts->lenient,
                                          .chunk_variants = plan->shape.chunk_variants,
                                          .chunk_samples = plan->shape.chunk_samples,
                                          .inner_variants = plan->shape.inner_variants,
                                          .inner_samples = plan->shape.inner_samples,
                                          .codec = opts->codec,
                                          .zarr_format = format};
    const struct gt_vcz_opts writer = {.layout = GT_VCZ_FIELDS,
                                       .chunk_variants = plan->shape.chunk_variants,
                                       .chunk_samples = plan->shape.chunk_samples,
                                       .inner_variants = plan->shape.inner_variants,
                                       .inner_samples = plan->shape.inner_samples,
                                       .site_variants = plan->shape.chunk_variants,
                                       .codec = opts->codec,
                                       .zarr_format = format,
                                       .history = opts->history};
    struct pack pack = {.plan = plan};
    int status = gt_vcz_new(&pack.vcz, out, info, &writer, &engine->budget, err);

    status = status ? status : gt_fields_new(&pack.fields, engine, info, &fields, err);
    struct gt_pack_resume resume = {.store = out, .vcz = pack.vcz, .fields = pack.fields};
    status = status ? status : gt_pack_row_groups(engine, source, plan, &resume, &pack.kept, err);
    status = status ? status : finish(&pack, out, opts, err);
    if (!status)
        tell(&pack, stats);
    gt_fields_free(pack.fields);
    gt_vcz_free(pack.vcz);
    return status;
}
