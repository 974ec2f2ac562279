#include "cmd/sim/sim_output.h"

#include <stdio.h>

#include "calc/sim/sim_json.h"
#include "cmd/common/outputs.h"
#include "cmd/common/report.h"
#include "cmd/common/store_files.h"
#include "cmd/common/store_opts.h"
#include "core/base/size.h"
#include "geno/plink/plink.h"
#include "geno/vcf/vcf_writers.h"
#include "geno/writers/geno_writers.h"
#include "storage/archive/store_create.h"
#include "storage/text/text_file.h"

static int name_families(const struct gt_sim *sim, struct gt_strs *families, struct gt_err *err)
{
    char name[32];
    int status = GT_OK;
    for (int64_t k = 0; k < gt_sim_options(sim)->pops; k++)
        for (int64_t s = gt_sim_pop_first(sim, k); s < gt_sim_pop_first(sim, k + 1) && !status; s++)
            status = gt_strs_add(families, name, (size_t)snprintf(name, sizeof name, GT_POP_NAME, (long long)k + 1), err);
    return status;
}

int sim_output_shape(struct gt_cli *cli, const struct gt_sim *sim, const struct sim_output *to, struct gt_vcz_shape *shape,
                     struct gt_err *err)
{
    struct gt_geno_info info = {0};
    struct gt_vcz_request request = {.layout = to->format == FORMAT_VCZ ? GT_VCZ_CALLS : GT_VCZ_PACKED,
                                     .zarr_format = to->zarr_format,
                                     .stream = gt_store_is_stream(to->path),
                                     .codec = to->codec,
                                     .memory = cli->engine.budget.limit - atomic_load(&cli->engine.budget.used)};
    int64_t chunk[2] = {0, 0}, shard[2] = {0, 0};
    int status = gt_chunks_parse(to->chunks, chunk, err);

    status = status ? status : gt_shard_parse(to->shard, to->zarr_format, shard, err);
    request.shard_variants = shard[0];
    request.shard_samples = shard[1];
    gt_geno_info_count_in(&info, &cli->engine.budget);
    request.chunk_variants = chunk[0];
    request.chunk_samples = chunk[1];
    status = status ? status : gt_sim_info(sim, &info, err);
    status = status ? status : gt_vcz_shape_choose(shape, &info, &request, err);
    gt_geno_info_release(&info);
    return status;
}

/* Rows of a row group are counted with those of the simulation. */
static int64_t encoding_bytes(const struct gt_vcz_shape *shape, const struct gt_sim *sim, enum format format)
{
    const int64_t rows = shape->chunk_variants * gt_ceil_div(gt_sim_options(sim)->samples, 4);
    return format == FORMAT_PACKED ? shape->row_group_bytes - rows : gt_max_i64(shape->codec_bytes, shape->table_bytes);
}

static int open_store(struct gt_cli *cli, const struct gt_sim *sim, const struct sim_output *to, struct gt_calls_sink **sink,
                      struct gt_err *err)
{
    struct gt_vcz_shape shape;
    struct gt_store *store = NULL;
    int status = sim_output_shape(cli, sim, to, &shape, err);

    if (status)
        return status;
    const struct gt_vcz_opts opts = {.layout = to->format == FORMAT_VCZ ? GT_VCZ_CALLS : GT_VCZ_PACKED,
                                     .phased = to->phased,
                                     .alleles = gt_sim_options(sim)->multiallelic > 0 ? 3 : 2,
                                     .chunk_variants = shape.chunk_variants,
                                     .chunk_samples = shape.chunk_samples,
                                     .inner_variants = shape.inner_variants,
                                     .inner_samples = shape.inner_samples,
                                     .site_variants = shape.site_variants,
                                     .codec = to->codec,
                                     .row_group_bytes = encoding_bytes(&shape, sim, to->format),
                                     .site_bytes = to->format == FORMAT_PACKED ? shape.site_bytes : 0,
                                     .zarr_format = to->zarr_format,
                                     .history = cli->history,
                                     .stream = gt_store_is_stream(to->path)};
    gt_note_files(cli, to->path, shape.files, false);
    if (cli->comm.rank == 0)
        status = gt_store_create(&store, to->path, cli->force, cli->command_line, err);
    status = status ? status : gt_sink_vcz(sink, store, &opts, &cli->engine.budget, err);
    if (status)
        gt_store_free(store);
    return status;
}

static int open_sink(struct gt_cli *cli, const struct gt_sim *sim, const struct sim_output *to, struct gt_calls_sink **sink,
                     struct gt_err *err)
{
    const bool writes = cli->comm.rank == 0;
    if (to->format == FORMAT_VCF) {
        bool packed = gt_text_is_packed(to->path);
        const struct gt_vcf_opts opts = {.phased = to->phased,
                                         .alts = gt_sim_options(sim)->multiallelic > 0,
                                         .level = packed ? 1 : 0,
                                         .key = "source",
                                         .history = cli->history};
        return gt_sink_vcf(sink, writes ? to->path : NULL, &opts, err);
    }
    if (to->format == FORMAT_VCZ || to->format == FORMAT_PACKED)
        return open_store(cli, sim, to, sink, err);
    struct gt_strs families = {0};
    struct gt_str prefix = {0};
    int status = name_families(sim, &families, err);
    gt_str_addn(&prefix, to->path, gt_plink_stem(to->path));
    if (!status)
        status = gt_str_check(&prefix, err);
    if (!status)
        status = gt_sink_bed(sink, writes ? prefix.s : NULL, &families, err);
    gt_str_release(&prefix);
    gt_strs_release(&families);
    return status;
}

/* Is there memory for names and row groups? */
static int settle(struct gt_cli *cli, const struct gt_sim *sim, const struct sim_output *to, struct gt_err *err)
{
    const struct gt_sim_opts *options = gt_sim_options(sim);
    struct gt_sim_needs needs = {.want = (to->phased ? GT_CALLS_PHASE : 0) | (options->multiallelic > 0 ? GT_CALLS_ALTS : 0)};
    struct gt_vcz_shape shape;
    int64_t memory;

    if (to->format == FORMAT_VCF)
        needs.variant_bytes = gt_vcf_variant_bytes(options->samples, gt_text_is_packed(to->path));
    else if (to->format == FORMAT_BED)
        needs.variant_bytes = gt_bed_variant_bytes(options->samples);
    int status = gt_sim_fit_memory(sim, &cli->engine, &needs, &memory, err);
    if (status || (to->format != FORMAT_VCZ && to->format != FORMAT_PACKED))
        return status;
    status = sim_output_shape(cli, sim, to, &shape, err);
    if (status)
        return status;
    needs.row_group = gt_min_i64(shape.chunk_variants, options->variants);
    needs.row_group_bytes = encoding_bytes(&shape, sim, to->format);
    if (to->format == FORMAT_VCZ)
        needs.variant_bytes = gt_vcz_variant_bytes(options->samples, shape.chunk_samples);
    else
        needs.site_bytes = shape.site_bytes;
    return gt_sim_fit_memory(sim, &cli->engine, &needs, &memory, err);
}

int sim_output_write(struct gt_cli *cli, const struct gt_sim *sim, const struct sim_output *to, struct gt_err *err)
{
    struct gt_calls_sink *sink = NULL;
    int status = settle(cli, sim, to, err);

    if (status || cli->dry_run)
        return status;
    status = open_sink(cli, sim, to, &sink, err);
    if (!status)
        status = gt_sim_write(sim, &cli->engine, sink, err);
    if (sink)
        sink->ops->free(sink);
    return status;
}
