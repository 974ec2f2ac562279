#include "calc/pca/pca_memory.h"

#include <stdlib.h>

#include "core/base/mem.h"

struct gt_svd_idle {
    struct gt_svd_block block;
    struct gt_svd_idle *next;
};

void gt_svd_memory_init(struct gt_svd_memory *memory, struct gt_budget *budget)
{
    *memory = (struct gt_svd_memory){.sums.budget = budget};
    gt_svd_fixed_budget(&memory->operand, budget);
}

static struct gt_svd_idle *pop(struct gt_svd_memory *memory)
{
    struct gt_svd_idle *idle = memory->idle;
    if (idle)
        memory->idle = idle->next;
    return idle;
}

static void release_idle(struct gt_svd_memory *memory)
{
    for (struct gt_svd_idle *idle; (idle = pop(memory)) != NULL;) {
        gt_svd_block_release(&idle->block);
        free(idle);
    }
}

void gt_svd_memory_take(struct gt_svd_memory *memory, struct gt_svd_block *block)
{
    struct gt_svd_idle *idle = gt_budget_is_short(memory->sums.budget) ? NULL : pop(memory);
    if (idle)
        *block = idle->block;
    else
        gt_svd_block_budget(block, memory->sums.budget);
    free(idle);
    if (!idle)
        release_idle(memory);
}

void gt_svd_memory_put(struct gt_svd_memory *memory, struct gt_svd_block *block)
{
    struct gt_svd_idle *idle = gt_budget_is_short(memory->sums.budget) ? NULL : gt_alloc(1, sizeof *idle, NULL);
    if (!idle) {
        gt_svd_block_release(block);
        release_idle(memory);
        return;
    }
    idle->block = *block;
    *block = (struct gt_svd_block){0};
    idle->next = memory->idle;
    memory->idle = idle;
}

void gt_svd_memory_release(struct gt_svd_memory *memory)
{
    release_idle(memory);
    gt_svd_fixed_release(&memory->operand);
    gt_buf_release(&memory->sums);
}
