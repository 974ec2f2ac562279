/* Calls of a store: which alleles they show, which have two different ALTs, and what
 * they are when one ALT alone counts. */
#include <string.h>

#include "geno/select/filter.h"
#include "geno/vcz_read/zarr_calls.h"
#include "kernels/kernels.h"

int zr_alts_begin(const struct zarr_reader *r, struct zr_item *item, struct gt_err *err)
{
    bool calls = r->layout == ZR_CALLS && r->slice < 0, seen = calls && gt_filter_wants_seen(r->base.filter);
    int status = gt_buf_resize(&item->seen, seen ? (size_t)item->n_rows * sizeof(struct gt_seen) : 0, err);

    if (!status && calls && gt_filter_splits(r->base.filter))
        status = gt_buf_resize(&item->alt_calls, (size_t)(r->base.info.n_samples * r->ploidy) + GT_KERNEL_PAD, err);
    if (!status && item->seen.len)
        memset(item->seen.data, 0, item->seen.len);
    item->hets = calls && r->ploidy >= 2 && (r->fields & GT_SITE_HETS);
    return status;
}

const int8_t *zr_alts_of_row(const struct zr_calls *c, struct zr_item *item, const int8_t *calls, int64_t n, int64_t row)
{
    int32_t alt = ((const struct zr_row *)item->rows.data)[row].alt;
    int8_t *to = (int8_t *)item->alt_calls.data;

    if (!alt)
        return calls;
    for (int64_t i = 0; i < n * c->reader->ploidy; i++)
        to[i] = calls[i] > 0 ? zr_allele_number(c->reader, item, calls + i) == alt : calls[i];
    return to;
}

/* Which alleles the kept samples have.  A half call shows REF where that stands in for the missing one. */
static void see_alleles(const struct zr_calls *c, const struct zr_item *item, const int8_t *calls, const uint8_t *codes, int64_t n,
                        struct gt_seen *seen)
{
    const struct zarr_reader *r = c->reader;

    for (int64_t s = 0; s < n; s++) {
        if (!gt_dosage_kept(&r->rule, c->sample + s) || (codes[s / 4] >> (2 * (s % 4)) & 3) == 3)
            continue;
        for (int p = 0; p < r->ploidy; p++) {
            const int64_t a = zr_allele_number(r, item, calls + s * r->ploidy + p);
            gt_see_allele(seen, a == -1 && r->rule.half_call == GT_HALF_REFERENCE ? 0 : a);
        }
    }
}

/* Two different ALTs. */
static bool is_het(const struct zarr_reader *r, const struct zr_item *item, const int8_t *call)
{
    const int8_t *first = call, *last = call + r->ploidy - 1;
    int32_t a[2];
    if (gt_call_pair(call, r->ploidy, a) != 2 || a[0] <= 0 || a[1] <= 0)
        return false;
    while (*first == GT_ALLELE_NONE)
        first++;
    while (*last == GT_ALLELE_NONE)
        last--;
    return zr_allele_number(r, item, first) != zr_allele_number(r, item, last);
}

static int see_het(struct zr_calls *c, struct zr_item *item, struct gt_site *site, int64_t sample)
{
    uint8_t *row;
    int status = site->hets ? GT_OK : gt_block_add_hets(&item->block, site, &row, c->err);

    if (status)
        return status;
    row = item->block.hets.data + (site->hets - 1) * item->block.stride;
    row[sample / 4] |= (uint8_t)(1 << 2 * (sample & 3));
    site->multiallelic = true;
    return GT_OK;
}

/* Calls of two ALTs have code 2: only these are looked at, 32 codes at a time.  Sites whose
 * calls show two ALTs are multiallelic, also where the store has no alleles. */
static int see_hets(struct zr_calls *c, struct zr_item *item, const int8_t *calls, const uint8_t *codes, int64_t n, struct gt_site *site)
{
    uint8_t *row;
    int status = site->multiallelic && !site->hets ? gt_block_add_hets(&item->block, site, &row, c->err) : GT_OK;

    for (int64_t from = 0; from < n && !status; from += 32) {
        uint64_t word = 0;
        memcpy(&word, codes + from / 4, n - from < 32 ? (size_t)(n - from + 3) / 4 : sizeof word);
        for (uint64_t twos = word >> 1 & ~word & 0x5555555555555555; twos && !status; twos &= twos - 1) {
            int64_t s = from + __builtin_ctzll(twos) / 2;
            if (is_het(c->reader, item, calls + s * c->reader->ploidy))
                status = see_het(c, item, site, c->sample + s);
        }
    }
    return status;
}

int zr_alts_see(struct zr_calls *c, struct zr_item *item, const int8_t *calls, const uint8_t *codes, int64_t n, int64_t row)
{
    if (item->seen.len)
        see_alleles(c, item, calls, codes, n, (struct gt_seen *)(void *)item->seen.data + row);
    return item->hets ? see_hets(c, item, calls, codes, n, &gt_block_sites(&item->block)[row]) : GT_OK;
}

/* A store that does not say which calls are phased is taken at its word: their alleles have an order. */
int zr_haplotypes(struct zr_calls *c, struct zr_item *item, const int8_t *calls, const uint8_t *codes, int64_t n, int64_t row)
{
    const struct zarr_reader *r = c->reader;
    uint8_t *to = item->block.haplotypes.data + (size_t)row * gt_haplotype_stride(r->base.info.n_samples);

    for (int64_t s = 0; s < n; s++) {
        const int64_t sample = c->sample + s;
        const int code = codes[s / 4] >> (2 * (s % 4)) & 3;
        int32_t pair[2];
        gt_call_pair(calls + s * r->ploidy, r->ploidy, pair);
        if (!gt_put_haplotypes(&r->rule, pair[0], pair[1], code, !r->site[ZR_PHASED].array, r->fields & GT_SITE_CALLS, sample, to) &&
            !zr_is_phased(r, item, c->variant, sample))
            return zr_refuse_call(c, GT_CALL_UNPHASED, sample);
    }
    return GT_OK;
}

/* Is one of n bytes from 2 to 127? */
static bool any_above_one(const int8_t *calls, int64_t n)
{
    const uint64_t low = UINT64_C(0x7F7F7F7F7F7F7F7F), two = UINT64_C(0x7E7E7E7E7E7E7E7E);
    uint64_t found = 0, word = 0;
    int64_t i = 0;

    for (; i + 8 <= n; i += 8) {
        memcpy(&word, calls + i, sizeof word);
        found |= ((word & low) + two) & ~word;
    }
    word = 0;
    if (i < n)
        memcpy(&word, calls + i, (size_t)(n - i));
    found |= ((word & low) + two) & ~word;
    return found & ~low;
}

/* The site of a row; blocks of a store that does not say which sites are multiallelic come without. */
static int site_of(struct zr_calls *c, struct zr_item *item, int64_t row, struct gt_site **site)
{
    struct gt_buf *sites = &item->block.sites;
    int status = sites->len ? GT_OK : gt_buf_zeros(sites, (size_t)item->n_rows * sizeof **site, c->err);

    *site = status ? NULL : &gt_block_sites(&item->block)[row];
    return status;
}

/* Sites whose calls show a second ALT are multiallelic, also where the store has no alleles. */
int zr_alleles(struct zr_calls *c, struct zr_item *item, const int8_t *calls, const uint8_t *codes, int64_t n, int64_t row)
{
    const struct zarr_reader *r = c->reader;
    struct gt_site *site;
    uint8_t *to;

    if (r->layout != ZR_CALLS || r->slice >= 0 || !any_above_one(calls, n * r->ploidy))
        return GT_OK;
    int status = site_of(c, item, row, &site);
    if (!status && !site->calls)
        status = gt_block_add_calls(&item->block, site, r->base.info.n_samples, &to, c->err);
    if (status)
        return status;
    site->multiallelic = true;
    to = gt_block_calls(&item->block, site) + 2 * c->sample;
    for (int64_t s = 0; s < n; s++) {
        int32_t pair[2];
        gt_call_pair(calls + s * r->ploidy, r->ploidy, pair);
        gt_put_alleles(&r->rule, pair[0], pair[1], codes[s / 4] >> (2 * (s % 4)) & 3, r->fields & GT_SITE_HAPLOTYPES, to + 2 * s);
    }
    return GT_OK;
}

/* Calls of a store that does not say which are phased are not. */
int zr_phases(struct zr_calls *c, struct zr_item *item, const int8_t *calls, const uint8_t *codes, int64_t n, int64_t row)
{
    const struct zarr_reader *r = c->reader;
    struct gt_site *site;
    uint8_t *to;

    if (r->layout != ZR_CALLS || r->slice >= 0 || !r->site[ZR_PHASED].array)
        return GT_OK;
    int status = site_of(c, item, row, &site);
    for (int64_t s = 0; s < n && !status; s++) {
        const int code = codes[s / 4] >> (2 * (s % 4)) & 3;
        int32_t pair[2];
        if (!(code == 1 || code == 2) || !gt_dosage_kept(&r->rule, c->sample + s))
            continue;
        gt_call_pair(calls + s * r->ploidy, r->ploidy, pair);
        const unsigned phase = gt_phase_of(pair[0], pair[1], code);
        if (!phase || !zr_is_phased(r, item, c->variant, c->sample + s))
            continue;
        status = site->phases ? GT_OK : gt_block_add_phases(&item->block, site, &to, c->err);
        if (!status)
            gt_put_phase(item->block.phases.data + (site->phases - 1) * item->block.stride, c->sample + s, phase);
    }
    return status;
}

void zr_alts_end(struct zr_item *item)
{
    struct gt_site *sites = gt_block_sites(&item->block);
    const struct gt_seen *seen = (const struct gt_seen *)(const void *)item->seen.data;

    for (int64_t v = 0; v < item->n_rows && item->seen.len && item->block.sites.len; v++)
        sites[v].alleles_seen = gt_alleles_seen(&seen[v]);
}
