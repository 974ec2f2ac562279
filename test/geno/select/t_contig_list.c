/* --contigs and --not-chr: which of these contigs each list keeps. */
#include "geno/select/contig_list.h"

#include <string.h>

#include "test/support/tap.h"

static const char *const contigs[] = {"1", "2", "3", "10", "22", "23", "X", "chrX", "Y", "MT", "chr2", "XY", "GL"};
enum { N_CONTIGS = sizeof contigs / sizeof *contigs };

static const struct {
    const char *text;
    bool excluded;
    const char *kept; /* NULL: an error */
    int64_t named;
    const char *absent;
} cases[] = {
    {"1,X", false, "1 X", 2, ""},
    {"X,1,X", false, "1 X", 2, ""},
    {"chr2", false, "chr2", 1, ""},
    {"^1,X", false, "2 3 10 22 Y MT chr2 XY GL", 2, ""},
    {"^2", false, "1 3 10 22 23 X chrX Y MT XY GL", 1, ""},
    {"1,X", true, "2 3 10 22 Y MT chr2 XY GL", 2, ""},
    {"^1,X", true, "2 3 10 22 Y MT chr2 XY GL", 2, ""},
    {"1-3", false, "1 2 3 chr2", 1, ""},
    {"chr1-chr3", false, "1 2 3 chr2", 1, ""},
    {"CHR2-10,GL", false, "2 3 10 chr2 GL", 2, ""},
    {"2-2,1-1", false, "1 2 chr2", 2, ""},
    {"23-25", false, "23 X chrX Y XY", 1, ""},
    {"26-9999", false, "MT", 1, ""},
    {"^1-22", false, "23 X chrX Y MT XY GL", 1, ""},
    {"1-3", true, "10 22 23 X chrX Y MT XY GL", 1, ""},
    {"3-2,1", false, "1", 2, "3-2"},
    {"0-3,1", false, "1", 2, "0-3"},
    {"01-3,1", false, "1", 2, "01-3"},
    {"1-,1", false, "1", 2, "1-"},
    {"-3,1", false, "1", 2, "-3"},
    {"1-3x,1", false, "1", 2, "1-3x"},
    {"1-/,1", false, "1", 2, "1-/"},
    {"1-:,1", false, "1", 2, "1-:"},
    {"chr-3,1", false, "1", 2, "chr-3"},
    {"1-10000,1", false, "1", 2, "1-10000"},
    {"2-3-4,1", false, "1", 2, "2-3-4"},
    {"HLA-1", false, "", 1, ""}, /* a contig's name, not a range */
    {"q,1,r,q", false, "1", 3, "q r"},
    {"^q", false, "1 2 3 10 22 23 X chrX Y MT chr2 XY GL", 1, "q"},
    {"autosomes", false, "1 2 3 10 22 chr2", 0, ""},
    {"^autosomes", false, "23 X chrX Y MT XY GL", 0, ""},
    {"autosomes", true, "23 X chrX Y MT XY GL", 0, ""},
    {"", false, NULL, 0, ""},
    {"^", false, NULL, 0, ""},
    {"1,,2", false, NULL, 0, ""},
    {"1,", false, NULL, 0, ""},
};

static void append(char *text, size_t room, const char *word)
{
    const size_t n = strlen(text);
    snprintf(text + n, room - n, "%s%s", n ? " " : "", word);
}

int main(void)
{
    struct gt_err err = {0};
    struct gt_names *known = gt_names_new(NULL, &err);
    for (int64_t i = 0; i < N_CONTIGS; i++)
        gt_names_add(known, contigs[i], strlen(contigs[i]), i, NULL, &err);
    gt_names_add(known, "HLA-1", 5, N_CONTIGS, NULL, &err);
    gt_names_add(known, "5-6", 3, N_CONTIGS + 1, NULL, &err);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gt_contig_list *list = NULL;
        struct gt_strs absent = {0};
        char kept[200] = "", missing[100] = "";
        int64_t named = 0;
        const int status = gt_contig_list_parse(&list, cases[i].text, cases[i].excluded, known, &named, &absent, &err);
        for (size_t c = 0; c < N_CONTIGS && !status; c++)
            if (gt_contig_list_keeps(list, contigs[c]))
                append(kept, sizeof kept, contigs[c]);
        for (size_t k = 0; k < absent.n; k++)
            append(missing, sizeof missing, gt_strs_get(&absent, k));
        if (cases[i].kept)
            ok(!status && strcmp(kept, cases[i].kept) == 0 && named == cases[i].named && strcmp(missing, cases[i].absent) == 0,
               "%s %s keeps %s; absent: '%s'", cases[i].excluded ? "--not-chr" : "--contigs", cases[i].text, kept, missing);
        else
            ok(status == GT_USAGE, "'%s': %s", cases[i].text, err.msg);
        if (!status)
            gt_contig_list_free(list);
        gt_strs_release(&absent);
    }
    struct gt_contig_list *list = NULL;
    struct gt_strs absent = {0};
    int64_t named = 0;
    ok(gt_contig_list_parse(&list, "5-6", false, known, &named, &absent, &err) == 0 && gt_contig_list_keeps(list, "5-6") &&
           !gt_contig_list_keeps(list, "5"),
       "what a contig is called is no range");
    gt_contig_list_free(list);
    gt_names_free(known);
    return done_testing();
}
