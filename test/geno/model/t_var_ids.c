/* --set-all-var-ids: which forms are taken, and the IDs that they make, as PLINK 2 describes them. */
#include "geno/model/var_ids.h"

#include <string.h>

#include "test/support/tap.h"

static void test_forms(void)
{
    static const char *const good[] = {"@:#",           "@#",  "#_@",    "chr@:#:$r:$a", "@:#$1$2", "x@y#z", "@:#:$r,$a",
                                       "@:#[b37]$r,$a", "@,#", "@:#:$a", "@:#:$r",       "$2_$1@#", NULL};
    static const char *const bad[] = {"",          "@",         "#",        "x",         "@:# ",
                                      "@\t#",      "@;#",       "@:#\n",    "@:#\r",     "@:#$",
                                      "@:#$x",     "@:#$3",     "@:#$$r",   "@:#$R",     "$@#",
                                      "@:#$r$",    "@#@",       "@:##",     "@:#:$1:$r", "@:#:$1",
                                      "@:#:$2",    "@:#:$r:$r", "@:#:$a$a", "@:#:$1:$1", "@:#:$r:$a:$1:$2",
                                      "@:#$1$2$1", NULL};
    struct gt_err err = {0};
    for (int i = 0; good[i]; i++)
        ok(gt_var_id_check(good[i], &err) == 0, "'%s' is taken", good[i]);
    for (int i = 0; bad[i]; i++)
        ok(gt_var_id_check(bad[i], &err) == GT_USAGE, "'%.*s' is refused", (int)strcspn(bad[i], "\r\n\t"), bad[i]);
}

/* $1 and $2: REF and ALT in alphabetic order; several ALTs stand together. */
static void test_ids(void)
{
    static const struct {
        const char *form, *contig, *alleles[4];
        long long position;
        const char *wanted;
    } cases[] = {
        {"@:#:$r:$a", "chr1", {"A", "C"}, 5, "chr1:5:A:C"},
        {"@:#:$1:$2", "1", {"A", "C"}, 10, "1:10:A:C"},
        {"@:#:$1:$2", "1", {"T", "C"}, 10, "1:10:C:T"},
        {"@:#:$2:$1", "1", {"T", "C"}, 10, "1:10:T:C"},
        {"@:#:$r:$a", "1", {"T", "C"}, 10, "1:10:T:C"},
        {"@:#:$1:$2", "1", {"AT", "A"}, 10, "1:10:A:AT"},
        {"@:#:$a", "X", {"G", "A", "T", "C"}, 3, "X:3:A,T,C"},
        {"@:#:$1:$2", "X", {"G", "T", "A"}, 3, "X:3:G:T,A"},
        {"@:#:$1:$2", "X", {"G", "C", "T"}, 3, "X:3:C,T:G"},
        {"@:#:$r:$a", "1", {"A"}, 7, "1:7:A:."},
        {"@:#:$1:$2", "1", {"A"}, 7, "1:7:.:A"},
        {"<@>#<", "MT", {"A", "C"}, 123456789012, "<MT>123456789012<"},
        {"@:#:$1:$2", "1", {"A", "A"}, 7, "1:7:A:A"},
    };
    struct gt_block block;
    struct gt_err err = {0};
    gt_block_init(&block, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gt_str id = {0};
        struct gt_site site = {.position = cases[i].position};
        gt_strs_clear(&block.alleles);
        gt_strs_add(&block.alleles, "other", 5, &err);
        site.first_allele = 1;
        for (; site.n_alleles < 4 && cases[i].alleles[site.n_alleles]; site.n_alleles++)
            gt_strs_add(&block.alleles, cases[i].alleles[site.n_alleles], strlen(cases[i].alleles[site.n_alleles]), &err);
        gt_strs_add(&block.alleles, "next", 4, &err);
        gt_var_id_add(&id, cases[i].form, cases[i].contig, &block, &site);
        ok(strcmp(id.s, cases[i].wanted) == 0, "%s: %s", cases[i].form, id.s);
        gt_str_release(&id);
    }
    gt_block_release(&block);
}

int main(void)
{
    test_forms();
    test_ids();
    return done_testing();
}
