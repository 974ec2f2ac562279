/* Complete VCF Zarr: one flow that parses and encodes stripes of records, one that puts what waited
 * for the end. */
#include <stdio.h>

#include "calc/pack_resume.h"
#include "engine/flow.h"

struct pack {
    struct gt_engine *engine;
    struct gt_regroup *stripes;
    struct gt_fields *fields;
    struct gt_vcz *vcz;
    const struct gt_pack_plan *plan;
    struct gt_fields_stats stats;
    struct gt_pack_resume resume;
    int64_t first; /* stripe of this run */
};

struct item {
    const struct gt_block *block; /* until it is encoded */
    struct gt_fields_stripe *stripe;
    struct gt_pack_end end;
    int64_t number;
    bool ready;
    struct gt_buf bytes[GT_CALLS_BUFS];
};

static int read_stripe(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct pack *pack = ctx;
    struct item *item = data;
    int status = 0;

    item->number = pack->first + ticket;
    for (int i = 0; i < GT_CALLS_BUFS && !item->ready; i++)
        item->bytes[i].budget = &pack->engine->budget;
    item->ready = true;
    if (!item->stripe)
        status = gt_fields_stripe_new(pack->fields, &item->stripe, err);
    status = status ? status : gt_regroup_next(pack->stripes, &item->block, err);
    if (status)
        return status;
    gt_regroup_mark(pack->stripes, &item->end.mark, &item->end.skip);
    gt_flow_bytes((int64_t)item->block->texts.len);
    return 0;
}

static int encode_stripe(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct pack *pack = ctx;
    struct item *item = data;
    int status = gt_vcz_encode(pack->vcz, item->number, item->block, NULL, item->bytes, err);

    (void)ticket;
    status = status ? status : gt_fields_encode(pack->fields, item->number, item->block, item->stripe, err);
    gt_regroup_done(pack->stripes, item->block);
    item->block = NULL;
    return status;
}

static int put_stripe(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct pack *pack = ctx;
    struct item *item = data;
    int status = gt_vcz_put(pack->vcz, item->number, item->bytes, err);

    (void)ticket;
    status = status ? status : gt_fields_put(pack->fields, item->stripe, err);
    return status ? status : gt_pack_note(&pack->resume, item->number + 1, &item->end, item->stripe, err);
}

static void release_stripe(void *ctx, void *data)
{
    struct pack *pack = ctx;
    struct item *item = data;

    if (item->block)
        gt_regroup_done(pack->stripes, item->block);
    gt_fields_stripe_free(item->stripe);
    for (int i = 0; i < GT_CALLS_BUFS && item->ready; i++)
        gt_buf_release(&item->bytes[i]);
}

static int run_flow(struct pack *pack, struct gt_source *source, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {
        .name = "pack",
        .read_name = "regroup",
        .work_name = "parse and encode",
        .item_size = sizeof(struct item),
        .read = read_stripe,
        .work = encode_stripe,
        .release = release_stripe,
    };
    const struct gt_flow_opts opts = {
        .tickets = -1,
        .readers = 1,
        .ticket_bytes = (size_t)pack->plan->shape.stripe_bytes,
        .memory = pack->plan->share[GT_PACK_STRIPES].size,
    };
    const struct gt_regroup_opts blocks = {.variants = pack->plan->shape.chunk_variants, .sites = true};
    gt_source_grant(source, pack->plan->share[GT_PACK_READING].size);
    int status = gt_pack_resume(&pack->resume, pack->plan, source, err);

    pack->first = pack->resume.stripes;
    status = status ? status : gt_regroup_open(&pack->stripes, pack->engine, source, &blocks, err);
    if (!status)
        gt_regroup_skip(pack->stripes, pack->resume.skip);
    status = status ? status : gt_flow_run(pack->engine, &ops, &opts, pack, put_stripe, err);
    gt_regroup_free(pack->stripes);
    return status;
}

static int replay(void *ctx, struct gt_err *err)
{
    struct pack *pack = ctx;

    return gt_fields_replay(pack->fields, pack->plan->share[GT_PACK_STRIPES].size, &pack->stats, err);
}

static int finish(struct pack *pack, struct gt_store *out, const struct gt_pack_opts *opts, struct gt_err *err)
{
    const int64_t variants = gt_vcz_variants(pack->vcz);
    struct gt_array **arrays;
    size_t n;
    int status = gt_fields_settle(pack->fields, out, variants, &arrays, &n, err);

    return status ? status : gt_vcz_finish_fields(pack->vcz, arrays[0]->chunk[0], arrays, n, opts->stream, replay, pack, err);
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
    stats->kept = pack->first;
    stats->undeclared = pack->stats.undeclared;
    snprintf(stats->undeclared_name, sizeof stats->undeclared_name, "%s", name ? name : "");
}

int gt_pack_fields(struct gt_engine *engine, struct gt_source *source, struct gt_store *out, const struct gt_pack_opts *opts,
                   const struct gt_pack_plan *plan, struct gt_pack_stats *stats, struct gt_err *err)
{
    const struct gt_source_info *info = gt_source_info(source);
    const int format = opts->zarr_format ? opts->zarr_format : 2;
    const struct gt_fields_opts fields = {.wanted = opts->wanted,
                                          .ploidy = opts->ploidy,
                                          .local_alleles = opts->local_alleles,
                                          .chunk_variants = plan->shape.chunk_variants,
                                          .chunk_samples = plan->shape.chunk_samples,
                                          .codec = opts->codec,
                                          .zarr_format = format};
    const struct gt_vcz_opts writer = {.layout = GT_VCZ_FIELDS,
                                       .chunk_variants = plan->shape.chunk_variants,
                                       .chunk_samples = plan->shape.chunk_samples,
                                       .site_variants = plan->shape.chunk_variants,
                                       .codec = opts->codec,
                                       .zarr_format = format,
                                       .history = opts->history};
    struct pack pack = {.engine = engine, .plan = plan};
    int status = gt_vcz_new(&pack.vcz, out, info, &writer, &engine->budget, err);

    status = status ? status : gt_fields_new(&pack.fields, engine, info, &fields, err);
    pack.resume = (struct gt_pack_resume){.store = out, .vcz = pack.vcz, .fields = pack.fields};
    status = status ? status : run_flow(&pack, source, err);
    status = status ? status : finish(&pack, out, opts, err);
    if (!status)
        tell(&pack, stats);
    gt_fields_free(pack.fields);
    gt_vcz_free(pack.vcz);
    return status;
}
