#include "calc/pca/pca_memory.h"

#include <stdlib.h>

#include "core/base/mem.h"

struct gt_svd_idle {
    struct gt_svd_block block;
    struct gt_svd_idle *next;
};

void gt_svd_memory_init(struct gt_svd_memory *memory, struct gt_budget *budget, int64_t keep)
{
    *memory = (struct gt_svd_memory){.sums.budget = budget, .left = keep};
    pthread_mutex_init(&memory->lock, NULL);
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

/* --- what is kept ---------------------------------------------------------------------------- */

void gt_svd_memory_prepare(struct gt_svd_memory *memory, int64_t number, struct gt_svd_block *block)
{
    pthread_mutex_lock(&memory->lock);
    struct gt_svd_block *kept = (size_t)number < memory->n_kept ? memory->kept[number] : NULL;
    pthread_mutex_unlock(&memory->lock);
    block->prepared = kept != NULL;
    if (kept)
        gt_svd_block_exchange(block, kept);
}

/* Room for a block of that number; NULL: there is none. */
static struct gt_svd_block *new_kept(struct gt_svd_memory *memory, int64_t number, int64_t bytes)
{
    if (bytes > memory->left || gt_grow(&memory->kept, &memory->kept_cap, (size_t)number + 1, sizeof *memory->kept, NULL))
        return NULL;
    while (memory->n_kept <= (size_t)number)
        memory->kept[memory->n_kept++] = NULL;
    struct gt_svd_block *kept = gt_alloc(1, sizeof *kept, NULL);
    if (kept) {
        gt_svd_block_budget(kept, memory->sums.budget);
        memory->kept[number] = kept;
        memory->left -= bytes;
    }
    return kept;
}

void gt_svd_memory_keep(struct gt_svd_memory *memory, int64_t number, struct gt_svd_block *block)
{
    pthread_mutex_lock(&memory->lock);
    struct gt_svd_block *kept =
        block->prepared ? memory->kept[number] : new_kept(memory, number, gt_svd_block_made(block) + (int64_t)sizeof *block);
    pthread_mutex_unlock(&memory->lock);
    block->prepared = false;
    if (kept)
        gt_svd_block_exchange(block, kept);
}

void gt_svd_memory_release(struct gt_svd_memory *memory)
{
    release_idle(memory);
    for (size_t i = 0; i < memory->n_kept; i++) {
        if (memory->kept[i])
            gt_svd_block_release(memory->kept[i]);
        free(memory->kept[i]);
    }
    free(memory->kept);
    pthread_mutex_destroy(&memory->lock);
    gt_svd_fixed_release(&memory->operand);
    gt_buf_release(&memory->sums);
}
