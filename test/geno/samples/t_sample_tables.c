/* Tables of samples: lists of -s, -S and --keep-fam, .fam and .psam files, groups.  Each line of input has its meaning next to it. */
#include <stdlib.h>
#include <string.h>

#include "core/base/slice.h"
#include "geno/samples/fam.h"
#include "geno/samples/groups.h"
#include "geno/samples/pedigree.h"
#include "geno/samples/sample_list.h"
#include "geno/writers/plink_files.h"
#include "test/support/scratch.h"
#include "test/support/tap.h"

enum { TEXT = 400 };

static struct gt_strs list_of(const char *const *texts)
{
    struct gt_strs list = {0};
    for (; *texts; texts++)
        gt_strs_add(&list, *texts, strlen(*texts), NULL);
    return list;
}

static const char *joined(const struct gt_strs *list, char text[TEXT])
{
    size_t n = 0;
    *text = 0;
    for (size_t i = 0; i < list->n; i++)
        n += (size_t)snprintf(text + n, TEXT - n, "%s%s", i ? "|" : "", gt_strs_get(list, i));
    return text;
}

static void write_text(const char *path, const char *text)
{
    scratch_write(path, text, strlen(text));
}

/* --- lists ---------------------------------------------------------------------------------------------------------------- */

struct list_case {
    const char *samples, *file, *keep_fam, *slice; /* file, keep_fam: text, whose ^ is that of the option */
    int status;
    const char *wanted; /* numbers; "all": as they stand; part of the message of an error */
    size_t notes;
};

static const char *option(const char *path, const char *text, char arg[32])
{
    if (!text)
        return NULL;
    write_text(path, text + (*text == '^'));
    snprintf(arg, 32, "%s%s", *text == '^' ? "^" : "", path);
    return arg;
}

static void check_list(const struct gt_geno_info *input, const struct list_case *c)
{
    char file[32], keep_fam[32], text[TEXT] = "";
    struct gt_select_opts o = GT_SELECT_ALL;
    struct gt_slice slice[2] = {0};
    struct gt_strs notes = {0};
    struct gt_err err = {0};
    uint32_t *chosen = NULL;
    int64_t n = 0;
    size_t len = 0;
    o.samples = c->samples;
    o.samples_file = option("samples.txt", c->file, file);
    o.keep_fam = option("families.txt", c->keep_fam, keep_fam);
    if (c->slice)
        gt_slice_parse(c->slice, slice, 2, &err);
    const int status = gt_samples_choose(&o, &slice[1], input, &chosen, &n, &notes, &err);
    if (!chosen)
        snprintf(text, sizeof text, "%s", n == (int64_t)input->samples.n ? "all" : "?");
    for (int64_t i = 0; chosen && i < n; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%u", i ? " " : "", chosen[i]);
    const bool good = status ? strstr(err.msg, c->wanted) || strstr(err.hint, c->wanted) : strcmp(text, c->wanted) == 0;
    ok(status == c->status && good && notes.n == c->notes, "-s %s -S '%s' --keep-fam '%s' --slice %s: %s", c->samples ? c->samples : "",
       c->file ? c->file : "", c->keep_fam ? c->keep_fam : "", c->slice ? c->slice : "", status ? err.msg : text);
    free(chosen);
    gt_strs_release(&notes);
}

static void test_lists(void)
{
    static const char *const ids[] = {"a", "b", "c", "d", "e", NULL}, *const plink_ids[] = {"f1\ta", "f1\tb", "f2\tc",
                                                                                            "0\td",  "f3\te", NULL};
    static const struct list_case cases[] = {
        {.wanted = "all"},
        {.samples = "c,a", .wanted = "2 0"},
        {.samples = "a,b,c,d,e", .wanted = "all"},
        {.samples = "b,a,c,d,e", .wanted = "1 0 2 3 4"},
        {.samples = "^c", .wanted = "0 1 3 4"},
        {.samples = "^e,a", .wanted = "1 2 3"},
        {.samples = "c,a,c", .status = GT_INPUT, .wanted = "'c' is listed twice"},
        {.samples = "a,,b", .status = GT_USAGE, .wanted = "empty"},
        {.samples = "a,", .status = GT_USAGE, .wanted = "empty"},
        {.samples = "", .status = GT_USAGE, .wanted = "empty"},
        {.samples = "x,a,y", .wanted = "0", .notes = 1},
        {.samples = "^x", .wanted = "all", .notes = 1},
        {.samples = "x,y", .status = GT_INPUT, .wanted = "no sample 'x'"},
        {.samples = "A", .status = GT_INPUT, .wanted = "did you mean 'a'"},
        {.samples = " c ", .status = GT_INPUT, .wanted = "did you mean 'c'"},
        {.samples = "^a,b,c,d,e", .status = GT_INPUT, .wanted = "no samples of 'x.bed' are left"},
        {.samples = "a", .file = "a\n", .status = GT_USAGE, .wanted = "-S"},
        {.file = "c\na\n", .wanted = "2 0"},
        {.file = "^c\na\n", .wanted = "1 3 4"},
        {.file = "\n \t\nb\n", .wanted = "1"},
        {.file = "f2 c\nf1 a\n", .wanted = "2 0"},
        {.file = "f2\tc\textra\n", .wanted = "2"},
        {.file = "#FID IID\nf1 b\n", .wanted = "1"},
        {.file = "#IID\nb\n", .wanted = "1"},
        {.file = "b\n#IID\n", .wanted = "1", .notes = 1},
        {.file = "0 a\n", .wanted = "0"},
        {.file = "f9 d\n", .wanted = "3"},
        {.file = "a f9\n", .wanted = "0"},
        {.file = "f2 a\nf1 b\n", .wanted = "1", .notes = 1},
        {.file = "f2 a\n", .status = GT_INPUT, .wanted = "its family id is 'f1'"},
        {.file = "f a\n", .status = GT_INPUT, .wanted = "its family id is 'f1'"},
        {.file = "b\nb\n", .status = GT_INPUT, .wanted = "'b' is listed twice"},
        {.file = "\n", .status = GT_USAGE, .wanted = "lists no samples"},
        {.file = "x\n", .status = GT_INPUT, .wanted = "no sample 'x'"},
        {.keep_fam = "f1\n", .wanted = "0 1"},
        {.keep_fam = "f1 f2\n", .wanted = "0 1 2"},
        {.keep_fam = "f\nf2\n", .wanted = "2", .notes = 1},
        {.keep_fam = "0\n", .wanted = "3"},
        {.keep_fam = "^f1\nf3\n", .wanted = "2 3"},
        {.keep_fam = "^f9\n", .wanted = "all", .notes = 1},
        {.keep_fam = "f9\n", .status = GT_INPUT, .wanted = "no family id 'f9'"},
        {.keep_fam = "\n", .status = GT_USAGE, .wanted = "lists no families"},
        {.samples = "c,b,e,a", .keep_fam = "f1\nf3\n", .wanted = "1 4 0"},
        {.samples = "c", .keep_fam = "f1\n", .status = GT_INPUT, .wanted = "no samples of 'x.bed' are left"},
        {.samples = "x,a", .keep_fam = "f1\n", .wanted = "0", .notes = 1},
        {.slice = ":,1:4", .wanted = "1 2 3"},
        {.slice = ":,1::2", .wanted = "1 3"},
        {.slice = ":,-2:", .wanted = "3 4"},
        {.slice = ":,:", .wanted = "all"},
        {.samples = "e,d,b", .slice = ":,1:4", .wanted = "3 1"},
        {.samples = "e,d,b", .slice = ":,1:4:2", .wanted = "3 1"},
        {.samples = "a", .slice = ":,1:4", .status = GT_INPUT, .wanted = "no samples of 'x.bed' are left"},
    };
    struct gt_geno_info input = {.name = (char *)"x.bed", .samples = list_of(ids), .plink_ids = list_of(plink_ids)};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_list(&input, &cases[i]);
    gt_strs_release(&input.samples);
    gt_strs_release(&input.plink_ids);
}

/* Samples of a .fam whose IIDs are not unique, and of an input without family ids. */
static void test_other_ids(void)
{
    static const char *const ids[] = {"f2_z", "f1_x", "f2_x", NULL}, *const plink_ids[] = {"f2\tz", "f1\tx", "f2\tx", NULL};
    static const char *const plain[] = {"a", "b", NULL};
    static const struct list_case of_joined[] = {
        {.samples = "f2_x", .wanted = "2"},
        {.file = "f2 x\nf1 x\n", .wanted = "2 1"},
        {.file = "f2_z\n", .wanted = "0"},
        {.samples = "z", .status = GT_INPUT, .wanted = "IIDs are not unique"},
        {.samples = "x", .status = GT_INPUT, .wanted = "IIDs are not unique"},
        {.samples = "q", .status = GT_INPUT, .wanted = "gt-info --stats samples"},
    };
    static const struct list_case of_plain[] = {
        {.file = "0 b\n", .wanted = "1"},
        {.file = "f9 b\n", .wanted = "1"},
        {.file = "b 1.5\n", .wanted = "1"},
        {.file = "b b\n", .wanted = "1"},
        {.file = "a b\n", .status = GT_INPUT, .wanted = "'a b' names two samples"},
        {.keep_fam = "a\n", .status = GT_USAGE, .wanted = "needs family ids"},
    };
    struct gt_geno_info input = {.name = (char *)"x.bed", .samples = list_of(ids), .plink_ids = list_of(plink_ids)};
    for (size_t i = 0; i < sizeof of_joined / sizeof *of_joined; i++)
        check_list(&input, &of_joined[i]);
    gt_strs_release(&input.samples);
    gt_strs_release(&input.plink_ids);
    input = (struct gt_geno_info){.name = (char *)"x.vcf", .samples = list_of(plain)};
    for (size_t i = 0; i < sizeof of_plain / sizeof *of_plain; i++)
        check_list(&input, &of_plain[i]);
    gt_strs_release(&input.samples);
}

/* --- .fam and .psam ------------------------------------------------------------------------------------------------------- */

static void test_fam(void)
{
    static const struct {
        const char *text;
        bool psam, joined;
        int status;
        const char *ids, *columns, *more; /* ids: part of the message of an error */
    } cases[] = {
        {"f1 a p m 1 2\nf2\tb\ta\tq\t2\t-9\n", false, false, 0, "a|b", "f1\ta|f2\tb", "p\tm\t1\t2|a\tq\t2\t-9"},
        {"f1 a\n\n  f2   b 0 0 1\n", false, false, 0, "a|b", "f1\ta|f2\tb", "0\t0\t0\t-9|0\t0\t1\t-9"},
        {"f a 0 0 M NA more\n", false, false, 0, "a", "f\ta", "0\t0\tM\tNA"},
        {"#f a\n", false, false, 0, "a", "#f\ta", "0\t0\t0\t-9"},
        {"f1 a\nf2 a\nf2 b\n", false, true, 0, "f1_a|f2_a|f2_b", "f1\ta|f2\ta|f2\tb", "0\t0\t0\t-9|0\t0\t0\t-9|0\t0\t0\t-9"},
        {"f a\nf a\n", false, true, GT_INPUT, "sample f a is duplicated", "", ""},
        {"a_b c\na b_c\nx c\n", false, true, GT_INPUT, "sample a b_c is duplicated", "", ""},
        {"f a\nb\n", false, false, GT_INPUT, "line 2: one column", "", ""},
        {"\n", false, false, GT_INPUT, "lists no samples", "", ""},
        {"f1 a p m 1 2\n", true, false, 0, "a", "f1\ta", "p\tm\t1\t2"},
        {"#IID SEX\na 1\nb NA\nc M\nd F\ne 2\n", true, false, 0, "a|b|c|d|e", "0\ta|0\tb|0\tc|0\td|0\te",
         "0\t0\t1\t-9|0\t0\t0\t-9|0\t0\t1\t-9|0\t0\t2\t-9|0\t0\t2\t-9"},
        {"##x\n#FID\tIID\tSID\tMAT\tPAT\tSEX\tAGE\tQ\nf\ta\ts\tm\tp\tF\t7\t8\ng\tb\ts\tNA\tp\t0\tNONE\t8\n", true, false, 0, "a|b",
         "f\ta|g\tb", "p\tm\t2\t7|p\t0\t0\t-9"},
        {"#FID IID PAT\nf a NONE\n", true, false, 0, "a", "f\ta", "NONE\t0\t0\t-9"},
        {"#IID\na\n#b\n", true, false, 0, "a|#b", "0\ta|0\t#b", "0\t0\t0\t-9|0\t0\t0\t-9"},
        {"#FID SEX\nf 1\n", true, false, GT_INPUT, "no column IID", "", ""},
        {"#FID IID\nf a\nf\n", true, false, GT_INPUT, "line 3: it has no IID", "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gt_strs ids = {0}, columns = {0}, more = {0};
        struct gt_err err = {0};
        char text[3][TEXT];
        bool is_joined = false;
        write_text("x.fam", cases[i].text);
        const int status = gt_fam_read("x.fam", cases[i].psam, &ids, &columns, &more, &is_joined, &err);
        const bool good = status ? strstr(err.msg, cases[i].ids) != NULL
                                 : strcmp(joined(&ids, text[0]), cases[i].ids) == 0 &&
                                       strcmp(joined(&columns, text[1]), cases[i].columns) == 0 &&
                                       strcmp(joined(&more, text[2]), cases[i].more) == 0;
        ok(status == cases[i].status && good && (status || is_joined == cases[i].joined), "%s, case %zu: %s",
           cases[i].psam ? ".psam" : ".fam", i, status ? err.msg : text[0]);
        gt_strs_release(&ids);
        gt_strs_release(&columns);
        gt_strs_release(&more);
    }
}

/* Columns of a .fam as arrays and back: an array that says nothing is left out, a value with a blank is refused. */
static void test_pedigree(void)
{
    static const char *const ids[] = {"a", "b", NULL}, *const plink_ids[] = {"0\ta", "0\tb", NULL},
                             *const pedigree[] = {"0\t0\t1\t-9", "a\t0\t0\t-9", NULL};
    static const char *const column[GT_FAM_COLUMNS] = {"0|0", "a|b", "0|a", "0|0", "1|0", "-9|-9"};
    struct gt_geno_info info = {
        .name = (char *)"x", .samples = list_of(ids), .plink_ids = list_of(plink_ids), .pedigree = list_of(pedigree)};
    struct gt_geno_info back = {.name = (char *)"x", .samples = info.samples}, none = {.name = (char *)"x", .samples = info.samples};
    struct gt_strs texts[GT_FAM_COLUMNS] = {0}, bad[GT_FAM_COLUMNS] = {0};
    struct gt_err err = {0};
    char text[TEXT], other[TEXT];
    bool same = true, none_needed = true;
    for (int c = 0; c < GT_FAM_COLUMNS; c++) {
        same = same && gt_fam_needed(&info, c) == (c == GT_FAM_FATHER || c == GT_FAM_SEX);
        none_needed = none_needed && !gt_fam_needed(&none, c);
        gt_fam_texts(&info, c, &texts[c], &err);
        same = same && strcmp(joined(&texts[c], text), column[c]) == 0;
        if (!gt_fam_needed(&info, c))
            gt_strs_release(&texts[c]);
    }
    ok(same && none_needed, "columns of a .fam, and which of them say something");
    same = gt_fam_take(&back, texts, &err) == 0 && strcmp(joined(&back.plink_ids, text), joined(&info.plink_ids, other)) == 0;
    ok(same && strcmp(joined(&back.pedigree, text), joined(&info.pedigree, other)) == 0, "and back: %s", text);
    ok(gt_fam_take(&none, bad, &err) == 0 && none.plink_ids.n == 0 && none.pedigree.n == 0, "no arrays, no columns");
    static const char *const wrong[][3] = {{"x y", "z", NULL}, {"z", "", NULL}, {"z", "x\ty", NULL}, {"z", NULL, NULL}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bad[GT_FAM_MOTHER] = list_of(wrong[i]);
        ok(gt_fam_take(&none, bad, &err) == GT_INPUT && strstr(err.msg, "sample_maternal_id"), "%s", err.msg);
        gt_strs_release(&bad[GT_FAM_MOTHER]);
        gt_strs_release(&none.plink_ids);
        gt_strs_release(&none.pedigree);
    }
    gt_strs_release(&back.plink_ids);
    gt_strs_release(&back.pedigree);
    gt_strs_release(&info.plink_ids);
    gt_strs_release(&info.pedigree);
    for (int c = 0; c < GT_FAM_COLUMNS; c++)
        gt_strs_release(&texts[c]);
    gt_strs_release(&info.samples);
}

/* --- groups --------------------------------------------------------------------------------------------------------------- */

static void show_groups(const struct gt_groups *g, int64_t n, char text[TEXT])
{
    size_t len = 0;
    *text = 0;
    for (size_t k = 0; k < g->names.n; k++) {
        len += (size_t)snprintf(text + len, TEXT - len, "%s%s:", k ? " " : "", gt_strs_get(&g->names, k));
        for (int64_t i = g->first[k]; i < g->first[k + 1]; i++)
            len += (size_t)snprintf(text + len, TEXT - len, "%u%s", g->samples[i], g->of[g->samples[i]] == (int32_t)k ? "" : "?");
    }
    int64_t out = 0;
    for (int64_t i = 0; i < n; i++)
        out += g->of[i] < 0;
    snprintf(text + len, TEXT - len, " out %lld absent %lld other %lld%s", (long long)g->left_out, (long long)g->absent,
             (long long)g->other_family, out == g->left_out ? "" : "?");
}

static void test_groups(void)
{
    static const char *const ids[] = {"a", "b", "c", "d", "e", NULL}, *const plink_ids[] = {"f1\ta", "f1\tb", "f2\tc",
                                                                                            "0\td",  "f3\te", NULL};
    static const struct {
        const char *text;
        int status;
        const char *wanted;
    } cases[] = {
        {"c X\nb Y\na X\n", 0, "X:02 Y:1 out 2 absent 0 other 0"},
        {"# a Z\n\n  \na X\n", 0, "X:0 out 4 absent 0 other 0"},
        {"e\tbig group\nd\tb\n", 0, "big group:4 b:3 out 3 absent 0 other 0"},
        {"f1 a X\nf2\tc\tmore\tY\n", 0, "X:0 Y:2 out 3 absent 0 other 0"},
        {"f9 a X\n0 b X\nf9 d X\n", 0, "X:013 out 2 absent 0 other 1"},
        {"q X\na Y\nq Z\n", 0, "Y:0 out 4 absent 2 other 0"},
        {"a X\nb X\na X\n", 0, "X:01 out 3 absent 0 other 0"},
        {"a X\nb Y\na Y\n", GT_INPUT, "sample 'a' in two groups, 'X' and 'Y'"},
        {"a X\nb\n", GT_INPUT, "line 2: a sample without a group"},
        {"q X\n", GT_INPUT, "has no sample of 'x.bed'"},
    };
    struct gt_strs samples = list_of(ids), columns = list_of(plink_ids);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gt_groups groups;
        struct gt_err err = {0};
        char text[TEXT] = "";
        write_text("groups.txt", cases[i].text);
        const int status = gt_groups_read(&groups, "groups.txt", &samples, &columns, "x.bed", &err);
        if (!status)
            show_groups(&groups, (int64_t)samples.n, text);
        ok(status == cases[i].status && (status ? strstr(err.msg, cases[i].wanted) != NULL : strcmp(text, cases[i].wanted) == 0),
           "groups, case %zu: %s", i, status ? err.msg : text);
        if (!status)
            gt_groups_release(&groups);
    }
    gt_strs_release(&samples);
    gt_strs_release(&columns);
}

/* Lines of a .fam: families that are given before those of the input, which no command gives both of. */
static void test_fam_lines(void)
{
    static const char *const ids[] = {"a", "b", NULL}, *const plink_ids[] = {"f1\ta", "f2\tb", NULL}, *const given[] = {"p1", "p2", NULL};
    struct gt_geno_info info = {.name = (char *)"x", .samples = list_of(ids), .plink_ids = list_of(plink_ids)};
    const struct gt_geno_info bare = {.name = (char *)"x", .samples = info.samples};
    struct gt_strs families = list_of(given), none = {0};
    const struct {
        const struct gt_geno_info *info;
        const struct gt_strs *families;
        const char *want;
    } cases[] = {{&info, &families, "p1\ta\t0\t0\t0\t-9\np2\tb\t0\t0\t0\t-9\n"},
                 {&bare, &families, "p1\ta\t0\t0\t0\t-9\np2\tb\t0\t0\t0\t-9\n"},
                 {&info, NULL, "f1\ta\t0\t0\t0\t-9\nf2\tb\t0\t0\t0\t-9\n"},
                 {&info, &none, "f1\ta\t0\t0\t0\t-9\nf2\tb\t0\t0\t0\t-9\n"},
                 {&bare, NULL, "0\ta\t0\t0\t0\t-9\n0\tb\t0\t0\t0\t-9\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gt_str text = {0};
        const int status = gt_fam_text(&text, cases[i].info, cases[i].families, NULL);
        ok(!status && strcmp(text.s, cases[i].want) == 0, "lines of a .fam, case %zu", i);
        gt_str_release(&text);
    }
    gt_strs_release(&families);
    gt_strs_release(&info.samples);
    gt_strs_release(&info.plink_ids);
}

int main(void)
{
    scratch_open();
    test_lists();
    test_other_ids();
    test_fam();
    test_pedigree();
    test_fam_lines();
    test_groups();
    scratch_close();
    return done_testing();
}
