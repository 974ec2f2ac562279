/* Lists of variant ids, and which of them were met. */
#include "geno/select/id_list.h"

#include <string.h>

#include "test/support/scratch.h"
#include "test/support/tap.h"

static bool is_read(const char *text, const char *const *wanted)
{
    struct gt_id_list list = {.ids = {0}};
    struct gt_err err = {0};
    scratch_write("ids.txt", text, strlen(text));
    bool same = gt_id_list_read(&list, "ids.txt", &err) == 0;
    size_t n = 0;
    for (; same && wanted[n]; n++)
        same = n < list.ids.n && strcmp(gt_strs_get(&list.ids, n), wanted[n]) == 0 && gt_id_list_has(&list, wanted[n]);
    same = same && list.ids.n == n && !gt_id_list_has(&list, "no") && !gt_id_list_has(&list, "") && !gt_id_list_has(&list, "rs");
    gt_id_list_release(&list);
    return same;
}

int main(void)
{
    static const char *const three[] = {"rs3", "rs1", "rs2", NULL}, *const one[] = {"my id", NULL};
    struct gt_id_list list = {.ids = {0}};
    struct gt_err err = {0};
    int64_t met[3] = {10, 20, 30};
    scratch_open();
    ok(is_read("rs3\nrs1\nrs2\n", three), "a line each");
    ok(is_read("rs3 rs1\n\n  rs2 rs1\r\nrs3", three), "some in a line, some twice, no last line end");
    ok(is_read("my id\t\n", one), "a tab says that blanks are of an id");
    scratch_write("ids.txt", "\n \n", 3);
    ok(gt_id_list_read(&list, "ids.txt", &err) == GT_USAGE, "%s", err.msg);
    gt_id_list_release(&list);
    ok(gt_id_list_read(&list, "none.txt", &err) == GT_FAIL, "%s", err.msg);
    gt_id_list_release(&list);
    scratch_write("ids.txt", "a b c\n", 6);
    bool good = gt_id_list_read(&list, "ids.txt", &err) == 0;
    gt_id_list_meet(&list, "a");
    gt_id_list_meet(&list, "c");
    gt_id_list_meet(&list, "c");
    gt_id_list_meet(&list, "d");
    gt_id_list_add_met(&list, met);
    ok(good && met[0] == 11 && met[1] == 20 && met[2] == 31, "two of three were met: %lld %lld %lld", (long long)met[0], (long long)met[1],
       (long long)met[2]);
    gt_id_list_release(&list);
    scratch_close();
    return done_testing();
}
