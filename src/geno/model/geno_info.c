#include "geno/model/geno_info.h"

#include <stdlib.h>

#include "core/base/size.h"
#include "core/engine/memory_plan.h"

void gt_geno_info_count_in(struct gt_geno_info *info, struct gt_budget *budget)
{
    info->samples.budget = info->plink_ids.budget = info->pedigree.budget = info->contigs.budget = info->filters.budget =
        info->header.budget = budget;
    info->contig_lengths.budget = info->fields.list.budget = info->head.budget = budget;
    info->fields.texts.budget = info->filter_texts.budget = budget;
}

#define COMMON_TEXT 64 /* of a record, next to its calls */
#define TEXT_COPIES 6  /* in the block, with where each allele begins, and in buffers of a writer, one of which grows */
#define ALLELE_BYTES 8 /* of an allele, where their number alone is known */

int64_t gt_geno_info_site_texts(const struct gt_geno_info *info)
{
    const int64_t text = gt_max_i64(info->record_bytes - GT_CALL_TEXT * info->n_samples - COMMON_TEXT, 0);
    const int64_t alleles = info->two_alleles ? 0 : info->mean_alleles ? info->mean_alleles : info->alleles;
    return gt_bytes_mul(TEXT_COPIES, gt_max_i64(text, gt_bytes_mul(ALLELE_BYTES, alleles - GT_COMMON_ALLELES)));
}

void gt_geno_info_join_alleles(struct gt_geno_info *all, const struct gt_geno_info *in, bool first)
{
    all->two_alleles = (first || all->two_alleles) && in->two_alleles;
    all->alleles = (first || all->alleles) && in->alleles ? gt_max_i64(all->alleles, in->alleles) : 0;
    all->mean_alleles = gt_max_i64(all->mean_alleles, in->mean_alleles);
}

int64_t gt_geno_info_block_alleles(const struct gt_geno_info *info)
{
    return info->two_alleles ? 0 : gt_bytes_mul(ALLELE_BYTES + (int64_t)sizeof(size_t), info->mean_alleles - GT_COMMON_ALLELES);
}

void gt_geno_info_release(struct gt_geno_info *info)
{
    gt_strs_release(&info->samples);
    gt_strs_release(&info->plink_ids);
    gt_strs_release(&info->pedigree);
    gt_strs_release(&info->contigs);
    gt_strs_release(&info->filters);
    gt_strs_release(&info->header);
    gt_strs_release(&info->filter_texts);
    gt_vcf_fields_release(&info->fields);
    gt_buf_release(&info->contig_lengths);
    gt_buf_release(&info->head);
    gt_buf_release(&info->mask);
    free(info->kind);
    free(info->name);
    info->kind = info->name = NULL;
}
