#include "geno/model/geno_info.h"

#include <stdlib.h>

void gt_geno_info_count_in(struct gt_geno_info *info, struct gt_budget *budget)
{
    info->samples.budget = info->plink_ids.budget = info->pedigree.budget = info->contigs.budget = info->filters.budget =
        info->header.budget = budget;
    info->contig_lengths.budget = info->fields.list.budget = info->head.budget = budget;
    info->fields.texts.budget = info->filter_texts.budget = budget;
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
