/* PLINK .bed: against the VCFs that PLINK made of the same data, against itself row
 * by row, and damaged in every way. */
#include <unistd.h>

#include "test/support/geno_test.h"
#include "test/support/scratch.h"

static bool same_sites(const struct whole *a, const struct whole *b)
{
    for (int64_t v = 0; v < a->block.n; v++) {
        const struct gt_site *x = &gt_block_sites(&a->block)[v], *y = &gt_block_sites(&b->block)[v];
        bool same = x->position == y->position && x->length == y->length && x->n_alleles == y->n_alleles &&
                    strcmp(gt_strs_get(&a->contigs, (size_t)x->contig), gt_strs_get(&b->contigs, (size_t)y->contig)) == 0 &&
                    strcmp(gt_strs_get(&a->block.ids, x->id), gt_strs_get(&b->block.ids, y->id)) == 0;
        for (int32_t k = 0; same && k < x->n_alleles; k++)
            same = strcmp(gt_strs_get(&a->block.alleles, x->first_allele + (uint32_t)k),
                          gt_strs_get(&b->block.alleles, y->first_allele + (uint32_t)k)) == 0;
        if (!same) {
            diag("site %lld differs", (long long)v);
            return false;
        }
    }
    return true;
}

static void test_against_vcf(const char *data, const char *name, int threads)
{
    char bed[4096], vcf[4096];
    struct gt_engine *engine = new_engine(threads, 0);
    struct whole a, b;
    struct gt_err err;
    snprintf(bed, sizeof bed, "%s/plink/edge/%s.bed", data, name);
    snprintf(vcf, sizeof vcf, "%s/plink/edge/%s.vcf", data, name);
    int status = read_path(engine, bed, NULL, GT_SITE_ALL, &a, &err);
    if (!status)
        status = read_path(engine, vcf, NULL, GT_SITE_ALL, &b, &err);
    else
        b = (struct whole){.block = {.n = 0}};
    ok(status == 0 && same_rows(&a.block, &b.block, (int64_t)a.samples.n) && same_sites(&a, &b), "%s.bed is %s.vcf, %d threads%s", name,
       name, threads, err.msg);
    whole_release(&a);
    whole_release(&b);
    free_engine(engine);
}

/* --- a made-up set ------------------------------------------------------------------- */

enum { SAMPLES = 5, SITES = 9000 }; /* more than one task of rows */

#define PUT(name, text) scratch_write(name, text, sizeof(text) - 1)

static uint8_t byte_of(int64_t v, int k)
{
    return (uint8_t)(((unsigned)v * 2654435761u >> (7 + 9 * k)) & (k ? 3 : 255));
}

static void write_set(const char *line_end)
{
    FILE *bed = fopen("x.bed", "wb"), *bim = fopen("x.bim", "w"), *fam = fopen("x.fam", "w");
    fwrite("\x6c\x1b\x01", 1, 3, bed);
    for (int64_t v = 0; v < SITES; v++) {
        fputc(byte_of(v, 0), bed);
        fputc(byte_of(v, 1), bed);
        fprintf(bim, "%s\tsnp%lld %s0\t%lld\t%s  %s%s", v < 5000 ? "1" : "chrZ", (long long)v, v % 3 ? "\t" : " ", (long long)v + 1,
                v % 4 ? "A" : "0", v % 5 ? "C" : "CGT", v + 1 < SITES ? line_end : "");
    }
    for (int s = 0; s < SAMPLES; s++)
        fprintf(fam, " F%d\tI%d 0 0 0 -9%s", s, s, line_end);
    fclose(bed);
    fclose(bim);
    fclose(fam);
}

static void test_rows(void)
{
    static const int dosage[4] = {2, 3, 1, 0};
    struct gt_engine *engine = new_engine(3, 0);
    struct whole all;
    struct gt_err err;
    int status = read_path(engine, "x", NULL, GT_SITE_ALL, &all, &err); /* the bare prefix */
    bool same = status == 0 && all.block.n == SITES && all.samples.n == SAMPLES && all.contigs.n == 2;
    for (int64_t v = 0; same && v < SITES; v++) {
        const struct gt_site *site = &gt_block_sites(&all.block)[v];
        for (int s = 0; s < SAMPLES; s++)
            same &= code_at(&all.block, v, s) == dosage[byte_of(v, s / 4) >> 2 * (s & 3) & 3];
        same &= gt_block_row(&all.block, v)[1] >> 2 == 0;
        same &= site->position == v + 1 && site->contig == (v >= 5000) && site->n_alleles == (v % 4 ? 2 : 1);
        same &= site->length == (v % 5 ? 1 : 3) && strcmp(gt_strs_get(&all.block.alleles, site->first_allele), v % 5 ? "C" : "CGT") == 0;
    }
    ok(same, "rows and sites of a made-up set: %s", err.msg);
    whole_release(&all);

    struct gt_select_opts o = GT_SELECT_ALL;
    o.regions = "chrZ:6000-6999";
    o.samples = "I4,I0";
    status = read_path(engine, "x.bed", &o, GT_SITE_NONE, &all, &err);
    same = status == 0 && all.block.n == 1000;
    for (int64_t v = 0; same && v < 1000; v++)
        same =
            code_at(&all.block, v, 0) == dosage[byte_of(v + 5999, 1) & 3] && code_at(&all.block, v, 1) == dosage[byte_of(v + 5999, 0) & 3];
    ok(same, "a region and two samples of it: %s", err.msg);
    whole_release(&all);
    o = (struct gt_select_opts)GT_SELECT_ALL;
    o.pass = true;
    status = read_path(engine, "x.bed", &o, GT_SITE_NONE, &all, &err);
    ok(status == GT_USAGE, "--pass: %s", err.msg);
    whole_release(&all);
    free_engine(engine);
}

static void refused(const char *what, int want, const char *text)
{
    struct gt_engine *engine = new_engine(2, 0);
    struct whole all;
    struct gt_err err;
    int status = read_path(engine, "x.bed", NULL, GT_SITE_ALL, &all, &err);
    ok(status == want && strstr(err.msg, text), "%s: %s", what, err.msg);
    whole_release(&all);
    free_engine(engine);
    write_set("\n");
}

static void test_damage(void)
{
    write_set("\n");
    truncate("x.bed", 3 + 2 * SITES - 1);
    refused("a short .bed", GT_INPUT, "18002");
    truncate("x.bed", 3 + 2 * SITES + 1);
    refused("a long .bed", GT_INPUT, "18004");
    truncate("x.bed", 2);
    refused("two bytes", GT_INPUT, "x.bed");
    PUT("x.bed", "\x6c\x1b\x00zzzz");
    refused("sample-major", GT_INPUT, "sample-major");
    PUT("x.bed", "\x6c\x1c\x01zzzz");
    refused("wrong magic", GT_INPUT, "x.bed");
    remove("x.fam");
    refused("no .fam", GT_FAIL, "x.fam");
    remove("x.bim");
    refused("no .bim", GT_FAIL, "x.bim");
    PUT("x.fam", "");
    refused("an empty .fam", GT_INPUT, "no samples");
    PUT("x.fam", "A\n");
    refused("one column", GT_INPUT, "line 1");
    PUT("x.bim", "1 a 0 17 A C\n1 a 0 x A C\n");
    refused("a position that is none", GT_INPUT, "line 2");
    PUT("x.bim", "1 a 0 17 A C\n1 a 0\n");
    refused("three columns", GT_INPUT, "line 2");
    PUT("x.bim", "1 a 0 17 A C\n");
    refused("too few variants", GT_INPUT, "is too long");
    PUT("x.fam", "F I\nG I\nF J\nF K\nF L\n");
    struct gt_engine *engine = new_engine(2, 0);
    struct whole all;
    struct gt_err err;
    int status = read_path(engine, "x.bed", NULL, 0, &all, &err);
    ok(status == 0 && all.warnings.n == 1 && strcmp(gt_strs_get(&all.samples, 1), "G_I") == 0,
       "IIDs that repeat: FID_IID, with a warning%s", err.msg);
    whole_release(&all);
    free_engine(engine);
    PUT("x.fam", "F I\nF I\nF J\nF K\nF L\n");
    refused("a sample twice", GT_INPUT, "duplicated");
}

/* R writes 100000 as 1e+05. */
static void test_positions(void)
{
    static const struct {
        const char *text;
        int64_t position; /* -1: refused */
    } cases[] = {{"100000", 100000}, {"1e+05", 100000}, {"1E5", 100000}, {"2.5e+06", 2500000}, {"250000.0", 250000},
                 {"1.5e0", -1},      {"1e+15", -1},     {"1e", -1},      {"nan", -1},          {"0x10", -1},
                 {"1e5x", -1},       {"1e-2", -1},      {".", -1},       {"inf", -1}};
    struct gt_engine *engine = new_engine(1, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[64];
        struct whole all;
        struct gt_err err;
        int n = snprintf(line, sizeof line, "1 a 0 %s A C\n", cases[i].text);
        scratch_write("x.bim", line, (size_t)n);
        PUT("x.fam", "F I\n");
        PUT("x.bed", "\x6c\x1b\x01z");
        int status = read_path(engine, "x.bed", NULL, GT_SITE_ALL, &all, &err);
        if (cases[i].position < 0)
            ok(status == GT_INPUT && strstr(err.msg, "line 1"), "position %s: %s", cases[i].text, err.msg);
        else
            ok(status == 0 && gt_block_sites(&all.block)[0].position == cases[i].position, "position %s%s", cases[i].text, err.msg);
        whole_release(&all);
    }
    free_engine(engine);
}

int main(void)
{
    static const char *const names[] = {"example", "example_with_fam", "plink_sim_10s_100v_10pmiss"};
    const char *data = test_data();
    scratch_open();
    write_set("\n");
    test_rows();
    write_set("\r\n");
    test_rows();
    test_damage();
    test_positions();
    for (size_t i = 0; data && i < sizeof names / sizeof *names; i++) {
        test_against_vcf(data, names[i], 1);
        test_against_vcf(data, names[i], 4);
    }
    if (!data)
        skip("no GT_TEST_DATA");
    scratch_close();
    return done_testing();
}
