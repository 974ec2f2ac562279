#include "geno/model/text_check.h"

#include "core/base/utf8.h"

static int hinted(const struct gt_geno_info *info, struct gt_err *err)
{
    if (info->to_utf8)
        gt_hint(err, "%s", info->to_utf8);
    return GT_INPUT;
}

int gt_check_text(const struct gt_geno_info *info, const char *what, const char *text, size_t n, struct gt_err *err)
{
    if (!gt_check_utf8(what, text, n, err))
        return GT_OK;
    gt_fail_prefix(err, "'%s'", info->name);
    return hinted(info, err);
}

int gt_check_site_text(const struct gt_geno_info *info, const struct gt_block *block, const struct gt_site *site, const char *what,
                       const char *text, size_t n, struct gt_err *err)
{
    if (!gt_check_utf8(what, text, n, err))
        return GT_OK;
    gt_fail_prefix(err, "'%s' (%.100s:%lld)", info->name, gt_site_contig(block, site), (long long)site->position);
    return hinted(info, err);
}
