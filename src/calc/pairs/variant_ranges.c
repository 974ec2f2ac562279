#include "calc/pairs/variant_ranges.h"

#include <string.h>
#include <xxhash.h>

#include "core/base/le.h"
#include "core/base/size.h"
#include "geno/model/contigs.h"

enum { NUMBERS = 8 }; /* of a range */

void gt_variant_ranges_init(struct gt_variant_ranges *ranges, struct gt_budget *budget)
{
    *ranges = (struct gt_variant_ranges){.contigs.budget = budget, .range.budget = budget};
}

void gt_variant_ranges_release(struct gt_variant_ranges *ranges)
{
    gt_strs_release(&ranges->contigs);
    gt_buf_release(&ranges->range);
}

/* --- collecting ----------------------------------------------------------------- */

static int append(struct gt_variant_ranges *ranges, const char *contig, const struct gt_variant_range *range, struct gt_err *err)
{
    int status = gt_buf_append(&ranges->range, range, sizeof *range, err);
    return status ? status : gt_strs_add(&ranges->contigs, contig, strlen(contig), err);
}

/* The number of its contig's range; variants mostly come contig by contig. */
static size_t find(const struct gt_variant_ranges *ranges, const char *contig)
{
    const size_t n = gt_variant_ranges_n(ranges);
    if (ranges->at < n && strcmp(gt_strs_get(&ranges->contigs, ranges->at), contig) == 0)
        return ranges->at;
    size_t i = 0;
    while (i < n && strcmp(gt_strs_get(&ranges->contigs, i), contig) != 0)
        i++;
    return i;
}

static uint64_t hash_of(int64_t position, const struct gt_strs *alleles, size_t first, size_t n)
{
    uint8_t at[sizeof position];
    gt_le_put(at, (uint64_t)position, sizeof at);
    uint64_t hash = XXH3_64bits(at, sizeof at);
    for (size_t k = 0; k < n; k++)
        hash = XXH3_64bits_withSeed(gt_strs_get(alleles, first + k), strlen(gt_strs_get(alleles, first + k)), hash);
    return hash;
}

static void add_at(int64_t position, uint64_t hash, int64_t *end, int64_t *n, uint64_t *sum, bool beyond)
{
    if (beyond)
        *end = position, *n = 0, *sum = 0;
    if (position == *end)
        *n += 1, *sum += hash;
}

int gt_variant_ranges_add(struct gt_variant_ranges *ranges, const char *contig, int64_t position, const struct gt_strs *alleles,
                          size_t first, size_t n, struct gt_err *err)
{
    const uint64_t hash = hash_of(position, alleles, first, n);
    ranges->at = find(ranges, contig);
    if (ranges->at == gt_variant_ranges_n(ranges)) {
        const struct gt_variant_range only = {position, position, 1, 1, 1, hash, hash, hash};
        return append(ranges, contig, &only, err);
    }
    struct gt_variant_range *range = (struct gt_variant_range *)(void *)ranges->range.data + ranges->at;
    range->n++;
    range->hash += hash;
    add_at(position, hash, &range->first, &range->n_first, &range->hash_first, position < range->first);
    add_at(position, hash, &range->last, &range->n_last, &range->hash_last, position > range->last);
    return GT_OK;
}

int gt_variant_ranges_append(struct gt_variant_ranges *to, const struct gt_variant_ranges *from, struct gt_err *err)
{
    int status = GT_OK;
    for (size_t i = 0; i < gt_variant_ranges_n(from) && !status; i++)
        status = append(to, gt_strs_get(&from->contigs, i), gt_variant_range(from, i), err);
    return status;
}

/* --- comparing ------------------------------------------------------------------ */

/* Two ranges that meet at one position. */
static bool share_end(const struct gt_variant_range *low, const struct gt_variant_range *high)
{
    return low->n_last != 1 || high->n_first != 1 || low->hash_last == high->hash_first;
}

static bool overlap(const struct gt_variant_range *x, const struct gt_variant_range *y)
{
    if (x->last < y->first || y->last < x->first)
        return false;
    if (x->last == y->first)
        return share_end(x, y);
    if (y->last == x->first)
        return share_end(y, x);
    return true;
}

bool gt_variant_ranges_overlap(const struct gt_variant_ranges *a, const struct gt_variant_ranges *b, size_t *i, size_t *j)
{
    for (*i = 0; *i < gt_variant_ranges_n(a); ++*i)
        for (*j = 0; *j < gt_variant_ranges_n(b); ++*j)
            if (overlap(gt_variant_range(a, *i), gt_variant_range(b, *j)) &&
                gt_contig_same(gt_strs_get(&a->contigs, *i), gt_strs_get(&b->contigs, *j)))
                return true;
    return false;
}

/* --- bytes ---------------------------------------------------------------------- */

int gt_variant_ranges_put(const struct gt_variant_ranges *ranges, struct gt_buf *out, struct gt_err *err)
{
    int status = GT_OK;
    for (size_t i = 0; i < gt_variant_ranges_n(ranges) && !status; i++) {
        const struct gt_variant_range *r = gt_variant_range(ranges, i);
        const char *name = gt_strs_get(&ranges->contigs, i);
        const uint64_t numbers[NUMBERS] = {(uint64_t)r->first,  (uint64_t)r->last, (uint64_t)r->n, (uint64_t)r->n_first,
                                           (uint64_t)r->n_last, r->hash,           r->hash_first,  r->hash_last};
        uint8_t bytes[NUMBERS * 8], *at = bytes;
        for (int k = 0; k < NUMBERS; k++)
            at = gt_le_put(at, numbers[k], 8);
        status = gt_buf_append(out, bytes, sizeof bytes, err);
        if (!status)
            status = gt_buf_append(out, name, strlen(name) + 1, err);
    }
    return status;
}

int gt_variant_ranges_take(struct gt_variant_ranges *ranges, size_t n, const uint8_t *bytes, size_t size, struct gt_err *err)
{
    const uint8_t *end = bytes + size;
    int status = GT_OK;
    for (size_t i = 0; i < n && !status; i++) {
        const uint8_t *name = bytes + (size_t)NUMBERS * 8, *nul = name < end ? memchr(name, 0, (size_t)(end - name)) : NULL;
        if ((size_t)(end - bytes) <= (size_t)NUMBERS * 8 || !nul)
            return gt_fail(err, GT_INPUT, "its variants are damaged");
        uint64_t x[NUMBERS];
        for (int k = 0; k < NUMBERS; k++)
            x[k] = gt_le64(bytes + (size_t)k * 8);
        const struct gt_variant_range range = {(int64_t)x[0], (int64_t)x[1], (int64_t)x[2], (int64_t)x[3], (int64_t)x[4], x[5], x[6], x[7]};
        status = append(ranges, (const char *)name, &range, err);
        bytes = nul + 1;
    }
    return !status && bytes != end ? gt_fail(err, GT_INPUT, "its variants are damaged") : status;
}
