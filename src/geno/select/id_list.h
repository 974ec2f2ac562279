/* Lists of variant ids: --extract and --exclude. */
#ifndef GT_GENO_ID_LIST_H
#define GT_GENO_ID_LIST_H

#include <stdatomic.h>

#include "core/base/str.h"

struct gt_id_list {
    struct gt_strs ids; /* distinct, in the order of the file */
    struct gt_names *numbers;
    atomic_uchar *met; /* of each: gt_id_list_meet has seen it, in any thread */
};

/* Reads ids separated by blanks or newlines; gt_id_list_release is called also on failure. */
int gt_id_list_read(struct gt_id_list *list, const char *path, struct gt_err *err);
void gt_id_list_release(struct gt_id_list *list);
bool gt_id_list_has(const struct gt_id_list *list, const char *id);
/* Records that a variant has this id, if the list has it.  Any thread. */
void gt_id_list_meet(const struct gt_id_list *list, const char *id);
/* Adds 1 to met[i] for each id that was met. */
void gt_id_list_add_met(const struct gt_id_list *list, int64_t *met);

#endif
