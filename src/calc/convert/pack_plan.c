/* What packing will do, and the memory that it takes. */
#include "calc/convert/pack.h"
#include "core/base/size.h"
#include "core/engine/flow.h"

#define HEADER_BYTES 256 /* of a text of the header, which the metadata have again */

/* Names of samples and the header for the metadata, and what is known at the end only. */
static int64_t table_bytes(const struct gt_geno_info *info)
{
    return gt_bytes_add(gt_bytes_mul(info->n_samples, 48), gt_bytes_add(gt_bytes_mul((int64_t)info->header.n, HEADER_BYTES), 64 << 10));
}

static int64_t room_of(const struct gt_engine *engine)
{
    return engine->budget.limit - atomic_load(&engine->budget.used);
}

/* Row_groups could be lower, where that would do. */
static void advise(const struct gt_pack_plan *plan, const struct gt_engine *engine, struct gt_err *err)
{
    int64_t others = 0, bytes = plan->shape.row_group_bytes + plan->shape.site_bytes;
    for (int i = 0; i < GT_PACK_ALLOTMENTS; i++)
        others = gt_bytes_add(others, i == GT_PACK_ROW_GROUPS || i == GT_PACK_SITES ? 0 : plan->allotment[i].minimum);
    double fits = (double)plan->shape.chunk_variants * (double)(room_of(engine) - others) / (double)bytes * 0.9;
    const int64_t unit = plan->shape.inner_variants ? plan->shape.inner_variants : 1;
    if (fits < (double)unit || !err)
        return;
    err->hint[0] = '\0';
    gt_hint(err, "--memory %lldM would do, or %s variants=%lld", (long long)gt_memory_plan_ceiling(engine, gt_bytes_add(others, bytes)),
            plan->shape.inner_variants ? "--shard" : "--chunks", (long long)fits / unit * unit);
}

/* Row_groups in flight of complete VCF Zarr: one a worker, and some that are being filled.  Each has tens of MB of text, and
 * memory that is touched for the first time costs more than workers that wait now and then. */
static int64_t fields_row_groups(const struct gt_engine *engine)
{
    return engine->limits.threads + 1 + engine->limits.threads / 4;
}

static int settle(struct gt_pack_plan *plan, const struct gt_engine *engine, const struct gt_geno_info *info, int64_t row_groups,
                  struct gt_err *err)
{
    plan->allotment[GT_PACK_READING] =
        (struct gt_allotment){.name = "reading", .minimum = info->read_minimum, .preferred = info->read_preferred};
    /* the table of samples is encoded when no row group is */
    plan->allotment[GT_PACK_ROW_GROUPS] = (struct gt_allotment){.name = "a row group",
                                                                .minimum = gt_max_i64(plan->shape.row_group_bytes, plan->shape.table_bytes),
                                                                .preferred = gt_bytes_mul(row_groups, plan->shape.row_group_bytes)};
    plan->allotment[GT_PACK_SITES] = (struct gt_allotment){.name = "chunks of sites", .minimum = plan->shape.site_bytes};
    plan->allotment[GT_PACK_TABLES] = (struct gt_allotment){.name = "tables", .minimum = table_bytes(info)};
    gt_plan_record_step(engine->plan, &(struct gt_plan_step){.flow = "pack",
                                                             .read = "collect",
                                                             .work = "encode",
                                                             .tasks = plan->row_groups,
                                                             .task_bytes = plan->shape.row_group_bytes,
                                                             .passes = 1});
    int status = gt_memory_plan_fit(plan->allotment, GT_PACK_ALLOTMENTS, engine, err);
    if (status == GT_NOFIT)
        advise(plan, engine, err);
    return status;
}

/* --- complete VCF Zarr ------------------------------------------------------------------ */

/* As bio2zarr has them. */
#define FIELDS_VARIANTS 1000
#define FIELDS_SAMPLES 10000
#define FIELDS_TALLEST 64000
#define FIELDS_ROW_GROUP (INT64_C(512) << 20) /* bytes of a row group that has grown, at the most */
#define FIELD_BYTES 768                       /* of a row group and of the metadata: what a field takes, whether records have it or not */
#define SITE_BYTES 512                        /* of what a record has in addition to its text: site, ids, alleles, values of INFO */

/* Of a row group: the text of its records; columns, a chunk of one of them, and what is encoded, each of which is
 * no larger than the text as a rule. */
static int64_t fields_row_group(const struct gt_geno_info *info, int64_t variants)
{
    const int64_t record = info->record_bytes > 4 * info->n_samples ? info->record_bytes : 4 * info->n_samples;

    return gt_bytes_add(gt_bytes_mul(variants, gt_bytes_add(gt_bytes_mul(record, 4), SITE_BYTES)),
                        gt_bytes_mul((int64_t)gt_vcf_fields_n(&info->fields), FIELD_BYTES));
}

/* Arrays of INFO and of sites have a chunk a row group, those of calls a row of them. */
static int64_t fields_files(const struct gt_geno_info *info, const struct gt_vcz_shape *shape, int64_t variants)
{
    const int64_t row_groups = gt_ceil_div(variants, shape->chunk_variants), parts = gt_ceil_div(info->n_samples, shape->chunk_samples);
    int64_t arrays = 8, calls = 3;

    for (size_t i = 0; i < gt_vcf_fields_n(&info->fields); i++)
        *(gt_vcf_field(&info->fields, i)->format ? &calls : &arrays) += 1;
    return gt_bytes_add(gt_bytes_mul(row_groups, gt_bytes_add(arrays, gt_bytes_mul(calls, parts))), 2 * (arrays + calls) + 16);
}

static int choose_fields(struct gt_vcz_shape *shape, const struct gt_geno_info *info, const struct gt_pack_opts *opts,
                         const struct gt_vcz_request *request, struct gt_err *err)
{
    const int64_t likely = info->n_variants >= 0 ? info->n_variants : info->n_variants_guess, n = info->n_samples;
    const bool shards = request->shard_variants || request->shard_samples, fixed = opts->chunk_variants || shards;
    int64_t width = opts->chunk_samples ? opts->chunk_samples : FIELDS_SAMPLES, height = opts->chunk_variants;

    if (height < 0 || width < -1)
        return gt_fail(err, GT_USAGE, "chunks must be positive");
    *shape = (struct gt_vcz_shape){.chunk_samples = width < 0 || width > n ? (n > 0 ? n : 1) : width, .about = true, .files = -1};
    shape->chunk_variants = height ? height : FIELDS_VARIANTS;
    while (!fixed && shape->chunk_variants < FIELDS_TALLEST && fields_files(info, shape, likely) > GT_VCZ_FILES &&
           fields_row_group(info, 2 * shape->chunk_variants) <= FIELDS_ROW_GROUP)
        shape->chunk_variants *= 2;
    while (!fixed && shape->chunk_variants > 1 && fields_row_group(info, shape->chunk_variants) > request->memory)
        shape->chunk_variants /= 2;
    int status = gt_vcz_shape_shards(shape, info, request, err);
    if (status)
        return status;
    shape->site_variants = shape->chunk_variants;
    shape->row_group_bytes = fields_row_group(info, shape->chunk_variants);
    if (likely > 0)
        shape->files = fields_files(info, shape, likely);
    return gt_vcz_shape_codecs(shape, info, request, err);
}

int gt_pack_plan_make(struct gt_pack_plan *plan, const struct gt_engine *engine, const struct gt_geno_info *info,
                      const struct gt_pack_opts *opts, struct gt_err *err)
{
    struct gt_vcz_request request = {.layout = opts->fields ? GT_VCZ_CALLS : GT_VCZ_PACKED,
                                     .chunk_variants = opts->chunk_variants,
                                     .chunk_samples = opts->chunk_samples,
                                     .shard_variants = opts->shard_variants,
                                     .shard_samples = opts->shard_samples,
                                     .zarr_format = opts->zarr_format ? opts->zarr_format : 2,
                                     .stream = opts->stream,
                                     .codec = opts->codec,
                                     .memory = room_of(engine) - gt_bytes_add(info->read_minimum, table_bytes(info))};
    int status;

    *plan = (struct gt_pack_plan){.row_groups = -1};
    if (info->n_samples <= 0 && !opts->fields)
        return gt_fail(err, GT_INPUT, "'%s' has no samples to pack", info->name);
    status = opts->fields ? choose_fields(&plan->shape, info, opts, &request, err) : gt_vcz_shape_choose(&plan->shape, info, &request, err);
    if (status)
        return status;
    plan->sample_chunks = gt_ceil_div(info->n_samples, plan->shape.chunk_samples);
    if (info->n_variants >= 0)
        plan->row_groups = gt_ceil_div(info->n_variants, plan->shape.chunk_variants);
    return settle(plan, engine, info, opts->fields ? fields_row_groups(engine) : gt_flow_most_items(engine, 1), err);
}
