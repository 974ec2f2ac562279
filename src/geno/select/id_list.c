#include "config.h"

#include "geno/select/id_list.h"

#include <string.h>

#include "core/base/line_file.h"

static int add_line(void *ctx, char *text, int64_t number, struct gt_err *err)
{
    const char *between = gt_line_between(text);
    char *save;
    int status = GT_OK;
    (void)number;
    for (char *id = strtok_r(text, between, &save); id && !status; id = strtok_r(NULL, between, &save))
        status = gt_names_add(ctx, id, strlen(id), 0, NULL, err);
    return status;
}

int gt_ids_read(struct gt_names **ids, const char *path, struct gt_err *err)
{
    *ids = gt_names_new(NULL, err);
    return *ids ? gt_lines_read(path, add_line, *ids, err) : GT_FAIL;
}
