#include "calc/svd/chunk_pin.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "kernels/kernels.h"

/* The first row that is not cached, of those that a pass needs. */
static int64_t unread(const struct gt_pinned_chunks *kept)
{
    return kept->first ? 0 : kept->rows > kept->elsewhere ? kept->rows : kept->elsewhere;
}

int gt_pinned_chunks_begin(struct gt_pinned_chunks *kept, struct gt_engine *engine, int64_t most, struct gt_err *err)
{
    int status = GT_OK;
    if (!kept->begun && kept->memory > 0)
        status = gt_budget_part(&kept->part, &engine->budget, kept->memory, err);
    if (status)
        return status;
    kept->first = !kept->begun;
    kept->full = kept->begun || kept->memory <= 0;
    kept->begun = true;
    kept->next = 0;
    status = gt_matrix_range(kept->matrix, unread(kept), gt_matrix_info(kept->matrix)->rows, err);
    return status ? status : gt_matrix_reblock(kept->matrix, most, err);
}

static void free_block(struct gt_matrix_block *block)
{
    gt_buf_release(&block->values);
    free(block);
}

/* A copy of a block of the first pass, or not: then none that follows is kept. */
static void keep(struct gt_pinned_chunks *kept, const struct gt_matrix_block *from)
{
    struct gt_matrix_block *block = calloc(1, sizeof *block);
    if (block)
        block->values.budget = &kept->part;
    if (!block || gt_grow(&kept->block, &kept->cap, kept->n + 1, sizeof *kept->block, NULL) ||
        !gt_buf_try(&block->values, from->values.len + GT_KERNEL_PAD)) {
        free(block);
        kept->full = true;
        return;
    }
    memcpy(block->values.data, from->values.data, from->values.len);
    memset(block->values.data + from->values.len, 0, GT_KERNEL_PAD);
    block->values.len = from->values.len;
    block->first = from->first;
    block->n = from->n;
    kept->block[kept->n++] = block;
    kept->next = kept->n;
    kept->rows = from->first + from->n;
}

int gt_pinned_chunks_next(struct gt_pinned_chunks *kept, const struct gt_matrix_block **block, struct gt_err *err)
{
    if (kept->next < kept->n) {
        *block = kept->block[kept->next++];
        return GT_OK;
    }
    if (!kept->first && unread(kept) == gt_matrix_info(kept->matrix)->rows)
        return GT_END;
    int status = gt_matrix_next(kept->matrix, block, err);
    if (!status && !kept->full && (*block)->first + (*block)->n > kept->elsewhere)
        keep(kept, *block);
    return status;
}

void gt_pinned_chunks_done(struct gt_pinned_chunks *kept, const struct gt_matrix_block *block)
{
    if (kept->first || block->first >= kept->rows)
        gt_matrix_done(kept->matrix, block);
}

int gt_pinned_chunks_end(struct gt_pinned_chunks *kept, struct gt_err *err)
{
    int status = gt_matrix_rewind(kept->matrix, err);
    return status ? status : gt_matrix_range(kept->matrix, 0, gt_matrix_info(kept->matrix)->rows, err);
}

void gt_pinned_chunks_release(struct gt_pinned_chunks *kept)
{
    for (size_t i = 0; i < kept->n; i++)
        free_block(kept->block[i]);
    free(kept->block);
    kept->block = NULL;
    kept->n = kept->cap = 0;
    kept->rows = 0;
    if (kept->begun && kept->memory > 0)
        gt_budget_part_end(&kept->part);
    kept->begun = false;
}
