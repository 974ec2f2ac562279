/* What came of a tar stream, by key.  Internal to tar_read.c. */
#ifndef GT_STORE_TAR_TABLE_H
#define GT_STORE_TAR_TABLE_H

#include "core/base/budget.h"
#include "core/base/str.h"

enum tar_state { TAR_IN_MEMORY, TAR_IN_FILE, TAR_TAKEN, TAR_DROPPED };

struct tar_slot {
    char *key;
    enum tar_state state;
    bool meta;
    struct gt_buf bytes;  /* TAR_IN_MEMORY */
    int64_t offset, size; /* offset: TAR_IN_FILE */
};

struct tar_table {
    struct gt_budget *budget;
    struct gt_names *names; /* key -> index in slots */
    struct tar_slot *slots;
    size_t n, cap;
    size_t counted; /* bytes of slots and keys, in the budget */
};

int tar_table_init(struct tar_table *table, struct gt_budget *budget, struct gt_err *err);
void tar_table_release(struct tar_table *table);
/* NULL: it did not come yet. */
struct tar_slot *tar_table_find(struct tar_table *table, const char *key);
/* Takes over what is in *slot.  Metadata may come again and the last counts; *fresh: it came
 * for the first time.  The table is counted too: an entry costs it memory however small it is. */
int tar_table_insert(struct tar_table *table, const struct tar_slot *slot, bool *fresh, struct gt_err *err);
/* Metadata that will not come, so that asking for what is optional does not read (and keep)
 * the whole stream: of the other Zarr version, consolidated metadata that did not come with
 * the root's, and what these do not list. */
bool tar_table_excludes(struct tar_table *table, const char *key);

#endif
