/* Asking an index. */
#include "config.h"

#include <stdlib.h>

#include "storage/bgzf/csi_internal.h"

#define NEAR ((uint64_t)65536 << 16) /* stretches nearer to each other than a block's size are read as one */

static int by_place(const void *a, const void *b)
{
    const struct gt_stretch *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* Sorts, and joins what lies up to `gap` apart: how many are left. */
static size_t join(struct gt_stretch *at, size_t n, uint64_t gap)
{
    size_t last = 0;
    if (!n)
        return 0;
    qsort(at, n, sizeof *at, by_place);
    for (size_t i = 1; i < n; i++) {
        if (at[i].from > at[last].to && at[i].from - at[last].to > gap)
            at[++last] = at[i];
        else if (at[i].to > at[last].to)
            at[last].to = at[i].to;
    }
    return last + 1;
}

void gt_stretches_join(struct gt_buf *stretches)
{
    size_t n = join((struct gt_stretch *)stretches->data, stretches->len / sizeof(struct gt_stretch), NEAR);
    stretches->len = n * sizeof(struct gt_stretch);
}

int gt_index_check(const struct gt_index *index, uint64_t first, uint64_t *last)
{
    struct gt_buf all = {.budget = index->stretches.budget};
    int status = gt_buf_append(&all, index->stretches.data, index->stretches.len, NULL);
    const struct gt_stretch *at = (const struct gt_stretch *)all.data;
    size_t n = status ? 0 : join((struct gt_stretch *)all.data, all.len / sizeof *at, 0);
    *last = n ? at->to : first;
    if (!status && (n > 1 || (n && at->from != first)))
        status = GT_INPUT;
    gt_buf_release(&all);
    return status;
}

/* --- regions ----------------------------------------------------------------------------- */

struct range {
    uint64_t from, to; /* bases, 0-based, the end not in */
};

/* The bin of that number, or the first one after it; NULL when there is none. */
static const struct index_bin *bin_from(const struct gt_index *index, const struct index_contig *contig, uint64_t number)
{
    const struct index_bin *bins = (const struct index_bin *)index->bins.data + contig->bin;
    size_t lo = 0, hi = contig->n_bins;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (bins[mid].number < number)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < contig->n_bins ? &bins[lo] : NULL;
}

/* No record that overlaps the range stands before this place.  CSI says it for the
 * bins that exist: the one that the range begins in, else those before it, then above. */
static uint64_t least_place(const struct gt_index *index, const struct index_contig *contig, struct range range)
{
    uint64_t window = range.from >> index->min_shift;
    if (!index->csi)
        return window < contig->n_windows ? ((const uint64_t *)index->windows.data)[contig->window + window] : 0;
    uint64_t number = gt_index_bin_first(index->depth) + window;
    for (;;) {
        const struct index_bin *bin = bin_from(index, contig, number);
        if (bin && bin->number == number)
            return bin->minimum;
        if (number == 0)
            return 0;
        number = (number - 1) % 8 ? number - 1 : (number - 1) / 8;
    }
}

static int find_in_level(const struct gt_index *index, const struct index_contig *contig, struct range range, int level,
                         struct gt_buf *stretches, struct gt_err *err)
{
    const struct index_bin *end = (const struct index_bin *)index->bins.data + contig->bin + contig->n_bins;
    const struct gt_stretch *all = (const struct gt_stretch *)index->stretches.data;
    int shift = index->min_shift + 3 * (index->depth - level), status = 0;
    uint64_t first = gt_index_bin_first(level), minimum = least_place(index, contig, range);
    const struct index_bin *bin = bin_from(index, contig, first + (range.from >> shift));
    for (; bin && bin < end && bin->number <= first + ((range.to - 1) >> shift); bin++)
        for (uint32_t i = 0; i < bin->n && !status; i++)
            if (all[bin->first + i].to > minimum)
                status = gt_buf_append(stretches, &all[bin->first + i], sizeof *all, err);
    return status;
}

int gt_index_find(const struct gt_index *index, int64_t contig, const struct gt_intervals *intervals, struct gt_buf *stretches,
                  struct gt_err *err)
{
    const uint64_t length = UINT64_C(1) << (index->min_shift + 3 * index->depth);
    const struct index_contig *contigs = (const struct index_contig *)index->contigs.data;
    int status = 0;
    if (contig < 0 || (size_t)contig >= index->contigs.len / sizeof *contigs || !contigs[contig].n_bins)
        return 0;
    for (size_t i = 0; i < intervals->n && !status; i++) {
        /* a record at 0, the telomere, is indexed as one at 1 */
        struct range range = {intervals->at[i].from > 0 ? (uint64_t)intervals->at[i].from - 1 : 0, (uint64_t)intervals->at[i].to};
        range.to = range.to > length ? length : range.to;
        range.to = range.to > range.from ? range.to : range.from + 1;
        for (int level = 0; level <= index->depth && !status && range.from < length; level++)
            status = find_in_level(index, &contigs[contig], range, level, stretches, err);
    }
    return status;
}
