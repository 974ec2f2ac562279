#include "config.h"

#include "geno/model/var_ids.h"

#include <string.h>

int gt_var_id_check(const char *form, struct gt_err *err)
{
    bool good = strchr(form, '@') && strchr(form, '#') && !form[strcspn(form, " \t\r\n;,")];
    for (const char *p = form; good && (p = strchr(p, '$')); p++)
        good = p[1] && strchr("ra12", p[1]);
    if (good)
        return GT_OK;
    gt_fail(err, GT_USAGE, "--set-all-var-ids '%s': give a form with @ (contig) and # (position)", form);
    gt_hint(err, "--set-all-var-ids @:#:$r:$a is CONTIG:POSITION:REF:ALT");
    return GT_USAGE;
}

static const char *allele(const struct gt_block *block, const struct gt_site *site, int32_t a)
{
    const size_t at = site->first_allele + (size_t)a;
    return a < site->n_alleles && at < block->alleles.n ? gt_strs_get(&block->alleles, at) : ".";
}

static void add_alts(struct gt_str *id, const struct gt_block *block, const struct gt_site *site)
{
    gt_str_add(id, allele(block, site, 1));
    for (int32_t a = 2; a < site->n_alleles; a++)
        gt_str_addf(id, ",%s", allele(block, site, a));
}

static void add_allele(struct gt_str *id, char which, const struct gt_block *block, const struct gt_site *site)
{
    const char *ref = allele(block, site, 0);
    const bool ref_first = strcmp(ref, allele(block, site, 1)) <= 0;
    if (which == 'r' || (which == '1' && ref_first) || (which == '2' && !ref_first))
        gt_str_add(id, ref);
    else
        add_alts(id, block, site);
}

void gt_var_id_add(struct gt_str *id, const char *form, const char *contig, const struct gt_block *block, const struct gt_site *site)
{
    for (const char *p = form; *p; p++) {
        const size_t plain = strcspn(p, "@#$");
        gt_str_addn(id, p, plain);
        p += plain;
        if (*p == '@')
            gt_str_add(id, contig);
        else if (*p == '#')
            gt_str_addf(id, "%lld", (long long)site->position);
        else if (*p == '$')
            add_allele(id, *++p, block, site);
        else
            break;
    }
}
