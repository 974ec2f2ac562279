#include "config.h"

#include "geno/model/reader.h"

void gt_reader_base_release(struct gt_reader *reader)
{
    gt_geno_info_release(&reader->info);
    gt_strs_release(&reader->warnings);
}
