/* VCF and BCF of shapes that nobody has in mind: columns without a byte, records
 * without a FORMAT under many samples, lengths that wrap, bytes behind the end. */
#include <unistd.h>
#include <zlib.h>

#include "test/support/geno_test.h"
#include "test/support/scratch.h"

static struct gt_engine *engine;

static void add_header(struct gt_str *text, int samples)
{
    gt_str_add(text, "##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"x\">\n"
                     "##FORMAT=<ID=DP,Number=1,Type=Integer,Description=\"x\">\n"
                     "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT");
    for (int s = 0; s < samples; s++)
        gt_str_addf(text, "\ts%d", s);
    gt_str_add(text, "\n");
}

static void add_line(struct gt_str *text, int pos, const char *format, const char *call, int samples)
{
    gt_str_addf(text, "1\t%d\t.\tA\tC\t.\t.\t.\t%s", pos, format);
    for (int s = 0; s < samples; s++)
        gt_str_addf(text, "\t%s", call);
    gt_str_add(text, "\n");
}

/* Are all codes of site v that code, and the pad bits 0? */
static bool row_is(const struct whole *all, int64_t v, int code)
{
    int64_t n = (int64_t)all->samples.n;
    for (int64_t s = 0; s < (n + 3) / 4 * 4; s++)
        if (code_at(&all->block, v, s) != (s < n ? code : 0))
            return false;
    return true;
}

/* A thousand samples, five thousand lines whose sample columns are empty, and a last
 * line with genotypes: an empty column takes one byte, the fewest that a column can. */
static void test_empty_columns(const char *format, int samples, int lines)
{
    struct gt_str text = {0};
    struct whole all;
    struct gt_err err;
    add_header(&text, samples);
    for (int v = 0; v < lines; v++)
        add_line(&text, v + 1, format, "", samples);
    add_line(&text, lines + 1, "GT", "0|1", samples);
    scratch_write("empty.vcf", text.s, text.len);
    int status = read_path(engine, "empty.vcf", NULL, GT_SITE_POS, &all, &err);
    bool same = status == 0 && all.block.n == lines + 1 && row_is(&all, lines, 1);
    for (int v = 0; same && v < lines; v++)
        same = row_is(&all, v, 3);
    ok(same, "%d lines of %d empty columns under %s are missing throughout %s", lines, samples, format, err.msg);
    whole_release(&all);
    gt_str_release(&text);
}

static void put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* A bare BCF record at 1:pos, REF A, ALT C; with a GT of 0/1 for all samples, or
 * without any FORMAT. */
static void add_record(struct gt_str *bcf, int pos, int samples, bool with_gt)
{
    static const uint8_t texts[] = {0x07, 0x17, 'A', 0x17, 'C', 0x00}, gt[] = {0x11, 1, 0x21};
    uint8_t fixed[32] = {0};
    put_u32(fixed, 24 + sizeof texts);
    put_u32(fixed + 4, with_gt ? sizeof gt + 2 * (uint32_t)samples : 0);
    put_u32(fixed + 12, (uint32_t)pos - 1);
    put_u32(fixed + 16, 1);
    put_u32(fixed + 20, GT_VCF_FLOAT_MISSING);
    put_u32(fixed + 24, 2u << 16);
    put_u32(fixed + 28, with_gt ? (uint32_t)samples | 1u << 24 : 0);
    gt_str_addn(bcf, fixed, sizeof fixed);
    gt_str_addn(bcf, texts, sizeof texts);
    if (with_gt)
        gt_str_addn(bcf, gt, sizeof gt);
    for (int s = 0; with_gt && s < samples; s++)
        gt_str_addn(bcf, "\2\4", 2);
}

static void add_bcf_header(struct gt_str *bcf, int samples)
{
    struct gt_str text = {0};
    uint8_t length[4];
    add_header(&text, samples);
    put_u32(length, (uint32_t)text.len + 1);
    gt_str_addn(bcf, "BCF\2\2", 5);
    gt_str_addn(bcf, length, 4);
    gt_str_addn(bcf, text.s, text.len + 1);
    gt_str_release(&text);
}

/* Records without FORMAT are some forty bytes, whatever the number of samples: their
 * rows must not ask for more memory than there is. */
static void test_bare_records(void)
{
    enum { SAMPLES = 20000, LINES = 20000 };
    struct gt_str bcf = {0};
    struct gt_source *source = NULL;
    struct gt_block *block;
    struct gt_err err = {0};
    int64_t sites = 0, missing = 0, largest = 0;
    add_bcf_header(&bcf, SAMPLES);
    for (int v = 0; v < LINES; v++)
        add_record(&bcf, v + 1, SAMPLES, v % 100 == 0);
    scratch_write("bare.bcf", bcf.s, bcf.len);
    gt_str_release(&bcf);
    int64_t limit = engine->budget.limit;
    engine->budget.limit = 48 << 20; /* the rows of all are 100 MB */
    const char *path = "bare.bcf";
    struct gt_source_opts opts = {.paths = &path, .n_paths = 1, .fields = GT_SITE_POS};
    int status = gt_source_open(&source, engine, &opts, &err);
    while (!status && (status = gt_source_next(source, &block, &err)) == 0) {
        for (int64_t v = 0; v < block->n; v++, sites++)
            missing += gt_block_row(block, v)[0] == 0xff;
        largest = (int64_t)block->rows.len > largest ? (int64_t)block->rows.len : largest;
        gt_source_done(source, block);
    }
    gt_source_free(source);
    ok(status == GT_END && sites == LINES && missing == LINES - LINES / 100, "%lld records, %lld without FORMAT, in 48 MB %s",
       (long long)sites, (long long)missing, err.msg);
    ok(largest < 8 << 20, "the largest block has %lld bytes of rows", (long long)largest);
    engine->budget.limit = limit;
}

/* --- lengths that wrap --------------------------------------------------------------- */

/* A BCF whose only record says that it is shared + indiv bytes long. */
static void test_bcf_length(uint32_t shared, uint32_t indiv)
{
    struct gt_str bcf = {0};
    struct whole all;
    struct gt_err err;
    add_bcf_header(&bcf, 1);
    size_t at = bcf.len;
    add_record(&bcf, 1, 1, true);
    put_u32((uint8_t *)bcf.s + at, shared);
    put_u32((uint8_t *)bcf.s + at + 4, indiv);
    scratch_write("length.bcf", bcf.s, bcf.len);
    gt_str_release(&bcf);
    alarm(60); /* a length of 0 would be read for ever */
    int status = read_path(engine, "length.bcf", NULL, GT_SITE_POS, &all, &err);
    alarm(0);
    ok(status == GT_INPUT, "a record of 0x%x + 0x%x bytes: %s", (unsigned)shared, (unsigned)indiv, err.msg);
    whole_release(&all);
}

/* --- bytes behind the last gzip member ------------------------------------------------- */

static void gzip_with(const struct gt_str *text, const void *behind, size_t n)
{
    gzFile gz = gzopen("behind.vcf.gz", "wb");
    gzwrite(gz, text->s, (unsigned)text->len);
    gzclose(gz);
    FILE *f = fopen("behind.vcf.gz", "ab");
    if (fwrite(behind, 1, n, f) != n || fclose(f))
        printf("Bail out! cannot write\n");
}

static void test_behind_gzip(void)
{
    static const struct {
        const char *what, *bytes;
        size_t n;
        int status;
    } cases[] = {
        {"nothing", "", 0, GT_END},
        {"zeros", "\0\0\0\0\0\0", 6, GT_END}, /* a tape's padding, as gzip takes it */
        {"letters", "garbage", 7, GT_INPUT},
        {"zeros, then letters", "\0\0garbage", 9, GT_INPUT},
        {"half a header", "\x1f\x8b", 2, GT_INPUT},
        {"a header without data", "\x1f\x8b\x08\0\0\0\0\0\0\x03", 10, GT_INPUT},
    };
    struct gt_str text = {0};
    add_header(&text, 3);
    add_line(&text, 1, "GT", "0/1", 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct whole all;
        struct gt_err err;
        gzip_with(&text, cases[i].bytes, cases[i].n);
        int status = read_path(engine, "behind.vcf.gz", NULL, GT_SITE_POS, &all, &err);
        status = status ? status : GT_END;
        ok(status == cases[i].status, "%s behind the last gzip member: %s", cases[i].what, status == GT_END ? "read" : err.msg);
        whole_release(&all);
    }
    gt_str_release(&text);
}

/* --- what the header lacks --------------------------------------------------------------- */

static bool warns(const struct whole *all, size_t i, const char *text)
{
    return i < all->warnings.n && strstr(gt_strs_get(&all->warnings, i), text);
}

/* Lines on `contigs` contigs with `filters` FILTERs that the header does not have: they
 * are added in the order of the file, with one warning each. */
static void test_late_names(int contigs, int filters)
{
    struct gt_str text = {0};
    struct whole all;
    struct gt_err err;
    int lines = 3000;
    add_header(&text, 2);
    for (int v = 0; v < lines; v++)
        gt_str_addf(&text, "new%d\t%d\t.\tA\tC\t.\tf%d;PASS\t.\tGT\t0|1\t1|1\n", v * contigs / lines, v + 1, v % filters);
    scratch_write("late.vcf", text.s, text.len);
    int status = read_path(engine, "late.vcf", NULL, GT_SITE_ALL, &all, &err);
    bool same = status == 0 && all.block.n == lines && all.contigs.n == 1 + (size_t)contigs && all.filters.n == 1 + (size_t)filters;
    for (int v = 0; same && v < lines; v++) {
        const struct gt_site *site = &gt_block_sites(&all.block)[v];
        const int32_t *at = (const int32_t *)all.block.filters.data + site->filter_from;
        same = site->contig == 1 + v * contigs / lines && site->filter_n == 2 && at[0] == 1 + v % filters && at[1] == 0;
    }
    ok(same, "%d contigs and %d FILTERs that the header lacks %s", contigs, filters, err.msg);
    ok(all.warnings.n == 2 &&
           warns(&all, 0, contigs > 1 ? "contigs are not in the header, 'new0' the first" : "contig 'new0' is not in the header") &&
           warns(&all, 1, filters > 1 ? "FILTERs are not in the header, 'f0' the first" : "FILTER 'f0' is not in the header"),
       "one warning each: %s", all.warnings.n ? gt_strs_get(&all.warnings, 0) : "none");
    struct gt_select_opts pass = GT_SELECT_ALL;
    pass.pass = true;
    whole_release(&all);
    status = read_path(engine, "late.vcf", &pass, GT_SITE_ALL, &all, &err);
    ok(status == 0 && all.block.n == 0 && all.stats.dropped_pass == lines, "none of them is PASS alone %s", err.msg);
    whole_release(&all);
    gt_str_release(&text);
}

int main(void)
{
    scratch_open();
    engine = new_engine(2, 0);
    test_empty_columns("DP:GT", 1000, 5000);
    test_empty_columns("DP", 1000, 5000);
    test_empty_columns("DP:GT", 1, 3);
    test_empty_columns(".", 4099, 700);
    test_bare_records();
    test_bcf_length(0xfffffff8, 0);
    test_bcf_length(0xfffffff0, 8);
    test_bcf_length(0, 0xfffffff8);
    test_bcf_length(24, 0xffffffff);
    test_bcf_length(0, 0);
    test_behind_gzip();
    test_late_names(1, 1);
    test_late_names(40, 7);
    ok(engine->budget.used == 0, "nothing is left behind");
    free_engine(engine);
    scratch_close();
    return done_testing();
}
