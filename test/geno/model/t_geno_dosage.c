/* One rule of dosages: made-up calls of one to four alleles, written as VCF, as BCF and
 * as stores of calls, read under every combination of the rule's options; and rows of
 * calls against the same calls one by one. */
#include <htslib/vcf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "geno/model/dosage.h"
#include "test/support/bcf_copy.h"
#include "test/support/geno_test.h"
#include "test/support/random.h"
#include "test/support/scratch.h"

enum { SAMPLES = 77, SITES = 40, MOST = 4 };

static struct gt_engine *engine;

/* Calls of up to `ploidy` alleles: 0, 1, 2, -1 missing, -2 behind the last one. */
static void make_calls(int8_t (*calls)[SAMPLES][MOST], int ploidy)
{
    for (int v = 0; v < SITES; v++) {
        int odd = v % 4 ? 12 : 2;
        for (int s = 0; s < SAMPLES; s++) {
            int n = random_below(odd) ? (ploidy < 2 ? ploidy : 2) : 1 + random_below(ploidy);
            bool missing = random_below(odd * 2) == 0;
            for (int i = 0; i < MOST; i++)
                calls[v][s][i] = (int8_t)(i >= n ? -2 : missing || random_below(odd * 4) == 0 ? -1 : random_below(3) ? 0 : random_below(3));
        }
    }
}

/* --- files ------------------------------------------------------------------------------- */

static void write_vcf(int8_t (*calls)[SAMPLES][MOST])
{
    FILE *f = fopen("x.vcf", "w");
    fprintf(f, "##fileformat=VCFv4.3\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"x\">\n"
               "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT");
    for (int s = 0; s < SAMPLES; s++)
        fprintf(f, "\ts%d", s);
    for (int v = 0; v < SITES; v++) {
        fprintf(f, "\n1\t%d\t.\tA\tC,G\t.\t.\t.\tGT", v + 1);
        for (int s = 0; s < SAMPLES; s++)
            for (int i = 0; i < MOST && calls[v][s][i] != -2; i++)
                fprintf(f, calls[v][s][i] < 0 ? "%c." : "%c%d", i ? '/' : '\t', calls[v][s][i]);
    }
    fprintf(f, "\n");
    fclose(f);
}

static void put_array(const char *name, const char *shape, const char *chunks, const char *dtype)
{
    struct gt_str meta = {0}, key = {0};
    gt_str_addf(&key, "x.zarr/%s", name);
    mkdir(key.s, 0777);
    gt_str_addf(&meta,
                "{\"zarr_format\":2,\"shape\":[%s],\"chunks\":[%s],\"dtype\":\"%s\",\"compressor\":null,\"fill_value\":null,"
                "\"order\":\"C\",\"filters\":null}",
                shape, chunks, dtype);
    gt_str_add(&key, "/.zarray");
    scratch_write(key.s, meta.s, meta.len);
    gt_str_release(&meta);
    gt_str_release(&key);
}

/* Chunks of `width` samples and of half the sites; alleles are int8 or int16. */
static void write_store(int8_t (*calls)[SAMPLES][MOST], int ploidy, int width, bool wide)
{
    char shape[64], chunks[64], key[64], id[16], ids[SAMPLES * 4] = {0};
    struct gt_str chunk = {0};
    gt_remove_tree("x.zarr");
    mkdir("x.zarr", 0777);
    scratch_write("x.zarr/.zgroup", "{\"zarr_format\":2}", 17);
    for (int s = 0; s < SAMPLES; s++) {
        snprintf(id, sizeof id, "s%d", s);
        memcpy(ids + 4 * s, id, strlen(id));
    }
    put_array("sample_id", "77", "77", "|S4");
    scratch_write("x.zarr/sample_id/0", ids, sizeof ids);
    snprintf(shape, sizeof shape, "%d,%d,%d", SITES, SAMPLES, ploidy);
    snprintf(chunks, sizeof chunks, "%d,%d,%d", SITES / 2, width, ploidy);
    put_array("call_genotype", shape, chunks, wide ? "<i2" : "|i1");
    for (int row = 0; row < 2; row++) {
        for (int col = 0; col * width < SAMPLES; col++) {
            gt_str_clear(&chunk);
            for (int v = row * SITES / 2; v < (row + 1) * SITES / 2; v++)
                for (int s = col * width; s < (col + 1) * width; s++)
                    for (int i = 0; i < ploidy; i++) {
                        int16_t a = s < SAMPLES ? calls[v][s][i] : -1;
                        gt_str_addn(&chunk, &a, wide ? 2 : 1);
                    }
            snprintf(key, sizeof key, "x.zarr/call_genotype/%d.%d.0", row, col);
            scratch_write(key, chunk.s, chunk.len);
        }
    }
    gt_str_release(&chunk);
}

/* --- the rule, written out once more ------------------------------------------------------ */

struct want {
    int code[SITES][SAMPLES];
    bool refused;
    int64_t half, haploid, polyploid;
};

static int want_code(const int8_t *call, const struct gt_select_opts *o, bool kept, struct want *w)
{
    int n = 0, known = 0, alt = 0, one = o->ploidy == 1 ? 1 : 2;
    for (; n < MOST && call[n] != -2; n++) {
        known += call[n] >= 0;
        alt += call[n] > 0;
    }
    if (known == 0)
        return 3;
    w->polyploid += kept && n > 2;
    w->refused |= kept && n > 2 && o->polyploid != GT_POLYPLOID_MISSING;
    if (n > 2)
        return 3;
    w->haploid += kept && n == 1;
    w->half += kept && known < n;
    w->refused |= kept && known < n && o->half_call == GT_HALF_ERROR;
    w->refused |= kept && one == 1 && known == 2 && call[0] != call[1];
    if (known == n)
        return n == 1 ? alt * one : one == 1 ? alt > 0 : alt;
    return o->half_call == GT_HALF_HAPLOID ? alt * one : o->half_call == GT_HALF_REFERENCE ? alt : 3;
}

static void check(const char *what, const char *file, const struct gt_select_opts *o, const struct want *w, const int *samples, int n)
{
    struct whole all;
    struct gt_err err;
    int status = read_path(engine, file, o, GT_SITE_NONE, &all, &err);
    bool same = w->refused ? status == GT_INPUT : status == 0 && all.block.n == SITES && (int)all.samples.n == n;
    for (int v = 0; same && !w->refused && v < SITES; v++)
        for (int s = 0; s < n; s++)
            same &= code_at(&all.block, v, s) == w->code[v][samples[s]];
    if (same && !w->refused)
        same = all.stats.half_calls == w->half && all.stats.haploid_calls == w->haploid && all.stats.polyploid_calls == w->polyploid;
    ok(same, "%s: half calls %d, ploidy %d, polyploid %d, %d samples: %s", what, (int)o->half_call, (int)o->ploidy, (int)o->polyploid, n,
       w->refused ? err.msg : "the same codes and counts");
    if (same && w->refused && strstr(err.msg, "ploidy is above 2"))
        same = strstr(err.hint, "--polyploid missing") != NULL;
    if (!same)
        ok(false, "the hint: %s", err.hint);
    whole_release(&all);
}

static void test_rules(int ploidy)
{
    static int8_t calls[SITES][SAMPLES][MOST];
    static struct want w;
    make_calls(calls, ploidy);
    write_vcf(calls);
    write_bcf("x.vcf", "x.bcf", "wb", NULL);
    for (int trial = 0; trial < 24; trial++) {
        struct gt_select_opts o = GT_SELECT_ALL;
        struct gt_str list = {0};
        int samples[SAMPLES], n = 0;
        o.half_call = (enum gt_half_call)(trial % 5);
        o.ploidy = 1 + trial % 3 % 2;
        o.polyploid = trial % 4 ? GT_POLYPLOID_MISSING : (enum gt_polyploid)(trial / 4 % 2);
        for (int s = 0; s < SAMPLES; s++)
            if (trial % 2 == 0 || random_below(3))
                samples[n++] = s;
        for (int i = 0; i < n; i++)
            gt_str_addf(&list, "%ss%d", i ? "," : "", samples[i]);
        o.samples = n < SAMPLES ? list.s : NULL;
        w = (struct want){.refused = false};
        for (int v = 0; v < SITES; v++)
            for (int i = 0; i < n; i++)
                w.code[v][samples[i]] = want_code(calls[v][samples[i]], &o, true, &w);
        check("VCF", "x.vcf", &o, &w, samples, n);
        check("BCF", "x.bcf", &o, &w, samples, n);
        if (ploidy < 3) /* what a store has no room for is refused where an option asks for it */
            o.polyploid = GT_POLYPLOID_UNSAID;
        if (ploidy < 2)
            o.half_call = GT_HALF_UNSAID;
        write_store(calls, ploidy, trial % 3 ? 30 : trial % 2 ? 64 : SAMPLES, trial % 7 == 0);
        check("store", "x.zarr", &o, &w, samples, n);
        gt_str_release(&list);
    }
}

/* --- rows ------------------------------------------------------------------------------- */

static int one_by_one(const struct gt_dosage_rule *rule, const int8_t *call, int ploidy, int64_t sample, struct gt_call_counts *counts)
{
    int32_t a = call[0], b = ploidy > 1 ? call[1] : GT_ALLELE_NONE;
    return gt_call_code(rule, a, b, sample, counts);
}

static bool row_agrees(const struct gt_dosage_rule *rule, const int8_t *calls, int ploidy, int64_t first, int64_t n)
{
    static uint8_t row[10000];
    struct gt_call_counts got = {0}, want = {0};
    int64_t sample = -1, bad = -1;
    int fault = 0;
    bool same = true;
    int status = gt_dosage_row(rule, &(struct gt_stored_calls){calls, ploidy, first, n}, row, &got, &sample);
    for (int64_t s = 0; s < n && !fault; s++) {
        int code = one_by_one(rule, calls + s * ploidy, ploidy, first + s, &want);
        if (code > GT_CALL_MISSING)
            fault = code, bad = first + s;
        else if (!status)
            same &= (row[s / 4] >> 2 * (s & 3) & 3) == code;
    }
    if (n % 4 && !status)
        same &= row[n / 4] >> 2 * (n % 4) == 0;
    if (!fault)
        same &= got.half == want.half && got.haploid == want.haploid;
    return same && status == fault && (!fault || sample == bad);
}

static void test_rows(void)
{
    static int8_t calls[2 * 12000];
    static uint8_t keep[13000];
    int wrong = 0, trials = 0;
    for (int i = 0; i < 13000; i++)
        keep[i] = (uint8_t)(random_below(3) > 0);
    for (int trial = 0; trial < 600; trial++, trials++) {
        struct gt_select_opts o = GT_SELECT_ALL;
        o.half_call = (enum gt_half_call)(trial % 5);
        o.data_ploidy = 1 + trial % 2;
        o.ploidy = trial / 2 % 2;
        struct gt_dosage_rule rule = gt_dosage_rule(&o, trial % 3 ? keep : NULL);
        int64_t n = trial % 10 ? random_below(300) : 4000 + random_below(8000);
        int odd = trial % 4 == 0 ? 100000 : trial % 4 == 1 ? 50 : 4, ploidy = 1 + random_below(2);
        for (int64_t i = 0; i < n * ploidy; i++)
            calls[i] = (int8_t)(random_below(odd) ? random_below(3) - (random_below(20) == 0) : random_below(6) - 3);
        wrong += !row_agrees(&rule, calls, ploidy, random_below(1000), n);
    }
    ok(wrong == 0, "%d rows of calls, as one by one", trials);
}

static void test_numbers(void)
{
    static int8_t values[4 * 400];
    static uint8_t row[101];
    int wrong = 0;
    for (int trial = 0; trial < 400; trial++) {
        int width = 1 + random_below(4), which = random_below(width), n = random_below(400), most = random_below(3) ? 3 : 4;
        int64_t over = -1;
        for (int i = 0; i < n * width; i++)
            values[i] = (int8_t)(random_below(most == 3 || random_below(30) == 0 ? most : 3) - (random_below(9) == 0));
        for (int s = n; s-- > 0;)
            over = values[s * width + which] > 2 ? s : over;
        wrong += gt_number_row(values, width, which, n, row) != over;
        for (int s = 0; s < n; s++) {
            int v = values[s * width + which];
            wrong += (row[s / 4] >> 2 * (s & 3) & 3) != (v < 0 || v > 2 ? 3 : v);
        }
    }
    ok(wrong == 0, "400 rows of numbers");
}

/* Text of a call, from its alleles in ascending order and its phase. */
static void test_texts(void)
{
    enum { BY_CODE = GT_ALLELE_BY_CODE, UP = GT_PHASED_ASCENDING, DOWN = GT_PHASED_DESCENDING };
    static const struct {
        unsigned code;
        uint8_t pair[2];
        unsigned phase;
        bool one;
        const char *text;
    } cases[] = {
        {0, {BY_CODE, BY_CODE}, 0, false, "0/0\t"},  {1, {BY_CODE, BY_CODE}, 0, false, "0/1\t"},
        {1, {BY_CODE, BY_CODE}, UP, false, "0|1\t"}, {1, {BY_CODE, BY_CODE}, DOWN, false, "1|0\t"},
        {2, {BY_CODE, BY_CODE}, 0, false, "1/1\t"},  {3, {BY_CODE, BY_CODE}, 0, false, "./.\t"},
        {2, {BY_CODE, BY_CODE}, UP, false, "1/1\t"}, {2, {2, 2}, DOWN, false, "2/2\t"},
        {2, {3, 12}, UP, false, "3|12\t"},           {2, {3, 12}, DOWN, false, "12|3\t"},
        {2, {12, 3}, UP, false, "3|12\t"},           {2, {12, 3}, 0, false, "3/12\t"},
        {1, {0, 126}, DOWN, false, "126|0\t"},       {2, {100, 126}, DOWN, false, "126|100\t"},
        {2, {BY_CODE, BY_CODE}, 0, true, "1\t"},     {0, {BY_CODE, BY_CODE}, 0, true, "0\t"},
        {3, {BY_CODE, BY_CODE}, 0, true, ".\t"},     {2, {126, 126}, 0, true, "126\t"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[GT_ALLELES_TEXT + 1] = "";
        const char *end = gt_put_alleles_text(text, cases[i].code, cases[i].pair, cases[i].phase, cases[i].one);
        ok(strcmp(text, cases[i].text) == 0 && end == text + strlen(text), "text of code %u, alleles %u and %u, phase %u: %.*s",
           cases[i].code, cases[i].pair[0], cases[i].pair[1], cases[i].phase, (int)strcspn(text, "\t"), text);
    }
}

/* A call that is none, among the last samples: nothing is counted of the row, whose first samples have haploid and half calls. */
static void test_bad_row(void)
{
    enum { N = 5000 };
    static int8_t gt[2 * N];
    static uint8_t row[N / 4 + 1];
    for (int s = 0; s < N; s++) { /* 0/1; haploid: 0 and the end of a vector; half: 0 and . */
        gt[2 * s] = 1 << 1;
        gt[2 * s + 1] = s % 10 == 3 ? INT8_MIN + 1 : s % 10 == 7 ? 0 : 2 << 1;
    }
    const struct gt_dosage_rule rule = gt_dosage_rule(NULL, NULL);
    struct gt_call_counts counts = {.half = 5, .haploid = 6, .polyploid = 7, .het_haploid = 8};
    int64_t sample = -1;
    const int good = gt_dosage_row_bcf(&rule, gt, 2, N, row, &counts, &sample);
    ok(!good && counts.half == 505 && counts.haploid == 506 && counts.polyploid == 7 && counts.het_haploid == 8,
       "a row: %lld half calls, %lld haploid ones", (long long)counts.half, (long long)counts.haploid);
    gt[2 * 4500] = 3 << 1; /* of two alleles */
    const int bad = gt_dosage_row_bcf(&rule, gt, 2, N, row, &counts, &sample);
    ok(bad == GT_CALL_OTHER && counts.half == 505 && counts.haploid == 506, "with a bad call: %d, %lld half calls, %lld haploid ones", bad,
       (long long)counts.half, (long long)counts.haploid);
}

int main(void)
{
    scratch_open();
    engine = new_engine(2, 0);
    hts_set_log_level(HTS_LOG_OFF);
    test_rows();
    test_numbers();
    test_texts();
    test_bad_row();
    test_rules(1);
    test_rules(2);
    test_rules(3);
    test_rules(4);
    ok(engine->budget.used == 0, "nothing is left behind");
    free_engine(engine);
    scratch_close();
    return done_testing();
}
