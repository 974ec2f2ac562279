/* Rows that go after they were counted: --rm-dup, --ld-prune. */
#include "config.h"

#include <string.h>

#include "geno/source/source_internal.h"
#include "kernels/kernels.h"

void gt_source_move_row(struct gt_block *block, int64_t from, int64_t to)
{
    if (from == to)
        return;
    memcpy(block->rows.data + (size_t)to * block->stride, gt_block_row(block, from), block->stride);
    gt_block_sites(block)[to] = gt_block_sites(block)[from];
}

/* Of rows of haplotypes: calls of which no allele is known. */
static int64_t missing_pairs(const uint8_t *row, int64_t calls)
{
    int64_t n = 0;
    for (int64_t s = 0; s < calls; s++)
        n += (row[s / 2] >> 4 * (s & 1) & 15) == 15;
    return n;
}

void gt_source_uncount_row(const struct gt_source *source, struct gt_select_stats *stats, const struct gt_block *block, int64_t v)
{
    const int64_t calls = source->select.haplotypes ? source->info.n_samples / 2 : source->info.n_samples;
    int64_t counts[4];
    if (source->select.haplotypes)
        counts[3] = missing_pairs(gt_block_row(block, v), calls);
    else
        gt_kernels()->count_codes(gt_block_row(block, v), calls, counts);
    stats->sites_kept--;
    stats->missing -= counts[3];
    stats->genotypes -= calls;
    stats->multiallelic -= gt_block_sites(block)[v].multiallelic;
}

int gt_source_cut_rows(struct gt_block *block, int64_t n, struct gt_err *err)
{
    block->n = n;
    block->sites.len = (size_t)n * sizeof(struct gt_site);
    return gt_buf_resize(&block->rows, (size_t)n * block->stride + GT_KERNEL_PAD, err);
}
