#include "config.h"

#include "geno/vcf/vcf_parse.h"

#include "kernels/kernels.h"

int gt_vcf_number(const struct gt_names *known, const char *name, size_t n, struct gt_strs *fresh, struct gt_names **names, int32_t *number,
                  struct gt_err *err)
{
    int64_t at = gt_names_find(known, name, n);
    *number = (int32_t)at;
    if (at >= 0)
        return 0;
    if (!*names && !(*names = gt_names_new(fresh->budget, err)))
        return GT_FAIL;
    int status = gt_names_number(*names, fresh, name, n, &at, err);
    *number = -1 - (int32_t)at;
    return status;
}

int gt_row_begin(const struct gt_vcf_parse *parse, struct gt_block *block, struct gt_site *site, int32_t alt, struct gt_row_kind *kind,
                 struct gt_err *err)
{
    const bool haplotypes = parse->fields & GT_SITE_HAPLOTYPES;
    const int64_t n = parse->info->n_samples;
    bool hets = site->multiallelic && (parse->fields & GT_SITE_HETS);
    bool calls = site->multiallelic && (parse->fields & GT_SITE_CALLS);
    bool phases = n > 0 && (parse->fields & GT_SITE_PHASES);
    bool seen = parse->want_seen && site->n_alleles > 2;
    int status = gt_block_rows(block, block->n + 1, err);
    if (status)
        return status;
    *kind = (struct gt_row_kind){.alt = alt, .rule = parse->rule};
    kind->rule.copies = gt_filter_call_ploidy(parse->filter, block, site);
    kind->exact = alt || seen || hets || calls || haplotypes || (phases && site->multiallelic) || kind->rule.copies ||
                  parse->rule.ploidy == GT_HAPLOID;
    status = haplotypes ? gt_block_haplotypes(block, block->n + 1, n, err) : GT_OK;
    if (status)
        return status;
    kind->haplotypes = haplotypes ? block->haplotypes.data + (size_t)block->n * gt_haplotype_stride(n) : NULL;
    status = calls ? gt_block_add_calls(block, site, n, &kind->calls, err) : GT_OK;
    if (phases && !status)
        status = gt_block_add_phases(block, site, &kind->phases, err);
    return status || !hets ? status : gt_block_add_hets(block, site, &kind->hets, err);
}

/* The block's last row of phases goes where no call is phased. */
static void end_phases(struct gt_block *block, struct gt_site *site)
{
    const uint8_t *row = gt_block_phases(block, site);
    for (size_t i = 0; row && i < block->stride; i++)
        if (row[i])
            return;
    block->phases.len -= row ? block->stride : 0;
    site->phases = 0;
}

int gt_row_end(const struct gt_vcf_parse *parse, struct gt_block *block, struct gt_site *site, const struct gt_seen *seen,
               struct gt_err *err)
{
    if (parse->want_seen)
        site->alleles_seen = gt_alleles_seen(seen);
    end_phases(block, site);
    block->n++;
    return parse->fields ? gt_buf_append(&block->sites, site, sizeof *site, err) : 0;
}

int gt_expect_rows(const struct gt_vcf_parse *parse, struct gt_block *block, int64_t rows, struct gt_err *err)
{
    const size_t n = (size_t)(block->n + rows);
    block->stride = ((size_t)parse->info->n_samples + 3) / 4;
    int status = gt_block_rows(block, block->n + rows, err);
    if (!status && parse->fields & GT_SITE_HAPLOTYPES)
        status = gt_buf_reserve(&block->haplotypes, n * gt_haplotype_stride(parse->info->n_samples) + GT_KERNEL_PAD, err);
    if (!status && parse->fields & GT_SITE_PHASES)
        status = gt_buf_reserve(&block->phases, n * block->stride + GT_KERNEL_PAD, err);
    return status;
}

bool gt_record_kept(const struct gt_vcf_parse *parse, struct gt_block *block, const struct gt_site *site, int64_t number,
                    struct gt_alts alts)
{
    const struct gt_select_stats before = block->stats;
    const bool kept = gt_filter_site(parse->filter, block, site, number);
    if (alts.first > 1)
        block->stats = before;
    return kept;
}

/* Has one of the ALTs before `first` a row? */
static int had_row(const struct gt_vcf_parse *parse, struct gt_block *block, const struct gt_site *record, int32_t first, bool *had,
                   struct gt_err *err)
{
    const struct gt_select_stats stats = block->stats;
    int status = 0;
    *had = false;
    for (int32_t alt = 1; alt < first && !*had && !status; alt++) {
        const struct gt_site_checkpoint mark = gt_site_checkpoint(block);
        struct gt_site site;
        status = gt_filter_split(parse->filter, block, record, alt, &site, had, err);
        gt_site_undo(block, mark);
    }
    block->stats = stats;
    return status;
}

int gt_split_rows(const struct gt_vcf_parse *parse, struct gt_block *block, struct gt_site *site, struct gt_alts alts,
                  struct gt_call_counts *counts, int (*add)(void *ctx, int32_t alt), void *ctx, struct gt_err *err)
{
    const struct gt_site record = *site;
    const struct gt_call_counts before = *counts;
    struct gt_call_counts once = before;
    const int32_t after = alts.after && alts.after < record.n_alleles ? alts.after : record.n_alleles;
    bool had;
    int status = had_row(parse, block, &record, alts.first, &had, err);
    for (int32_t alt = alts.first > 1 ? alts.first : 1; alt < after && !status; alt++) {
        bool kept;
        status = gt_filter_split(parse->filter, block, &record, alt, site, &kept, err);
        *counts = before;
        if (!status && kept) {
            status = add(ctx, alt);
            once = had ? before : *counts;
        }
    }
    *counts = once;
    return status;
}

struct gt_site_checkpoint gt_site_checkpoint(const struct gt_block *block)
{
    return (struct gt_site_checkpoint){block->alleles.n, block->alleles.text_len, block->ids.n, block->ids.text_len, block->filters.len};
}

void gt_site_undo(struct gt_block *block, struct gt_site_checkpoint mark)
{
    block->alleles.n = mark.alleles;
    block->alleles.text_len = mark.alleles_text;
    block->ids.n = mark.ids;
    block->ids.text_len = mark.ids_text;
    block->filters.len = mark.filters;
}
