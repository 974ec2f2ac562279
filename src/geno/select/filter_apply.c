/* A filter at work on blocks: any thread. */
#include "config.h"

#include <string.h>

#include "geno/model/dosage.h"
#include "geno/model/hwe.h"
#include "geno/select/filter_internal.h"
#include "geno/select/mask.h"
#include "kernels/kernels.h"

static bool in_slice(const struct gt_filter *f, int64_t number)
{
    return !f->variants.given || (number >= f->start && number < f->stop && (number - f->start) % f->step == 0);
}

/* Contigs that are not in the header are known by name only; NULL: it is there. */
static const char *new_contig(const struct gt_filter *f, const struct gt_block *block, int32_t contig)
{
    if (contig < 0)
        return gt_strs_get(&block->new_contigs, (size_t)(-1 - contig));
    return (size_t)contig < f->n_contigs ? NULL
                                         : gt_strs_get(&f->input->contigs, (size_t)contig); /* side by side: met by the first input */
}

static bool on_kept_contig(const struct gt_filter *f, const struct gt_block *block, int32_t contig)
{
    const char *name = new_contig(f, block, contig);
    return name ? gt_filter_contig_named(f, name) : f->contig_kept[contig];
}

static bool overlaps(const struct gt_intervals *intervals, enum gt_overlap how, const struct gt_block *block, const struct gt_site *site)
{
    const size_t n = (size_t)site->first_allele + (size_t)site->n_alleles <= block->alleles.n ? (size_t)site->n_alleles : 0;
    const struct gt_interval span = gt_overlap_span(how, site->position, site->length, &block->alleles, site->first_allele, n);
    return intervals && gt_intervals_overlap(intervals, span.from, span.to);
}

static bool in_region(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site)
{
    const char *name = new_contig(f, block, site->contig);
    return overlaps(name ? gt_filter_intervals(f, name) : f->intervals[site->contig], f->opts.overlap, block, site);
}

static bool is_left_out(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site)
{
    const char *name = new_contig(f, block, site->contig);
    return overlaps(name ? gt_filter_left_out(f, name) : f->left_out[site->contig], GT_OVERLAP_RECORD, block, site);
}

static bool is_listed(const struct gt_names *ids, const struct gt_block *block, const struct gt_site *site)
{
    const char *id = gt_strs_get(&block->ids, site->id);
    return gt_names_find(ids, id, strlen(id)) >= 0;
}

static bool is_pass(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site)
{
    if (site->filter_n != 1)
        return false;
    const int32_t *filters = (const int32_t *)block->filters.data;
    return f->pass >= 0 && filters[site->filter_from] == f->pass;
}

static bool is_snp(const struct gt_block *block, const struct gt_site *site)
{
    if (site->n_alleles < 1 || (size_t)site->first_allele + (size_t)site->n_alleles > block->alleles.n)
        return false;
    for (int32_t a = 0; a < site->n_alleles; a++) {
        const char *text = gt_strs_get(&block->alleles, site->first_allele + (size_t)a);
        if (!*text || text[1] || !strchr("ACGTNacgtn", *text))
            return false;
    }
    return true;
}

bool gt_filter_site(const struct gt_filter *f, struct gt_block *block, const struct gt_site *site, int64_t number)
{
    struct gt_select_stats *stats = &block->stats;
    const bool masked = !gt_mask_keeps(f->input, number);
    number += f->first;
    if (number < f->from)
        return false;
    stats->sites_in++;
    if (!in_slice(f, number))
        return stats->dropped_slice++, false;
    if (f->opts.thin > 1 && number % f->opts.thin)
        return stats->dropped_thin++, false;
    if (masked)
        return stats->dropped_mask++, false;
    if (!gt_filter_looks_at_sites(f))
        return true;
    if (gt_filter_by_contig(f) && !on_kept_contig(f, block, site->contig))
        return stats->dropped_contig++, false;
    if (f->use_regions && !in_region(f, block, site))
        return stats->dropped_region++, false;
    if (f->opts.exclude_long_range && is_left_out(f, block, site))
        return stats->dropped_long_range++, false;
    if ((f->extract && !is_listed(f->extract, block, site)) || (f->exclude && is_listed(f->exclude, block, site)))
        return stats->dropped_ids++, false;
    if (f->opts.pass && !is_pass(f, block, site))
        return stats->dropped_pass++, false;
    if ((f->opts.min_alleles && site->n_alleles < f->opts.min_alleles) || (f->opts.max_alleles && site->n_alleles > f->opts.max_alleles))
        return stats->dropped_alleles++, false;
    if (f->opts.biallelic && site->n_alleles != 2)
        return stats->dropped_biallelic++, false;
    if (f->opts.snps && !(f->opts.split && site->n_alleles > 2) && !is_snp(block, site))
        return stats->dropped_snps++, false;
    return true;
}

static int repeat_text(struct gt_strs *list, size_t number, struct gt_err *err)
{
    struct gt_str copy = {0};
    gt_str_add(&copy, gt_strs_get(list, number));
    int status = gt_str_check(&copy, err);
    if (!status)
        status = gt_strs_add(list, copy.s, copy.len, err);
    gt_str_release(&copy);
    return status;
}

int gt_filter_split(const struct gt_filter *f, struct gt_block *block, const struct gt_site *record, int32_t alt, struct gt_site *row,
                    bool *kept, struct gt_err *err)
{
    int status = 0;
    *row = *record;
    row->n_alleles = 2;
    row->multiallelic = false;
    block->stats.split_rows += alt > 1;
    if (record->first_allele + (size_t)record->n_alleles <= block->alleles.n) {
        row->first_allele = (uint32_t)block->alleles.n;
        status = repeat_text(&block->alleles, record->first_allele, err);
        if (!status)
            status = repeat_text(&block->alleles, record->first_allele + (size_t)alt, err);
        if (status)
            return status;
    }
    *kept = !f->opts.snps || is_snp(block, row);
    block->stats.dropped_snps += !*kept;
    return 0;
}

/* Two alleles or more among the kept samples.  Codes tell it, but for a site with several
 * ALTs whose alleles nobody counted and where no call has REF: it is not known to be. */
static bool is_polymorphic(const struct gt_site *site, int ploidy, const int64_t counts[4], struct gt_select_stats *stats)
{
    const int64_t het = ploidy == GT_HAPLOID ? 0 : counts[1], alt = counts[1] + counts[2];
    if (site && site->alleles_seen)
        return site->alleles_seen > 1;
    if (het > 0 || (counts[0] > 0 && alt > 0))
        return true;
    stats->not_known_polymorphic += site && site->multiallelic && alt > 0;
    return false;
}

static enum gt_place place_of(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site)
{
    if (!f->sexes)
        return GT_ELSEWHERE;
    const char *name = new_contig(f, block, site->contig);
    return name ? gt_sexes_place_named(name) : gt_sexes_place(f->sexes, site->contig, site->position);
}

/* Is it, by --hwe? */
static bool in_equilibrium(const struct gt_filter *f, const struct gt_sex_tally *c)
{
    if (c->place == GT_ON_X)
        return gt_sex_hwe_x(c, f->opts.hwe) >= f->opts.hwe * (1 - 1e-9);
    return c->place != GT_ELSEWHERE || gt_hwe_exact(c->codes[0], c->codes[1], c->codes[2]) >= f->opts.hwe;
}

static bool genotypes_pass(const struct gt_filter *f, const struct gt_site *site, enum gt_place place, struct gt_block *block,
                           const uint8_t *row)
{
    const struct gt_sex_rule rule = {.ploidy = f->opts.data_ploidy, .test = f->opts.hwe > 0};
    struct gt_select_stats *stats = &block->stats;
    struct gt_sex_tally c;
    gt_sex_count(&f->who, &rule, place, row, block->scratch.data, &c);
    const int64_t minor = c.alt_halves < c.halves - c.alt_halves ? c.alt_halves : c.halves - c.alt_halves;
    if (f->opts.polymorphic && !is_polymorphic(site, rule.ploidy, c.codes, stats))
        return stats->dropped_polymorphic++, false;
    if (f->opts.geno >= 0 && c.samples && (double)c.missing / (double)c.samples > f->opts.geno)
        return stats->dropped_geno++, false;
    if (f->opts.maf >= 0 && f->opts.maf > (c.halves ? (double)minor / (double)c.halves : 0))
        return stats->dropped_maf++, false;
    if (minor / 2 < f->opts.mac)
        return stats->dropped_mac++, false;
    if (f->opts.hwe > 0 && !in_equilibrium(f, &c))
        return stats->dropped_hwe++, false;
    return true;
}

/* Row `src`, with those of its codes that are kept: n of them (NULL: all), `stride` bytes. */
static void move_row(struct gt_block *block, const uint8_t *src, uint8_t *dst, const uint32_t *kept, int64_t n, size_t stride)
{
    if (kept) {
        gt_kernels()->gather_samples(src, kept, n, block->scratch.data);
        memcpy(dst, block->scratch.data, stride);
    } else if (dst != src) {
        memmove(dst, src, stride);
    }
}

/* Row `from` of rows becomes row `to`. */
static void choose_row(const struct gt_filter *f, struct gt_block *block, struct gt_buf *rows, size_t from, size_t to, size_t stride)
{
    move_row(block, rows->data + from * block->stride, rows->data + to * stride, f->samples, f->n_samples, stride);
}

static void choose_haplotypes(const struct gt_filter *f, struct gt_block *block, size_t from, size_t to)
{
    uint8_t *rows = block->haplotypes.data;
    move_row(block, rows + from * gt_haplotype_stride(f->input->n_samples), rows + to * gt_haplotype_stride(f->n_samples), f->haplotypes,
             2 * f->n_samples, gt_haplotype_stride(f->n_samples));
}

/* The block is all but done. */
static void put_haplotypes(const struct gt_filter *f, struct gt_block *block)
{
    const struct gt_buf calls = block->rows;
    block->rows = block->haplotypes;
    block->haplotypes = calls;
    block->haplotypes.len = 0;
    block->stride = gt_haplotype_stride(f->n_samples);
}

/* Rows of heterozygotes keep their numbers, which the sites have: they come in the order
 * in which calls were decoded, not always in that of the sites. */
static void choose_hets(const struct gt_filter *f, struct gt_block *block, size_t stride)
{
    size_t n = block->stride ? block->hets.len / block->stride : 0;
    if (!f->samples)
        return;
    for (size_t row = 0; row < n; row++)
        choose_row(f, block, &block->hets, row, row, stride);
    block->hets.len = n * stride;
}

const uint8_t *gt_filter_copies(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site)
{
    return f->opts.sex ? gt_sexes_copies(f->sexes, place_of(f, block, site)) : NULL;
}

/* Where the input has codes, and no calls: those of row v, of all samples. */
static void use_copies(const struct gt_filter *f, struct gt_block *block, const struct gt_site *site, int64_t v)
{
    struct gt_dosage_rule rule = gt_dosage_rule(&f->opts, f->keep);
    struct gt_call_counts counts = {0};
    rule.copies = gt_filter_copies(f, block, site);
    if (!rule.copies)
        return;
    gt_copies_row(&rule, f->input->n_samples, block->rows.data + (size_t)v * block->stride, &counts);
    gt_call_counts_add(&counts, &block->stats);
}

/* Likewise, where the data is haploid, or its codes are. */
static int use_ploidy(const struct gt_filter *f, struct gt_block *block, int64_t v, struct gt_err *err)
{
    const int from = f->input->ploidy == GT_HAPLOID ? GT_HAPLOID : GT_DIPLOID, to = f->opts.data_ploidy;
    if (to != GT_HAPLOID && from != GT_HAPLOID)
        return GT_OK;
    const int64_t sample = gt_ploidy_row(block->rows.data + (size_t)v * block->stride, f->input->n_samples, from, to);
    if (sample < 0)
        return GT_OK;
    gt_fail(err, GT_INPUT, "'%s': sample '%s' at variant %lld: %s", f->input->name, gt_strs_get(&f->input->samples, (size_t)sample),
            (long long)(block->first + v) + 1, from == GT_HAPLOID ? "not a haploid code" : gt_call_fault(GT_CALL_HET));
    return GT_INPUT;
}

int gt_filter_block(const struct gt_filter *f, struct gt_block *block, struct gt_err *err)
{
    struct gt_site *sites = block->sites.len ? gt_block_sites(block) : NULL;
    size_t stride = f->samples ? ((size_t)f->n_samples + 3) / 4 : block->stride;
    bool by_genotypes = gt_filter_looks_at_genotypes(f);
    static const struct gt_site no_site = {0};
    int64_t out = 0, counts[4];
    int status = gt_buf_resize(&block->scratch, f->samples || f->sexes ? 2 * stride + GT_KERNEL_PAD : 0, err);
    if (status)
        return status;
    const bool codes = (f->input->has & (GT_HAS_CALLS | GT_HAS_DOSAGES)) == GT_HAS_DOSAGES;
    for (int64_t v = 0; v < block->n; v++) {
        const struct gt_site *site = sites ? &sites[v] : &no_site;
        if (!block->screened && !gt_filter_site(f, block, site, block->first + v))
            continue;
        if (f->opts.one_alt && site->multiallelic) {
            block->stats.dropped_multiallelic++;
            continue;
        }
        if (codes && (status = use_ploidy(f, block, v, err)) != 0)
            return status;
        if (f->opts.sex && !(f->input->has & GT_HAS_CALLS))
            use_copies(f, block, site, v);
        choose_row(f, block, &block->rows, (size_t)v, (size_t)out, stride);
        const enum gt_place place = sites ? place_of(f, block, site) : GT_ELSEWHERE;
        if (by_genotypes && !genotypes_pass(f, sites ? site : NULL, place, block, block->rows.data + (size_t)out * stride))
            continue;
        if (gt_filter_wants_haplotypes(f))
            choose_haplotypes(f, block, (size_t)v, (size_t)out);
        block->stats.multiallelic += site->multiallelic;
        if (sites) {
            sites[out] = *site;
            sites[out].place = (uint8_t)place;
        }
        out++;
    }
    choose_hets(f, block, stride);
    gt_kernels()->count_codes(block->rows.data, out * (int64_t)stride * 4, counts); /* in one: pad bits are no 3 */
    block->stats.missing += counts[3];
    block->stats.sites_kept += out;
    block->stats.genotypes += out * f->n_samples;
    block->n = out;
    block->stride = stride;
    if (sites)
        block->sites.len = (size_t)out * sizeof *sites;
    if (gt_filter_wants_haplotypes(f))
        put_haplotypes(f, block);
    return gt_buf_resize(&block->rows, (size_t)out * block->stride + GT_KERNEL_PAD, err);
}
