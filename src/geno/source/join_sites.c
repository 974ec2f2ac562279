/* Are the sites of inputs that stand side by side the same? */
#include "config.h"

#include <string.h>

#include "core/base/size.h"
#include "geno/source/join_internal.h"

static const char *contig_of(const struct gt_side *side, int64_t v)
{
    return gt_site_contig(side->block, gt_side_site(side, v));
}

/* "'x', line 12, has chr1:100 A C"; the line only for text, where every line is a variant. */
static void describe(struct gt_str *text, const struct gt_joined *r, int i, int64_t v)
{
    const struct gt_side *side = &r->side[i];
    const struct gt_site *site = gt_side_site(side, v);
    gt_str_addf(text, "'%s', ", gt_joined_info(r, i)->name);
    if (side->block->line > 0)
        gt_str_addf(text, "line %lld, ", (long long)(side->block->line + side->at + v));
    gt_str_addf(text, "has %s:%lld", contig_of(side, v), (long long)site->position);
    for (int32_t a = 0; a < site->n_alleles && a < 5 && (gt_joined_info(r, i)->has & GT_HAS_ALLELES); a++)
        gt_str_addf(text, " %.20s", gt_strs_get(&side->block->alleles, site->first_allele + (size_t)a));
}

static int refuse(const struct gt_joined *r, int i, int64_t v, struct gt_err *err)
{
    struct gt_str one = {0}, other = {0};
    describe(&one, r, 0, v);
    describe(&other, r, i, v);
    int status = gt_str_check(&one, err);
    status = status ? status : gt_str_check(&other, err);
    if (!status) {
        status = gt_fail(err, GT_INPUT, "variant %lld: %s, and %s", (long long)(r->delivered + v + 1), one.s, other.s);
        gt_hint(err, "--concat samples needs the same variants in the same order");
    }
    gt_str_release(&one);
    gt_str_release(&other);
    return status;
}

int gt_joined_check_sites(const struct gt_joined *r, int i, int64_t n, struct gt_err *err)
{
    const struct gt_side *a = &r->side[0], *b = &r->side[i];
    const unsigned both = gt_joined_info(r, 0)->has & gt_joined_info(r, i)->has;
    for (int64_t v = 0; v < n; v++)
        if (gt_site_differs(a->block, gt_side_site(a, v), b->block, gt_side_site(b, v), both) != GT_SITE_SAME)
            return refuse(r, i, v, err);
    return GT_OK;
}

int gt_joined_refuse_more(const struct gt_joined *r, int ended, int more, struct gt_err *err)
{
    struct gt_str text = {0};
    char n[GT_THINGS_LEN];
    describe(&text, r, more, 0);
    int status = gt_str_check(&text, err);
    if (!status)
        status = gt_fail(err, GT_INPUT, "'%s' ends after %s, and %s", gt_joined_info(r, ended)->name,
                         gt_format_things(n, r->delivered, "variant"), text.s);
    gt_str_release(&text);
    return status;
}
