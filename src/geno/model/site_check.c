#include "geno/model/site_check.h"

#include <string.h>

#include "geno/model/dosage.h"

static int bad_text(const struct gt_block *block, const struct gt_site *site, const char *what, const char *text, struct gt_err *err)
{
    size_t n = 0;

    while ((unsigned char)text[n] > ' ')
        n++;
    if (n && !text[n])
        return 0;
    return gt_fail(err, GT_INPUT, "%s:%lld: its %s '%s' %s", gt_site_contig(block, site), (long long)site->position, what, text,
                   n ? "contains a blank or control character" : "is empty");
}

static int check_texts(const struct gt_block *block, const struct gt_site *site, struct gt_err *err)
{
    int status = bad_text(block, site, "contig", gt_site_contig(block, site), err);

    if (!status)
        status = bad_text(block, site, "id", gt_site_id(block, site), err);
    for (int32_t a = 0; a < site->n_alleles && !status; a++)
        status = bad_text(block, site, "allele", gt_site_allele(block, site, a), err);
    for (uint32_t f = 0; f < site->filter_n && !status; f++)
        status = bad_text(block, site, "FILTER", gt_strs_get(&block->filter_names, (size_t)gt_site_filter(block, site, f)), err);
    return status;
}

int gt_site_check(const struct gt_block *block, const struct gt_site *site, bool alts, struct gt_err *err)
{
    if (site->contig < 0 || (size_t)site->contig >= block->contigs.n)
        return gt_fail(err, GT_INPUT, "a variant at position %lld has no contig", (long long)site->position);
    if (site->n_alleles < 1)
        return gt_fail(err, GT_INPUT, "%s:%lld has no alleles", gt_site_contig(block, site), (long long)site->position);
    if (site->multiallelic && !alts) {
        gt_fail(err, GT_INPUT, "%s:%lld is multiallelic; genotypes cannot be restored from allele counts", gt_site_contig(block, site),
                (long long)site->position);
        gt_hint(err, "--skip-multiallelic drops such variants; for calls, --split-multiallelic makes a row for each ALT");
        return GT_INPUT;
    }
    return check_texts(block, site, err);
}

int gt_site_check_calls(const struct gt_strs *contigs, const struct gt_site *site, struct gt_err *err)
{
    enum { MOST = GT_ALLELE_LAST + 1 };
    if (!site->calls || site->n_alleles <= MOST)
        return GT_OK;
    gt_fail(err, GT_INPUT, "%s:%lld has %d alleles; calls of at most %d are distinguished", gt_strs_get(contigs, (size_t)site->contig),
            (long long)site->position, (int)site->n_alleles, MOST);
    gt_hint(err, "--max-alleles %d drops such variants", MOST);
    return GT_INPUT;
}
