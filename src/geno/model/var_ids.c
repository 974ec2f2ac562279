#include "config.h"

#include "geno/model/var_ids.h"

#include <string.h>

static int count(const char *form, const char *what)
{
    int n = 0;
    for (const char *p = form; (p = strstr(p, what)); p++)
        n++;
    return n;
}

/* No alleles, $r and $a at most once each, or $1 and $2 once each. */
static bool alleles_are_good(const char *form)
{
    const int all = count(form, "$"), r = count(form, "$r"), a = count(form, "$a"), first = count(form, "$1"), second = count(form, "$2");
    return (r <= 1 && a <= 1 && r + a == all) || (first == 1 && second == 1 && all == 2);
}

int gt_var_id_check(const char *form, struct gt_err *err)
{
    const char *want = NULL;
    if (count(form, "@") != 1 || count(form, "#") != 1)
        want = "give a form with @ (contig) and # (position), once each";
    else if (!alleles_are_good(form))
        want = "give $r (REF) and $a (ALT) at most once each, or $1 and $2 once each";
    else if (form[strcspn(form, " \t\r\n;")])
        want = "an ID has no blanks and no ';'";
    if (!want)
        return GT_OK;
    gt_fail(err, GT_USAGE, "--set-all-var-ids '%s': %s", form, want);
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
