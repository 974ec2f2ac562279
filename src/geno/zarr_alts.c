/* Calls of a store: which alleles they show, which have two different ALTs, and what
 * they are when one ALT alone counts. */
#include <string.h>

#include "geno/zarr_calls.h"
#include "kernels/kernels.h"

int zr_alts_begin(const struct zarr_reader *r, struct zr_item *item, struct gt_err *err)
{
    bool calls = r->layout == ZR_CALLS && r->slice < 0, seen = calls && gt_filter_wants_seen(r->filter);
    int status = gt_buf_resize(&item->seen, seen ? (size_t)item->n_rows * 16 : 0, err);

    if (!status && calls && gt_filter_splits(r->filter))
        status = gt_buf_resize(&item->alt_calls, (size_t)(r->base.info.n_samples * r->ploidy) + GT_KERNEL_PAD, err);
    if (!status && item->seen.len)
        memset(item->seen.data, 0, item->seen.len);
    item->hets = calls && r->ploidy >= 2 && (r->fields & GT_SITE_HETS);
    return status;
}

/* Numbers from 127 on were cut to it, unless the store has int8. */
static bool ambiguous(struct zr_calls *c, int8_t a)
{
    bool is = a == 127 && c->reader->geno->dtype.type != GT_I8;

    if (is && !c->failed) {
        c->failed = true;
        gt_fail(c->err, GT_INPUT, "'%s': variant %lld has calls of allele 127 or above, which are not told apart in a store",
                c->reader->base.info.name, (long long)c->variant + 1);
    }
    return is;
}

const int8_t *zr_alts_of_row(struct zr_calls *c, struct zr_item *item, const int8_t *calls, int64_t n, int64_t row)
{
    int32_t alt = ((const struct zr_row *)item->rows.data)[row].alt;
    int8_t *to = (int8_t *)item->alt_calls.data;

    if (!alt)
        return calls;
    for (int64_t i = 0; i < n * c->reader->ploidy; i++)
        to[i] = calls[i] > 0 ? calls[i] == alt && !ambiguous(c, calls[i]) : calls[i];
    return to;
}

/* Which alleles the kept samples have, as a set of 128 bits a row.  A half call shows REF
 * where that stands in for the missing one. */
static void see_alleles(const struct zr_calls *c, const int8_t *calls, const uint8_t *codes, int64_t n, uint64_t seen[2])
{
    const struct zarr_reader *r = c->reader;

    for (int64_t s = 0; s < n; s++) {
        if (!gt_dosage_kept(&r->rule, c->sample + s) || (codes[s / 4] >> (2 * (s % 4)) & 3) == 3)
            continue;
        for (int p = 0; p < r->ploidy; p++) {
            int8_t a = calls[s * r->ploidy + p];
            if (a >= 0)
                seen[a / 64] |= (uint64_t)1 << a % 64;
            else if (a == -1 && r->rule.half_call == GT_HALF_REFERENCE)
                seen[0] |= 1;
        }
    }
}

static bool is_het(struct zr_calls *c, const int8_t *call)
{
    int32_t a[2];
    return gt_call_pair(call, c->reader->ploidy, a) == 2 && a[0] > 0 && a[1] > 0 && (a[0] != a[1] || ambiguous(c, (int8_t)a[0]));
}

/* cut: the number that stands for all from it on. */
static bool any_two_alts(const int8_t *calls, int64_t n, int cut)
{
    unsigned any = 0;

    for (int64_t s = 0; s < n; s++) {
        int8_t a = calls[2 * s], b = calls[2 * s + 1];
        any |= (unsigned)(a > 0) & (unsigned)(b > 0) & ((unsigned)(a != b) | (unsigned)(a == cut));
    }
    return any;
}

static bool any_het(struct zr_calls *c, const int8_t *calls, int64_t n)
{
    int ploidy = c->reader->ploidy;
    bool any = false;

    if (ploidy == 2)
        return any_two_alts(calls, n, c->reader->geno->dtype.type == GT_I8 ? 128 : 127);
    for (int64_t s = 0; s < n && !any; s++)
        any = is_het(c, calls + s * ploidy);
    return any;
}

/* Sites whose calls show two ALTs are multiallelic, also where the store has no alleles. */
static int see_hets(struct zr_calls *c, struct zr_item *item, const int8_t *calls, int64_t n, struct gt_site *site)
{
    uint8_t *row;
    int status = GT_OK;

    if (!site->hets && (site->multiallelic || any_het(c, calls, n)))
        status = gt_block_add_hets(&item->block, site, &row, c->err);
    if (status || !site->hets)
        return status;
    row = item->block.hets.data + (site->hets - 1) * item->block.stride;
    for (int64_t s = 0; s < n; s++) {
        if (is_het(c, calls + s * c->reader->ploidy)) {
            row[(c->sample + s) / 4] |= (uint8_t)(1 << 2 * ((c->sample + s) & 3));
            site->multiallelic = true;
        }
    }
    return GT_OK;
}

int zr_alts_see(struct zr_calls *c, struct zr_item *item, const int8_t *calls, const uint8_t *codes, int64_t n, int64_t row)
{
    if (item->seen.len)
        see_alleles(c, calls, codes, n, (uint64_t *)item->seen.data + 2 * row);
    return item->hets ? see_hets(c, item, calls, n, &gt_block_sites(&item->block)[row]) : GT_OK;
}

void zr_alts_end(struct zr_item *item)
{
    struct gt_site *sites = gt_block_sites(&item->block);
    const uint64_t *seen = (const uint64_t *)item->seen.data;

    for (int64_t v = 0; v < item->n_rows && item->seen.len && item->block.sites.len; v++)
        sites[v].alleles_seen = (uint8_t)(__builtin_popcountll(seen[2 * v]) + __builtin_popcountll(seen[2 * v + 1]));
}
