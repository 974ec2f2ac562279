/* How much a run has to do. */
#include <string.h>

#include "calc/pdist/pdist_internal.h"
#include "core/base/size.h"
#include "kernels/kernels.h"

/* Pair-sites per second of a core with a tenth of the calls missing or none, by the kernels: of whole runs. */
static double pair_rate(enum gt_row_kind rows)
{
    static const struct {
        const char *kernels;
        double rate;
    } rates[] = {{"avx512amx", 2.5e11}, {"avx512vbmi", 2.5e11}, {"avx512", 2e11}, {"avx2", 1.6e11}};
    const double others = 2e10, floats = 1e10;
    if (rows == GT_ROWS_F64)
        return floats;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (!strcmp(rates[i].kernels, gt_kernels()->name))
            return rates[i].rate;
    return others;
}

struct gt_device_work gt_pdist_device_work(const struct gt_row_source_info *info, int threads)
{
    const double sites = info->sites < 0 ? 0 : (double)info->sites, samples = (double)info->samples;
    const double pair_sites = samples * samples / 2 * sites;
    const bool floats = info->rows == GT_ROWS_F64;
    return (struct gt_device_work){.cpu_seconds = info->sites < 0 ? -1 : pair_sites / (pair_rate(info->rows) * threads),
                                   .f64 = floats ? 2 * pair_sites : 0,
                                   .int8 = floats ? 0 : 4 * pair_sites,
                                   .bus_bytes = samples * sites * (floats ? sizeof(double) : 0.25)};
}

/* Of a matrix of numbers; what lists of pairs have is not known before. */
static double output_bytes(const struct gt_pdist_plan *plan, const struct gt_sink_wants *wants)
{
    if (wants->limited || wants->kept)
        return 0;
    return (plan->part == GT_PART_SQUARE && !plan->column_at ? 2.0 : 1.0) * (double)plan->pairs * (wants->width ? wants->width : 8);
}

void gt_pdist_work(struct gt_work *work, const struct gt_engine *engine, const struct gt_pdist_plan *plan,
                   const struct gt_sink_wants *wants)
{
    const int64_t sites = plan->most, blocks = gt_ceil_div(sites < 0 ? 0 : sites, plan->block_sites);
    const int ranks = engine->comm.size;
    const double own = plan->shared                ? (double)plan->rank_rows
                       : plan->kind == GT_ROWS_F64 ? (double)sites / ranks
                                                   : (double)gt_min_i64(sites, gt_ceil_div(blocks, ranks) * plan->block_sites);
    const double sums = plan->boxes ? (double)plan->passes / (double)plan->boxes : 0;
    *work = (struct gt_work){.at_most = plan->variants < 0,
                             .reads = plan->rank_reads < 0 ? 0 : (double)plan->rank_reads * (double)plan->reads,
                             .decodes = plan->rank_reads < 0 ? 0 : (double)plan->rank_reads * (double)plan->reads,
                             .operations = sites < 0 ? -1 : sums * (double)plan->pairs * own,
                             .unit = "pair-sites",
                             .rate = pair_rate(plan->kind),
                             .moved = plan->chain && ranks > 1 ? (double)plan->rank_sends
                                                               : gt_estimate_collective((double)plan->rank_sends, ranks),
                             .messages = gt_estimate_messages((double)plan->rank_sends, ranks),
                             .last = sums * (double)plan->pairs,
                             .last_unit = "pairs",
                             .last_rate = 5e7,
                             .last_threads = engine->limits.threads,
                             .writes = output_bytes(plan, wants)};
}
