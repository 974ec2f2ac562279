/* The ground layer: errors, sizes, texts, names, limits, result files, Philox. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/alias_check.h"
#include "core/base/cgroup.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/limits.h"
#include "core/base/outfile.h"
#include "core/base/philox.h"
#include "core/base/size.h"
#include "core/base/str.h"
#include "test/support/tap.h"

static char dir[] = "t_base.XXXXXX";

static void test_err(void)
{
    struct gt_err err = {0};
    char want[256];
    ok(gt_fail(NULL, GT_INPUT, "x") == GT_INPUT, "a NULL err is allowed");
    gt_fail(&err, GT_INPUT, "bad %s", "\nkey");
    ok(err.status == GT_INPUT && !strcmp(err.msg, "bad ?key"), "a message is one line");
    ok(gt_fail(&err, GT_FAIL, "later") == GT_FAIL && err.status == GT_INPUT, "the first error stays");
    gt_hint(&err, "do %d", 1);
    gt_hint(&err, "do 2");
    ok(!strcmp(err.hint, "do 1"), "the first hint stays");
    gt_fail_prefix(&err, "chunk %d", 7);
    ok(!strcmp(err.msg, "chunk 7: bad ?key"), "prefix: %s", err.msg);
    gt_err_clear(&err);
    ok(gt_fail_errno(&err, EPIPE, "out") == GT_PIPE && err.status == GT_PIPE, "EPIPE is GT_PIPE");
    gt_err_clear(&err);
    snprintf(want, sizeof want, "cannot open 'x': %s", strerror(ENOENT));
    ok(gt_fail_errno(&err, ENOENT, "cannot open '%s'", "x") == GT_FAIL && !strcmp(err.msg, want), "errno is spelt out");
    char *longname = malloc(5000);
    memset(longname, 'a', 4999);
    longname[4999] = '\0';
    gt_err_clear(&err);
    gt_fail_errno(&err, ENOSPC, "cannot write '%s'", longname);
    ok(strstr(err.msg, strerror(ENOSPC)) != NULL, "the cause is seen behind a long name");
    gt_fail_prefix(&err, "%s", longname);
    ok(strlen(err.msg) < sizeof err.msg, "a long prefix is cut");
    free(longname);
}

static void test_sizes(void)
{
    static const struct {
        const char *text;
        int64_t bytes;
    } sizes[] = {{"0", 0},
                 {"7", 7},
                 {"7B", 7},
                 {"64K", 65536},
                 {"64KiB", 65536},
                 {"1.5G", 1610612736},
                 {"100MB", 100000000},
                 {"100GB", 100000000000},
                 {"10TB", 10000000000000},
                 {"1e3", 1000},
                 {"2k", 2048},
                 {"8191P", 8191LL << 50},
                 {"0.5K", 512},
                 {".5K", 512},
                 {"1.3B", 1},
                 {"1kB", 1000},
                 {"4gb", 4000000000},
                 {"3mib", 3 << 20},
                 {"5b", 5},
                 {"9223372036854775807", INT64_MAX}};
    static const char *const bad_sizes[] = {"",     "K",    "-1",   "1X",      "1KK",
                                            "1 K",  "1KBB", "0x10", "8192P",   "9223372036854775808",
                                            "1e19", "nan",  "1e",   "1e99999", "99999999999999999999"};
    static const struct {
        const char *text;
        int64_t count;
    } counts[] = {{"0", 0}, {"1000", 1000}, {"1e9", 1000000000}, {"2.5e6", 2500000}, {"1.50e1", 15}, {"100e-2", 1}, {"0e99", 0}};
    static const char *const bad_counts[] = {
        "", "-5", "1.5", "2.5e0", "1e-1", "1K", "9223372036854775808", "1e19", "99999999999999999999999", "+1", "abc", "1e9 "};
    int64_t v;
    double d;
    char buf[GT_NUM_LEN];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        ok(gt_parse_size(sizes[i].text, &v, NULL) == GT_OK && v == sizes[i].bytes, "size %s", sizes[i].text);
    for (size_t i = 0; i < sizeof bad_sizes / sizeof *bad_sizes; i++) {
        struct gt_err err = {0};
        ok(gt_parse_size(bad_sizes[i], &v, &err) == GT_USAGE && err.msg[0], "no size: '%s' (%s)", bad_sizes[i], err.msg);
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        ok(gt_parse_count(counts[i].text, &v, NULL) == GT_OK && v == counts[i].count, "count %s", counts[i].text);
    for (size_t i = 0; i < sizeof bad_counts / sizeof *bad_counts; i++) {
        struct gt_err err = {0};
        ok(gt_parse_count(bad_counts[i], &v, &err) == GT_USAGE && err.msg[0], "no count: '%s' (%s)", bad_counts[i], err.msg);
    }
    struct gt_err mega = {0}, kilo = {0}, other = {0};
    ok(gt_parse_count("1Mb", &v, &mega) == GT_USAGE && strcmp(mega.hint, "write 1Mb as 1000000") == 0, "1Mb: %s", mega.hint);
    ok(gt_parse_count("2.5kb", &v, &kilo) == GT_USAGE && strcmp(kilo.hint, "write 2.5kb as 2500") == 0, "2.5kb: %s", kilo.hint);
    ok(gt_parse_count("0.0001kb", &v, &other) == GT_USAGE && !*other.hint, "no hint for a tenth of a base: %s", other.hint);
    ok(gt_parse_double("1e-3", &d, NULL) == GT_OK && d == 1e-3, "double");
    ok(gt_parse_double("inf", &d, NULL) && gt_parse_double("nan", &d, NULL) && gt_parse_double("", &d, NULL) &&
           gt_parse_double("1x", &d, NULL) && gt_parse_double(" 1", &d, NULL) && gt_parse_double("1e999", &d, NULL),
       "no doubles");
    ok(!strcmp(gt_format_count(buf, 0), "0") && !strcmp(gt_format_count(buf, 999), "999"), "small counts");
    ok(!strcmp(gt_format_count(buf, 2504), "2,504") && !strcmp(gt_format_count(buf, -1234567), "-1,234,567"), "counts with commas");
    ok(!strcmp(gt_format_count(buf, INT64_MIN), "-9,223,372,036,854,775,808"), "the smallest count");
    char things[GT_THINGS_LEN];
    ok(!strcmp(gt_format_things(things, 1, "sample"), "1 sample") && !strcmp(gt_format_things(things, 0, "sample"), "0 samples"),
       "one or none");
    ok(!strcmp(gt_format_things(things, 2504, "sample"), "2,504 samples"), "and many");
    ok(!strcmp(gt_format_size(buf, 1023), "1023 B") && !strcmp(gt_format_size(buf, 1572864), "1.5 MiB"), "sizes in print");
    ok(!strcmp(gt_format_size(buf, 1048575), "1.0 MiB") && !strcmp(gt_format_size(buf, INT64_MAX), "8.0 EiB"), "sizes at a unit's edge");
}

static void test_texts(void)
{
    struct gt_str s = {0};
    struct gt_strs list = {0}, copy = {0};
    char name[32];
    bool good = true;
    gt_str_add(&s, "");
    ok(s.s && !s.len && !*s.s, "an empty text is a text");
    for (int i = 0; i < 1000; i++)
        gt_str_addf(&s, "%d,", i);
    ok(s.len == 3890 && !strncmp(s.s + s.len - 8, "998,999,", 8), "a text grows");
    gt_str_clear(&s);
    ok(s.len == 0 && !*s.s, "a cleared text is empty");
    gt_str_release(&s);
    gt_strs_copy(&copy, &list, NULL);
    ok(copy.n == 0, "a copy of an empty list");
    for (int i = 0; i < 5000; i++) {
        int n = snprintf(name, sizeof name, "NA%05d", i);
        good = good && gt_strs_add(&list, name, (size_t)n, NULL) == GT_OK && list.n == (size_t)i + 1;
    }
    gt_strs_add(&list, NULL, 0, NULL);
    gt_strs_copy(&copy, &list, NULL);
    ok(good && list.n == 5001 && !strcmp(gt_strs_get(&copy, 4321), "NA04321") && !*gt_strs_get(&copy, 5000),
       "a list of texts and its copy");
    gt_strs_clear(&list);
    ok(list.n == 0 && gt_strs_add(&list, "x", 1, NULL) == GT_OK && !strcmp(gt_strs_get(&list, 0), "x"), "a cleared list starts again");
    struct gt_names *names = gt_names_new(NULL, NULL);
    int64_t had;
    good = true;
    for (int i = 0; i < 20000; i++) {
        int n = snprintf(name, sizeof name, "s%d", i);
        good = good && gt_names_find(names, name, (size_t)n) == -1 && !gt_names_add(names, name, (size_t)n, i * 3, &had, NULL) && had == -1;
    }
    for (int i = 0; i < 20000; i++) {
        int n = snprintf(name, sizeof name, "s%d", i);
        good =
            good && gt_names_find(names, name, (size_t)n) == i * 3 && !gt_names_add(names, name, (size_t)n, 7, &had, NULL) && had == i * 3;
    }
    ok(good, "names are found by their number");
    ok(gt_names_find(names, "s1xyz", 2) == 3 && gt_names_find(names, "", 0) == -1, "a name is n bytes");
    ok(!gt_names_add(names, "", 0, 9, &had, NULL) && had == -1 && gt_names_find(names, "", 0) == 9, "the empty name is a name");
    ok(!gt_names_number(names, &list, "new", 3, &had, NULL) && had == 1 && list.n == 2 &&
           !gt_names_number(names, &list, "new", 3, &had, NULL) && had == 1 && list.n == 2,
       "a name is numbered once");
    gt_names_free(names);
    gt_names_free(NULL);
    gt_strs_release(&list);
    gt_strs_release(&copy);
}

/* Lists, maps and trees of metadata in a budget: counted, refused where there is no room,
 * given back. */
static void test_counted(void)
{
    struct gt_budget whole, part;
    struct gt_err err = {0};
    gt_budget_init(&whole, 200000);
    gt_budget_init(&part, 60000);
    part.parent = &whole;
    struct gt_strs list = {.budget = &part}, copy = {.budget = &whole};
    struct gt_names *names = gt_names_new(&whole, NULL);
    char name[32];
    for (int i = 0; i < 1000; i++) {
        int n = snprintf(name, sizeof name, "NA%05d", i);
        gt_strs_add(&list, name, (size_t)n, NULL);
        gt_names_add(names, name, (size_t)n, i, NULL, NULL);
    }
    int64_t in_list = atomic_load(&part.used), all = atomic_load(&whole.used);
    ok(in_list >= 1000 * 16 && in_list < 1000 * 30 && all > in_list + 1000 * 30, "%lld bytes for a thousand texts, %lld with a map of them",
       (long long)in_list, (long long)all);
    ok(gt_strs_copy(&copy, &list, &err) == GT_OK && gt_strs_copy(&copy, &list, &err) == GT_OK &&
           atomic_load(&whole.used) == all + 1000 * 16,
       "a copy is counted, once");
    int status = GT_OK;
    for (int i = 0; !status; i++)
        status = gt_strs_add(&list, name, 7, &err);
    ok(status == GT_NOFIT && part.refused && !whole.refused && list.n > 1000 && !strcmp(gt_strs_get(&list, list.n - 1), name),
       "no more than there is room for: %s", err.msg);
    gt_strs_release(&list);
    gt_strs_release(&copy);
    gt_names_free(names);
    ok(!atomic_load(&whole.used) && !atomic_load(&part.used), "all is given back");

    struct json_object *doc;
    gt_err_clear(&err);
    ok(gt_json_parse(&doc, "{\"a\": [1, 2]}", 13, "x", &whole, &err) == GT_OK && atomic_load(&whole.used) > 1000, "a document is counted");
    json_object_put(doc);
    ok(!atomic_load(&whole.used), "and given back with its root");
    memset(name, '[', sizeof name);
    ok(gt_json_parse(&doc, name, sizeof name, "x", &whole, &err) == GT_INPUT && !atomic_load(&whole.used), "nothing stays of a bad one");
    gt_budget_init(&part, 1000);
    gt_err_clear(&err);
    ok(gt_json_parse(&doc, "[[[]]]", 6, "x", &part, &err) == GT_NOFIT && !atomic_load(&part.used), "too large a one: %s", err.msg);
}

/* A part that is put by has its room whatever else is taken. */
static void test_parts(void)
{
    struct gt_budget whole, part;
    struct gt_err err = {0};
    gt_budget_init(&whole, 1000);
    ok(gt_budget_part(&part, &whole, 600, &err) == GT_OK && whole.used == 600 && part.used == 0, "a part is put by at once");
    ok(gt_budget_try(&whole, 400) && !gt_budget_try(&whole, 1), "the rest is what others may take");
    ok(gt_budget_take(&part, 600, &err) == GT_OK && whole.used == 1000, "the part is all there");
    ok(gt_budget_take(&part, 1, &err) == GT_NOFIT && strstr(err.msg, "600 B"), "and no more: %s", err.msg);
    gt_budget_give(&part, 600);
    gt_budget_part_end(&part);
    gt_budget_part_end(&part);
    ok(whole.used == 400, "it is given back once");
    err = (struct gt_err){0};
    ok(gt_budget_part(&part, &whole, 601, &err) == GT_NOFIT && whole.used == 400, "a part that is too large is none: %s", err.msg);
    struct gt_buf buf = {.budget = &whole};
    ok(gt_buf_try(&buf, 64) && !gt_buf_try(&buf, 1000) && buf.cap == 64 && whole.used == 464, "a buffer that may stay as it is");
    gt_buf_release(&buf);
}

/* All of it is 0, whatever stood there: over large pages, beside them, and short ones. */
static void test_zeros(void)
{
    static const size_t sizes[] = {0, 1, 4097, ((size_t)2 << 20) - 1, (size_t)2 << 20, (size_t)5 << 20, ((size_t)9 << 20) + 77};
    struct gt_budget whole;
    struct gt_buf buf = {.budget = &whole};
    struct gt_err err = {0};
    size_t dirty = 0;
    gt_budget_init(&whole, 100 << 20);
    for (size_t k = 0; k < 2 * sizeof sizes / sizeof *sizes; k++) {
        size_t n = sizes[k / 2];
        if (k % 2 == 0)
            gt_buf_release(&buf);
        dirty += gt_buf_zeros(&buf, n, &err) != GT_OK || buf.len != n;
        for (size_t i = 0; i < n; i++)
            dirty += buf.data[i] != 0;
        if (n)
            memset(buf.data, 0xa5, n);
    }
    ok(dirty == 0, "new and used buffers of zeros");
    ok(gt_buf_zeros(&buf, 101 << 20, &err) == GT_NOFIT, "counted as others are: %s", err.msg);
    gt_buf_release(&buf);
}

/* Is it a number of seconds as short as it can be? */
static bool is_short(const char *text)
{
    return text[strlen(text) - 1] != '.' && !(strchr(text, '.') && text[strlen(text) - 1] == '0');
}

/* Numbers of JSON against the C library's, and lists that were printed at once. */
static void test_json_large_integers(void)
{
    static const char text[] = "{ \"a\\\"\": [ 18446744073709551621, -9223372036854775809, { \"b\": 1000000000000000000000000000000 } ], "
                               "\"99999999999999999999\": \"-99999999999999999999 \\\\\", \"c\": 18446744073709551615, "
                               "\"d\": -9223372036854775808, \"e\": 99999999999999999999.5, \"f\": 1e30, \"g\": 1.5e000, "
                               "\"h\": 12345678901234567890123E-3, \"i\": 99999999999999999999 }";
    static const char *const bad[] = {"00000000000000000000000001", "99999999999999999999x", "-", "\"\\", "[99999999999999999999"};
    struct gt_budget budget = {.limit = 1 << 20};
    struct gt_str got = {0};
    struct gt_err err = {0};
    struct json_object *doc;
    ok(gt_json_parse(&doc, text, sizeof text - 1, "x", &budget, &err) == GT_OK, "integers beyond 64 bits: %s", err.msg);
    gt_json_print(&got, doc, false);
    ok(got.s && strcmp(got.s, text) == 0, "keep their digits: %s", got.s);
    ok(json_object_get_double(gt_json_get(doc, "i")) == 1e20, "and their value");
    json_object_put(doc);
    gt_str_release(&got);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(gt_json_parse(&doc, bad[i], strlen(bad[i]), "x", &budget, &err) == GT_INPUT, "no JSON: %s", bad[i]);
    ok(gt_json_parse(&doc, "-99999999999999999999", 21, "x", NULL, &err) == GT_OK && json_object_get_double(doc) == -1e20, "one alone");
    json_object_put(doc);
    ok(atomic_load(&budget.used) == 0, "nothing stays in the budget");
    gt_err_clear(&err);
}

static void test_json_numbers(void)
{
    static const int64_t ints[] = {0, 1, -1, 9, 10, -10, 4294967296, INT64_MAX, INT64_MIN};
    static const int64_t ns[] = {0,         1000000000, -1000000000, 500000000,           -500000000,       1000,     400,           -400,
                                 100000000, 2000001000, 59999999000, 1000000000000000000, -123456787500499, 99999900, 86400000000000};
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
        struct gt_str got = {0}, want = {0};
        gt_json_print_numbers(&got, (const int64_t[]){ints[i], 7, ints[i]}, 3, 0);
        gt_str_addf(&want, "[%lld,7,%lld],", (long long)ints[i], (long long)ints[i]);
        wrong += strcmp(got.s, want.s) != 0;
        gt_str_release(&got);
        gt_str_release(&want);
    }
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++) {
        struct gt_str got = {0}, want = {0}, again = {0};
        struct json_object *value = gt_json_seconds((double)ns[i] / 1e9);
        gt_json_print_numbers(&got, (const int64_t[]){ns[i], ns[i]}, 2, 2u);
        gt_json_print(&again, value, false);
        gt_str_addf(&want, "[%lld,%s],", (long long)ns[i], again.s);
        wrong += strcmp(got.s, want.s) != 0 || fabs(strtod(again.s, NULL) - (double)ns[i] / 1e9) > 5.01e-7 || !is_short(again.s);
        json_object_put(value);
        gt_str_release(&got);
        gt_str_release(&want);
        gt_str_release(&again);
    }
    ok(wrong == 0, "whole numbers and seconds are those of printf");

    struct gt_str list = {0}, page = {0};
    struct json_object *doc = json_object_new_object();
    gt_str_add(&list, "[[1,2],[]]");
    const bool set = gt_json_set(doc, "list", gt_json_printed(&list));
    gt_json_print(&page, doc, false);
    ok(set && !list.s && !strcmp(page.s, "{ \"list\": [[1,2],[]] }"), "a printed list stands as it is: %s", page.s);
    json_object_put(doc);
    gt_str_fail(&list);
    ok(!gt_json_printed(&list) && !list.failed, "none for want of memory");
    gt_str_release(&page);
}

/* The known answers of the Random123 distribution. */
static void test_philox(void)
{
    static const uint32_t in[3][6] = {
        {0, 0, 0, 0, 0, 0}, {~0u, ~0u, ~0u, ~0u, ~0u, ~0u}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0}};
    static const uint32_t want[3][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                        {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                        {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (int i = 0; i < 3; i++) {
        uint32_t out[4];
        gt_philox(in[i], in[i] + 4, out);
        ok(!memcmp(out, want[i], sizeof out), "philox known answer %d", i);
    }
    ok(gt_unit32(0) > 0 && gt_unit32(UINT32_MAX) < 1, "uniform doubles are inside (0, 1)");
}

static char *at(const char *name)
{
    static char path[4][512];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", dir, name);
    return path[turn];
}

static void make_file(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    for (char *p = path + 1; (p = strchr(p, '/')) != NULL; p++) {
        *p = '\0';
        mkdir(path, 0777);
        *p = '/';
    }
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f))
        exit(1);
}

static void test_cgroup(void)
{
    struct gt_cgroup c;
    gt_cgroup_get(&c, at("none"));
    ok(c.cpus == 0 && c.memory == 0, "no cgroup files, no limit");

    make_file("v2/proc/self/cgroup", "0::/user.slice/job/step\n");
    make_file("v2/proc/self/mountinfo",
              "25 1 8:1 / / rw - ext4 /dev/sda rw\n31 25 0:28 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n");
    make_file("v2/sys/fs/cgroup/user.slice/job/step/memory.max", "max\n");
    make_file("v2/sys/fs/cgroup/user.slice/job/memory.max", "4294967296\n");
    make_file("v2/sys/fs/cgroup/user.slice/memory.max", "8589934592\n");
    make_file("v2/sys/fs/cgroup/user.slice/memory.high", "max\n");
    make_file("v2/sys/fs/cgroup/user.slice/job/step/cpu.max", "max 100000\n");
    make_file("v2/sys/fs/cgroup/user.slice/cpu.max", "250000 100000\n");
    gt_cgroup_get(&c, at("v2"));
    ok(c.memory == INT64_C(4294967296) && c.cpus == 2.5, "v2: the smallest on the way up");

    make_file("v2/sys/fs/cgroup/user.slice/job/step/cpu.max", "300000 100000\n");
    make_file("v2/sys/fs/cgroup/user.slice/job/cpu.max", "50000 50000\n");
    gt_cgroup_get(&c, at("v2"));
    ok(c.cpus == 1, "v2: the fewest cpus, where the group in the middle has them (%g)", c.cpus);
    make_file("v2/sys/fs/cgroup/user.slice/job/step/cpu.max", "75000 100000\n");
    gt_cgroup_get(&c, at("v2"));
    ok(c.cpus == 0.75, "where the innermost has them (%g)", c.cpus);
    make_file("v2/sys/fs/cgroup/user.slice/cpu.max", "20000 100000\n");
    gt_cgroup_get(&c, at("v2"));
    ok(c.cpus == 0.2, "where the outermost has them (%g)", c.cpus);

    make_file("v1/proc/self/cgroup", "4:memory:/docker/abc\n3:cpuset:/\n2:cpu,cpuacct:/docker/abc\n0::/\n");
    make_file("v1/proc/self/mountinfo", "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
                                        "34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
                                        "35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    make_file("v1/sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
    make_file("v1/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "150000\n");
    make_file("v1/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    gt_cgroup_get(&c, at("v1"));
    ok(c.memory == 1073741824 && c.cpus == 1.5, "v1 in a container: the mount shows the group itself");

    make_file("v1n/proc/self/cgroup", "4:memory:/a/b\n2:cpu:/a/b\n");
    make_file("v1n/proc/self/mountinfo",
              "32 31 0:29 / /cg/cpu rw - cgroup cgroup rw,cpu\n35 31 0:32 / /cg/memory rw - cgroup cgroup rw,memory\n");
    make_file("v1n/cg/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
    make_file("v1n/cg/memory/a/memory.limit_in_bytes", "2147483648\n");
    make_file("v1n/cg/cpu/a/b/cpu.cfs_quota_us", "-1\n");
    make_file("v1n/cg/cpu/a/b/cpu.cfs_period_us", "100000\n");
    gt_cgroup_get(&c, at("v1n"));
    ok(c.memory == INT64_C(2147483648) && c.cpus == 0, "v1: no limit at the bottom, one above, no quota");

    make_file("v2/sys/fs/cgroup/user.slice/memory.high", "3221225472\n");
    gt_cgroup_get(&c, at("v2"));
    ok(c.memory == INT64_C(3221225472), "v2: what is reclaimed above memory.high is not counted on");

    make_file("half/proc/self/cgroup", "0::/\n");
    make_file("half/proc/self/mountinfo", "31 25 0:28 / /cg rw - cgroup2 cgroup2 rw\n");
    make_file("half/cg/cpu.max", "50000 100000\n");
    gt_cgroup_get(&c, at("half"));
    ok(c.cpus == 0.5 && gt_limits_cpus(8, c.cpus) == 1, "half a cpu is one thread");
    ok(gt_limits_cpus(8, 1.5) == 2 && gt_limits_cpus(8, 2) == 2 && gt_limits_cpus(8, 0) == 8 && gt_limits_cpus(8, 64) == 8 &&
           gt_limits_cpus(1, 0.5) == 1,
       "threads by affinity and quota");

    make_file("bad/proc/self/cgroup", "\n:\n::\n0::/../../x\njunk\n0::relative\n");
    make_file("bad/proc/self/mountinfo", " - \n1 2 3\n31 25 0:28 / /cg rw - cgroup2 cgroup2 rw\n");
    make_file("bad/cg/memory.max", "");
    make_file("bad/cg/cpu.max", "7\n");
    gt_cgroup_get(&c, at("bad"));
    ok(c.memory == 0 && c.cpus == 0, "malformed files limit nothing");
}

static void test_limits(void)
{
    struct gt_limits l;
    struct gt_err err = {0};
    unsetenv("GT_THREADS");
    unsetenv("OMP_NUM_THREADS");
    unsetenv("GT_MEMORY");
    int status = gt_limits_get(&l, 0, 0, 0, &err);
    ok(status == GT_OK && l.threads >= 1 && l.io_threads == 2 && l.memory > 0, "defaults: %d threads (%s), %lld bytes (%s)", l.threads,
       l.threads_from, (long long)l.memory, l.memory_from);
    setenv("OMP_NUM_THREADS", "3,2", 1);
    ok(gt_limits_get(&l, 0, 0, 0, &err) == GT_OK && l.threads == 3 && !strcmp(l.threads_from, "OMP_NUM_THREADS"), "OMP_NUM_THREADS list");
    setenv("GT_THREADS", "5", 1);
    setenv("GT_MEMORY", "1G", 1);
    ok(gt_limits_get(&l, 0, 7, 0, &err) == GT_OK && l.threads == 5 && l.io_threads == 7 && l.memory == 1 << 30, "GT_THREADS and GT_MEMORY");
    ok(gt_limits_get(&l, 2, 0, 1 << 20, &err) == GT_OK && l.threads == 2 && l.memory == 1 << 20, "flags win");
    setenv("GT_THREADS", "0", 1);
    ok(gt_limits_get(&l, 0, 0, 0, &err) == GT_USAGE && strstr(err.msg, "GT_THREADS"), "%s", err.msg);
    gt_err_clear(&err);
    setenv("GT_THREADS", "", 1);
    setenv("GT_MEMORY", "lots", 1);
    ok(gt_limits_get(&l, 0, 0, 0, &err) == GT_USAGE && strstr(err.msg, "GT_MEMORY"), "%s", err.msg);
    unsetenv("GT_MEMORY");
    unsetenv("OMP_NUM_THREADS");
}

static int entries(const char *name)
{
    char command[1024];
    int n = -1;
    snprintf(command, sizeof command, "ls -A '%s' | wc -l", name);
    FILE *p = popen(command, "r");
    if (p) {
        if (fscanf(p, "%d", &n) != 1)
            n = -1;
        pclose(p);
    }
    return n;
}

static bool holds(const char *path, const char *text)
{
    char buf[256] = {0};
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(buf, 1, sizeof buf - 1, f) : 0;
    if (f)
        fclose(f);
    return f && n == strlen(text) && !strcmp(buf, text);
}

/* Whatever opens a file for writing asks whether it is an input. */
static void test_guard(void)
{
    struct gt_outfile out = {0};
    struct gt_err err = {0};
    mkdir(at("g"), 0777);
    mkdir(at("g/store"), 0777);
    gt_outfile_open(&out, at("g/in"), false, &err);
    gt_outfile_write(&out, "kept", 4, &err);
    gt_outfile_commit(&out, &err);
    ok(!link(at("g/in"), at("g/hard")) && !symlink("in", at("g/soft")), "two links");
    ok(!gt_alias_add_input(at("g/in"), "the file", &err) && !gt_alias_add_input(at("g/store"), "the store", &err) &&
           !gt_alias_add_input(at("g/absent"), "none", &err) && !gt_alias_add_input("/dev/null", "a device", &err),
       "inputs are registered");
    static const char *const refused[] = {"g/in", "g/hard", "g/soft", "g/store", "g/store/new", "g/store/../in", "g"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        gt_err_clear(&err);
        ok(gt_alias_check_output(at(refused[i]), &err) == GT_USAGE && strstr(err.msg, "the "), "%s: %s", refused[i], err.msg);
    }
    gt_err_clear(&err);
    ok(gt_outfile_open(&out, at("g/hard"), false, &err) == GT_USAGE && !out.path && holds(at("g/in"), "kept"), "it is not opened");
    gt_err_clear(&err);
    ok(!gt_alias_check_output(at("g/other"), &err) && !gt_alias_check_output(at("g/absent"), &err) &&
           !gt_alias_check_output("/dev/null", &err),
       "others may be written %s", err.msg);
    gt_alias_release();
    ok(!gt_alias_check_output(at("g/in"), &err), "forgotten inputs may be written %s", err.msg);
}

static void test_outfile(void)
{
    struct gt_outfile out = {0};
    struct gt_err err = {0};
    struct stat st;
    mkdir(at("o"), 0777);
    umask(022);
    gt_outfile_abort(&out);
    ok(gt_outfile_open(&out, at("o/a"), true, &err) == GT_OK && out.temp && access(at("o/a"), F_OK),
       "nothing under the name while it is written");
    ok(gt_outfile_write(&out, "hello", 5, &err) == GT_OK && out.pos == 5 && gt_outfile_pwrite(&out, "J", 1, 0, &err) == GT_OK,
       "write and pwrite");
    ok(gt_outfile_commit(&out, &err) == GT_OK && holds(at("o/a"), "Jello") && entries(at("o")) == 1,
       "commit leaves the file and nothing else");
    ok(stat(at("o/a"), &st) == 0 && (st.st_mode & 0777) == 0644, "mode is 0666 less umask");
    gt_outfile_abort(&out);

    gt_outfile_open(&out, at("o/a"), false, &err);
    gt_outfile_write(&out, "new", 3, &err);
    ok(holds(at("o/a"), "Jello"), "the old file stands until commit");
    gt_outfile_abort(&out);
    ok(holds(at("o/a"), "Jello") && entries(at("o")) == 1, "abort keeps the old file and leaves nothing");

    if (symlink("a", at("o/link")))
        exit(1);
    gt_outfile_open(&out, at("o/link"), false, &err);
    gt_outfile_write(&out, "linked", 6, &err);
    ok(gt_outfile_commit(&out, &err) == GT_OK && holds(at("o/a"), "linked") && lstat(at("o/link"), &st) == 0 && S_ISLNK(st.st_mode),
       "a link stays a link");

    mkdir(at("o/in"), 0777);
    if (symlink("in/new", at("o/ahead")) || symlink("round", at("o/round")))
        exit(1);
    gt_outfile_open(&out, at("o/ahead"), false, &err);
    gt_outfile_write(&out, "far", 3, &err);
    ok(gt_outfile_commit(&out, &err) == GT_OK && holds(at("o/in/new"), "far") && lstat(at("o/ahead"), &st) == 0 && S_ISLNK(st.st_mode),
       "a link to a file that is not there yet makes that file");
    ok(gt_outfile_open(&out, at("o/round"), false, &err) == GT_FAIL && strstr(err.msg, "symbolic links"), "a ring: %s", err.msg);
    gt_err_clear(&err);
    gt_alias_add_input(at("o/in"), "a store", &err);
    unlink(at("o/in/new"));
    ok(gt_outfile_open(&out, at("o/ahead"), false, &err) == GT_USAGE, "through a link into an input: %s", err.msg);
    gt_err_clear(&err);
    gt_alias_release();
    unlink(at("o/ahead"));
    unlink(at("o/round"));
    rmdir(at("o/in"));

    ok(gt_outfile_open(&out, at("o"), false, &err) == GT_FAIL, "a directory: %s", err.msg);
    gt_err_clear(&err);
    ok(gt_outfile_open(&out, at("o/no/file"), false, &err) == GT_FAIL && strstr(err.msg, "o/no/file'"), "no such folder: %s", err.msg);
    gt_err_clear(&err);

    signal(SIGXFSZ, SIG_IGN);
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 4096;
    char *block = calloc(1, 8192);
    gt_outfile_open(&out, at("o/big"), true, &err);
    setrlimit(RLIMIT_FSIZE, &small);
    int status = gt_outfile_write(&out, block, 8192, &err);
    setrlimit(RLIMIT_FSIZE, &old);
    ok(status == GT_FAIL && strstr(err.msg, "o/big'") && !strstr(err.msg, ".tmp"), "too large: %s", err.msg);
    gt_outfile_abort(&out);
    ok(entries(at("o")) == 2, "a failed write leaves nothing");
    gt_err_clear(&err);

    if (access("/dev/full", W_OK) == 0) {
        ok(gt_outfile_open(&out, "/dev/full", true, &err) == GT_OK && out.in_place, "a device is written in place");
        ok(gt_outfile_write(&out, block, 8192, &err) == GT_FAIL && strstr(err.msg, "/dev/full"), "%s", err.msg);
        gt_outfile_abort(&out);
        gt_err_clear(&err);
    }

    int fds[2];
    signal(SIGPIPE, SIG_IGN);
    if (pipe(fds))
        exit(1);
    close(fds[0]);
    ok(gt_write_all(fds[1], block, 8192, "standard output", &err) == GT_PIPE && err.status == GT_PIPE, "a closed pipe is GT_PIPE");
    close(fds[1]);
    gt_err_clear(&err);
    free(block);

    int tty = posix_openpt(O_RDWR | O_NOCTTY), stdout_copy = dup(STDOUT_FILENO);
    char *name = tty >= 0 && grantpt(tty) == 0 && unlockpt(tty) == 0 ? ptsname(tty) : NULL;
    if (name) {
        fflush(stdout);
        ok(gt_outfile_open(&out, name, true, &err) == GT_USAGE, "binary to a terminal: %s", err.msg);
        gt_err_clear(&err);
        ok(gt_outfile_open(&out, name, false, &err) == GT_OK, "text to a terminal is fine");
        gt_outfile_abort(&out);
    } else
        skip("no pseudo terminal");
    close(tty);
    close(stdout_copy);
}

static void put_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f))
        exit(1);
}

/* Writes a file that is replaced, `times` times; how often it failed, but for another process that was writing it. */
static int replace_often(const char *path, const char *text, int times)
{
    int wrong = 0;
    for (int i = 0; i < times; i++) {
        struct gt_outfile out = {0};
        struct gt_err err = {0};
        int status = gt_outfile_open(&out, path, false, &err);
        out.replaced = true;
        status = status ? status : gt_outfile_write(&out, text, strlen(text), &err);
        status = status ? status : gt_outfile_commit(&out, &err);
        gt_outfile_abort(&out);
        wrong += status && !strstr(err.msg, "another process");
        gt_err_clear(&err);
    }
    return wrong;
}

static void test_replaced(void)
{
    int ended = 1;
    mkdir(at("x"), 0777);
    ok(replace_often(at("x/a"), "first", 1) == 0 && holds(at("x/a"), "first") && entries(at("x")) == 1,
       "a file that is replaced begins as others do");
    if (link(at("x/a"), at("x/other")))
        exit(1);
    ok(replace_often(at("x/a"), "second", 1) == 0 && holds(at("x/a"), "second") && holds(at("x/other"), "first") && entries(at("x")) == 2,
       "its second content is in a new file, and the old one is gone from that name");
    unlink(at("x/other"));
    const pid_t child = fork();
    if (child == 0)
        _exit(replace_often(at("x/a"), "child", 300) != 0);
    const int wrong = replace_often(at("x/a"), "parent", 300);
    waitpid(child, &ended, 0);
    ok(child > 0 && !wrong && !ended && entries(at("x")) == 1 && (holds(at("x/a"), "child") || holds(at("x/a"), "parent")),
       "two processes that replace it at once: one of them has, and nothing is left");
    unlink(at("x/a"));
    rmdir(at("x"));
}

static void open_two(struct gt_outfile out[2], struct gt_err *err)
{
    static const char *const names[] = {"t/first", "t/second"};
    for (int i = 0; i < 2; i++) {
        gt_outfile_open(&out[i], at(names[i]), false, err);
        gt_outfile_write(&out[i], "new", 3, err);
    }
}

/* Files that belong together take their names together, or none does. */
static void test_outfiles(void)
{
    struct gt_outfile out[2] = {{0}};
    struct gt_outfile *const both[] = {&out[0], &out[1]};
    struct gt_err err = {0};
    mkdir(at("t"), 0777);
    open_two(out, &err);
    mkdir(at("t/second"), 0777); /* no file can take the name now */
    ok(gt_outfile_commit_all(both, 2, &err) == GT_FAIL && strstr(err.msg, "t/second'"), "the second cannot be renamed: %s", err.msg);
    ok(access(at("t/first"), F_OK) && entries(at("t")) == 1, "then the first is not there either, nor anything else");
    gt_err_clear(&err);
    rmdir(at("t/second"));

    put_text(at("t/first"), "old");
    open_two(out, &err);
    mkdir(at("t/second"), 0777);
    ok(gt_outfile_commit_all(both, 2, &err) == GT_FAIL && holds(at("t/first"), "old") && entries(at("t")) == 2,
       "a first that was there is as it was");
    gt_err_clear(&err);
    rmdir(at("t/second"));

    put_text(at("t/second"), "old");
    open_two(out, &err);
    ok(gt_outfile_commit_all(both, 2, &err) == GT_OK && holds(at("t/first"), "new") && holds(at("t/second"), "new") &&
           entries(at("t")) == 2,
       "both are replaced %s", err.msg);
    ok(!out[0].path && !out[1].path && gt_outfile_commit_all(both, 2, &err) == GT_OK, "and released");
}

static void *register_and_forget(void *arg)
{
    char path[64];
    (void)arg;
    for (int i = 0; i < 200; i++) {
        snprintf(path, sizeof path, "/nowhere/%lx/%d", (unsigned long)pthread_self(), i);
        gt_cleanup_add(path, NULL);
        gt_alias_add_input(dir, path, NULL);
        if (i % 2)
            gt_cleanup_forget(path);
    }
    return NULL;
}

/* For ThreadSanitizer: both registries may be used from any thread. */
static void test_registries(void)
{
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, register_and_forget, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    gt_cleanup_run();
    ok(gt_alias_check_output(dir, NULL) == GT_USAGE, "what several threads registered is there");
    gt_alias_release();
    ok(gt_alias_check_output(dir, NULL) == GT_OK, "and gone");
}

static void test_cleanup(void)
{
    make_file("c/x/y/z", "1");
    make_file("c/f", "1");
    make_file("c/kept", "1");
    if (symlink("../kept", at("c/x/l")))
        exit(1);
    gt_cleanup_add(at("c/x"), NULL);
    gt_cleanup_add(at("c/f"), NULL);
    gt_cleanup_add(at("c/kept"), NULL);
    gt_cleanup_add(at("c/never"), NULL);
    gt_cleanup_forget(at("c/kept"));
    gt_cleanup_forget(at("c/unknown"));
    gt_cleanup_run();
    ok(entries(at("c")) == 1 && access(at("c/kept"), F_OK) == 0, "cleanup removes files and trees, not what was forgotten or linked");
    ok(gt_remove_tree(at("c/none")) == GT_OK, "removing what is not there is fine");
    ok(gt_remove_tree(dir) == GT_OK && access(dir, F_OK), "a tree is removed");
}

int main(void)
{
    if (!mkdtemp(dir))
        return 1;
    test_err();
    test_sizes();
    test_texts();
    test_counted();
    test_parts();
    test_zeros();
    test_json_large_integers();
    test_json_numbers();
    test_philox();
    test_cgroup();
    test_registries();
    test_limits();
    test_guard();
    test_outfile();
    test_replaced();
    test_outfiles();
    test_cleanup();
    return done_testing();
}
