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
    pthread_mutex_init(&memory->lock, NULL);
}

static struct gt_svd_idle *pop(struct gt_svd_memory *memory)
{
    pthread_mutex_lock(&memory->lock);
    struct gt_svd_idle *idle = memory->idle;
    if (idle)
        memory->idle = idle->next;
    pthread_mutex_unlock(&memory->lock);
    return idle;
}

static void release_idle(struct gt_svd_memory *memory)
{
    for (struct gt_svd_idle *idle; (idle = pop(memory)) != NULL;) {
        gt_svd_block_release(&idle->block);
        free(idle);
    }
}

void gt_svd_memory_take(struct gt_svd_memory *memory, struct gt_svd_block *block, struct gt_budget *budget)
{
    struct gt_svd_idle *idle = gt_budget_is_short(budget) ? NULL : pop(memory);
    if (idle)
        *block = idle->block;
    else
        gt_svd_block_budget(block, budget);
    free(idle);
    if (!idle)
        release_idle(memory);
}

void gt_svd_memory_put(struct gt_svd_memory *memory, struct gt_svd_block *block, struct gt_budget *budget)
{
    struct gt_svd_idle *idle = gt_budget_is_short(budget) ? NULL : gt_alloc(1, sizeof *idle, NULL);
    if (!idle) {
        gt_svd_block_release(block);
        release_idle(memory);
        return;
    }
    idle->block = *block;
    *block = (struct gt_svd_block){0};
    pthread_mutex_lock(&memory->lock);
    idle->next = memory->idle;
    memory->idle = idle;
    pthread_mutex_unlock(&memory->lock);
}

void gt_svd_memory_release(struct gt_svd_memory *memory)
{
    release_idle(memory);
    gt_svd_fixed_release(&memory->operand);
    gt_buf_release(&memory->sums);
    pthread_mutex_destroy(&memory->lock);
}
