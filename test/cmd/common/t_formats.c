/* What names and first bytes of files say: which file may be replaced as one of a kind, and which format a name asks for. */
#include "cmd/common/formats.h"

#include <string.h>

#include "test/support/scratch.h"
#include "test/support/tap.h"

static void test_files(void)
{
    static const struct {
        const char *path, *text, *kind;
        bool wanted;
        int zeros; /* before the text */
    } cases[] = {
        {"a.npy", "hello", "npy", true, 0},
        {"a", "\x93NUMPY\x01", "npy", true, 0},
        {"a", "\x93NUMPY", "npy", true, 0},
        {"a", "\x93NUMP", "npy", false, 0},
        {"a", "x\x93NUMPY", "npy", false, 0},
        {"a.npy.gz", "hello", "npy", false, 0},
        {"a.NPY", "hello", "npy", false, 0},
        {"anpy", "hello", "npy", false, 0},
        {"a", "ustar", "tar", true, 257},
        {"a", "ustar", "tar", false, 256},
        {"a", "ustar", "tar", false, 258},
        {"a", "usta", "tar", false, 257},
        {"a", "ustar", "tar", false, 0},
        {"a.tar", "hello", "tar", true, 0},
        {"a", "\x6c\x1b\x01", "bed", true, 0},
        {"a", "\x6c\x1b\x01", "pgen", false, 0},
        {"a", "\x6c\x1b\x10", "pgen", true, 0},
        {"a", "\x6c\x1b\x10", "bed", false, 0},
        {"a.vcf.gz", "hello", "vcf", true, 0},
        {"a", "##fileformat=VCFv4.3", "vcf", true, 0},
        {"a", "##fileformat=", "vcf", false, 0},
        {"a", "<!DOCTYPE html>", "report", true, 0},
        {"a", "{ \"report\": 1}", "report", true, 0},
        {"a", "{ \"other\": 1}", "report", false, 0},
        {"a", "id1\tid2", "tsv", true, 0},
        {"a", "sample\tx", "tsv", true, 0},
        {"a", "samples\tx", "tsv", false, 0},
        {"a", "", "npy", true, 0},
        {"a", "hello", "none", false, 0},
        {"a.bcf", "hello", "bcf", true, 0},
        {"a", "BCF\2", "bcf", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char bytes[400] = {0};
        const size_t n = strlen(cases[i].text);
        memcpy(bytes + cases[i].zeros, cases[i].text, n);
        scratch_write(cases[i].path, bytes, n + (size_t)cases[i].zeros);
        ok(gt_file_is(cases[i].path, cases[i].kind) == cases[i].wanted, "case %zu: %s of %zu bytes is %s%s", i, cases[i].path,
           n + (size_t)cases[i].zeros, cases[i].wanted ? "" : "not ", cases[i].kind);
    }
    ok(!gt_file_is("there_is_none", "npy"), "a file that is not there");
    ok(strcmp(gt_file_what("npy"), "a NumPy array") == 0 && !gt_file_what("np") && !gt_file_what("npyy"), "what a kind is called");
}

static void test_choices(void)
{
    static const char choices[] = "tsv|npy|condensed|triangle|pairs|plink|king|kin0|zarr|counts";
    static const struct {
        const char *path;
        int given, wanted; /* wanted: -1: an error */
    } cases[] = {
        {"x.npy", -1, 1},  {"x.tsv", -1, 0},      {"x.tsv.gz", -1, 0},   {"x", -1, 0},      {"-", -1, 0},           {"x.zarr", -1, 8},
        {"x.kin0", -1, 7}, {"x.dist.gz", -1, 5},  {"x.mibs.bin", -1, 5}, {"x.king", -1, 6}, {"x.condensed", -1, 2}, {"x.counts", -1, 9},
        {"x.npy", 2, 2},   {"x.condensed", 1, 1}, {"x.npy", 0, -1},      {"x.tsv", 1, -1},  {"x.npy.gz", -1, -1},   {"x.bcf", -1, -1},
        {"x.bed", -1, -1}, {"x.tsv", 3, 3},       {"x.txt", 4, 4},       {"x", 8, 8},       {"dir.npy/x", -1, 0},   {"x.hdf5", -1, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int format = -1;
        struct gt_err err = {0};
        const int status = gt_format_choose("gt-pdist", cases[i].path, choices, cases[i].given, &format, &err);
        ok(cases[i].wanted < 0 ? status == GT_USAGE && err.msg[0] : !status && format == cases[i].wanted, "%s, -O %d: %d %s", cases[i].path,
           cases[i].given, format, err.msg);
    }
}

int main(void)
{
    scratch_open();
    test_files();
    test_choices();
    scratch_close();
    return done_testing();
}
