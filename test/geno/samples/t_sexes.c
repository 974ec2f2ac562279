/* Sexes: tables of them, where X has two copies in males, and what the calls of a site count as, by its definition call by call. */
#include <stdlib.h>
#include <string.h>

#include "geno/model/contigs.h"
#include "geno/model/dosage.h"
#include "geno/model/ploidy.h"
#include "geno/samples/sex.h"
#include "geno/samples/sex_count.h"
#include "kernels/kernels.h"
#include "test/support/random.h"
#include "test/support/scratch.h"
#include "test/support/tap.h"

static struct gt_strs list_of(const char *const *texts)
{
    struct gt_strs list = {0};
    for (; *texts; texts++)
        gt_strs_add(&list, *texts, strlen(*texts), NULL);
    return list;
}

static struct gt_geno_info five_samples(void)
{
    static const char *const ids[] = {"a", "b", "c", "d", "e", NULL}, *const plink_ids[] = {"f1\ta", "f1\tb", "f2\tc",
                                                                                            "0\td",  "f3\te", NULL};
    return (struct gt_geno_info){.name = (char *)"x.bed", .n_samples = 5, .samples = list_of(ids), .plink_ids = list_of(plink_ids)};
}

static void release(struct gt_geno_info *info)
{
    gt_strs_release(&info->samples);
    gt_strs_release(&info->plink_ids);
    gt_strs_release(&info->pedigree);
    gt_strs_release(&info->contigs);
    gt_buf_release(&info->contig_lengths);
}

static void test_tables(void)
{
    static const struct {
        const char *text;
        int status;
        const char *wanted; /* of each sample, and how many are in no line and how many lines are of nobody */
    } cases[] = {
        {"a 1\nb F\nc male\nd 0\n", 0, "MFM?? 1 0"},
        {"a m\nb f\nc FEMALE\nd Male\ne 2\n", 0, "MFFMF 0 0"},
        {"a M\nb 3\nc malee\n", 0, "M???? 2 0"},
        {"\n \na\t2\r\n", 0, "F???? 4 0"},
        {"f1 a 2\nf2 c 1\n", 0, "F?M?? 3 0"},
        {"f1 a 0 0 1\nf1 b 0 0 2 1\n", 0, "MF??? 3 0"},
        {"f9 a 1\nf1 b 1\n0 c 1\nf9 d 1\n", 0, "?MMM? 2 1"},
        {"q 1\na 1\n", 0, "M???? 4 1"},
        {"#IID SEX\na 1\n", 0, "M???? 4 0"},
        {"##x\n#FID IID AGE SEX\nf1 b 1 2\n", 0, "?F??? 4 0"},
        {"#IID PAT MAT SEX\na 0 0 1\n", 0, "M???? 4 0"},
        {"FID IID SEX\nf1 a 2\n", 0, "F???? 4 0"},
        {"a 1\na 1\n", 0, "M???? 4 0"},
        {"a 1\nb 2\na 2\n", GT_INPUT, "line 3: sample 'a' has another sex above"},
        {"a 0\na 2\n", GT_INPUT, "line 2: sample 'a' has another sex above"},
        {"#IID AGE\na 1\n", GT_INPUT, "no columns IID and SEX"},
        {"#FID SEX\na 1\n", GT_INPUT, "no columns IID and SEX"},
        {"#FID IID SEX\nf1 a\n", GT_INPUT, "line 2: 2 columns"},
        {"a\n", GT_INPUT, "line 1: 1 column;"},
        {"a 1\nf1 a 0 1\n", GT_INPUT, "line 2: 4 columns"},
        {"a 0\nb x\n", GT_INPUT, "no sex for any sample"},
        {"q 1\n", GT_INPUT, "no sex for any sample"},
    };
    struct gt_geno_info input = five_samples();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gt_sexes *sexes = NULL;
        struct gt_sex_counts n;
        struct gt_err err = {0};
        char text[100] = "";
        scratch_write("sexes.txt", cases[i].text, strlen(cases[i].text));
        const int status = gt_sexes_new(&sexes, "sexes.txt", &input, &err);
        if (!status) {
            gt_sexes_count(sexes, NULL, 5, &n);
            const uint8_t *on_x = gt_sexes_call_ploidy(sexes, GT_CHROM_X), *on_y = gt_sexes_call_ploidy(sexes, GT_CHROM_Y);
            for (int s = 0; s < 5; s++)
                text[s] = on_x[s] == GT_PLOIDY_ONE && on_y[s] == GT_PLOIDY_ONE    ? 'M'
                          : on_x[s] == GT_PLOIDY_TWO && on_y[s] == GT_PLOIDY_NONE ? 'F'
                          : on_x[s] == GT_PLOIDY_TWO && on_y[s] == GT_PLOIDY_ONE  ? '?'
                                                                                  : '!';
            int male = 0, female = 0;
            for (int s = 0; s < 5; s++)
                male += text[s] == 'M', female += text[s] == 'F';
            snprintf(text + 5, sizeof text - 5, " %lld %lld%s", (long long)n.absent, (long long)n.unnamed,
                     n.male == male && n.female == female && n.unknown == 5 - male - female ? "" : ", counts");
        }
        ok(status == cases[i].status && (status ? strstr(err.msg, cases[i].wanted) != NULL : strcmp(text, cases[i].wanted) == 0),
           "sexes, case %zu: %s", i, status ? err.msg : text);
        gt_sexes_free(sexes);
    }
    release(&input);
}

/* --sex auto, and what an input says where it matters. */
static void test_of_input(void)
{
    static const char *const pedigree[] = {"0\t0\t1\t-9", "0\t0\t2\t-9", "0\t0\t0\t-9", "0\t0\t1\t-9", "0\t0\t1\t-9", NULL},
                             *const autosomes[] = {"1", "25", NULL}, *const with_y[] = {"1", "chrY", NULL};
    struct gt_geno_info input = five_samples();
    struct gt_sexes *sexes = NULL;
    struct gt_sex_counts n;
    struct gt_err err = {0};
    ok(gt_sexes_new(&sexes, "auto", &input, &err) == GT_INPUT && !sexes, "%s", err.msg);
    input.contigs = list_of(with_y);
    ok(gt_sexes_of_input(&sexes, &input, &err) == 0 && !sexes, "a .fam without sexes says nothing");
    input.pedigree = list_of(pedigree);
    static const uint32_t some[] = {1, 2, 4};
    bool good = gt_sexes_new(&sexes, "auto", &input, &err) == 0;
    if (good)
        gt_sexes_count(sexes, some, 3, &n);
    ok(good && n.male == 1 && n.female == 1 && n.unknown == 1 && n.absent == 0, "--sex auto: %lld of three are male",
       good ? (long long)n.male : -1);
    gt_sexes_free(sexes);
    ok(gt_sexes_of_input(&sexes, &input, &err) == 0 && sexes && gt_sexes_is_male(sexes, 0) && gt_sexes_is_female(sexes, 1), "of the input");
    gt_sexes_free(sexes);
    gt_strs_release(&input.contigs);
    input.contigs = list_of(autosomes);
    ok(gt_sexes_of_input(&sexes, &input, &err) == 0 && !sexes, "nothing where there are autosomes alone");
    input.open_contigs = true;
    ok(gt_sexes_of_input(&sexes, &input, &err) == 0 && sexes, "but where others may come");
    gt_sexes_free(sexes);
    release(&input);
}

/* Bases of X in GRCh37 and 38 that are in no pseudoautosomal region: behind PAR1, which ends at 2699520 and 2781479, and before PAR2, which
 * begins at 154931044 and 155701383. */
static void test_regions_of_x(void)
{
    static const struct {
        int64_t length, position;
        enum gt_chrom_class wanted;
        bool no_build;
    } cases[] = {{155270560, 2699520, GT_CHROM_AUTOSOME, false},
                 {155270560, 2699521, GT_CHROM_X, false},
                 {155270560, 154931043, GT_CHROM_X, false},
                 {155270560, 154931044, GT_CHROM_AUTOSOME, false},
                 {156040895, 2781479, GT_CHROM_AUTOSOME, false},
                 {156040895, 2781480, GT_CHROM_X, false},
                 {156040895, 155701382, GT_CHROM_X, false},
                 {156040895, 155701383, GT_CHROM_AUTOSOME, false},
                 {0, 1, GT_CHROM_X, true},
                 {155270559, 155270559, GT_CHROM_X, true}};
    static const char *const names[] = {"1", "chrX", "Y", NULL}, *const with_xy[] = {"X", "XY", NULL},
                             *const x_is_second[] = {"1", "X", NULL};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gt_geno_info input = five_samples();
        struct gt_sexes *sexes = NULL;
        struct gt_sex_counts n = {0};
        struct gt_err err = {0};
        int64_t lengths[3] = {155270560, cases[i].length, 155270560};
        input.contigs = list_of(names);
        input.contig_lengths = (struct gt_buf){.data = (uint8_t *)lengths, .len = sizeof lengths};
        scratch_write("sexes.txt", "a 1\n", 4);
        const int status = gt_sexes_new(&sexes, "sexes.txt", &input, &err);
        if (!status)
            gt_sexes_count(sexes, NULL, 5, &n);
        ok(!status && gt_sexes_chrom_class(sexes, 1, cases[i].position) == cases[i].wanted && n.no_build == cases[i].no_build &&
               gt_sexes_chrom_class(sexes, 0, cases[i].position) == GT_CHROM_AUTOSOME && gt_sexes_chrom_class(sexes, 2, 1) == GT_CHROM_Y &&
               gt_sexes_chrom_class(sexes, 3, 1) == GT_CHROM_AUTOSOME && gt_sexes_chrom_class(sexes, -1, 1) == GT_CHROM_AUTOSOME,
           "X of %lld bases, base %lld", (long long)cases[i].length, (long long)cases[i].position);
        gt_sexes_free(sexes);
        input.contig_lengths = (struct gt_buf){0};
        release(&input);
    }
    struct gt_geno_info input = five_samples();
    struct gt_sexes *sexes = NULL;
    struct gt_sex_counts n = {.no_build = true};
    struct gt_err err = {0};
    input.contigs = list_of(with_xy);
    if (gt_sexes_new(&sexes, "sexes.txt", &input, &err) == 0)
        gt_sexes_count(sexes, NULL, 5, &n);
    ok(!n.no_build && gt_sexes_chrom_class(sexes, 0, 5) == GT_CHROM_X, "a contig XY holds what X and Y share; X is the first contig");
    gt_sexes_free(sexes);
    int64_t lengths[2] = {155270560, 155270560};
    input.contig_lengths = (struct gt_buf){.data = (uint8_t *)lengths, .len = sizeof *lengths};
    gt_strs_release(&input.contigs);
    input.contigs = list_of(x_is_second);
    if (gt_sexes_new(&sexes, "sexes.txt", &input, &err) == 0)
        gt_sexes_count(sexes, NULL, 5, &n);
    ok(n.no_build, "a contig X without a length");
    input.contig_lengths = (struct gt_buf){0};
    gt_sexes_free(sexes);
    release(&input);
}

static void test_contigs(void)
{
    static const struct {
        const char *name;
        enum gt_chrom_class chrom_class;
        bool autosome;
        int number;
    } cases[] = {{"1", GT_CHROM_AUTOSOME, true, 1},     {"chr22", GT_CHROM_AUTOSOME, true, 22},
                 {"02", GT_CHROM_AUTOSOME, true, 2},    {"X", GT_CHROM_X, false, 23},
                 {"chrx", GT_CHROM_X, false, 23},       {"23", GT_CHROM_X, false, 23},
                 {"Y", GT_CHROM_Y, false, 24},          {"24", GT_CHROM_Y, false, 24},
                 {"XY", GT_CHROM_AUTOSOME, true, 25},   {"25", GT_CHROM_AUTOSOME, true, 25},
                 {"MT", GT_CHROM_MT, false, 26},        {"chrM", GT_CHROM_MT, false, 26},
                 {"26", GT_CHROM_MT, false, 26},        {"chr", GT_CHROM_AUTOSOME, true, 0},
                 {"0", GT_CHROM_AUTOSOME, true, 0},     {"9999", GT_CHROM_AUTOSOME, true, 9999},
                 {"12345", GT_CHROM_AUTOSOME, true, 0}, {"1a", GT_CHROM_AUTOSOME, true, 0},
                 {"2/", GT_CHROM_AUTOSOME, true, 0},    {"2:", GT_CHROM_AUTOSOME, true, 0},
                 {"X1", GT_CHROM_AUTOSOME, true, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ok(gt_sexes_chrom_class_named(cases[i].name) == cases[i].chrom_class && gt_contig_is_autosome(cases[i].name) == cases[i].autosome &&
               gt_contig_number(cases[i].name) == cases[i].number,
           "contig %s", cases[i].name);
    ok(gt_contig_same("chr1", "01") && gt_contig_same("MT", "chrM") && gt_contig_same("23", "chrX") && !gt_contig_same("1", "11") &&
           !gt_contig_same("chr", "") && !gt_contig_same("10", "1"),
       "names of the same contig");
}

/* --- counts --------------------------------------------------------------------------------------------------------------- */

enum { MOST = 70 };

static void put(uint8_t *row, int64_t i, int code)
{
    row[i / 4] = (uint8_t)((row[i / 4] & ~(3 << i % 4 * 2)) | code << i % 4 * 2);
}

static int get(const uint8_t *row, int64_t i)
{
    return row[i / 4] >> i % 4 * 2 & 3;
}

/* Twice the alleles of a call, and those that are not REF.  A heterozygote of one copy has half of each. */
static bool count_is_right(const int *code, const char *sex, int64_t n, int ploidy, enum gt_chrom_class chrom_class,
                           const struct gt_sex_site_counts *c)
{
    int64_t samples = 0, missing = 0, alleles = 0, alt = 0, males[4] = {0}, females[4] = {0};
    for (int64_t i = 0; i < n; i++) {
        const bool male = sex[i] == 'M', one = ploidy == GT_HAPLOID || chrom_class == GT_CHROM_MT || (chrom_class == GT_CHROM_X && male) ||
                                               chrom_class == GT_CHROM_Y;
        if (chrom_class == GT_CHROM_Y && !male)
            continue;
        samples++;
        missing += code[i] == 3;
        males[code[i]] += male;
        females[code[i]] += sex[i] == 'F';
        if (code[i] == 3)
            continue;
        alleles += one ? 2 : 4;
        alt += ploidy == GT_HAPLOID ? 2 * (2 * (code[i] == 2) + (code[i] == 1)) : one ? code[i] : 2 * code[i];
    }
    bool same = c->samples == samples && c->missing == missing && c->alleles_x2 == alleles && c->alt_alleles_x2 == alt &&
                c->chrom_class == chrom_class;
    if (chrom_class == GT_CHROM_X)
        same = same && memcmp(males, c->males, sizeof males) == 0 && memcmp(females, c->females, sizeof females) == 0;
    return same;
}

static void test_counts(struct gt_geno_info *input, const struct gt_sexes *sexes, const char *sex)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 8, 31, 64, 69};
    uint8_t row[MOST / 4 + 1 + GT_KERNEL_PAD] = {0}, scratch[MOST / 4 + 1 + GT_KERNEL_PAD], y[MOST / 4 + 1 + GT_KERNEL_PAD];
    int wrong = 0, wrong_y = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const int64_t n = sizes[k];
        struct gt_sex_rows all, rows;
        struct gt_err err = {0};
        uint32_t samples[MOST], order[MOST];
        char of[MOST];
        int code[MOST];
        for (int64_t i = 0; i < n; i++) {
            samples[i] = (uint32_t)(input->n_samples - 1 - i);
            order[i] = (uint32_t)(n - 1 - i);
        }
        gt_sex_rows_make(&all, sexes, samples, n, &err);
        gt_sex_rows_choose(&rows, &all, order, n, &err);
        for (int64_t i = 0; i < n; i++)
            of[i] = sex[samples[order[i]]];
        for (int round = 0; round < 40; round++) {
            memset(row, 0, sizeof row);
            for (int64_t i = 0; i < n; i++)
                put(row, i, code[i] = (int)random_below(4));
            for (int chrom_class = 0; chrom_class < GT_CHROM_CLASSES; chrom_class++) {
                struct gt_sex_site_counts c;
                const struct gt_sex_rule rule = {GT_DIPLOID, true};
                gt_sex_count(&rows, &rule, (enum gt_chrom_class)chrom_class, row, scratch, &c);
                wrong += !count_is_right(code, of, n, GT_DIPLOID, (enum gt_chrom_class)chrom_class, &c);
            }
            const unsigned nothing = (unsigned)random_below(4);
            memset(y, 0xff, sizeof y);
            gt_sex_rows_on_y(&rows, row, nothing, y);
            for (int64_t i = 0; i < n; i++)
                wrong_y += get(y, i) != (of[i] == 'M' ? code[i] : (int)nothing);
            for (int64_t i = n; i % 4; i++)
                wrong_y += get(y, i) != 0;
        }
        gt_sex_rows_release(&all);
        gt_sex_rows_release(&rows);
    }
    ok(wrong == 0, "calls of autosomes, X, Y and mitochondria count by sex: %d differ", wrong);
    ok(wrong_y == 0, "only males have calls on Y: %d differ", wrong_y);
}

static void test_no_sexes(void)
{
    uint8_t row[2 + GT_KERNEL_PAD] = {0}, scratch[2 + GT_KERNEL_PAD];
    const int code[] = {0, 1, 2, 3, 2};
    struct gt_sex_rows rows;
    struct gt_sex_site_counts c;
    struct gt_err err = {0};
    const struct gt_sex_rule haploid = {.ploidy = GT_HAPLOID}, diploid = {.ploidy = GT_DIPLOID};
    for (int i = 0; i < 5; i++)
        put(row, i, code[i]);
    gt_sex_rows_make(&rows, NULL, NULL, 5, &err);
    gt_sex_count(&rows, &diploid, GT_CHROM_AUTOSOME, row, scratch, &c);
    ok(!rows.males && count_is_right(code, "?????", 5, GT_DIPLOID, GT_CHROM_AUTOSOME, &c), "without sexes: %lld alleles",
       (long long)c.alleles_x2 / 2);
    gt_sex_rows_release(&rows);
    put(row, 2, 0);
    put(row, 4, 1);
    gt_sex_rows_make(&rows, NULL, NULL, 5, &err);
    gt_sex_count(&rows, &haploid, GT_CHROM_AUTOSOME, row, scratch, &c);
    ok(c.alleles_x2 == 8 && c.alt_alleles_x2 == 4 && c.missing == 1, "haploid data: two of four alleles");
    gt_sex_rows_release(&rows);
}

static void test_rows(void)
{
    struct gt_geno_info input = {.name = (char *)"x", .n_samples = MOST};
    struct gt_sexes *sexes = NULL;
    struct gt_err err = {0};
    char sex[MOST];
    for (int i = 0; i < MOST; i++) {
        sex[i] = "MF?"[random_below(3)];
        gt_strs_addf(&input.samples, &err, "s%d", i);
        gt_strs_addf(&input.pedigree, &err, "0\t0\t%s\t-9", sex[i] == 'M' ? "1" : sex[i] == 'F' ? "2" : "0");
    }
    if (ok(gt_sexes_new(&sexes, "auto", &input, &err) == 0, "seventy samples %s", err.msg))
        test_counts(&input, sexes, sex);
    gt_sexes_free(sexes);
    release(&input);
}

int main(void)
{
    scratch_open();
    test_tables();
    test_of_input();
    test_regions_of_x();
    test_contigs();
    test_rows();
    test_no_sexes();
    scratch_close();
    return done_testing();
}
