#include "config.h"

#include "geno/select/id_list.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/line_file.h"
#include "core/base/mem.h"

static int add_line(void *ctx, char *text, int64_t number, struct gt_err *err)
{
    struct gt_id_list *list = ctx;
    const char *between = gt_line_between(text);
    char *save;
    int64_t at;
    int status = GT_OK;
    (void)number;
    for (char *id = strtok_r(text, between, &save); id && !status; id = strtok_r(NULL, between, &save))
        status = gt_names_number(list->numbers, &list->ids, id, strlen(id), &at, err);
    return status;
}

int gt_id_list_read(struct gt_id_list *list, const char *path, struct gt_err *err)
{
    list->numbers = gt_names_new(NULL, err);
    int status = list->numbers ? gt_lines_read(path, add_line, list, err) : GT_FAIL;
    if (!status && !list->ids.n)
        status = gt_fail(err, GT_USAGE, "'%s' lists no ids", path);
    if (!status && !(list->met = gt_alloc(list->ids.n, sizeof *list->met, err)))
        status = GT_FAIL;
    return status;
}

void gt_id_list_release(struct gt_id_list *list)
{
    gt_names_free(list->numbers);
    gt_strs_release(&list->ids);
    free(list->met);
    *list = (struct gt_id_list){0};
}

bool gt_id_list_has(const struct gt_id_list *list, const char *id)
{
    return gt_names_find(list->numbers, id, strlen(id)) >= 0;
}

void gt_id_list_meet(const struct gt_id_list *list, const char *id)
{
    const int64_t at = gt_names_find(list->numbers, id, strlen(id));
    if (at >= 0 && !atomic_load_explicit(&list->met[at], memory_order_relaxed))
        atomic_store_explicit(&list->met[at], 1, memory_order_relaxed);
}

void gt_id_list_add_met(const struct gt_id_list *list, int64_t *met)
{
    for (size_t i = 0; i < list->ids.n; i++)
        met[i] += atomic_load_explicit(&list->met[i], memory_order_relaxed);
}
