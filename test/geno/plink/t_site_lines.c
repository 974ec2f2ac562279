/* Lines of .bim, .snp and .pvar: columns in any order, what is a position, negative ones, blanks, line ends, lines as long as the reader's
 * window, and .pvar.zst that is cut off. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "geno/plink/plink.h"
#include "test/support/random.h"
#include "test/support/scratch.h"
#include "test/support/tap.h"

/* "1 a 5 A C,G; ...": contig, id, position, REF and ALTs ("-": none) of each site. */
static void show(const struct gt_bim *bim, const struct gt_block *block, struct gt_str *text)
{
    for (int64_t v = 0; v < block->n; v++) {
        const struct gt_site *site = &gt_block_sites(block)[v];
        gt_str_addf(text, "%s%s %s %lld %s ", text->len ? "; " : "", gt_strs_get(&bim->contigs, (size_t)site->contig),
                    gt_strs_get(&block->ids, site->id), (long long)site->position, gt_strs_get(&block->alleles, site->first_allele));
        for (int32_t a = 1; a < site->n_alleles; a++)
            gt_str_addf(text, "%s%s", a > 1 ? "," : "", gt_strs_get(&block->alleles, site->first_allele + (uint32_t)a));
        gt_str_add(text, site->n_alleles < 2 ? "-" : "");
        if (site->length != (int64_t)strlen(gt_strs_get(&block->alleles, site->first_allele)))
            gt_str_addf(text, " to %lld", (long long)(site->position + site->length - 1));
    }
}

/* All sites of a table, `step` at a time; opened by as many threads as it has bytes, or by fewer. */
static int read_sites(const char *path, int64_t step, int threads, struct gt_str *text, struct gt_err *err)
{
    const struct gt_bim_threads most = {threads, 1};
    const char *end = strrchr(path, '.');
    struct gt_bim bim;
    struct gt_buf lines = {0};
    int status = strcmp(end, ".pvar") == 0 ? gt_pvar_open(&bim, path, step, ".", most, NULL, err)
                                           : gt_bim_open(&bim, path, strcmp(end, ".snp") == 0, step, most, NULL, err);
    if (status)
        return status;
    for (int64_t group = 0; group * step < bim.n && !status; group++) {
        struct gt_block block;
        gt_block_init(&block, NULL);
        block.n = bim.n - group * step < step ? bim.n - group * step : step;
        status = gt_bim_read(&bim, group, &lines, err);
        if (!status)
            status = gt_bim_parse(&bim, group, &lines, GT_SITE_POS | GT_SITE_ALLELES | GT_SITE_ID, 0, &block, err);
        if (!status)
            show(&bim, &block, text);
        gt_block_release(&block);
    }
    gt_buf_release(&lines);
    gt_bim_close(&bim);
    return status;
}

/* wanted: NULL where it is an error, "!" and the message after the path of an error. */
static bool gives(const char *path, const char *wanted, char *what, size_t room)
{
    bool same = true;
    for (int64_t step = 1, threads = 1; step <= 3; threads = threads % 16 + 1, step += threads == 1) {
        struct gt_str text = {0};
        struct gt_err err = {0};
        int status = read_sites(path, step, (int)threads, &text, &err);
        if (wanted && *wanted == '!')
            same &= status == GT_INPUT && strcmp(strrchr(err.msg, '\'') + 1, wanted + 1) == 0;
        else
            same &= wanted ? !status && strcmp(text.s ? text.s : "", wanted) == 0 : status == GT_INPUT;
        snprintf(what, room, "%.100s", status ? err.msg : text.s ? text.s : "");
        gt_str_release(&text);
    }
    return same;
}

struct table {
    const char *text, *wanted;
};

static void test_tables(const char *path, const struct table *tables, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char what[200];
        scratch_write(path, tables[i].text, strlen(tables[i].text));
        const bool same = gives(path, tables[i].wanted, what, sizeof what);
        ok(same, "%s, case %zu: %s", path, i, what);
    }
}
#define TABLES(path, tables) test_tables(path, tables, sizeof tables / sizeof *tables)

static void test_bim(void)
{
    static const struct table tables[] = {
        {"1\ta\t0\t5\tC\tA\n", "1 a 5 A C"},
        {"1 a 0 5 C A\n", "1 a 5 A C"},
        {"  1 \t a  0 5 C A  \n", "1 a 5 A C"},
        {"1\ta\t0\t5\tC\tA\r\n2\tb\t0\t6\tC\tG\r\n", "1 a 5 A C; 2 b 6 G C"},
        {"1\ta\t0\t5\tC\tA", "1 a 5 A C"},
        {"\n1\ta\t0\t5\tC\tA\n \t\n\r\n2\tb\t0\t6\tC\tG\n\n", "1 a 5 A C; 2 b 6 G C"},
        {"2\tb\t0\t6\tC\tG\n1\ta\t0\t5\tC\tA\n2\tc\t0\t7\tC\tA\n", "2 b 6 G C; 1 a 5 A C; 2 c 7 A C"},
        {"", ""},
        {"\n\n", ""},
        {"1\ta\t5\tC\tA\n", "1 a 5 A C"},
        {"1\ta\t5\tC\n", "!, line 1: a .bim line has six columns"},
        {"1\ta\t0\t5\tC\tA\tx\n", "!, line 1: a .bim line has six columns"},
        {"\n1\ta\t0\t5\tC\tA\n\n \t\n1\ta\t5\tC\n", "!, line 5: a .bim line has six columns"},
        {"1\ta\t0\t5\tC\tA\n1\tb\t0\t6\tC\tA\n1\tc\t0\t7\tC\tA\n1\td\t0\tx\tC\tA\n", "!, line 4: the position is not a whole number"},
        {"1\ta\t0\t5\tC\tA\n1\tb\t0\t-6\tC\tA\n", "!, line 2: the position is negative: -6"},
        {"1\ta\t0\t5\t0\tA\n", "1 a 5 A -"},
        {"1\ta\t0\t5\t.\tA\n", "1 a 5 A -"},
        {"1\ta\t0\t5\tC\t0\n", "1 a 5 N C"},
        {"1\ta\t0\t5\t00\tA\n", "1 a 5 A 00"},
        {"1\ta\t0\t5\tC,G\tA\n", "1 a 5 A C,G"},
        {"1\ta\t0\t5\tX\tA\n", "1 a 5 A X"},
    };
    TABLES("a.bim", tables);
}

static void test_positions(void)
{
    static const struct {
        const char *text, *wanted;
    } cases[] = {{"0", "0"},
                 {"-0", "0"},
                 {"-5", "!-5"},
                 {"123456789012345678", "123456789012345678"},
                 {"1234567890123456789", NULL},
                 {"-123456789012345678", "!-123456789012345678"},
                 {"1e+05", "100000"},
                 {"1.5E6", "1500000"},
                 {"-2e3", "!-2000"},
                 {"250000.0", "250000"},
                 {"+5", "5"},
                 {"9.99e14", "999000000000000"},
                 {"-9.99e14", "!-999000000000000"},
                 {"1e15", NULL},
                 {"-1e15", NULL},
                 {"1e99", NULL},
                 {"1.5", NULL},
                 {"1e-1", NULL},
                 {"x", NULL},
                 {"5x", NULL},
                 {"5-", NULL},
                 {"-", NULL},
                 {"--5", NULL},
                 {".", NULL},
                 {"1e", NULL},
                 {"e5", NULL},
                 {"0x10", NULL},
                 {"inf", NULL},
                 {"nan", NULL},
                 {"5/", NULL},
                 {"5:", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *position = cases[i].wanted;
        char text[100], wanted[100] = "!, line 1: the position is not a whole number", what[200];
        snprintf(text, sizeof text, "1\ta\t0\t%s\tC\tA\n", cases[i].text);
        if (position && *position == '!')
            snprintf(wanted, sizeof wanted, "!, line 1: the position is negative: %s", position + 1);
        else if (position)
            snprintf(wanted, sizeof wanted, "1 a %s A C", position);
        scratch_write("a.bim", text, strlen(text));
        const bool same = gives("a.bim", wanted, what, sizeof what);
        ok(same, "position %s: %s", cases[i].text, what);
    }
}

static void test_snp(void)
{
    static const struct table tables[] = {
        {"a 1 0 5 A C\n", "1 a 5 A C"},
        {"a 1 0 5\n", "1 a 5 N -"},
        {"a 1 0 5 A X\n", "1 a 5 A -"},
        {"a 1 0 5 X C\n", "1 a 5 N C"},
        {"a 1 0 5 AX C\n", "1 a 5 AX C"},
        {"a 1 0 5 A XC\n", "1 a 5 A XC"},
        {"a 1 0 5 A\n", "!, line 1: a .snp line has six columns, or four without alleles"},
        {"a 1 0 5 A C G\n", "!, line 1: a .snp line has six columns, or four without alleles"},
        {"a 1 0 5\nb 1 0 -6\n", "!, line 2: the position is negative: -6"},
        {"a 1 0\n", "!, line 1: a .snp line has six columns, or four without alleles"},
    };
    TABLES("a.snp", tables);
}

static void test_pvar(void)
{
    static const struct table tables[] = {
        {"#CHROM\tPOS\tID\tREF\tALT\n1\t5\ta\tA\tC\n", "1 a 5 A C"},
        {"#CHROM\tALT\tREF\tID\tPOS\n1\tC,G\tA\ta\t5\n", "1 a 5 A C,G"},
        {"#CHROM\tPOS\tID\tX\tREF\tCM\tALT\n1\t5\ta\tx\tA\t0.1\tC\n", "1 a 5 A C"},
        {"##one\n##two\n#CHROM\tPOS\tID\tREF\tALT\n1\t5\ta\tA\tC\n", "1 a 5 A C"},
        {"#CHROM\tPOS\tID\tREF\tALT\r\n1\t5\ta\tA\tC\r\n", "1 a 5 A C"},
        {"#CHROM POS ID REF ALT\n1  5 a A C\n", "1 a 5 A C"},
        {"#CHROM\tPOS\tID\tREF\tALT\n1\t5\ta b\tA\tC\n", "1 a b 5 A C"},
        {"#CHROM\tPOS\tID\tREF\tALT\n", ""},
        {"1\ta\t0\t5\tC\tA\n", "1 a 5 A C"},
        {"1\ta\t0\t5\tC,G\tA\n", "1 a 5 A C,G"},
        {"#CHROM\tPOS\tID\tREF\tALT\n1\t5\ta\tA\t.\n", "1 a 5 A -"},
        {"#CHROM\tPOS\tID\tREF\tALT\tINFO\n1\t5\ta\tACG\tA\tX=1;END=20\n", "1 a 5 ACG A to 20"},
        {"#CHROM\tPOS\tID\tREF\tALT\tINFO\n1\t5\ta\tACG\tA\tXEND=20\n", "1 a 5 ACG A"},
        {"#CHROM\tPOS\tID\tREF\tALT\tINFO\n1\t5\ta\tACG\tA\tEND=5\n", "1 a 5 ACG A to 5"},
        {"#CHROM\tPOS\tID\tREF\tALT\tINFO\n1\t5\ta\tACG\tA\tEND=4\n", "1 a 5 ACG A"},
        {"#CHROM\tPOS\tID\tREF\n1\t5\ta\tA\n", "!: its header has no column ALT"},
        {"#CHROM\tPOS\tREF\tALT\n1\t5\tA\tC\n", "!: its header has no column ID"},
        {"#CHROM\tID\tREF\tALT\n1\ta\tA\tC\n", "!: its header has no column POS"},
        {"#CHROM\tPOS\tID\tALT\n1\t5\ta\tC\n", "!: its header has no column REF"},
        {"#CHROMX\tPOS\tID\tREF\tALT\n1\t5\ta\tA\tC\n", "!: its header has no column #CHROM"},
        {"#CHROM\tPOS\tID\tREF\tALT\n1\t5\ta\tA\n", "!, line 2: the number of columns differs from the header"},
        {"#CHROM\tPOS\tID\tREF\tALT\n1\t5\ta\tA\tC\tx\n", "!, line 2: the number of columns differs from the header"},
        {"#CHROM\tPOS\tID\tREF\tALT\n1\t5\ta\tA\t,C\n", "!, line 2: an empty column or allele"},
        {"#CHROM\tPOS\tID\tREF\tALT\n1\t5\ta\tA\tC,\n", "!, line 2: an empty column or allele"},
        {"#CHROM\tPOS\tID\tREF\tALT\n1\t5\ta\tA\tC,,G\n", "!, line 2: an empty column or allele"},
        {"#CHROM\tPOS\tID\tREF\tALT\n1\t5\ta\t\tC\n", "!, line 2: an empty column or allele"},
        {"#CHROM\tPOS\tID\tREF\tALT\n1\t5\t\tA\tC\n", "!, line 2: an empty column or allele"},
        {"#CHROM\tPOS\tID\tREF\tALT\n\t5\ta\tA\tC\n", "!, line 2: an empty column or allele"},
        {"#CHROM\tPOS\tID\tREF\tALT\n1\t5\ta\tA\t,\n", "!, line 2: an empty column or allele"},
        {"#CHROM\tPOS\tID\tREF\tALT\n1\t5\ta\tA\tC\n\n1\t5\tb\tA\tC,,\n", "!, line 4: an empty column or allele"},
        {"#CHROM\tPOS\tID\tREF\tALT\n1\t\ta\tA\tC\n", "!, line 2: the position is not a whole number"},
        {"#CHROM\tPOS\tID\tREF\tALT\n1\t-5\ta\tA\tC\n", "!, line 2: the position is negative: -5"},
        {"1\ta\t0\t-5\tC\tA\n", "!, line 1: the position is negative: -5"},
        {"#CHROM\tPOS\tID\tREF\tALT\n#1\t5\ta\tA\tC\n#2\t6\tb\tA\tC\n1\t7\tc\tA\tC\n", "#1 a 5 A C; #2 b 6 A C; 1 c 7 A C"},
        {"##one\n\n##two\n#CHROM\tPOS\tID\tREF\tALT\n1\t5\ta\tA\tC\n1\t5,5\ta\tA\tC\n", "!, line 6: the position is not a whole number"},
    };
    TABLES("a.pvar", tables);
    scratch_write("a.bim", "1\ta\t0\t5\tC\tA\0\n", 14);
    char what[200];
    const bool refused = gives("a.bim", "!, line 1: a NUL byte", what, sizeof what);
    ok(refused, "a NUL byte: %s", what);
}

/* Names as long as the window, half of it, twice, and one more or less; then a short line. */
static void test_long_lines(void)
{
    static const size_t lengths[] = {(1 << 17) - 20, 1 << 17, (1 << 18) - 40, (1 << 18) - 20, 1 << 18, (1 << 19) + 5};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct gt_str text = {0}, wanted = {0}, got = {0}, parts = {0};
        struct gt_err err = {0};
        char *name = malloc(lengths[i] + 1);
        memset(name, 'x', lengths[i]);
        name[lengths[i]] = 0;
        gt_str_addf(&text, "1\ta\t0\t5\tC\tA\n2\t%s\t0\t6\tC\tG\n3\tb\t0\t7\tC\tA\n2\t%s\t0\t8\tC\tG\n3\tc\t0\t9\tT\tA", name, name);
        gt_str_addf(&wanted, "1 a 5 A C; 2 %s 6 G C; 3 b 7 A C; 2 %s 8 G C; 3 c 9 A T", name, name);
        scratch_write("a.bim", text.s, text.len);
        ok(!read_sites("a.bim", 2, 1, &got, &err) && strcmp(got.s, wanted.s) == 0, "a name of %zu bytes %s", lengths[i], err.msg);
        ok(!read_sites("a.bim", 2, 7, &parts, &err) && strcmp(parts.s, wanted.s) == 0, "and by seven threads %s", err.msg);
        free(name);
        gt_str_release(&text), gt_str_release(&wanted), gt_str_release(&got), gt_str_release(&parts);
    }
}

/* Lines of several lengths, three contigs and, in a .pvar, filters; sometimes a blank one, a bad one, or no line end at the end. */
static void add_lines(bool pvar, struct gt_str *text)
{
    static const char *const filters[] = {"PASS", "q10;s50", "s50", ".", "low"};
    const int n = 1 + (int)random_below(40), blank = (int)random_below(4 * n), bad = (int)random_below(4 * n);
    if (pvar)
        gt_str_add(text, "##one\n#CHROM\tPOS\tID\tREF\tALT\tFILTER\n");
    for (int i = 0; i < n; i++) {
        const int contig = 1 + (int)random_below(3), position = (int)random_below(10000000);
        const char *alts = random_below(5) ? "C" : "C,GGG";
        gt_str_add(text, i == blank ? "\n" : "");
        if (i == bad)
            gt_str_add(text, "bad");
        else if (pvar)
            gt_str_addf(text, "%d\t%d\tv%d\tA\t%s\t%s", contig, position, i, alts, filters[random_below(5)]);
        else
            gt_str_addf(text, "%d\tv%d\t0\t%d\t%s\tA", contig, i, position, alts);
        gt_str_add(text, i + 1 < n || random_below(2) ? "\n" : "");
    }
}

/* What opening a table finds. */
static int find(const char *path, bool pvar, struct gt_bim_threads threads, struct gt_budget *budget, struct gt_str *found,
                struct gt_err *err)
{
    struct gt_bim bim;
    const int status =
        pvar ? gt_pvar_open(&bim, path, 3, ".", threads, budget, err) : gt_bim_open(&bim, path, false, 3, threads, budget, err);
    if (status) {
        gt_str_addf(found, "%d %s", status, err->msg);
        return status;
    }
    gt_str_addf(found, "%lld %lld %lld %lld:", (long long)bim.n, (long long)bim.line, (long long)bim.alleles, (long long)bim.all_alleles);
    for (size_t i = 0; i < bim.starts.len / sizeof(int64_t); i++)
        gt_str_addf(found, " %lld", (long long)((const int64_t *)bim.starts.data)[i]);
    for (size_t i = 0; i < bim.start_lines.len / sizeof(int64_t); i++)
        gt_str_addf(found, " %lld", (long long)((const int64_t *)bim.start_lines.data)[i]);
    for (size_t i = 0; i < bim.contigs.n; i++)
        gt_str_addf(found, " %s=%lld", gt_strs_get(&bim.contigs, i),
                    (long long)gt_names_find(bim.numbers, gt_strs_get(&bim.contigs, i), 1));
    for (size_t i = 0; i < bim.filters.n; i++)
        gt_str_addf(found, " %s", gt_strs_get(&bim.filters, i));
    gt_bim_close(&bim);
    return 0;
}

/* By several threads a table is the same as by one. */
static void test_threads(void)
{
    int tables = 0, same = 0, refused = 0;
    for (; tables < 100; tables++) {
        const bool pvar = tables % 2;
        const char *path = pvar ? "b.pvar" : "b.bim";
        struct gt_str text = {0}, one = {0};
        bool equal = true;
        add_lines(pvar, &text);
        scratch_write(path, text.s, text.len);
        struct gt_err err = {0};
        refused += find(path, pvar, (struct gt_bim_threads){1, 1}, NULL, &one, &err) != 0;
        for (int threads = 2; threads <= 20; threads += threads < 8 ? 1 : 6) {
            struct gt_str several = {0};
            struct gt_err fault = {0};
            find(path, pvar, (struct gt_bim_threads){threads, 1 + tables % 3 * 40}, NULL, &several, &fault);
            equal &= strcmp(one.s, several.s) == 0;
            gt_str_release(&several);
        }
        same += equal;
        gt_str_release(&text), gt_str_release(&one);
    }
    ok(same == tables, "%d of %d tables are the same by 2 to 20 threads", same, tables);
    ok(refused > 10 && refused < 90, "%d of them are refused", refused);
}

/* With each amount of memory that one thread can do with, several find the same. */
static void test_little_memory(void)
{
    struct gt_str text = {0}, one = {0};
    struct gt_err err = {0};
    int tried = 0, same = 0, found = 0, left = 0;
    gt_str_add(&text, "##one\n#CHROM\tPOS\tID\tREF\tALT\tFILTER\n");
    for (int i = 0; i < 30000; i++)
        gt_str_addf(&text, "#%d\t%d\tv%d\tA\t%s\tf%d\n", i, i, i, i % 7 ? "C" : "C,G", i % 50);
    scratch_write("b.pvar", text.s, text.len);
    find("b.pvar", true, (struct gt_bim_threads){1, 1}, NULL, &one, &err);
    for (int64_t memory = 1 << 20; memory < 9 << 20; memory += 80 << 10) {
        struct gt_str alone = {0}, several = {0};
        struct gt_err less = {0}, fault = {0};
        struct gt_budget budget, other;
        gt_budget_init(&budget, memory);
        gt_budget_init(&other, memory);
        const bool fits = !find("b.pvar", true, (struct gt_bim_threads){1, 1}, &other, &alone, &less);
        const bool enough = !find("b.pvar", true, (struct gt_bim_threads){5, 1}, &budget, &several, &fault);
        same += fits == enough && (!enough || strcmp(one.s, several.s) == 0);
        left += atomic_load(&budget.used) != 0;
        tried++, found += enough;
        gt_str_release(&alone), gt_str_release(&several);
    }
    ok(found > 20 && same == tried, "five threads with %d amounts of memory: as one in %d, and enough in %d", tried, same, found);
    ok(left == 0, "all memory is given back");
    gt_str_release(&text), gt_str_release(&one);
}

/* Sizes around the pieces that are decompressed, one frame and two; cut at each byte, and with a byte changed. */
static void test_zst(void)
{
    enum { LINE = 16 };
    remove("a.pvar");
    for (int lines = 1; lines <= 4096; lines = lines < 1022 ? lines + 1021 : lines + (lines < 1026 ? 1 : 1024)) {
        struct gt_str text = {0}, got = {0};
        struct gt_err err = {0};
        for (int i = 0; i < lines; i++)
            gt_str_addf(&text, "1\t%06d\t0\t5\tC\tA\n", i);
        char *packed = malloc(2 * ZSTD_compressBound(text.len));
        size_t n = ZSTD_compress(packed, ZSTD_compressBound(text.len), text.s, text.len / 2, 3);
        n += ZSTD_compress(packed + n, ZSTD_compressBound(text.len), text.s + text.len / 2, text.len - text.len / 2, 3);
        scratch_write("a.pvar.zst", packed, n);
        int status = read_sites("a.pvar", 5000, lines % 5, &got, &err), sites = 0;
        for (const char *p = got.s; p && (p = strstr(p, " 5 A C")) != NULL; p++)
            sites++;
        ok(!status && sites == lines, "%d lines in two frames %s", lines, err.msg);
        free(packed);
        gt_str_release(&text), gt_str_release(&got);
    }
    static const char text[] = "1\ta\t0\t5\tC\tA\n2\tb\t0\t5\tC\tA\n";
    char packed[500], what[200];
    const size_t n = ZSTD_compress(packed, sizeof packed, text, sizeof text - 1, 3);
    int wrong = 0;
    for (size_t cut = 1; cut < n; cut++) {
        scratch_write("a.pvar.zst", packed, cut);
        wrong += !gives("a.pvar", NULL, what, sizeof what);
    }
    ok(wrong == 0, "a .pvar.zst cut at each of %zu bytes: %s", n, what);
    remove("a.pvar.zst");
}

int main(void)
{
    scratch_open();
    test_bim();
    test_positions();
    test_snp();
    test_pvar();
    test_long_lines();
    test_threads();
    test_little_memory();
    test_zst();
    scratch_close();
    return done_testing();
}
