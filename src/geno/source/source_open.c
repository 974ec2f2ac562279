/* Opening a source: its inputs, their order, the selection. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/slice.h"
#include "core/engine/memory_plan.h"
#include "geno/model/var_ids.h"
#include "geno/plink/plink_readers.h"
#include "geno/select/ld_prune.h"
#include "geno/select/select_check.h"
#include "geno/select/site_mask.h"
#include "geno/source/source_internal.h"
#include "geno/vcf/vcf_reader.h"
#include "geno/vcz_read/vcz_reader.h"
#include "storage/input/spool.h"

struct open_ctx {
    const struct gt_source_opts *opts;
    struct gt_slice axes[GT_SLICE_AXES];
    bool again;
    struct gt_input *opened; /* what the next path is, if it was opened already */
};

/* The ploidy axis: whole (-1) or one item of it. */
static int ploidy_slice(const struct gt_slice *axis, int *index, struct gt_err *err)
{
    int64_t start, stop, step;
    *index = -1;
    if (!axis->given || (!axis->is_index && !axis->has_start && !axis->has_stop && axis->step == 1))
        return 0;
    int status = gt_slice_resolve(axis, 2, "ploidy", &start, &stop, &step, err);
    if (!status && start == 0 && stop == 2 && step == 1)
        return 0;
    if (!status && (stop <= start || (stop - start - 1) / step != 0))
        status = gt_fail(err, GT_USAGE, "the ploidy axis can be sliced to one item only");
    *index = (int)start;
    return status;
}

static int open_kind(struct gt_concat *c, const struct open_ctx *ctx, struct gt_input *input, struct gt_reader **out, struct gt_err *err)
{
    struct gt_zarr_reader_opts zarr = {.array = ctx->opts->array,
                                       .sites = c->select.sites,
                                       .haplotypes = c->select.haplotypes,
                                       .phases = c->start.fields & GT_SITE_PHASES,
                                       .columns = (c->start.fields & GT_SITE_COLUMNS) && !c->select.split,
                                       .again = ctx->again};
    int status = ploidy_slice(&ctx->axes[2], &zarr.slice_ploidy, err);
    if (status)
        return status;
    switch (input->kind) {
    case GT_KIND_ZARR_DIR:
    case GT_KIND_ZIP:
    case GT_KIND_TAR:
        return gt_reader_open_zarr(out, c->engine, input, &zarr, err);
    case GT_KIND_VCF:
    case GT_KIND_VCF_BGZF:
    case GT_KIND_VCF_GZIP:
    case GT_KIND_BCF:
    case GT_KIND_BED:
    case GT_KIND_PGEN:
    case GT_KIND_EIGENSTRAT:
        break;
    default:
        return gt_fail(err, GT_INPUT, "'%s' holds no genotypes: it is %s", input->name, gt_input_kind_name(input->kind));
    }
    if (c->select.sites)
        return gt_fail(err, GT_USAGE, "--sites needs a store of calls; '%s' is %s", input->name, gt_input_kind_name(input->kind));
    if (ctx->axes[2].given)
        return gt_fail(err, GT_USAGE, "'%s' has no ploidy axis to slice", input->name);
    if (ctx->opts->array)
        return gt_fail(err, GT_USAGE, "--array needs a store; '%s' is %s", input->name, gt_input_kind_name(input->kind));
    if (input->kind == GT_KIND_PGEN || (input->kind == GT_KIND_BED && gt_ends_with(input->path, ".pgen")))
        return gt_reader_open_pgen(out, c->engine, input, err);
    if (input->kind == GT_KIND_BED)
        return gt_reader_open_bed(out, c->engine, input, err);
    if (input->kind == GT_KIND_EIGENSTRAT)
        return gt_reader_open_eigenstrat(out, c->engine, input, err);
    if (ctx->again && (status = gt_spool(input, c->engine->tmpdir, err)) != 0)
        return status;
    return gt_reader_open_vcf(out, c->engine, input, &c->select, err);
}

static int open_path(struct gt_concat *c, struct open_ctx *ctx, const char *path, struct gt_reader **out, struct gt_err *err)
{
    struct gt_input input = {0}, **opened = &ctx->opened;
    int status = 0;
    if (*opened) {
        input = **opened;
        **opened = (struct gt_input){.fd = -1};
        *opened = NULL;
    } else {
        status = gt_input_open(&input, path, err);
    }
    if (status)
        return status;
    const bool text =
        input.kind == GT_KIND_VCF || input.kind == GT_KIND_VCF_BGZF || input.kind == GT_KIND_VCF_GZIP || input.kind == GT_KIND_BCF;
    c->extent.size = c->extent.size < 0 || !text || input.size < 0 ? -1 : c->extent.size + input.size;
    status = open_kind(c, ctx, &input, out, err);
    if (status)
        gt_input_release(&input);
    return status;
}

/* All inputs are open: join their tables, choose, count what has to be known beforehand. */
static int prepare(struct gt_concat *c, struct gt_err *err)
{
    int status = gt_concat_join_infos(c, err);
    if (!status && c->n > 1)
        status = gt_concat_sort(c, err);
    if (!status)
        status = gt_concat_make_filters(c, false, err);
    if (!status)
        status = gt_concat_count_variants(c, err);
    if (!status)
        status = gt_concat_drop_samples(c, err);
    if (!status)
        status = gt_concat_place_filters(c, err);
    if (!status)
        status = gt_concat_set_samples(c, err);
    if (!status)
        gt_concat_set_counts(c);
    if (!status)
        status = gt_concat_count_thin(c, err);
    return status;
}

/* Before anything is read: of a pipe the number of variants is known at the end only. */
static int check_slice(const char *slice, struct gt_slice axes[GT_SLICE_AXES], struct gt_err *err)
{
    static const char *const names[GT_SLICE_AXES] = {"variants", "samples", "ploidy"};
    int status = gt_slice_parse(slice, axes, GT_SLICE_AXES, err);
    for (int i = 0; i < GT_SLICE_AXES && !status; i++)
        status = gt_slice_check_step(&axes[i], names[i], err);
    return status;
}

/* What the options ask for can be done with that many inputs; axes of --slice. */
static int check_inputs(const struct gt_source_opts *opts, struct gt_slice axes[GT_SLICE_AXES], struct gt_err *err)
{
    const struct gt_select_opts *select = opts->select;
    struct gt_prune_opts prune;
    int status = GT_OK, pipes = 0;
    if (opts->n_paths < 1)
        return gt_fail(err, GT_USAGE, "no input was given");
    if (select && select->concat_samples && opts->n_paths == 1)
        return gt_fail(err, GT_USAGE, "--concat samples needs at least two inputs");
    for (int i = 0; i < opts->n_paths; i++)
        pipes += strcmp(opts->paths[i], "-") == 0;
    if (pipes > 1)
        return gt_fail(err, GT_USAGE, "standard input ('-') was given %d times", pipes);
    if (select)
        status = gt_select_check_lists(select, opts->n_paths, err);
    if (select && select->slice && !status)
        status = check_slice(select->slice, axes, err);
    if (select && select->var_ids && !status)
        status = gt_var_id_check(select->var_ids, err);
    if (select && select->ld_prune && !status)
        status = gt_prune_parse(&prune, select->ld_prune, err);
    return status;
}

static int add_paths(struct gt_concat *c, struct open_ctx *ctx, struct gt_err *err)
{
    int status = GT_OK;
    for (int i = 0; i < ctx->opts->n_paths && !status; i++) {
        struct gt_reader *reader;
        status = open_path(c, ctx, ctx->opts->paths[i], &reader, err);
        status = status ? status : gt_concat_add(c, reader, err);
    }
    return status;
}

int gt_inputs_open(struct gt_concat **out, struct gt_engine *engine, const struct gt_source_opts *opts, struct gt_err *err)
{
    struct open_ctx ctx = {.opts = opts, .opened = opts->opened};
    struct gt_concat *c;
    int status = check_inputs(opts, ctx.axes, err);
    if (!status)
        status = gt_concat_new(&c, engine, opts, opts->n_paths, err);
    if (status)
        return status;
    const bool samples = c->select.concat_samples;
    ctx.again = opts->again || (opts->n_paths > 1 && !samples) || c->select.mind >= 0 || c->select.thin_count > 0 ||
                ctx.axes[0].start < 0 || ctx.axes[0].stop < 0;
    status = samples ? gt_concat_add_samples(c, opts, ctx.again, err) : add_paths(c, &ctx, err);
    for (int i = 0; i < c->n && !status && c->select.mask; i++)
        status = gt_mask_read(&c->segment[i]->reader->info, c->n, engine, c->select.mask, err);
    if (!status)
        status = prepare(c, err);
    if (status)
        gt_chain_close(&c->stage, NULL);
    else
        *out = c;
    return status;
}

/* The chain over the inputs, which are taken over. */
static int open_source(struct gt_source **out, struct gt_concat *inputs, struct gt_err *err)
{
    struct gt_source *source = gt_alloc(1, sizeof *source, err);
    struct gt_stage_needs needs;
    int status = source ? gt_chain_build(&source->last, inputs, GT_CHAIN_READ, err) : GT_FAIL;
    if (status) {
        gt_chain_close(&inputs->stage, NULL);
        free(source);
        return status;
    }
    source->count = source->last;
    source->inputs = inputs;
    source->engine = inputs->engine;
    source->start = inputs->start;
    source->start.deal = inputs->extent.deal;
    source->last->ops->needs(source->last, source->start.fields, &needs);
    inputs->tables.info.read_minimum = needs.minimum;
    inputs->tables.info.read_preferred = needs.preferred;
    inputs->tables.info.read_block = needs.block;
    *out = source;
    return GT_OK;
}

int gt_source_open(struct gt_source **out, struct gt_engine *engine, const struct gt_source_opts *opts, struct gt_err *err)
{
    struct gt_concat *inputs;
    int status = gt_inputs_open(&inputs, engine, opts, err);
    return status ? status : open_source(out, inputs, err);
}

int gt_source_from_reader(struct gt_source **out, struct gt_engine *engine, struct gt_reader *reader, const struct gt_source_opts *opts,
                          struct gt_err *err)
{
    struct gt_concat *c;
    int status = gt_concat_new(&c, engine, opts, 1, err);
    if (status) {
        reader->stage.ops->close(&reader->stage);
        return status;
    }
    status = gt_concat_add(c, reader, err);
    if (!status)
        status = prepare(c, err);
    if (!status)
        return open_source(out, c, err);
    gt_chain_close(&c->stage, NULL);
    return status;
}
