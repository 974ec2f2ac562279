/* Opening a source: its inputs, their order, the selection. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/slice.h"
#include "core/engine/shares.h"
#include "geno/plink/plink_readers.h"
#include "geno/select/mask.h"
#include "geno/select/select_check.h"
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

static int open_kind(struct gt_source *source, const struct open_ctx *ctx, struct gt_input *input, struct gt_reader **out,
                     struct gt_err *err)
{
    int ploidy;
    int status = ploidy_slice(&ctx->axes[2], &ploidy, err);
    if (status)
        return status;
    switch (input->kind) {
    case GT_KIND_ZARR_DIR:
    case GT_KIND_ZIP:
    case GT_KIND_TAR:
        return gt_reader_open_zarr(out, source->engine, input, ctx->opts->array, ploidy, source->select.sites, source->select.haplotypes,
                                   (source->fields & GT_SITE_COLUMNS) && !source->select.split, ctx->again, err);
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
    if (source->select.sites)
        return gt_fail(err, GT_USAGE, "--sites gives a store of calls its sites, and '%s' is %s", input->name,
                       gt_input_kind_name(input->kind));
    if (ctx->axes[2].given)
        return gt_fail(err, GT_USAGE, "'%s' has no ploidy axis to slice", input->name);
    if (ctx->opts->array)
        return gt_fail(err, GT_USAGE, "--array names an array of a store, and '%s' is %s", input->name, gt_input_kind_name(input->kind));
    if (input->kind == GT_KIND_PGEN || (input->kind == GT_KIND_BED && gt_ends_with(input->path, ".pgen")))
        return gt_reader_open_pgen(out, source->engine, input, err);
    if (input->kind == GT_KIND_BED)
        return gt_reader_open_bed(out, source->engine, input, err);
    if (input->kind == GT_KIND_EIGENSTRAT)
        return gt_reader_open_eigenstrat(out, source->engine, input, err);
    if (ctx->again && (status = gt_spool(input, source->engine->tmpdir, err)) != 0)
        return status;
    return gt_reader_open_vcf(out, source->engine, input, &source->select, err);
}

static int open_path(struct gt_source *source, struct open_ctx *ctx, const char *path, struct gt_reader **out, struct gt_err *err)
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
    source->size = source->size < 0 || !text || input.size < 0 ? -1 : source->size + input.size;
    status = open_kind(source, ctx, &input, out, err);
    if (status)
        gt_input_release(&input);
    return status;
}

static struct gt_source *source_new(struct gt_engine *engine, const struct gt_source_opts *opts, int n, struct gt_err *err)
{
    static const struct gt_select_opts everything = GT_SELECT_ALL;
    struct gt_source *source = gt_alloc(1, sizeof *source, err);
    if (!source)
        return NULL;
    source->engine = engine;
    source->select = opts->select ? *opts->select : everything;
    source->select.records = opts->fields & GT_SITE_RECORD;
    source->select.by_sex = opts->fields & GT_SITE_PLACE;
    source->fields = opts->fields | (n > 1 ? GT_SITE_POS : 0);
    source->memory = engine->budget.limit / 3;
    source->to = INT64_MAX;
    source->pieces = gt_alloc((size_t)n, sizeof *source->pieces, err);
    source->contigs = gt_names_new(&engine->budget, err);
    source->filters = gt_names_new(&engine->budget, err);
    gt_geno_info_count_in(&source->info, &engine->budget);
    source->contigs_seen.budget = &engine->budget;
    if (source->pieces && source->contigs && source->filters)
        return source;
    gt_source_free(source);
    return NULL;
}

/* --- the order of the pieces ---------------------------------------------------- */

static int by_first_site(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->first_contig != y->first_contig)
        return x->first_contig < y->first_contig ? -1 : 1;
    return (x->first_position > y->first_position) - (x->first_position < y->first_position);
}

static int first_site(struct gt_source *source, struct piece *piece, struct gt_err *err)
{
    struct gt_reader *reader = piece->reader;
    struct gt_filter *all = NULL;
    struct gt_block *block;
    piece->first_contig = -1;
    const struct gt_start start = {.fields = GT_SITE_POS, .memory = source->memory / 2};
    int status = gt_filter_new(&all, NULL, &reader->info, err);
    reader->filter = all;
    if (!status)
        status = reader->stage.ops->start(&reader->stage, &start, err);
    while (!status && (status = reader->stage.ops->next(&reader->stage, &block, err)) == 0) {
        bool found = block->n > 0;
        struct gt_site site = found ? gt_block_sites(block)[0] : (struct gt_site){0};
        gt_stage_release(block);
        if (!found)
            continue;
        status = gt_source_extend_maps(source, piece, err);
        if (!status && site.contig >= 0 && (size_t)site.contig < piece->n_contigs) {
            piece->first_contig = piece->contigs[site.contig];
            piece->first_position = site.position;
        }
        break;
    }
    reader->stage.ops->stop(&reader->stage);
    gt_filter_free(all);
    return status == GT_END ? 0 : status;
}

/* The pieces by their first site, contigs in header order. */
static int put_in_order(struct gt_source *source, struct gt_err *err)
{
    for (int i = 0; i < source->n; i++) {
        int status = first_site(source, &source->pieces[i], err);
        if (status)
            return status;
    }
    qsort(source->pieces, (size_t)source->n, sizeof *source->pieces, by_first_site);
    return 0;
}

/* While blocks of one piece are out the next one may be read. */
static void measure(struct gt_source *source)
{
    struct gt_geno_info *info = &source->info;
    for (int i = 0; i < source->n; i++) {
        const struct piece *piece = &source->pieces[i];
        struct gt_stage_needs needs;
        piece->reader->stage.ops->needs(&piece->reader->stage, source->fields | gt_filter_fields(piece->filter), &needs);
        needs.least = gt_bytes_mul(needs.least, source->n > 1 ? 2 : 1);
        info->read_least = needs.least > info->read_least ? needs.least : info->read_least;
        info->read_wanted = needs.wanted > info->read_wanted ? needs.wanted : info->read_wanted;
        info->read_block = needs.block > info->read_block ? needs.block : info->read_block;
    }
}

void gt_source_grant(struct gt_source *source, int64_t memory)
{
    source->memory = memory;
}

/* All inputs are open: join their tables, choose, make the first pass if needed. */
static int prepare(struct gt_source *source, struct gt_err *err)
{
    int status = gt_source_join_infos(source, err);
    if (!status && source->n > 1)
        status = put_in_order(source, err);
    if (!status)
        status = gt_source_prune_open(source, err);
    if (!status)
        status = gt_source_dup_open(source, err);
    if (!status)
        status = gt_source_make_filters(source, false, err);
    if (!status)
        status = gt_source_count_variants(source, err);
    if (!status)
        status = gt_source_drop_samples(source, err);
    if (!status)
        status = gt_source_place_filters(source, err);
    if (!status)
        status = gt_source_set_samples(source, err);
    if (status)
        return status;
    gt_source_set_counts(source);
    measure(source);
    gt_source_prune_measure(source);
    gt_source_begin_pass(source);
    return source->info.n_variants_max < 0 ? 0
                                           : gt_source_check_enough(source, source->info.n_variants_max, source->info.n_variants < 0, err);
}

int gt_source_open(struct gt_source **out, struct gt_engine *engine, const struct gt_source_opts *opts, struct gt_err *err)
{
    const bool beside = opts->select && opts->select->concat_samples && opts->n_paths > 1;
    struct open_ctx ctx = {.opts = opts, .opened = opts->opened, .again = opts->again || (opts->n_paths > 1 && !beside)};
    int status = 0, pipes = 0;
    if (opts->n_paths < 1)
        return gt_fail(err, GT_USAGE, "no input was given");
    if (opts->select && opts->select->concat_samples && !beside)
        return gt_fail(err, GT_USAGE, "--concat samples puts inputs side by side, and there is one alone");
    for (int i = 0; i < opts->n_paths; i++)
        pipes += strcmp(opts->paths[i], "-") == 0;
    if (pipes > 1)
        return gt_fail(err, GT_USAGE, "standard input ('-') is given %d times", pipes);
    if (opts->select && (status = gt_select_check_lists(opts->select, opts->n_paths, err)) != 0)
        return status;
    if (opts->select) {
        status = opts->select->slice ? gt_slice_parse(opts->select->slice, ctx.axes, GT_SLICE_AXES, err) : 0;
        ctx.again |= opts->select->mind >= 0 || ctx.axes[0].start < 0 || ctx.axes[0].stop < 0;
    }
    if (status)
        return status;
    struct gt_source *source = source_new(engine, opts, beside ? 1 : opts->n_paths, err);
    if (!source)
        return GT_FAIL;
    if (beside)
        status = gt_source_open_beside(source, opts, ctx.again, err);
    for (int i = 0; i < opts->n_paths && !status && !beside; i++) {
        struct gt_reader *reader;
        status = open_path(source, &ctx, opts->paths[i], &reader, err);
        if (!status)
            gt_source_init_piece(&source->pieces[source->n++], reader);
    }
    for (int i = 0; i < source->n && !status && source->select.mask; i++)
        status = gt_mask_read(&source->pieces[i].reader->info, source->n, engine, source->select.mask, err);
    if (!status)
        status = prepare(source, err);
    if (status)
        gt_source_free(source);
    else
        *out = source;
    return status;
}

int gt_source_from_reader(struct gt_source **out, struct gt_engine *engine, struct gt_reader *reader, const struct gt_source_opts *opts,
                          struct gt_err *err)
{
    struct gt_source *source = source_new(engine, opts, 1, err);
    if (!source) {
        reader->stage.ops->close(&reader->stage);
        return GT_FAIL;
    }
    gt_source_init_piece(&source->pieces[source->n++], reader);
    int status = prepare(source, err);
    if (status)
        gt_source_free(source);
    else
        *out = source;
    return status;
}
