/* Which files of counts may have a variant in common, by their lists of variants; what is written is read back, damaged bytes are not. */
#include <string.h>

#include "calc/pairs/variant_ranges.h"
#include "test/support/random.h"
#include "test/support/tap.h"

enum { MOST = 4 };

struct variant {
    const char *contig, *ref, *alt;
    int64_t position;
};

struct list {
    int n;
    struct variant of[MOST];
};

static void collect(const struct list *list, struct gt_variant_ranges *ranges)
{
    struct gt_err err = {0};
    gt_variant_ranges_init(ranges, NULL);
    for (int i = 0; i < list->n; i++) {
        const struct variant *v = &list->of[i];
        struct gt_strs alleles = {0};
        gt_strs_add(&alleles, "N", 1, &err);
        gt_strs_add(&alleles, v->ref, strlen(v->ref), &err);
        gt_strs_add(&alleles, v->alt, strlen(v->alt), &err);
        if (gt_variant_ranges_add(ranges, v->contig, v->position, &alleles, 1, 2, &err))
            diag("%s", err.msg);
        gt_strs_release(&alleles);
    }
}

/* The contig without "chr". */
static const char *bare(const char *contig)
{
    return strncmp(contig, "chr", 3) ? contig : contig + 3;
}

static bool on(const struct variant *v, const char *contig)
{
    return strcmp(v->contig, contig) == 0;
}

static bool inside(const struct list *list, const char *contig, int64_t *first, int64_t *last)
{
    *first = INT64_MAX, *last = -1;
    for (int i = 0; i < list->n; i++)
        if (on(&list->of[i], contig)) {
            *first = list->of[i].position < *first ? list->of[i].position : *first;
            *last = list->of[i].position > *last ? list->of[i].position : *last;
        }
    return *last >= 0;
}

/* As the header says, for one contig of each: positions overlap; if it is a single one with one variant each, these are the same. */
static bool contigs_share(const struct list *a, const char *x, const struct list *b, const char *y)
{
    int64_t first[2], last[2];
    if (strcmp(bare(x), bare(y)) || !inside(a, x, &first[0], &last[0]) || !inside(b, y, &first[1], &last[1]))
        return false;
    const int64_t from = first[0] > first[1] ? first[0] : first[1], to = last[0] < last[1] ? last[0] : last[1];
    if (from != to)
        return from < to;
    if ((first[0] < from && from < last[0]) || (first[1] < from && from < last[1])) /* what is there is not known */
        return true;
    const struct variant *only[2] = {NULL, NULL};
    for (int k = 0; k < 2; k++) {
        const struct list *list = k ? b : a;
        int n = 0;
        for (int i = 0; i < list->n; i++)
            if (on(&list->of[i], k ? y : x) && list->of[i].position == from)
                n++, only[k] = &list->of[i];
        if (n != 1)
            return true;
    }
    return strcmp(only[0]->ref, only[1]->ref) == 0 && strcmp(only[0]->alt, only[1]->alt) == 0;
}

static const char *const contigs[] = {"1", "chr1", "2", "X"};

static bool share(const struct list *a, const struct list *b)
{
    bool any = false;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            any = any || contigs_share(a, contigs[i], b, contigs[j]);
    return any;
}

static struct list some(void)
{
    static const char *const alleles[] = {"A", "C", "AC", ""};
    struct list list = {.n = 1 + (int)random_below(MOST)};
    for (int i = 0; i < list.n; i++)
        list.of[i] = (struct variant){contigs[random_below(random_below(8) ? 2 : 4)], alleles[random_below(4)], alleles[random_below(2)],
                                      random_below(4) + (random_below(2) ? 0 : INT64_C(1) << 40)};
    return list;
}

static void test_overlap(void)
{
    int wrong = 0, both[2] = {0, 0};
    for (int trial = 0; trial < 20000; trial++) {
        const struct list a = some(), b = some();
        struct gt_variant_ranges x, y, joined;
        struct gt_err err = {0};
        size_t i, j;
        collect(&a, &x);
        collect(&b, &y);
        const bool want = share(&a, &b);
        bool right = gt_variant_ranges_overlap(&x, &y, &i, &j) == want;
        right = right && (!want || contigs_share(&a, gt_strs_get(&x.contigs, i), &b, gt_strs_get(&y.contigs, j)));
        /* appended behind a range that it has nothing to do with, as of files that were summed */
        const struct list far = {1, {{"Y", "A", "C", 1}}};
        collect(&far, &joined);
        right = right && !gt_variant_ranges_append(&joined, &y, &err) && gt_variant_ranges_n(&joined) == gt_variant_ranges_n(&y) + 1 &&
                gt_variant_ranges_overlap(&joined, &x, &i, &j) == want && (!want || i > 0);
        both[want]++;
        if (!right && !wrong++)
            diag("trial %d: %d variants from %s:%lld, %d from %s:%lld: not %d", trial, a.n, a.of[0].contig, (long long)a.of[0].position,
                 b.n, b.of[0].contig, (long long)b.of[0].position, want);
        gt_variant_ranges_release(&x);
        gt_variant_ranges_release(&y);
        gt_variant_ranges_release(&joined);
    }
    ok(!wrong && both[0] > 1000 && both[1] > 1000, "overlap of %d pairs of lists of variants, none of %d: %d are wrong", both[1], both[0],
       wrong);
}

static void test_bytes(void)
{
    const struct list list = {3, {{"1", "A", "C", 7}, {"chr22", "AC", "", 1}, {"X", "A", "C", INT64_C(1) << 40}}};
    struct gt_variant_ranges x, y;
    struct gt_err err = {0};
    struct gt_buf bytes = {0};
    collect(&list, &x);
    gt_variant_ranges_init(&y, NULL);
    ok(!gt_variant_ranges_put(&x, &bytes, &err) && bytes.len == 3 * 64 + 2 + 6 + 2 &&
           !gt_variant_ranges_take(&y, 3, bytes.data, bytes.len, &err) && y.range.len == x.range.len &&
           memcmp(x.range.data, y.range.data, x.range.len) == 0 && strcmp(gt_strs_get(&y.contigs, 1), "chr22") == 0,
       "ranges are read as they were written");
    gt_variant_ranges_release(&y);
    int wrong = 0;
    for (size_t n = 0; n <= bytes.len; n++) /* one byte short, at every byte */
        for (size_t ranges = 0; ranges <= 4; ranges++) {
            const bool whole =
                (ranges == 0 && n == 0) || (ranges == 1 && n == 66) || (ranges == 2 && n == 136) || (ranges == 3 && n == 202);
            gt_variant_ranges_init(&y, NULL);
            const int status = gt_variant_ranges_take(&y, ranges, bytes.data, n, &err);
            wrong += status != (whole ? GT_OK : GT_INPUT);
            gt_variant_ranges_release(&y);
        }
    ok(!wrong, "bytes that are not those ranges are refused: %d are not", wrong);
    gt_buf_release(&bytes);
    gt_variant_ranges_release(&x);
}

int main(void)
{
    test_overlap();
    test_bytes();
    return done_testing();
}
