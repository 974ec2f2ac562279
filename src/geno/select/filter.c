#include "config.h"

#include "geno/select/filter.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/slice.h"
#include "geno/model/contigs.h"
#include "geno/samples/sample_list.h"
#include "geno/select/filter_internal.h"
#include "geno/select/long_range.h"

bool gt_filter_contig_named(const struct gt_filter *f, const char *name)
{
    if (f->autosomal && !gt_contig_is_autosome(name))
        return false;
    return (!f->contigs || gt_contig_list_keeps(f->contigs, name)) && (!f->not_contigs || gt_contig_list_keeps(f->not_contigs, name));
}

const struct gt_intervals *gt_filter_intervals(const struct gt_filter *f, const char *name)
{
    int64_t at = gt_regions_find(&f->regions, name);
    return at >= 0 ? &f->regions.of[at] : NULL;
}

const struct gt_intervals *gt_filter_left_out(const struct gt_filter *f, const char *name)
{
    const char *like = gt_contigs_like(&f->long_range.contigs, name);
    return like ? &f->long_range.of[gt_regions_find(&f->long_range, like)] : NULL;
}

/* Does an option name contigs? */
static bool names_contigs(const struct gt_select_opts *o)
{
    return o->contigs || o->not_chr || o->regions || o->regions_file || o->exclude_long_range;
}

static int parse_list(struct gt_filter *f, struct gt_contig_list **list, const char *text, bool excluded, struct gt_filter_contigs *named,
                      struct gt_err *err)
{
    named->excludes = excluded || gt_contig_list_excludes(text);
    return gt_contig_list_parse(list, text, excluded, f->known, &named->named, &named->absent, err);
}

static int parse_contigs(struct gt_filter *f, struct gt_err *err)
{
    const char *list = f->opts.contigs;
    const bool excludes = list && gt_contig_list_excludes(list);
    int status = GT_OK;
    f->named[0].option = list ? "--contigs" : NULL;
    f->named[1].option = f->opts.not_chr ? "--not-chr" : NULL;
    f->autosomal = f->opts.autosomal && (!list || excludes) && (f->input->has & GT_HAS_CONTIGS);
    if (list && strcmp(list, "all") != 0)
        status = parse_list(f, &f->contigs, list, false, &f->named[0], err);
    if (!status && f->opts.not_chr)
        status = parse_list(f, &f->not_contigs, f->opts.not_chr, true, &f->named[1], err);
    return status;
}

static int parse_regions(struct gt_filter *f, struct gt_err *err)
{
    struct gt_filter_contigs *named = &f->named[2];
    f->use_regions = f->opts.regions || f->opts.regions_file;
    if (f->opts.regions && f->opts.regions_file)
        return gt_fail(err, GT_USAGE, "-r cannot be combined with -R");
    int status = gt_regions_parse(&f->regions, f->opts.regions, f->opts.regions_file, f->known, err);
    named->option = f->opts.regions ? "-r" : f->opts.regions_file ? "-R" : NULL;
    named->named = (int64_t)f->regions.contigs.n;
    for (size_t i = 0; !status && i < f->regions.contigs.n; i++) {
        const char *name = gt_strs_get(&f->regions.contigs, i);
        const size_t n = strlen(name);
        status = gt_names_find(f->known, name, n) >= 0 ? GT_OK : gt_strs_add(&named->absent, name, n, err);
    }
    return status;
}

/* The input's table of filters may grow while blocks are filtered. */
static void find_pass(struct gt_filter *f)
{
    f->pass = -1;
    for (size_t i = 0; i < f->input->filters.n && f->pass < 0; i++)
        if (strcmp(gt_strs_get(&f->input->filters, i), "PASS") == 0)
            f->pass = (int32_t)i;
}

static int index_contigs(struct gt_filter *f, struct gt_err *err)
{
    f->n_contigs = f->input->contigs.n;
    f->contig_kept = gt_alloc(f->n_contigs, 1, err);
    f->intervals = gt_alloc(f->n_contigs, sizeof *f->intervals, err);
    f->left_out = gt_alloc(f->n_contigs, sizeof *f->left_out, err);
    if (!f->contig_kept || !f->intervals || !f->left_out)
        return GT_FAIL;
    for (size_t i = 0; i < f->n_contigs; i++) {
        const char *name = gt_strs_get(&f->input->contigs, i);
        f->contig_kept[i] = gt_filter_contig_named(f, name);
        f->intervals[i] = gt_filter_intervals(f, name);
        f->left_out[i] = gt_filter_left_out(f, name);
    }
    return 0;
}

static int parse(struct gt_filter *f, struct gt_err *err)
{
    struct gt_slice axes[GT_SLICE_AXES] = {{0}};
    int status = f->opts.slice ? gt_slice_parse(f->opts.slice, axes, GT_SLICE_AXES, err) : 0;
    f->variants = axes[0];
    if (!status)
        status = gt_samples_choose(&f->opts, &axes[1], f->input, &f->samples, &f->n_samples, &f->notes, err);
    if (!status && (f->opts.thin < 0 || f->opts.thin == 1))
        status = gt_fail(err, GT_USAGE, "--thin %lld: the number must be at least 2", (long long)f->opts.thin);
    if (!status && names_contigs(&f->opts) && !(f->known = gt_names_of(&f->input->contigs, NULL, err)))
        status = GT_FAIL;
    if (!status)
        status = parse_contigs(f, err);
    if (!status)
        status = parse_regions(f, err);
    if (!status && f->opts.exclude_long_range)
        status = gt_long_range_parse(&f->long_range, f->opts.exclude_long_range, f->known, err);
    if (!status && f->opts.extract)
        status = gt_id_list_read(&f->extract, f->opts.extract, err);
    if (!status && f->opts.exclude)
        status = gt_id_list_read(&f->exclude, f->opts.exclude, err);
    return status ? status : gt_filter_open_sexes(f, err);
}

/* The filters of the table that this one applies. */
static void choose_rows(struct gt_filter *f)
{
    const struct gt_filter_row *row;
    for (size_t k = 0; (row = gt_filter_row(k)); k++) {
        const bool by_contig = row->counter == offsetof(struct gt_select_stats, dropped_contig);
        if (!gt_filter_given(row, &f->opts) || (by_contig && !gt_filter_by_contig(f)))
            continue;
        if (row->site)
            f->by_site[f->n_by_site++] = row;
        if (row->calls && !f->opts.full)
            f->by_calls[f->n_by_calls++] = row;
    }
}

int gt_filter_new(struct gt_filter **out, const struct gt_select_opts *opts, const struct gt_geno_info *input, struct gt_err *err)
{
    static const struct gt_select_opts everything = GT_SELECT_ALL;
    struct gt_filter *f = gt_alloc(1, sizeof *f, err);
    if (!f)
        return GT_FAIL;
    f->to = INT64_MAX;
    f->opts = opts ? *opts : everything;
    f->input = input;
    int status = parse(f, err);
    if (!status)
        status = index_contigs(f, err);
    if (!status)
        status = gt_filter_index_samples(f, err);
    if (status) {
        gt_filter_free(f);
        return status;
    }
    find_pass(f);
    choose_rows(f);
    gt_filter_set_start(f, 0, input->n_variants, NULL);
    *out = f;
    return 0;
}

void gt_filter_free(struct gt_filter *f)
{
    if (!f)
        return;
    gt_sexes_free(f->sexes);
    gt_sex_rows_release(&f->who);
    free(f->samples);
    free(f->keep);
    free(f->haplotypes);
    free(f->contig_kept);
    free(f->intervals);
    free(f->left_out);
    gt_id_list_release(&f->extract);
    gt_id_list_release(&f->exclude);
    gt_regions_release(&f->long_range);
    gt_contig_list_free(f->contigs);
    gt_contig_list_free(f->not_contigs);
    gt_names_free(f->known);
    gt_regions_release(&f->regions);
    for (int k = 0; k < GT_FILTER_NAMES_CONTIGS; k++)
        gt_strs_release(&f->named[k].absent);
    gt_strs_release(&f->notes);
    free(f);
}

const struct gt_filter_contigs *gt_filter_contigs_named(const struct gt_filter *f)
{
    return f->named;
}

const struct gt_id_list *gt_filter_ids(const struct gt_filter *f, int k, const char **option)
{
    *option = k ? "--exclude" : "--extract";
    const struct gt_id_list *list = k ? &f->exclude : &f->extract;
    return list->numbers ? list : NULL;
}

const struct gt_strs *gt_filter_notes(const struct gt_filter *f)
{
    return &f->notes;
}

void gt_filter_range(struct gt_filter *f, int64_t from, int64_t to)
{
    f->from = from;
    f->to = to;
}

/* The part of [from, to) of all joined variants that is in an input of n, as numbers in it. */
static void clip(const struct gt_filter *f, int64_t n, int64_t *from, int64_t *to)
{
    int64_t end = n < 0 ? INT64_MAX : n;
    *from = *from < f->first ? 0 : *from - f->first;
    *to = *to == INT64_MAX ? end : *to < f->first ? 0 : *to - f->first;
    *from = *from < end ? *from : end;
    *to = *to < *from ? *from : *to < end ? *to : end;
}

void gt_filter_window(const struct gt_filter *f, int64_t n, int64_t *from, int64_t *to)
{
    *from = f->from;
    *to = f->to;
    if (f->variants.given && (n >= 0 || !gt_filter_needs_total(f))) {
        *from = *from > f->start ? *from : f->start;
        *to = *to < f->stop ? *to : f->stop;
    }
    clip(f, n, from, to);
}

int64_t gt_filter_count_skipped(const struct gt_filter *f, int64_t n, int64_t from, int64_t to)
{
    int64_t range_from = f->from, range_to = f->to;
    clip(f, n, &range_from, &range_to);
    from = from > range_from ? from : range_from;
    to = to < range_to ? to : range_to;
    return range_to - range_from - (from < to ? to - from : 0);
}

bool gt_filter_needs_total(const struct gt_filter *f)
{
    return f->variants.given && (f->variants.start < 0 || f->variants.stop < 0);
}

int gt_filter_set_start(struct gt_filter *f, int64_t first, int64_t total, struct gt_err *err)
{
    const struct gt_slice *v = &f->variants;
    f->first = first;
    if (total >= 0)
        return gt_slice_resolve(v, total, "variants", &f->start, &f->stop, &f->step, err);
    f->start = v->start;
    f->stop = v->is_index && v->start < INT64_MAX ? v->start + 1 : v->has_stop ? v->stop : INT64_MAX;
    f->step = v->given ? v->step : 1;
    return 0;
}

bool gt_filter_by_contig(const struct gt_filter *f)
{
    return f->autosomal || f->contigs || f->not_contigs;
}

bool gt_filter_looks_at_sites(const struct gt_filter *f)
{
    return f->n_by_site > 0;
}

bool gt_filter_by_region(const struct gt_filter *f)
{
    return (f->use_regions || gt_filter_by_contig(f)) && !f->variants.given && f->opts.thin <= 1 && f->from == 0 && f->to == INT64_MAX;
}

bool gt_filter_is_sequential(const struct gt_filter *f)
{
    const struct gt_select_opts *o = &f->opts;
    return f->variants.given || o->thin > 1 || o->mask || o->extract || o->exclude || f->from > 0 || f->to != INT64_MAX;
}

bool gt_filter_reads_part(const struct gt_filter *f)
{
    return f->use_regions || gt_filter_by_contig(f) || f->variants.given || f->opts.mask;
}

const struct gt_intervals *gt_filter_regions(const struct gt_filter *f, const char *contig)
{
    static struct gt_interval everywhere = {0, INT64_MAX};
    static const struct gt_intervals whole = {.at = &everywhere, .n = 1, .cap = 1};
    if (!gt_filter_contig_named(f, contig))
        return NULL;
    return f->use_regions ? gt_filter_intervals(f, contig) : &whole;
}

void gt_filter_add_skipped(const struct gt_filter *f, struct gt_block *block, int64_t n)
{
    block->stats.sites_in += n;
    *(f->use_regions ? &block->stats.dropped_region : &block->stats.dropped_contig) += n;
}

const struct gt_select_opts *gt_filter_opts(const struct gt_filter *f)
{
    return &f->opts;
}

unsigned gt_filter_fields(const struct gt_filter *f)
{
    unsigned fields = f->sexes ? GT_SITE_POS : GT_SITE_NONE;
    for (int k = 0; k < f->n_by_site; k++)
        fields |= f->by_site[k]->fields;
    for (int k = 0; k < f->n_by_calls; k++)
        fields |= f->by_calls[k]->fields;
    if ((f->use_regions && f->opts.overlap == GT_OVERLAP_VARIANT) || gt_filter_splits(f))
        fields |= GT_SITE_ALLELES;
    if (f->opts.one_alt)
        fields |= GT_SITE_MULTI;
    if (f->opts.var_ids && fields & GT_SITE_ID)
        fields = (fields & ~(unsigned)GT_SITE_ID) | GT_SITE_POS | GT_SITE_ALLELES;
    return fields | (gt_filter_wants_haplotypes(f) ? GT_SITE_HAPLOTYPES : 0);
}

bool gt_filter_wants_haplotypes(const struct gt_filter *f)
{
    return f->opts.haplotypes && !f->opts.full;
}

bool gt_filter_wants_seen(const struct gt_filter *f)
{
    return f->opts.polymorphic && !f->opts.full;
}

bool gt_filter_splits(const struct gt_filter *f)
{
    return f->opts.split && !f->input->two_alleles;
}

const uint8_t *gt_filter_keep(const struct gt_filter *f)
{
    return f->keep;
}

int64_t gt_filter_count_max(const struct gt_filter *f, int64_t n)
{
    if (gt_filter_splits(f))
        return -1;
    int64_t step = f->variants.given ? f->step : f->opts.thin > 1 ? f->opts.thin : 1, start = f->variants.given ? f->start : 0;
    int64_t from, to;
    gt_filter_window(f, n, &from, &to);
    if (to == INT64_MAX)
        return -1;
    /* of start, start + step, ... those in the window */
    int64_t behind = f->first + from - start;
    int64_t skip = behind > 0 && behind % step ? step - behind % step : 0;
    return to > from && to - from > skip ? (to - from - skip - 1) / step + 1 : 0;
}

int64_t gt_filter_count(const struct gt_filter *f, int64_t n)
{
    if (n < 0 || f->opts.mask || f->n_by_site || f->n_by_calls || (f->variants.given && f->opts.thin > 1))
        return -1;
    return gt_filter_count_max(f, n);
}
