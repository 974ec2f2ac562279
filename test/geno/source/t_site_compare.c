/* The sites of two inputs: what counts as the same, which difference is named, and that both can be read from the beginning then. */
#include "geno/source/site_compare.h"

#include <unistd.h>

#include "test/support/geno_test.h"
#include "test/support/scratch.h"

enum { SITES = 3000 };

/* Sites at 10, 20, ... of two contigs, the first n of them; what stands at number `at` may be another. */
static void write_vcf(const char *path, int n, int at, const char *place, const char *alleles)
{
    FILE *f = fopen(path, "w");
    fprintf(f, "##fileformat=VCFv4.2\n##contig=<ID=1>\n##contig=<ID=2>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"x\">\n"
               "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tA\n");
    for (int v = 0; v < n; v++) {
        if (v == at && place)
            fprintf(f, "%s\t", place);
        else
            fprintf(f, "%d\t%d\t", v < SITES / 2 ? 1 : 2, 10 * (v + 1));
        fprintf(f, "v%d\t%s\t.\t.\t.\tGT\t0/1\n", v, v == at && alleles ? alleles : v % 7 ? "A\tC" : "A\tC,G");
    }
    fclose(f);
}

static struct gt_source *source_of(struct gt_engine *engine, const char *path, unsigned fields)
{
    struct gt_select_opts select = GT_SELECT_ALL;
    struct gt_source_opts opts = {.paths = &path, .n_paths = 1, .select = &select, .fields = fields, .again = true};
    struct gt_source *source = NULL;
    struct gt_err err = {0};
    if (gt_source_open(&source, engine, &opts, &err))
        printf("Bail out! %s\n", err.msg), exit(1);
    return source;
}

static int64_t rows_of(struct gt_source *source)
{
    struct whole all = {.stats = {0}};
    struct gt_err err = {0};
    const int64_t n = drain(source, &all, &err) ? -1 : all.block.n;
    whole_release(&all);
    return n;
}

/* wanted: NULL where they agree. */
static void check(struct gt_engine *engine, const char *one, const char *other, const char *wanted)
{
    struct gt_source *a = source_of(engine, one, GT_SITE_POS | GT_SITE_ALLELES),
                     *b = source_of(engine, other, GT_SITE_POS | GT_SITE_ALLELES);
    struct gt_err err = {0};
    const int status = gt_sources_agree(engine, a, b, &err);
    if (wanted)
        ok(status == GT_INPUT && strcmp(err.msg, wanted) == 0 && strstr(err.hint, "same variants"), "%s", err.msg);
    else
        ok(!status && rows_of(a) == SITES && rows_of(b) == SITES, "%s and %s have the same sites, and are read again %s", one, other,
           err.msg);
    gt_source_free(a);
    gt_source_free(b);
}

int main(void)
{
    scratch_open();
    struct gt_engine *engine = new_engine(2, 0);
    write_vcf("a.vcf", SITES, -1, NULL, NULL);
    write_vcf("same.vcf", SITES, -1, NULL, NULL);
    write_vcf("first.vcf", SITES, 0, "1\t9", NULL);
    write_vcf("last.vcf", SITES, SITES - 1, "2\t30001", NULL);
    write_vcf("contig.vcf", SITES, SITES / 2 - 1, "2\t15000", NULL);
    write_vcf("ref.vcf", SITES, 1, NULL, "G\tC");
    write_vcf("order.vcf", SITES, 7, NULL, "A\tG,C");
    write_vcf("more.vcf", SITES, 8, NULL, "A\tC,G");
    write_vcf("fewer.vcf", SITES, 14, NULL, "A\tC");
    write_vcf("short.vcf", SITES - 1, -1, NULL, NULL);
    check(engine, "a.vcf", "same.vcf", NULL);
    check(engine, "first.vcf", "a.vcf", "'first.vcf' has 1:9 where 'a.vcf' has 1:10");
    check(engine, "a.vcf", "last.vcf", "'a.vcf' has 2:30000 where 'last.vcf' has 2:30001");
    check(engine, "a.vcf", "contig.vcf", "'a.vcf' has 1:15000 where 'contig.vcf' has 2:15000");
    check(engine, "a.vcf", "ref.vcf", "'a.vcf' and 'ref.vcf' have different alleles, or another order of them, at 1:20");
    check(engine, "order.vcf", "a.vcf", "'order.vcf' and 'a.vcf' have different alleles, or another order of them, at 1:80");
    check(engine, "a.vcf", "more.vcf", "'a.vcf' and 'more.vcf' have different alleles, or another order of them, at 1:90");
    check(engine, "a.vcf", "fewer.vcf", "'a.vcf' and 'fewer.vcf' have different alleles, or another order of them, at 1:150");
    check(engine, "a.vcf", "short.vcf", "'a.vcf' continues at 2:30000, but 'short.vcf' has ended");
    check(engine, "short.vcf", "a.vcf", "'a.vcf' continues at 2:30000, but 'short.vcf' has ended");
    ok(engine->budget.used == 0, "nothing is left behind");
    free_engine(engine);
    scratch_close();
    return done_testing();
}
