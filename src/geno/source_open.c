/* Opening a source: its inputs, their order, the selection. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/size.h"
#include "base/slice.h"
#include "engine/shares.h"
#include "geno/mask.h"
#include "geno/source_impl.h"
#include "store/spool.h"

static int same_samples(const struct gt_source_info *a, const struct gt_source_info *b, struct gt_err *err)
{
    char n[GT_THINGS_LEN], other[GT_NUM_LEN];
    if (a->n_samples != b->n_samples)
        return gt_fail(err, GT_INPUT, "'%s' has %s and '%s' has %s", b->name, gt_format_things(n, b->n_samples, "sample"), a->name,
                       gt_format_count(other, a->n_samples));
    for (size_t i = 0; i < a->samples.n; i++) {
        const char *x = gt_strs_get(&a->samples, i), *y = gt_strs_get(&b->samples, i);
        if (strcmp(x, y) != 0)
            return gt_fail(err, GT_INPUT, "sample %zu is '%s' in '%s' and '%s' in '%s'", i + 1, y, b->name, x, a->name);
    }
    return 0;
}

/* --- opening ----------------------------------------------------------------- */

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
    source->fields = opts->fields | (n > 1 ? GT_SITE_POS : 0);
    source->memory = engine->budget.limit / 3;
    source->to = INT64_MAX;
    source->pieces = gt_alloc((size_t)n, sizeof *source->pieces, err);
    source->contigs = gt_names_new(&engine->budget, err);
    source->filters = gt_names_new(&engine->budget, err);
    gt_source_info_count_in(&source->info, &engine->budget);
    source->contigs_seen.budget = &engine->budget;
    pthread_mutex_init(&source->lock, NULL);
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
    int status = gt_filter_new(&all, NULL, &reader->info, err);
    if (!status)
        status = reader->ops->start(reader, all, GT_SITE_POS, source->memory / 2, err);
    piece->started = !status;
    while (!status && (status = reader->ops->next(reader, &block, err)) == 0) {
        bool found = block->n > 0;
        struct gt_site site = found ? gt_block_sites(block)[0] : (struct gt_site){0};
        reader->ops->done(reader, block);
        if (!found)
            continue;
        status = gt_source_extend_maps(source, piece, err);
        if (!status && site.contig >= 0 && (size_t)site.contig < piece->n_contigs) {
            piece->first_contig = piece->contigs[site.contig];
            piece->first_position = site.position;
        }
        break;
    }
    gt_source_stop_piece(piece);
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

static int64_t piece_bound(const struct piece *piece)
{
    int64_t n = piece->sites >= 0 ? piece->sites : piece->reader->info.n_variants_max;
    return gt_filter_count_max(piece->filter, n);
}

void gt_source_set_counts(struct gt_source *source)
{
    int64_t n = 0, max = 0, guess = 0;
    for (int i = 0; i < source->n; i++) {
        int64_t count = gt_filter_count(source->pieces[i].filter, source->pieces[i].sites), bound = piece_bound(&source->pieces[i]);
        n = n < 0 || count < 0 ? -1 : n + count;
        max = max < 0 || bound < 0 ? -1 : max + bound;
        guess += bound < 0 ? source->pieces[i].reader->info.n_variants_guess : bound;
    }
    source->info.n_variants = n;
    source->info.n_variants_max = n >= 0 ? n : max;
    source->info.n_variants_guess = guess;
}

static int take_chosen(struct gt_strs *to, const struct gt_strs *from, const uint32_t *chosen, int64_t n, struct gt_err *err)
{
    int status = GT_OK;
    gt_strs_clear(to);
    for (int64_t i = 0; i < n && !status; i++) {
        const char *name = gt_strs_get(from, chosen ? chosen[i] : (size_t)i);
        status = gt_strs_add(to, name, strlen(name), err);
    }
    return status;
}

/* ID_0 and ID_1 of each. */
static int double_samples(struct gt_strs *samples, struct gt_err *err)
{
    struct gt_strs both = {.budget = samples->budget};
    struct gt_str name = {0};
    int status = GT_OK;
    for (size_t i = 0; i < 2 * samples->n && !status; i++) {
        gt_str_clear(&name);
        gt_str_addf(&name, "%s_%zu", gt_strs_get(samples, i / 2), i % 2);
        status = gt_str_check(&name, err);
        status = status ? status : gt_strs_add(&both, name.s, name.len, err);
    }
    gt_str_release(&name);
    gt_strs_release(samples);
    *samples = both;
    return status;
}

int gt_source_set_samples(struct gt_source *source, struct gt_err *err)
{
    const struct gt_source_info *in = &source->pieces[0].reader->info;
    int64_t n;
    const uint32_t *chosen = gt_filter_samples(source->pieces[0].filter, &n);
    int status = take_chosen(&source->info.samples, &in->samples, chosen, n, err);
    const bool haplotypes = gt_filter_wants_haplotypes(source->pieces[0].filter);
    if (in->plink_ids.n && !haplotypes && !status)
        status = take_chosen(&source->info.plink_ids, &in->plink_ids, chosen, n, err);
    if (in->pedigree.n && !haplotypes && !status)
        status = take_chosen(&source->info.pedigree, &in->pedigree, chosen, n, err);
    if (haplotypes && !status)
        status = double_samples(&source->info.samples, err);
    source->info.has &= haplotypes ? ~(unsigned)GT_HAS_DOSAGES : ~0u;
    source->info.n_samples = haplotypes ? 2 * n : n;
    source->stats.samples_in = source->pieces[0].reader->info.n_samples;
    source->stats.samples_kept = n;
    return status;
}

static int set_name(struct gt_source *source, const struct gt_source_info *first, struct gt_err *err)
{
    struct gt_str name = {0};
    gt_str_add(&name, first->name);
    if (source->n > 1)
        gt_str_addf(&name, " (and %d more)", source->n - 1);
    if (gt_str_check(&name, err))
        return GT_FAIL;
    source->info.name = name.s;
    source->info.kind = gt_strdup(first->kind, err);
    return source->info.kind ? 0 : GT_FAIL;
}

/* Descriptions of the filters that the input is about to add. */
static int add_filter_texts(struct gt_source_info *all, const struct gt_source_info *in, struct gt_err *err)
{
    int status = 0;
    for (size_t i = 0; i < in->filter_texts.n && !status; i++) {
        bool known = false;
        for (size_t k = 0; k < all->filters.n && !known; k++)
            known = strcmp(gt_strs_get(&all->filters, k), gt_strs_get(&in->filters, i)) == 0;
        const char *text = gt_strs_get(&in->filter_texts, i);
        status = known ? 0 : gt_strs_add(&all->filter_texts, text, strlen(text), err);
    }
    return status;
}

/* What piece i is takes part in what all are. */
static int join_piece(struct gt_source *source, int i, struct gt_err *err)
{
    struct piece *piece = &source->pieces[i];
    struct gt_source_info *all = &source->info;
    const struct gt_source_info *in = &piece->reader->info;
    piece->sites = in->n_variants;
    all->two_alleles = (i == 0 || all->two_alleles) && in->two_alleles;
    all->open_contigs |= in->open_contigs;
    all->has = i == 0 ? in->has : (all->has & in->has) | ((all->has | in->has) & GT_HAS_OF_ONE);
    all->record_bytes = in->record_bytes > all->record_bytes ? in->record_bytes : all->record_bytes;
    int status = same_samples(&source->pieces[0].reader->info, in, err);
    if (!status && (source->fields & (GT_SITE_RECORD | GT_SITE_COLUMNS)))
        status = gt_vcf_fields_merge(&all->fields, &in->fields, source->pieces[0].reader->info.name, in->name,
                                     source->fields & GT_SITE_COLUMNS, err);
    if (!status && all->filter_texts.n == all->filters.n)
        status = add_filter_texts(all, in, err);
    return status ? status : gt_source_extend_maps(source, piece, err);
}

static int join_pieces(struct gt_source *source, struct gt_err *err)
{
    const struct gt_select_opts *select = &source->select;
    const struct gt_source_info *first = &source->pieces[0].reader->info;
    int status = set_name(source, first, err);
    if (!status)
        status = gt_strs_copy(&source->info.header, &first->header, err);
    for (int i = 0; i < source->n && !status; i++)
        status = join_piece(source, i, err);
    for (int i = 0; i < source->n && !status; i++) {
        const struct gt_source_info *in = &source->pieces[i].reader->info;
        status = gt_select_check(select, in, in->has | (source->info.has & GT_HAS_OF_ONE), err);
    }
    source->info.two_alleles |= select->split || select->biallelic || (select->max_alleles && select->max_alleles <= 2);
    return status || source->n == 1 ? status : put_in_order(source, err);
}

/* While blocks of one piece are out the next one may be read. */
static void measure(struct gt_source *source)
{
    struct gt_source_info *info = &source->info;
    for (int i = 0; i < source->n; i++) {
        const struct piece *piece = &source->pieces[i];
        struct gt_reader_needs needs;
        piece->reader->ops->needs(piece->reader, source->fields | gt_filter_fields(piece->filter), &needs);
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
    int status = join_pieces(source, err);
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
        status = open_path(source, &ctx, opts->paths[i], &source->pieces[i].reader, err);
        source->n += !status;
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
        reader->ops->free(reader);
        return GT_FAIL;
    }
    source->pieces[0].reader = reader;
    source->n = 1;
    int status = prepare(source, err);
    if (status)
        gt_source_free(source);
    else
        *out = source;
    return status;
}
