/* Regions of -r and -R: what is one and what is none, commas between thousands and between regions, lines of files, and which variants
 * overlap them, by their definition base by base. */
#include "geno/model/regions.h"

#include <stdlib.h>
#include <string.h>

#include "test/support/random.h"
#include "test/support/scratch.h"
#include "test/support/tap.h"

/* "1:5-9 2:0-*": contigs in the order of the list, * for no end. */
static void show(const struct gt_regions *regions, char *text, size_t room)
{
    size_t n = 0;
    *text = 0;
    for (size_t c = 0; c < regions->contigs.n; c++)
        for (size_t i = 0; i < regions->of[c].n && n < room; i++) {
            const struct gt_interval *at = &regions->of[c].at[i];
            n += (size_t)snprintf(text + n, room - n, "%s%s:%lld-", n ? " " : "", gt_strs_get(&regions->contigs, c), (long long)at->from);
            n += n >= room             ? 0
                 : at->to == INT64_MAX ? (size_t)snprintf(text + n, room - n, "*")
                                       : (size_t)snprintf(text + n, room - n, "%lld", (long long)at->to);
        }
}

/* wanted: NULL where it is an error of this status. */
static void check(const char *list, const char *file, const struct gt_names *known, int status, const char *wanted, const char *name)
{
    struct gt_regions regions = {0};
    struct gt_err err = {0};
    char text[1000];
    const int got = gt_regions_parse(&regions, list, file, known, &err);
    show(&regions, text, sizeof text);
    ok(got == status && (status || strcmp(text, wanted) == 0), "'%s': %s", name, got ? err.msg : text);
    gt_regions_release(&regions);
}

static void test_lists(void)
{
    static const struct {
        const char *list, *wanted;
    } cases[] = {
        {"1", "1:0-*"},
        {"1:5", "1:5-5"},
        {"1:0", "1:0-0"},
        {"1:5-", "1:5-*"},
        {"1:5-9", "1:5-9"},
        {"1:5-5", "1:5-5"},
        {"1:5-4", NULL},
        {"1:", NULL},
        {":5", NULL},
        {"", NULL},
        {"1,", NULL},
        {",1", NULL},
        {"1,,2", NULL},
        {"1:x", NULL},
        {"1:5x", NULL},
        {"1:-5", NULL},
        {"1:5--9", NULL},
        {"1:5-9-", NULL},
        {"1:5-x", NULL},
        {"1:5-9x", NULL},
        {"1:5/9", NULL},
        {"1:/", NULL},
        {"1::", NULL},
        {"1:9223372036854775807", "1:9223372036854775807-*"},
        {"1:9223372036854775808", NULL},
        {"1:99999999999999999999", NULL},
        {"2,1", "2:0-* 1:0-*"},
        {"1:5,2:7-8", "1:5-5 2:7-8"},
        {"HLA*01:02:5", "HLA*01:02:5-5"},
        {"1:1,000", "1:1000-1000"},
        {"1:12,345", "1:12345-12345"},
        {"1:123,456,789", "1:123456789-123456789"},
        {"1:1,000-2,000", "1:1000-2000"},
        {"1:999-1,000", "1:999-1000"},
        {"1:1,000-2,000,2:5", "1:1000-2000 2:5-5"},
        {"1:1,000,2", "1:1000-1000 2:0-*"},
        {"1:1,00", "1:1-1 00:0-*"},
        {"1:1,0000", "1:1-1 0000:0-*"},
        {"1:1234,000", "1:1234-1234 000:0-*"},
        {"1:1,00a", "1:1-1 00a:0-*"},
        {"1:1,a00", "1:1-1 a00:0-*"},
        {"1:1,000x", "1:1-1 000x:0-*"},
        {"1:5-,000", "1:5-* 000:0-*"},
        {"1:x,000", NULL},
        {"1:1-5,1:5-9", "1:1-9"},
        {"1:1-5,1:6-9", "1:1-5 1:6-9"},
        {"1:4-5,1:1-9,1:2-3", "1:1-9"},
        {"1:6-9,1:1-7", "1:1-9"},
        {"1:5,1", "1:0-*"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(cases[i].list, NULL, NULL, cases[i].wanted ? 0 : GT_USAGE, cases[i].wanted, cases[i].list);
}

/* What the input calls its contigs decides what a colon or a comma is. */
static void test_known(void)
{
    struct gt_err err = {0};
    struct gt_names *known = gt_names_new(NULL, &err);
    static const char *const names[] = {"012", "HLA*01:02", "1"};
    for (int64_t i = 0; i < 3; i++)
        gt_names_add(known, names[i], strlen(names[i]), i, NULL, &err);
    check("1:1,012", NULL, known, 0, "1:1-1 012:0-*", "1:1,012 where 012 is a contig");
    check("1:1,022", NULL, known, 0, "1:1022-1022", "1:1,022 where 012 is a contig");
    check("HLA*01:02", NULL, known, 0, "HLA*01:02:0-*", "a name with a colon");
    check("HLA*01:02:7-8", NULL, known, 0, "HLA*01:02:7-8", "a name with a colon, and a range");
    gt_names_free(known);
}

static void test_files(void)
{
    static const struct {
        const char *name, *text, *wanted;
        int status;
    } cases[] = {
        {"a.txt", "1\n", "1:0-*", 0},
        {"a.txt", "1\t5\n2 6 8\n3:7-9\n", "1:5-5 2:6-8 3:7-9", 0},
        {"a.txt", "1\t1,000\t2,000", "1:1000-2000", 0},
        {"a.txt", "#1\t5\n\n1\t7\n", "1:7-7", 0},
        {"a.txt", "1\t5\t5\textra\n", "1:5-5", 0},
        {"a.txt", "1:1,000-2,000\n", "1:1000-2000", 0},
        {"a.txt", "1:1234,567\n", NULL, GT_USAGE},
        {"a.txt", "1\t1234,567\n", NULL, GT_INPUT},
        {"a.txt", "1\t1,0000\n", NULL, GT_INPUT},
        {"a.txt", "1\t,123\n", NULL, GT_INPUT},
        {"a.txt", "1\t123,\n", NULL, GT_INPUT},
        {"a.txt", "1\t5\t4\n", NULL, GT_INPUT},
        {"a.txt", "1\tx\n", NULL, GT_INPUT},
        {"a.txt", "1\t5x\n", NULL, GT_INPUT},
        {"a.txt", "1\t5\tx\n", NULL, GT_INPUT},
        {"a.txt", "1\t-5\t5\n", NULL, GT_INPUT},
        {"a.txt", "1:x\n", NULL, GT_USAGE},
        {"a.txt", "", NULL, GT_USAGE},
        {"a.txt", "#1\n", NULL, GT_USAGE},
        {"a.bed", "1\t0\t1\n", "1:1-1", 0},
        {"a.bed", "1\t5\t9\n", "1:6-9", 0},
        {"a.bed", "track name=x\nbrowser y\n#z\n1\t5\t9\tname\t0\n", "1:6-9", 0},
        {"a.bed", "1\t5\t5\n2\t0\t3\n", "2:1-3", 0},
        {"a.bed", "1\t5\t5\n", "", 0},
        {"a.bed", "1\t0\t5\n1\t5\t9\n", "1:1-5 1:6-9", 0},
        {"a.bed", "1\t5\t4\n", NULL, GT_INPUT},
        {"a.bed", "1\t5\n", NULL, GT_INPUT},
        {"a.bed", "1\n", NULL, GT_INPUT},
    };
    scratch_open();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scratch_write(cases[i].name, cases[i].text, strlen(cases[i].text));
        char name[32];
        snprintf(name, sizeof name, "%s, case %zu", cases[i].name, i);
        check(NULL, cases[i].name, NULL, cases[i].status, cases[i].wanted, name);
    }
    check("1:2,3", "a.bed", NULL, GT_INPUT, NULL, "a list and a file with an error");
    scratch_write("a.bed", "2\t5\t9\n", 6);
    check("1:2,3", "a.bed", NULL, 0, "1:2-2 3:0-* 2:6-9", "a list and a file");
    check(NULL, system("gzip -c a.bed > b.bed.gz") ? "" : "b.bed.gz", NULL, 0, "2:6-9", "a compressed .bed");
    scratch_close();
}

/* Every range of a few bases, and every place between two, against every list of up to four intervals that random numbers make. */
static void test_overlaps(void)
{
    int wrong = 0;
    for (int round = 0; round < 500; round++) {
        struct gt_interval at[4];
        struct gt_intervals list = {.at = at};
        for (int64_t from = 1 + random_below(4); list.n < 4 && from < 20; from += 1 + random_below(6)) {
            at[list.n++] = (struct gt_interval){from, from + random_below(3)};
            from = at[list.n - 1].to;
        }
        for (int64_t from = 0; from < 25; from++)
            for (int64_t to = from - 1; to < from + 4; to++) {
                bool wanted = false;
                for (size_t i = 0; i < list.n; i++)
                    for (int64_t base = at[i].from; base <= at[i].to; base++)
                        wanted |= to < from ? base == to && base + 1 <= at[i].to : base >= from && base <= to;
                wrong += gt_intervals_overlap(&list, from, to) != wanted;
            }
    }
    ok(wrong == 0, "overlaps of ranges, and of places between two bases");
    ok(!gt_intervals_overlap(&(struct gt_intervals){0}, 0, INT64_MAX), "no interval overlaps nothing");
}

/* bcftools --regions-overlap: 0, 1 and 2. */
static void test_spans(void)
{
    static const struct {
        int n;
        const char *alleles[3];
        int64_t length, from, to; /* of a variant at 100 */
    } cases[] = {{2, {"A", "C"}, 1, 100, 100},           {2, {"A", "AT"}, 1, 101, 100},        {2, {"ACG", "A"}, 3, 101, 102},
                 {2, {"ACG", "ACT"}, 3, 102, 102},       {2, {"ACG", "TCG"}, 3, 100, 102},     {3, {"ACG", "A", "AC"}, 3, 101, 102},
                 {3, {"ACG", "AC", "TCG"}, 3, 100, 102}, {2, {"A", "."}, 1, 101, 100},         {2, {"ACG", "ACG"}, 3, 103, 102},
                 {2, {"A", "<DEL>"}, 50, 100, 149},      {3, {"AC", "ACT", "."}, 2, 102, 101}, {2, {"A", "C"}, 0, 100, 100}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gt_strs alleles = {0};
        gt_strs_add(&alleles, "before", 6, NULL);
        for (int k = 0; k < cases[i].n; k++)
            gt_strs_add(&alleles, cases[i].alleles[k], strlen(cases[i].alleles[k]), NULL);
        const int64_t length = cases[i].length, last = 100 + (length ? length : 1) - 1;
        struct gt_interval v = gt_overlap_span(GT_OVERLAP_VARIANT, 100, length, &alleles, 1, (size_t)cases[i].n);
        struct gt_interval r = gt_overlap_span(GT_OVERLAP_RECORD, 100, length, &alleles, 1, (size_t)cases[i].n);
        struct gt_interval p = gt_overlap_span(GT_OVERLAP_POS, 100, length, &alleles, 1, (size_t)cases[i].n);
        ok(v.from == cases[i].from && v.to == cases[i].to && r.from == 100 && r.to == last && p.from == 100 && p.to == 100,
           "%s, %s: variant %lld-%lld", cases[i].alleles[0], cases[i].alleles[1], (long long)v.from, (long long)v.to);
        gt_strs_release(&alleles);
    }
}

int main(void)
{
    test_lists();
    test_known();
    test_files();
    test_overlaps();
    test_spans();
    return done_testing();
}
