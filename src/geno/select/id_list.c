#include "config.h"

#include "geno/select/id_list.h"

#include <string.h>

#include "core/base/line_file.h"

struct list {
    struct gt_names *ids;
    bool any;
};

static int add_line(void *ctx, char *text, int64_t number, struct gt_err *err)
{
    struct list *list = ctx;
    const char *between = gt_line_between(text);
    char *save;
    int status = GT_OK;
    (void)number;
    for (char *id = strtok_r(text, between, &save); id && !status; id = strtok_r(NULL, between, &save)) {
        status = gt_names_add(list->ids, id, strlen(id), 0, NULL, err);
        list->any = true;
    }
    return status;
}

int gt_ids_read(struct gt_names **ids, const char *path, struct gt_err *err)
{
    struct list list = {.ids = *ids = gt_names_new(NULL, err)};
    int status = *ids ? gt_lines_read(path, add_line, &list, err) : GT_FAIL;
    return status || list.any ? status : gt_fail(err, GT_USAGE, "'%s' lists no ids", path);
}
