/* What a source tells of its inputs together: their name, tables, samples and counts. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/select/select_check.h"
#include "geno/source/source_internal.h"

/* --- joining -------------------------------------------------------------------- */

static int same_samples(const struct gt_geno_info *a, const struct gt_geno_info *b, struct gt_err *err)
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

static int set_name(struct gt_source *source, const struct gt_geno_info *first, struct gt_err *err)
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
static int add_filter_texts(struct gt_geno_info *all, const struct gt_geno_info *in, struct gt_err *err)
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
    struct gt_geno_info *all = &source->info;
    const struct gt_geno_info *in = &piece->reader->info;
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

int gt_source_join_infos(struct gt_source *source, struct gt_err *err)
{
    const struct gt_select_opts *select = &source->select;
    const struct gt_geno_info *first = &source->pieces[0].reader->info;
    int status = set_name(source, first, err);
    if (!status)
        status = gt_strs_copy(&source->info.header, &first->header, err);
    for (int i = 0; i < source->n && !status; i++)
        status = join_piece(source, i, err);
    for (int i = 0; i < source->n && !status; i++) {
        const struct gt_geno_info *in = &source->pieces[i].reader->info;
        status = gt_select_check(select, in, in->has | (source->info.has & GT_HAS_OF_ONE), err);
    }
    source->info.two_alleles |= select->split || select->biallelic || (select->max_alleles && select->max_alleles <= 2);
    return status;
}

/* --- what the selection leaves ---------------------------------------------------- */

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
    const struct gt_geno_info *in = &source->pieces[0].reader->info;
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
