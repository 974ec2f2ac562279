#include "config.h"

#include "geno/model/reader.h"

void gt_reader_init(struct gt_reader *reader, const struct gt_stage_ops *ops, struct gt_engine *engine, bool can_restart)
{
    reader->stage = (struct gt_stage){.ops = ops, .info = &reader->info, .can_restart = can_restart};
    reader->engine = engine;
    gt_geno_info_count_in(&reader->info, &engine->budget);
}

void gt_reader_base_release(struct gt_reader *reader)
{
    gt_geno_info_release(&reader->info);
    gt_strs_release(&reader->warnings);
}
