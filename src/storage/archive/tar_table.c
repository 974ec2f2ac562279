#include "config.h"

#include "storage/archive/tar_table.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "storage/store/key.h"

#define NAME_COST 64 /* what allocations and the map of names add to a key, about */

int tar_table_init(struct tar_table *table, struct gt_budget *budget, struct gt_err *err)
{
    *table = (struct tar_table){.budget = budget, .names = gt_names_new(NULL, err)};
    return table->names ? 0 : GT_FAIL;
}

void tar_table_release(struct tar_table *table)
{
    for (size_t i = 0; i < table->n; i++) {
        gt_buf_release(&table->slots[i].bytes);
        free(table->slots[i].key);
    }
    gt_budget_give(table->budget, table->counted);
    free(table->slots);
    gt_names_free(table->names);
}

struct tar_slot *tar_table_find(struct tar_table *table, const char *key)
{
    int64_t i = gt_names_find(table->names, key, strlen(key));
    return i < 0 ? NULL : &table->slots[i];
}

int tar_table_insert(struct tar_table *table, const struct tar_slot *slot, bool *fresh, struct gt_err *err)
{
    struct tar_slot *old = tar_table_find(table, slot->key);
    *fresh = !old;
    if (old) {
        gt_buf_release(&old->bytes);
        free(old->key);
        *old = *slot;
        return 0;
    }
    size_t cost = sizeof *slot + 2 * strlen(slot->key) + NAME_COST;
    int rc = gt_budget_take(table->budget, cost, err);
    if (rc)
        return rc;
    table->counted += cost;
    if ((rc = gt_grow(&table->slots, &table->cap, table->n + 1, sizeof *table->slots, err)) != 0 ||
        (rc = gt_names_add(table->names, slot->key, strlen(slot->key), (int64_t)table->n, NULL, err)) != 0)
        return rc;
    table->slots[table->n++] = *slot;
    return 0;
}

/* Has the text the key in quotes? */
static bool text_has(const struct tar_slot *slot, const char *key, size_t n)
{
    const char *at = (const char *)slot->bytes.data, *end = at + slot->bytes.len;
    for (; (at = memmem(at, (size_t)(end - at), key, n)) != NULL; at++)
        if (at > (const char *)slot->bytes.data && at[-1] == '"' && at + n < end && at[n] == '"')
            return true;
    return false;
}

bool tar_table_excludes(struct tar_table *table, const char *key)
{
    if (!gt_key_is_meta(key))
        return false;
    bool v3_key = strcmp(gt_key_base(key), "zarr.json") == 0;
    const struct tar_slot *v3 = tar_table_find(table, "zarr.json"), *all = tar_table_find(table, ".zmetadata");
    bool v2 = all || tar_table_find(table, ".zgroup") || tar_table_find(table, ".zarray");
    if ((v3 && !v3_key) || (v2 && v3_key) || (v2 && strcmp(key, ".zmetadata") == 0))
        return true;
    if (all)
        return !text_has(all, key, strlen(key));
    size_t path = strlen(key) - strlen("zarr.json");
    return v3 && path > 0 && text_has(v3, "consolidated_metadata", 21) && !text_has(v3, key, path - 1);
}
