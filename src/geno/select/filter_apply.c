/* A filter at work on blocks: any thread. */
#include "config.h"

#include <string.h>

#include "geno/model/dosage.h"
#include "geno/select/filter_internal.h"
#include "geno/select/site_mask.h"
#include "kernels/kernels.h"

static bool in_slice(const struct gt_filter *f, int64_t number)
{
    return !f->variants.given || (number >= f->start && number < f->stop && (number - f->start) % f->step == 0);
}

const char *gt_filter_new_contig(const struct gt_filter *f, const struct gt_block *block, int32_t contig)
{
    if (contig < 0)
        return gt_strs_get(&block->new_contigs, (size_t)(-1 - contig));
    return (size_t)contig < f->n_contigs ? NULL
                                         : gt_strs_get(&f->input->contigs, (size_t)contig); /* side by side: met by the first input */
}

const char *gt_filter_contig_name(const struct gt_filter *f, const struct gt_block *block, int32_t contig)
{
    const char *name = gt_filter_new_contig(f, block, contig);
    return name ? name : gt_strs_get(&f->input->contigs, (size_t)contig);
}

static bool drop(const struct gt_filter_row *row, struct gt_select_stats *stats)
{
    ++*(int64_t *)((char *)stats + row->counter);
    return false;
}

bool gt_filter_site(const struct gt_filter *f, struct gt_block *block, const struct gt_site *site, int64_t number)
{
    struct gt_select_stats *stats = &block->stats;
    const bool masked = !gt_mask_keeps(f->input, number);
    number += f->first;
    if (number < f->from || number >= f->to)
        return false;
    stats->sites_in++;
    if (f->opts.extract || f->opts.exclude)
        gt_filter_meet_id(f, block, site);
    if (!in_slice(f, number))
        return stats->dropped_slice++, false;
    if (f->opts.thin > 1 && number % f->opts.thin)
        return stats->dropped_thin++, false;
    if (masked)
        return stats->dropped_mask++, false;
    const bool rows_follow = f->opts.split && site->n_alleles > 2;
    for (int k = 0; k < f->n_by_site; k++)
        if (!(rows_follow && f->by_site[k]->traits & GT_FILTER_ROWS) && !f->by_site[k]->site(f, block, site))
            return drop(f->by_site[k], stats);
    return true;
}

static int repeat_text(struct gt_strs *list, size_t number, struct gt_err *err)
{
    return gt_strs_addf(list, err, "%s", gt_strs_get(list, number));
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
    *kept = true;
    for (int k = 0; k < f->n_by_site && *kept; k++)
        if (f->by_site[k]->traits & GT_FILTER_ROWS && !f->by_site[k]->site(f, block, row))
            *kept = drop(f->by_site[k], &block->stats);
    return 0;
}

static enum gt_chrom_class place_of(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site)
{
    if (!f->sexes)
        return GT_CHROM_AUTOSOME;
    const char *name = gt_filter_new_contig(f, block, site->contig);
    return name ? gt_sexes_chrom_class_named(name) : gt_sexes_chrom_class(f->sexes, site->contig, site->position);
}

static bool genotypes_pass(const struct gt_filter *f, const struct gt_site *site, enum gt_chrom_class chrom_class, struct gt_block *block,
                           const uint8_t *row)
{
    const struct gt_sex_rule rule = {.ploidy = f->opts.data_ploidy, .test = f->opts.hwe > 0};
    struct gt_sex_site_counts counters;
    const struct gt_filter_calls calls = {site, &counters, &block->stats};
    gt_sex_count(&f->who, &rule, chrom_class, row, block->scratch.data, &counters);
    for (int k = 0; k < f->n_by_calls; k++)
        if (!f->by_calls[k]->calls(f, &calls))
            return drop(f->by_calls[k], &block->stats);
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

/* Rows of heterozygotes and of phases keep their numbers, which the sites have: they come in the order
 * in which calls were decoded, not always in that of the sites. */
static void choose_bits(const struct gt_filter *f, struct gt_block *block, struct gt_buf *rows, size_t stride)
{
    size_t n = block->stride ? rows->len / block->stride : 0;
    if (!f->samples)
        return;
    for (size_t row = 0; row < n; row++)
        choose_row(f, block, rows, row, row, stride);
    rows->len = n * stride;
}

/* Likewise of calls. */
static int choose_calls(const struct gt_filter *f, struct gt_block *block, struct gt_err *err)
{
    const size_t from = 2 * (size_t)block->call_samples, to = 2 * (size_t)f->n_samples, n = from ? block->calls.len / from : 0;
    if (!f->samples || !n)
        return GT_OK;
    int status = gt_buf_resize(&block->scratch, to, err);
    for (size_t row = 0; row < n && !status; row++) {
        const uint8_t *calls = block->calls.data + row * from;
        for (int64_t s = 0; s < f->n_samples; s++)
            memcpy(block->scratch.data + 2 * s, calls + 2 * (size_t)f->samples[s], 2);
        if (to)
            memcpy(block->calls.data + row * to, block->scratch.data, to);
    }
    block->calls.len = n * to;
    block->call_samples = f->n_samples;
    return status;
}

const uint8_t *gt_filter_call_ploidy(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site)
{
    return f->opts.sex ? gt_sexes_call_ploidy(f->sexes, place_of(f, block, site)) : NULL;
}

/* Where the input has codes, and no calls: those of row v, of all samples. */
static void use_copies(const struct gt_filter *f, struct gt_block *block, const struct gt_site *site, int64_t v)
{
    struct gt_dosage_rule rule = gt_dosage_rule(&f->opts, f->keep);
    struct gt_call_counts counts = {0};
    rule.copies = gt_filter_call_ploidy(f, block, site);
    if (!rule.copies)
        return;
    gt_call_ploidy_row(&rule, f->input->n_samples, block->rows.data + (size_t)v * block->stride, &counts);
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
    static const struct gt_site no_site = {0};
    int64_t out = 0, counts[4];
    int status = gt_buf_resize(&block->scratch, f->samples || f->sexes ? 2 * stride + GT_KERNEL_PAD : 0, err);
    if (status)
        return status;
    const bool codes = (f->input->has & (GT_HAS_CALLS | GT_HAS_DOSAGES)) == GT_HAS_DOSAGES;
    for (int64_t v = 0; v < block->n; v++) {
        const struct gt_site *site = sites ? &sites[v] : &no_site;
        if (!block->sites_filtered && !gt_filter_site(f, block, site, block->first + v))
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
        const enum gt_chrom_class chrom_class = sites ? place_of(f, block, site) : GT_CHROM_AUTOSOME;
        if (f->n_by_calls && !genotypes_pass(f, sites ? site : NULL, chrom_class, block, block->rows.data + (size_t)out * stride))
            continue;
        if (gt_filter_wants_haplotypes(f))
            choose_haplotypes(f, block, (size_t)v, (size_t)out);
        const bool pooled = site->multiallelic && !(f->input->has & GT_HAS_ALTS);
        block->stats.multiallelic += site->multiallelic;
        block->stats.pooled += pooled;
        if (sites) {
            sites[out] = *site;
            sites[out].pooled = pooled;
            sites[out].chrom_class = (uint8_t)chrom_class;
        }
        out++;
    }
    choose_bits(f, block, &block->hets, stride);
    choose_bits(f, block, &block->phases, stride);
    if ((status = choose_calls(f, block, err)) != 0)
        return status;
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
