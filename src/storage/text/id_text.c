#include "storage/text/id_text.h"

#include <string.h>

int gt_check_ids(const struct gt_strs *ids, struct gt_err *err)
{
    for (size_t i = 0; i < ids->n; i++)
        if (strpbrk(gt_strs_get(ids, i), "\t\r\n"))
            return gt_fail(err, GT_INPUT, "sample id '%s' contains a tab or newline", gt_strs_get(ids, i));
    return GT_OK;
}

int gt_check_plink_ids(const struct gt_strs *ids, struct gt_err *err)
{
    for (size_t i = 0; i < ids->n; i++) {
        const char *id = gt_strs_get(ids, i);
        if (*id && !strpbrk(id, " \t\r\n\v\f"))
            continue;
        gt_fail(err, GT_INPUT, *id ? "sample id '%s' contains white space, which PLINK files cannot hold" : "sample id '%s' is empty", id);
        gt_hint(err, "bcftools reheader -s renames samples");
        return GT_INPUT;
    }
    return GT_OK;
}

void gt_ids_text(struct gt_str *text, const struct gt_strs *ids, const struct gt_strs *plink_ids, enum gt_id_style style)
{
    if (style == GT_IDS_PLINK2)
        gt_str_add(text, "#FID\tIID\n");
    for (size_t i = 0; i < ids->n; i++) {
        const bool known = plink_ids && style != GT_IDS_PLAIN;
        gt_str_add(text, known || style == GT_IDS_PLAIN ? "" : "0\t");
        gt_str_add(text, gt_strs_get(known ? plink_ids : ids, i));
        gt_str_addn(text, "\n", 1);
    }
}
