/* gt_pack_run: one flow that reads the source's blocks as stripes, encodes stripes on the
 * workers and puts them in order. */
#include "calc/pack_resume.h"

#include "base/size.h"
#include "engine/flow.h"
#include "geno/regroup.h"

struct pack {
    struct gt_engine *engine;
    struct gt_regroup *stripes; /* the source's variants by stripe */
    struct gt_vcz *vcz;
    struct gt_pack_resume resume;
    int64_t first; /* stripe of this run */
    int64_t row_bytes;
};

/* A ticket: one stripe. */
struct item {
    bool ready;                   /* buffers know their budget */
    const struct gt_block *block; /* until it is encoded */
    struct gt_pack_end end;
    int64_t stripe, variants;
    struct gt_buf bytes[GT_CALLS_BUFS];
};

static int read_stripe(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct pack *pack = ctx;
    struct item *item = data;
    int status;

    item->stripe = pack->first + ticket;
    for (int i = 0; i < GT_CALLS_BUFS && !item->ready; i++)
        item->bytes[i].budget = &pack->engine->budget;
    item->ready = true;
    status = gt_regroup_next(pack->stripes, &item->block, err);
    if (status)
        return status;
    item->variants = item->block->n;
    gt_regroup_mark(pack->stripes, &item->end.mark, &item->end.skip);
    gt_flow_bytes(item->variants * pack->row_bytes);
    return 0;
}

static int encode_stripe(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct pack *pack = ctx;
    struct item *item = data;
    int status;

    (void)ticket;
    gt_flow_bytes(item->variants * pack->row_bytes);
    status = gt_vcz_encode(pack->vcz, item->stripe, item->block, NULL, item->bytes, err);
    gt_regroup_done(pack->stripes, item->block);
    item->block = NULL;
    return status;
}

static void release_stripe(void *ctx, void *data)
{
    struct pack *pack = ctx;
    struct item *item = data;

    if (item->block)
        gt_regroup_done(pack->stripes, item->block);
    for (int i = 0; i < GT_CALLS_BUFS && item->ready; i++)
        gt_buf_release(&item->bytes[i]);
}

static int put_stripe(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct pack *pack = ctx;
    const struct item *item = data;
    int status = gt_vcz_put(pack->vcz, item->stripe, item->bytes, err);

    (void)ticket;
    return status ? status : gt_pack_note(&pack->resume, item->stripe + 1, &item->end, NULL, err);
}

static int run_flow(struct pack *pack, struct gt_source *source, const struct gt_pack_plan *plan, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {
        .name = "pack",
        .read_name = "regroup",
        .work_name = "encode",
        .item_size = sizeof(struct item),
        .read = read_stripe,
        .work = encode_stripe,
        .release = release_stripe,
    };
    struct gt_flow_opts opts = {
        .tickets = -1,
        .readers = 1,
        .ticket_bytes = (size_t)plan->shape.stripe_bytes,
        .memory = plan->share[GT_PACK_STRIPES].size,
    };
    struct gt_regroup_opts blocks = {.variants = plan->shape.chunk_variants, .sites = true};
    gt_source_grant(source, plan->share[GT_PACK_READING].size);
    int status = gt_pack_resume(&pack->resume, plan, source, err);

    pack->first = pack->resume.stripes;
    status = status ? status : gt_regroup_open(&pack->stripes, pack->engine, source, &blocks, err);
    if (!status)
        gt_regroup_skip(pack->stripes, pack->resume.skip);
    status = status ? status : gt_flow_run(pack->engine, &ops, &opts, pack, put_stripe, err);
    gt_regroup_free(pack->stripes);
    return status;
}

static struct gt_vcz_opts writer_opts(const struct gt_pack_plan *plan, const struct gt_pack_opts *opts)
{
    return (struct gt_vcz_opts){.layout = GT_VCZ_PACKED,
                                .chunk_variants = plan->shape.chunk_variants,
                                .chunk_samples = plan->shape.chunk_samples,
                                .site_variants = plan->shape.site_variants,
                                .codec = opts->codec,
                                .zarr_format = opts->zarr_format ? opts->zarr_format : 2,
                                .history = opts->history,
                                .stream = opts->stream};
}

int gt_pack_run(struct gt_engine *engine, struct gt_source *source, struct gt_store *out, const struct gt_pack_opts *opts,
                struct gt_pack_stats *stats, struct gt_err *err)
{
    const struct gt_source_info *info = gt_source_info(source);
    struct pack pack = {.engine = engine, .row_bytes = gt_ceil_div(info->n_samples, 4)};
    struct gt_pack_plan plan;
    int status = gt_pack_plan_make(&plan, engine, info, opts, err);

    *stats = (struct gt_pack_stats){.samples = info->n_samples};
    if (status)
        return status;
    if (opts->fields)
        return gt_pack_fields(engine, source, out, opts, &plan, stats, err);
    const struct gt_vcz_opts writer = writer_opts(&plan, opts);
    status = gt_vcz_new(&pack.vcz, out, info, &writer, &engine->budget, err);
    pack.resume = (struct gt_pack_resume){.store = out, .vcz = pack.vcz};
    status = status ? status : run_flow(&pack, source, &plan, err);
    status = status ? status : gt_vcz_finish(pack.vcz, err);
    if (!status) {
        const struct gt_vcz_stats *wrote = gt_vcz_stats(pack.vcz);
        stats->variants = wrote->variants;
        stats->bytes_raw = wrote->variants * pack.row_bytes;
        stats->bytes_stored = wrote->bytes_genotypes;
        stats->bytes_all = wrote->bytes_all;
        stats->max_alleles = wrote->max_alleles;
        stats->files = wrote->files;
        stats->kept = pack.first;
    }
    gt_vcz_free(pack.vcz);
    return status;
}
