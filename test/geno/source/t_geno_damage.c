/* Damaged and odd VCF and BCF: cut files, wrong bytes, every malformed line that has
 * a message of its own; plain, BGZF, gzip and bare BCF. */
#include <htslib/bgzf.h>
#include <htslib/vcf.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/le.h"
#include "test/support/bcf_copy.h"
#include "test/support/geno_test.h"
#include "test/support/scratch.h"

/* --- lines ------------------------------------------------------------------------------- */

#define HEAD                                                                                                                               \
    "##fileformat=VCFv4.2\n##contig=<ID=1,length=1000>\n##FILTER=<ID=q10,Description=\"x\">\n"                                             \
    "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"x\">\n##INFO=<ID=END,Number=1,Type=Integer,Description=\"x\">\n"
#define COLUMNS "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n"
#define SITE "1\t10\t.\tA\tC\t.\t.\t.\t"

static struct gt_engine *engine;

static int read_text(const char *text, size_t n, const struct gt_select_opts *o, struct whole *all, struct gt_err *err)
{
    scratch_write("x.vcf", text, n);
    return read_path(engine, "x.vcf", o, GT_SITE_ALL, all, err);
}

static void refused(const char *text, const char *message)
{
    struct whole all;
    struct gt_err err;
    int status = read_text(text, strlen(text), NULL, &all, &err);
    ok(status == GT_INPUT && strstr(err.msg, message), "%s", status ? err.msg : "nothing was refused");
    whole_release(&all);
}

/* The codes of the first site as digits. */
static void reads(const char *what, const char *text, size_t n, const char *codes)
{
    struct whole all;
    struct gt_err err;
    int status = read_text(text, n, NULL, &all, &err);
    bool same = status == 0 && (all.block.n > 0 || !*codes);
    for (int s = 0; same && codes[s]; s++)
        same = code_at(&all.block, 0, s) == codes[s] - '0';
    ok(same, "%s: %s %s", what, codes, err.msg);
    whole_release(&all);
}
#define READS(what, text, codes) reads(what, text, sizeof(text) - 1, codes)

/* A BCF whose header ends behind INFO, without a line end and without NULs. */
static void test_bare_columns(void)
{
    static const char columns[] = "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO";
    char bcf[9 + sizeof columns] = "BCF\2\2";
    struct whole all;
    struct gt_err err;
    gt_le_put((uint8_t *)bcf + 5, sizeof columns - 1, 4);
    memcpy(bcf + 9, columns, sizeof columns - 1);
    scratch_write("x.bcf", bcf, 9 + sizeof columns - 1);
    int status = read_path(engine, "x.bcf", NULL, GT_SITE_ALL, &all, &err);
    ok(status == GT_INPUT && strstr(err.msg, "has no samples"), "a BCF of columns alone: %s", err.msg);
    whole_release(&all);
}

/* ALT alleles of one letter, more than any format holds. */
static void test_many_alleles(void)
{
    enum { ALTS = 70000 };
    static char text[sizeof HEAD + sizeof COLUMNS + 2 * ALTS + 64];
    char *at = text + sprintf(text, HEAD COLUMNS "1\t10\t.\tA\t");
    for (int i = 0; i < ALTS; i++, at += 2)
        memcpy(at, "C,", 2);
    strcpy(at - 1, "\t.\t.\t.\tGT\t0|0\t0|1\n");
    refused(text, "more than 65535 alleles");
}

static void test_lines(void)
{
    refused(HEAD, "no #CHROM line");
    refused(HEAD SITE "GT\t0|0\t0|0\n", "no #CHROM line");
    refused(HEAD "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n", "no samples");
    refused(HEAD "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\n", "no samples");
    refused(HEAD "#CHROM\tPOS\tID\tREF\tALT\n", "eight columns");
    refused(HEAD "#CHROM\tPOS\tREF\tID\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\n", "column 3 is not ID");
    refused(HEAD "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\ta\n", "sample 'a' is duplicated");
    refused(HEAD "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\t\n", "no name");
    refused(HEAD "##FORMAT=<ID=GX,Number=1,Type=String,IDX=2000000000>\n" COLUMNS, "IDX");
    refused(HEAD COLUMNS "1\t10\t.\tA\tC\n", "5 columns");
    refused(HEAD COLUMNS "1\t10\t.\tA\tC\t.\t.\t.\n", "0 sample columns");
    refused(HEAD COLUMNS SITE "GT\n", "0 sample columns");
    refused(HEAD COLUMNS SITE "GT\t0|0\n", "1 sample columns, the header has 2");
    refused(HEAD COLUMNS SITE "GT\t0|0\t0|1\t0|1\n", "3 sample columns, the header has 2");
    refused(HEAD COLUMNS SITE "GT:DP\t0|0:1\n", "1 sample columns");
    refused(HEAD COLUMNS SITE "DP\t3\n", "1 sample columns");
    refused(HEAD COLUMNS SITE "DP\t3\t3\t3\n", "3 sample columns");
    refused(HEAD COLUMNS SITE "GT\t0|0\t0|1\n1\tx\t.\tA\tC\t.\t.\t.\tGT\t0|0\t0|0\n", "line 8 (1:x): POS is not a number");
    refused(HEAD COLUMNS "1\t\t.\tA\tC\t.\t.\t.\tGT\t0|0\t0|0\n", "POS is not a number");
    refused(HEAD COLUMNS "1\t-1\t.\tA\tC\t.\t.\t.\tGT\t0|0\t0|0\n", "POS is not a number");
    refused(HEAD COLUMNS "1\t99999999999999999999\t.\tA\tC\t.\t.\t.\tGT\t0|0\t0|0\n", "POS is not a number");
    refused(HEAD COLUMNS "\t1\t.\tA\tC\t.\t.\t.\tGT\t0|0\t0|0\n", "CHROM is empty");
    refused(HEAD COLUMNS "1\t1\t.\t\tC\t.\t.\t.\tGT\t0|0\t0|0\n", "REF is empty");
    refused(HEAD COLUMNS "1\t1\t.\tA\tC,\t.\t.\t.\tGT\t0|0\t0|0\n", "ALT allele is empty");
    refused(HEAD COLUMNS "1\t1\t.\tA\tC\tbad\t.\t.\tGT\t0|0\t0|0\n", "QUAL");
    refused(HEAD COLUMNS "1\t1\t.\tA\tC\t.\tq10;\t.\tGT\t0|0\t0|0\n", "a FILTER is empty");
    refused(HEAD COLUMNS SITE "GT\t0|0\t0|2\n", "sample 'b' has genotype '0|2': there is no such allele");
    refused(HEAD COLUMNS SITE "GT\t0|0\t12|0\n", "there is no such allele");
    refused(HEAD COLUMNS SITE "GT:DP\t0|0\t0|2:1\n", "there is no such allele");
    refused(HEAD COLUMNS SITE "GT\t0|0\t0/0/1\n", "line 7 (1:10): sample 'b' has genotype '0/0/1': its ploidy is above 2");
    refused(HEAD COLUMNS SITE "GT\t0|0\tx\n", "not a genotype");
    refused(HEAD COLUMNS SITE "GT\t0|0\t0-1\n", "not a genotype");
    refused(HEAD COLUMNS SITE "GT\t0|0\t0|\n", "not a genotype");
    refused(HEAD COLUMNS SITE "GT\t\t0|0\n", "not a genotype");
    refused(HEAD COLUMNS "#CHROM\tx\n", "header line among the records");

    READS("both digits", HEAD COLUMNS SITE "GT\t0|1\t1/1\n", "12");
    READS("no newline at the end", HEAD COLUMNS SITE "GT\t0|1\t1/1", "12");
    READS("CRLF",
          "##fileformat=VCFv4.2\r\n##contig=<ID=1>\r\n"
          "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\r\n" SITE "GT\t0|1\t1/1\r\n" SITE "GT\t0|1\t1/1\r\n",
          "12");
    READS("header only", HEAD COLUMNS, "");
    READS("header only, no newline", HEAD "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb", "");
    READS("blank lines", HEAD COLUMNS "\n" SITE "GT\t0|1\t1/1\n\n\n", "12");
    READS("haploid, missing", HEAD COLUMNS SITE "GT\t1\t.\n", "13");
    READS("haploid beside diploid", HEAD COLUMNS SITE "GT\t1\t0/1\n", "21");
    READS("half calls", HEAD COLUMNS SITE "GT\t./1\t1|.\n", "33");
    READS("GT is not first", HEAD COLUMNS SITE "DP:GT:X\t1:0/1:7\t1\n", "13");
    READS("no GT in one of two", HEAD COLUMNS SITE "DP\t1\t.\n" SITE "GT\t0|1\t1/1\n", "33");
    READS("FORMAT is '.'", HEAD COLUMNS SITE ".\t.\t.\n" SITE "GT\t0|1\t1/1\n", "33");
    refused(HEAD COLUMNS SITE "DP\t1\t.\n", "no record has a GT field");
    refused(HEAD COLUMNS SITE ".\t.\t.\n", "no record has a GT field");
    READS("dropped trailing fields", HEAD COLUMNS SITE "GT:DP:GQ\t0/1\t1/1:3\n", "12");
    READS("a phase in front (4.4)", HEAD COLUMNS SITE "GT\t/0/1\t|1|1\n", "12");
    READS("allele 10", HEAD COLUMNS "1\t1\t.\tA\tC,G,T,CC,CG,CT,GC,GG,GT,<NON_REF>\t.\t.\t.\tGT\t0|10\t10/9\n", "12");
    READS("POS 0", HEAD COLUMNS "1\t0\t.\tN\t<DEL>\t1e3\tPASS\tEND=5\tGT\t0|1\t1/1\n", "12");
}

static void test_nul(void)
{
    static const char text[] = HEAD COLUMNS "1\t1\0\t.\tA\tC\t.\t.\t.\tGT\t0|0\t0|0\n",
                      calls[] = HEAD COLUMNS SITE "GT\t0|\0"
                                                  "0\t0|0\n",
                      head[] = "##fileformat=VCFv4.2\n##x=\0\n" COLUMNS;
    struct whole all;
    struct gt_err err;
    int status = read_text(text, sizeof text - 1, NULL, &all, &err);
    ok(status == GT_INPUT && strstr(err.msg, "NUL"), "a NUL in a column: %s", err.msg);
    whole_release(&all);
    status = read_text(calls, sizeof calls - 1, NULL, &all, &err);
    ok(status == GT_INPUT, "a NUL in a genotype: %s", err.msg);
    whole_release(&all);
    status = read_text(head, sizeof head - 1, NULL, &all, &err);
    ok(status == GT_INPUT && strstr(err.msg, "NUL"), "a NUL in the header: %s", err.msg);
    whole_release(&all);
}

static void test_site_length(void)
{
    static const struct {
        const char *info;
        int64_t length;
    } cases[] = {{"END=20", 11}, {"END=10", 1}, {"END=9", 2}, {"DP=1;END=12;X", 3}, {"XEND=50", 2}, {"END=x", 2}, {".", 2}, {"END", 2}};
    char text[2048];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct whole all;
        struct gt_err err;
        int n = snprintf(text, sizeof text, HEAD COLUMNS "1\t10\t.\tAC\tC\t.\t.\t%s\tGT\t0|0\t0|0\n", cases[i].info);
        int status = read_text(text, (size_t)n, NULL, &all, &err);
        ok(status == 0 && gt_block_sites(&all.block)[0].length == cases[i].length, "INFO %s: length %lld %s", cases[i].info,
           (long long)cases[i].length, err.msg);
        whole_release(&all);
    }
}

/* --- containers ------------------------------------------------------------------------- */

static void write_bgzf(const char *path, const void *bytes, size_t n)
{
    BGZF *f = bgzf_open(path, "w");
    for (size_t at = 0; at < n; at += 5000)
        if (bgzf_write(f, (const char *)bytes + at, n - at < 5000 ? n - at : 5000) < 0 || (at % 3 == 0 && bgzf_flush(f)))
            printf("Bail out! cannot write\n");
    bgzf_close(f);
}

/* Small blocks, so that records span several. */
static char *make_text(size_t *n)
{
    struct gt_str text = {0};
    unsigned long x = 12345;
    gt_str_add(&text, HEAD "##FORMAT=<ID=DP,Number=1,Type=Integer,Description=\"x\">\n"
                           "##INFO=<ID=DP,Number=1,Type=Integer,Description=\"x\">\n"
                           "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT");
    for (int s = 0; s < 301; s++)
        gt_str_addf(&text, "\tsample%d", s);
    for (int v = 0; v < 120; v++) {
        gt_str_addf(&text, "\n1\t%d\trs%d\tA\tC\t%d\tPASS\tDP=%d\tGT%s", v + 1, v, v, v, v % 5 ? "" : ":DP");
        for (int s = 0; s < 301; s++) {
            x = x * 6364136223846793005UL + 1442695040888963407UL;
            gt_str_addf(&text, "\t%lu|%lu%s", x >> 33 & 1, x >> 40 & 1, v % 5 ? "" : ":17");
        }
    }
    gt_str_add(&text, "\n");
    *n = text.len;
    return text.s;
}

static bool same_as_plain(const char *path, const struct whole *plain, struct gt_err *err)
{
    struct whole all;
    int status = read_path(engine, path, NULL, GT_SITE_ALL, &all, err);
    bool same = status == 0 && same_rows(&all.block, &plain->block, (int64_t)plain->samples.n);
    whole_release(&all);
    return same;
}

static void test_containers(const char *text, size_t n)
{
    struct whole plain;
    struct gt_err err;
    int status = read_text(text, n, NULL, &plain, &err);
    ok(status == 0 && plain.block.n == 120, "plain text%s", err.msg);
    write_bgzf("x.vcf.gz", text, n);
    ok(same_as_plain("x.vcf.gz", &plain, &err), "BGZF%s", err.msg);

    gzFile gz = gzopen("y.vcf.gz", "wb");
    gzwrite(gz, text, (unsigned)n / 3);
    gzclose(gz);
    gz = gzopen("y.vcf.gz", "ab"); /* a second member */
    gzwrite(gz, text + n / 3, (unsigned)(n - n / 3));
    gzclose(gz);
    ok(same_as_plain("y.vcf.gz", &plain, &err), "gzip of two members%s", err.msg);
    size_t n_gz;
    unsigned char *gz_bytes = scratch_read("y.vcf.gz", &n_gz);
    scratch_write("y.vcf.gz", gz_bytes, n_gz - 5);
    ok(!same_as_plain("y.vcf.gz", &plain, &err) && err.status == GT_INPUT && strstr(err.msg, "truncated"), "cut gzip: %s", err.msg);
    gz_bytes[n_gz - 6] ^= 1;
    scratch_write("y.vcf.gz", gz_bytes, n_gz);
    ok(!same_as_plain("y.vcf.gz", &plain, &err) && err.status == GT_INPUT && strstr(err.msg, "damaged"), "gzip checksum: %s", err.msg);
    free(gz_bytes);

    write_bcf("x.vcf", "x.bcf", "wb", NULL);
    ok(same_as_plain("x.bcf", &plain, &err), "BCF%s", err.msg);
    write_bcf("x.vcf", "u.bcf", "wbu", NULL);
    ok(same_as_plain("u.bcf", &plain, &err), "BCF without compression%s", err.msg);
    whole_release(&plain);
}

/* Every cut is refused as what it is; step 1 near the end. */
static void test_partitions(const char *name, size_t step)
{
    size_t n;
    int wrong = 0, partition = 0;
    unsigned char *bytes = scratch_read(name, &n);
    for (size_t at = 0; at < n; at += n - at <= 64 ? 1 : step, partition++) {
        struct whole all;
        struct gt_err err;
        scratch_write("cut", bytes, at);
        int status = read_path(engine, "cut", NULL, GT_SITE_ALL, &all, &err);
        if (status != GT_INPUT && wrong++ < 5)
            diag("cut at %zu of %zu: status %d %s", at, n, status, err.msg);
        whole_release(&all);
    }
    ok(wrong == 0, "%s cut at %d places is GT_INPUT", name, partition);
    free(bytes);
}

/* Any byte may be wrong: an error or another reading, never a crash.  With a
 * checksum it is always an error. */
static void test_wrong_bytes(const char *name, int trials, bool checked)
{
    size_t n;
    unsigned long x = 99;
    int wrong = 0;
    unsigned char *bytes = scratch_read(name, &n);
    for (int i = 0; i < trials; i++) {
        struct whole all;
        struct gt_err err;
        x = x * 6364136223846793005UL + 1442695040888963407UL;
        size_t at = (x >> 20) % n;
        unsigned char was = bytes[at];
        bytes[at] = (unsigned char)(was ^ (1 << (x >> 60 & 7)));
        scratch_write("wrong", bytes, n);
        int status = read_path(engine, "wrong", NULL, GT_SITE_ALL, &all, &err);
        bytes[at] = was;
        if (status && status != GT_INPUT && status != GT_NOFIT && wrong++ < 5)
            diag("byte %zu: status %d %s", at, status, err.msg);
        wrong += checked && status == 0 && at > 18 && at < n - 28; /* time and system in a gzip header mean nothing */
        whole_release(&all);
    }
    ok(wrong <= (checked ? trials / 20 : 0), "%s with a wrong byte, %d times%s", name, trials, checked ? ": noticed" : "");
    free(bytes);
}

static void test_trailing(void)
{
    size_t n;
    struct whole all;
    struct gt_err err;
    unsigned char *bytes = scratch_read("x.vcf.gz", &n);
    scratch_write("cut", bytes, n - 28);
    int status = read_path(engine, "cut", NULL, GT_SITE_ALL, &all, &err);
    ok(status == GT_INPUT && strstr(err.msg, "is truncated: the BGZF end-of-file block is missing"), "%s", err.msg);
    whole_release(&all);
    bytes = realloc(bytes, n + 100);
    memset(bytes + n, 'x', 100);
    scratch_write("cut", bytes, n + 100);
    status = read_path(engine, "cut", NULL, GT_SITE_ALL, &all, &err);
    ok(status == GT_INPUT && strstr(err.msg, "no BGZF block at byte"), "bytes behind the end: %s", err.msg);
    whole_release(&all);
    free(bytes);
}

/* A line that the memory cannot hold is refused, one that it can hold is read. */
static void test_long_line(void)
{
    struct gt_str text = {0};
    struct whole all;
    struct gt_err err;
    gt_str_add(&text, HEAD "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT");
    for (int s = 0; s < 500000; s++)
        gt_str_addf(&text, "\ts%d", s);
    for (int v = 0; v < 3; v++) {
        gt_str_addf(&text, "\n1\t%d\t.\tA\tC\t.\t.\t.\tGT:PL", v + 1);
        for (int s = 0; s < 500000; s++)
            gt_str_add(&text, s % 3 ? "\t0/1:90,0,200" : "\t1/1:200,30,0");
    }
    gt_str_add(&text, "\n");
    scratch_write("long.vcf", text.s, text.len);
    int status = read_path(engine, "long.vcf", NULL, GT_SITE_ALL, &all, &err);
    bool same = status == 0 && all.block.n == 3;
    for (int64_t s = 0; same && s < 500000; s++)
        same = code_at(&all.block, 2, s) == (s % 3 ? 1 : 2);
    ok(same, "lines of 500,000 samples with PL%s", err.msg);
    whole_release(&all);
    gt_str_release(&text);

    gt_str_add(&text, HEAD "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT");
    for (int s = 0; s < 500000; s++)
        gt_str_addf(&text, "\t%d", s);
    for (int v = 0; v < 200000; v++)
        gt_str_add(&text, "\n" SITE "GT\t0|0");
    scratch_write("short.vcf", text.s, text.len);
    gt_str_release(&text);
    status = read_path(engine, "short.vcf", NULL, GT_SITE_ALL, &all, &err);
    ok(status == GT_INPUT, "many short lines under a wide header: %s", err.msg);
    whole_release(&all);

    struct gt_budget *budget = &engine->budget;
    int64_t limit = budget->limit;
    budget->limit = budget->used + (16 << 20);
    status = read_path(engine, "long.vcf", NULL, GT_SITE_ALL, &all, &err);
    ok(status == GT_NOFIT && strstr(err.msg, "long.vcf"), "they do not fit: %s", err.msg);
    whole_release(&all);
    budget->limit = limit;
    ok(budget->used == 0, "nothing is left behind: %lld bytes", (long long)budget->used);
}

int main(void)
{
    size_t n;
    scratch_open();
    engine = new_engine(2, 0);
    test_lines();
    test_bare_columns();
    test_many_alleles();
    test_nul();
    test_site_length();
    char *text = make_text(&n);
    test_containers(text, n);
    free(text);
    test_partitions("x.vcf.gz", 211);
    test_partitions("x.bcf", 211);
    test_trailing();
    test_wrong_bytes("x.vcf.gz", 300, true);
    test_wrong_bytes("x.vcf", 600, false);
    test_wrong_bytes("u.bcf", 1500, false);
    test_long_line();
    free_engine(engine);
    scratch_close();
    return done_testing();
}
