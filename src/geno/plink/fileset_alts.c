/* Calls of multiallelic sites, of formats whose codes come with their alleles. */
#include "geno/model/dosage.h"
#include "geno/plink/fileset.h"
#include "geno/select/filter.h"

enum { WANTED = GT_SITE_CALLS | GT_SITE_RECORD };

/* What the site asks for, of its samples. */
struct site_calls {
    uint8_t *row, *alleles, *hets; /* codes; two bytes per sample; NULL: not wanted */
    const uint8_t *copies, *keep;  /* of each sample; NULL: diploid; all */
    bool haploid, any;             /* of all samples; some call has an allele above 1 */
    struct gt_seen seen;
};

static void set_code(uint8_t *row, int64_t sample, unsigned code)
{
    const int shift = 2 * (int)(sample & 3);
    row[sample / 4] = (uint8_t)((row[sample / 4] & ~(3u << shift)) | code << shift);
}

/* A haploid sample with two different ALTs becomes heterozygous, for gt_filter_block to treat it as other heterozygotes. */
static void look_at_call(struct site_calls *c, int64_t s)
{
    const unsigned code = c->row[s / 4] >> 2 * (s & 3) & 3;
    uint8_t *pair = c->alleles + 2 * s;
    const bool known = pair[0] != GT_ALLELE_BY_CODE, one = c->haploid || (c->copies && c->copies[s]);
    int a, b;

    if (code == GT_CALL_MISSING)
        return;
    gt_get_alleles(code, pair, &a, &b);
    if (one && (a != b || (c->copies && c->copies[s] == GT_PLOIDY_NONE))) {
        pair[0] = pair[1] = GT_ALLELE_BY_CODE;
        if (a != b)
            set_code(c->row, s, 1);
        return;
    }
    c->any |= known;
    if (c->hets && a && a != b)
        set_code(c->hets, s, 1);
    if (!c->keep || c->keep[s]) {
        gt_see_allele(&c->seen, a);
        gt_see_allele(&c->seen, b);
    }
}

int gt_fileset_put_alts(const struct gt_fileset *file, struct gt_block *block, int64_t v, uint8_t *alleles, struct gt_err *err)
{
    const struct gt_filter *filter = file->base.filter;
    const int64_t n = file->base.info.n_samples;
    struct gt_site *site = gt_block_sites(block) + v;
    struct site_calls c = {.row = block->rows.data + (size_t)v * block->stride,
                           .alleles = alleles,
                           .copies = gt_filter_call_ploidy(filter, block, site),
                           .keep = gt_filter_keep(filter),
                           .haploid = gt_filter_opts(filter)->data_ploidy == GT_HAPLOID};
    int status = file->fields & GT_SITE_HETS ? gt_block_add_hets(block, site, &c.hets, err) : GT_OK;
    uint8_t *row;

    for (int64_t s = 0; s < n && !status; s++)
        look_at_call(&c, s);
    if (gt_filter_wants_seen(filter))
        site->alleles_seen = gt_alleles_seen(&c.seen);
    if (!status && c.any && (file->fields & WANTED) && (status = gt_block_add_calls(block, site, n, &row, err)) == GT_OK)
        memcpy(row, alleles, 2 * (size_t)n);
    return status;
}
