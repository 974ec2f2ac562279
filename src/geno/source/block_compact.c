/* Rows that go after a block was made: --rm-dup, --bp-space, --thin-count, --ld-prune.  A block may have no sites. */
#include "config.h"

#include <string.h>

#include "geno/source/source_internal.h"
#include "kernels/kernels.h"

void gt_block_move_row(struct gt_block *block, int64_t from, int64_t to)
{
    if (from == to)
        return;
    memcpy(block->rows.data + (size_t)to * block->stride, gt_block_row(block, from), block->stride);
    if (block->sites.len)
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

int gt_block_cut(struct gt_block *block, int64_t n, const struct gt_geno_info *info, bool haplotypes, struct gt_err *err)
{
    const int64_t calls = haplotypes ? info->n_samples / 2 : info->n_samples;
    struct gt_select_stats *stats = &block->stats;
    stats->sites_kept = n;
    stats->genotypes = n * calls;
    stats->missing = stats->multiallelic = stats->pooled = 0;
    for (int64_t v = 0; v < n; v++) {
        int64_t counts[4] = {0};
        if (haplotypes)
            counts[3] = missing_pairs(gt_block_row(block, v), calls);
        else
            gt_kernels()->count_codes(gt_block_row(block, v), calls, counts);
        stats->missing += counts[3];
        if (block->sites.len) {
            stats->multiallelic += gt_block_sites(block)[v].multiallelic;
            stats->pooled += gt_block_sites(block)[v].pooled;
        }
    }
    block->n = n;
    block->sites.len = block->sites.len ? (size_t)n * sizeof(struct gt_site) : 0;
    return gt_buf_resize(&block->rows, (size_t)n * block->stride + GT_KERNEL_PAD, err);
}
