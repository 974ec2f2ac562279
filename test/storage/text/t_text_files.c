/* Text files: BGZF where the name says so, at the size that is gathered; ids as they go into tables; heads of .npy; keys of stores. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "storage/store/key.h"
#include "storage/text/id_text.h"
#include "storage/text/npy_head.h"
#include "storage/text/text_file.h"
#include "test/support/scratch.h"
#include "test/support/tap.h"

static void test_names(void)
{
    static const struct {
        const char *path;
        size_t stem;
    } cases[] = {{"a.tsv", 5}, {"a.tsv.gz", 5}, {"a.tsv.bgz", 5}, {"a.gzip", 6}, {"gz", 2}, {".gz", 0}, {"a.GZ", 4}, {"a.gz/b", 6}};
    bool same = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        same &= gt_text_stem(cases[i].path) == cases[i].stem && gt_text_is_packed(cases[i].path) == (cases[i].path[cases[i].stem] != 0);
    ok(same, "names of packed texts");
}

/* n bytes in pieces of `step`, into a file that python reads. */
static void check_packed(size_t n, size_t step, bool flush)
{
    struct gt_outfile out = {0};
    struct gt_err err = {0};
    struct gt_budget budget;
    char *text = malloc(n + 1), program[600];
    for (size_t i = 0; i < n; i++)
        text[i] = (char)('a' + i / 7 % 26);
    gt_budget_init(&budget, 8 << 20);
    int status = gt_text_open(&out, "x.gz", &budget, &err);
    for (size_t at = 0; at < n && !status; at += step) {
        status = gt_outfile_write(&out, text + at, n - at < step ? n - at : step, &err);
        if (!status && flush)
            status = gt_text_flush(&out, &err);
    }
    const bool counted = budget.used > 0 || n == 0 || flush;
    status = status ? status : gt_outfile_commit(&out, &err);
    snprintf(program, sizeof program,
             "import gzip, re\n"
             "raw = open('x.gz', 'rb').read()\n"
             "n = %zu\n"
             "assert gzip.decompress(raw) == bytes(97 + i // 7 %% 26 for i in range(n))\n"
             "end = bytes.fromhex('1f8b08040000000000ff0600424302001b0003000000000000000000')\n"
             "assert raw.endswith(end) and raw.count(end) == 1 and (n or raw == end) and len(raw) < 200000\n"
             "at, blocks = 0, 0\n"
             "while at < len(raw):\n"
             "    at += int.from_bytes(raw[at + 16:at + 18], 'little') + 1\n"
             "    blocks += 1\n"
             "assert at == len(raw) and blocks - 1 <= %zu, blocks\n",
             n, flush ? n / step + 1 + n / 60000 : n / 60000 + 2 + n / (1 << 20));
    ok(!status && counted && scratch_python(program) && budget.used == 0, "%zu bytes by %zu%s %s", n, step, flush ? ", flushed" : "",
       err.msg);
    gt_outfile_abort(&out);
    free(text);
}

static void test_put(void)
{
    struct gt_outfile out = {0};
    struct gt_err err = {0};
    struct gt_str text = {0};
    size_t n;
    gt_text_open(&out, "plain.txt", NULL, &err);
    gt_str_add(&text, "four");
    ok(gt_text_put(&out, &text, 5, &err) == 0 && text.len == 4, "less than is gathered stays");
    ok(gt_text_put(&out, &text, 4, &err) == 0 && text.len == 0, "as much is written");
    gt_str_add(&text, "!");
    ok(gt_text_put(&out, &text, 0, &err) == 0 && text.len == 0 && gt_text_put(&out, &text, 0, &err) == 0, "and the rest");
    ok(gt_text_flush(&out, &err) == 0 && gt_outfile_commit(&out, &err) == 0, "a plain text needs no flush %s", err.msg);
    unsigned char *data = scratch_read("plain.txt", &n);
    ok(data && n == 5 && memcmp(data, "four!", 5) == 0, "it has what was put");
    free(data);
    gt_str_fail(&text);
    ok(gt_text_put(&out, &text, 0, &err) != 0, "a text without memory is an error: %s", err.msg);
    gt_str_release(&text);
}

static void ids_text(const struct gt_strs *ids, const struct gt_strs *plink, enum gt_id_style style, const char *wanted)
{
    struct gt_str text = {0};
    gt_ids_text(&text, ids, plink, style);
    ok(text.s && strcmp(text.s, wanted) == 0, "ids in style %d", (int)style);
    gt_str_release(&text);
}

static void test_ids(void)
{
    static const char *const bad[] = {"a\tb", "a\n", "\r", "a b", "a\v", "\f", ""};
    struct gt_strs ids = {0}, plink = {0};
    gt_strs_add(&ids, "a", 1, NULL);
    gt_strs_add(&ids, "b", 1, NULL);
    gt_strs_add(&plink, "F\ta", 3, NULL);
    gt_strs_add(&plink, "G\tb", 3, NULL);
    ids_text(&ids, NULL, GT_IDS_PLAIN, "a\nb\n");
    ids_text(&ids, &plink, GT_IDS_PLAIN, "a\nb\n");
    ids_text(&ids, NULL, GT_IDS_PLINK, "0\ta\n0\tb\n");
    ids_text(&ids, &plink, GT_IDS_PLINK, "F\ta\nG\tb\n");
    ids_text(&ids, NULL, GT_IDS_PLINK2, "#FID\tIID\n0\ta\n0\tb\n");
    ids_text(&ids, &plink, GT_IDS_PLINK2, "#FID\tIID\nF\ta\nG\tb\n");
    ok(gt_check_ids(&ids, NULL) == 0 && gt_check_plink_ids(&ids, NULL) == 0, "plain ids");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int last = 0; last < 2; last++) {
            struct gt_err err = {0}, plink_err = {0};
            gt_strs_clear(&ids);
            gt_strs_add(&ids, last ? "a" : bad[i], strlen(last ? "a" : bad[i]), NULL);
            gt_strs_add(&ids, last ? bad[i] : "a", strlen(last ? bad[i] : "a"), NULL);
            ok(gt_check_ids(&ids, &err) == (i < 3 ? GT_INPUT : 0) && (i >= 3 || strstr(err.msg, "contains a tab or newline")),
               "id %zu in a table", i);
            ok(gt_check_plink_ids(&ids, &plink_err) == GT_INPUT && strstr(plink_err.msg, *bad[i] ? "white space" : "is empty") &&
                   strstr(plink_err.hint, "reheader -s"),
               "id %zu in PLINK's files: %s", i, plink_err.msg);
        }
    gt_strs_release(&ids);
    gt_strs_release(&plink);
}

static void test_npy(void)
{
    char head[GT_NPY_HEAD], shape[768];
    bool same = true;
    for (int n = 1; n < 768; n++) { /* every length of the text */
        memset(shape, '1', (size_t)n);
        memcpy(shape + n, "\0", 1);
        const size_t total = gt_npy_head(head, n % 2 ? "<f8" : "|i1", shape, n % 3 == 0);
        char wanted[GT_NPY_HEAD];
        const int len = snprintf(wanted, sizeof wanted, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", n % 2 ? "<f8" : "|i1",
                                 n % 3 ? "False" : "True", shape);
        same &= total % 64 == 0 && total >= (size_t)len + 11 && total < (size_t)len + 11 + 64 && head[total - 1] == '\n' &&
                memcmp(head, "\x93NUMPY\x01\x00", 8) == 0 && (unsigned char)head[8] + 256u * (unsigned char)head[9] == total - 10 &&
                memcmp(head + 10, wanted, (size_t)len) == 0 && strspn(head + 10 + len, " ") == total - 11 - (size_t)len;
    }
    ok(same, "heads of .npy of every length");
    double numbers[] = {0, -1.5, 1e300}, was[3];
    memcpy(was, numbers, sizeof was);
    gt_npy_numbers(numbers, 2);
    gt_npy_numbers(numbers, 2);
    ok(memcmp(was, numbers, sizeof was) == 0, "numbers turned twice are as they were");
}

static void test_keys(void)
{
    static const char *const good[] = {"a", "a/b", ".zgroup", "a/.zarray", "..a", "a..", "...", "a/.../b", "c/0/0", " "};
    static const char *const bad[] = {"", "/", "/a", "a/", "a//b", ".", "..", "a/.", "a/..", "./a", "../a", "a/./b", "a/../b"};
    char key[GT_MAX_KEY + 1];
    bool same = true;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        same &= gt_key_valid(good[i], strlen(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        same &= !gt_key_valid(bad[i], strlen(bad[i]));
    memset(key, 'k', sizeof key);
    same &= gt_key_valid(key, GT_MAX_KEY - 1) && !gt_key_valid(key, GT_MAX_KEY) && !gt_key_valid("a\0b", 3);
    ok(same, "keys that are allowed, and others");
    static const char *const meta[] = {".zarray", ".zgroup", ".zattrs", ".zmetadata", "zarr.json"};
    for (size_t i = 0; i < sizeof meta / sizeof *meta; i++) {
        snprintf(key, sizeof key, "a/%s", meta[i]);
        same &= gt_key_is_meta(meta[i]) && gt_key_is_meta(key) && !gt_key_is_meta(key + 3);
    }
    ok(same && !gt_key_is_meta("a/0.0") && !gt_key_is_meta(".zarray/0") && !gt_key_is_meta(""), "keys of metadata");
    ok(!strcmp(gt_key_base("a/b/c"), "c") && !strcmp(gt_key_base("c"), "c") && !strcmp(gt_key_base("a/"), ""), "the last part of a key");
    ok(gt_key_below("a/b", "a") && gt_key_below("a/b", "a/") && gt_key_below("a/b", "") && !gt_key_below("ab", "a") &&
           !gt_key_below("a", "b"),
       "what is below a key");
}

int main(void)
{
    static const size_t sizes[] = {0, 1, 65279, 65280, 65281, (1 << 20) - 1, 1 << 20, (1 << 20) + 1};
    scratch_open();
    test_names();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_packed(sizes[i], 300007, false);
    check_packed(300000, 100000, true);
    check_packed((3 << 20) + 5, (3 << 20) + 5, false);
    test_put();
    test_ids();
    test_npy();
    test_keys();
    scratch_close();
    return done_testing();
}
