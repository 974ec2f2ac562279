#include "out/ids.h"

#include <string.h>

int gt_check_ids(const struct gt_strs *ids, struct gt_err *err)
{
    for (size_t i = 0; i < ids->n; i++)
        if (strpbrk(gt_strs_get(ids, i), "\t\r\n"))
            return gt_fail(err, GT_INPUT, "sample id '%s' holds a tab or a line end", gt_strs_get(ids, i));
    return GT_OK;
}
