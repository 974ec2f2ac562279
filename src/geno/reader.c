#include "config.h"

#include "geno/reader.h"

#include <stdlib.h>

void gt_reader_base_release(struct gt_reader *reader)
{
    struct gt_source_info *info = &reader->info;
    gt_strs_release(&info->samples);
    gt_strs_release(&info->contigs);
    gt_strs_release(&info->filters);
    gt_strs_release(&info->header);
    gt_buf_release(&info->contig_lengths);
    free(info->kind);
    free(info->name);
    info->kind = info->name = NULL;
    gt_strs_release(&reader->warnings);
}
