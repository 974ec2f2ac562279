/* Texts that the ground layer reads: slices against Python's rule, lists of lines, UTF-8, limits of threads and memory. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/base/json.h"
#include "core/base/limits.h"
#include "core/base/line_file.h"
#include "core/base/slice.h"
#include "core/base/str.h"
#include "core/base/utf8.h"
#include "test/support/scratch.h"
#include "test/support/tap.h"

/* --- slices --------------------------------------------------------------------------------- */

enum { NONE = 99, REACH = 8 };

static int write_bound(char *to, size_t room, int value)
{
    return value == NONE ? 0 : snprintf(to, room, "%d", value);
}

/* Python's slice(start, stop, step) of an axis of n. */
static int python(int start, int stop, int step, int n, int *first)
{
    int count = 0;
    if (start != NONE && start < 0)
        start = start + n < 0 ? (step < 0 ? -1 : 0) : start + n;
    if (stop != NONE && stop < 0)
        stop = stop + n < 0 ? -1 : stop + n;
    start = start == NONE ? (step < 0 ? n - 1 : 0) : start;
    stop = stop == NONE ? (step < 0 ? -1 : n) : stop;
    if (start >= n)
        start = step < 0 ? n - 1 : n;
    *first = start;
    for (int i = start; i >= 0 && i < n && (step < 0 ? i > stop : i < stop); i += step)
        count++;
    return count;
}

static int check_slice(int start, int stop, int step, int n)
{
    char text[64];
    int at = write_bound(text, sizeof text, start), first;
    struct gt_slice slice;
    at += snprintf(text + at, sizeof text - (size_t)at, ":");
    at += write_bound(text + at, sizeof text - (size_t)at, stop);
    if (step != 1)
        snprintf(text + at, sizeof text - (size_t)at, ":%d", step);
    const int count = python(start, stop, step, n, &first);
    int64_t from, to, by, got = 0;
    int bad = gt_slice_parse(text, &slice, 1, NULL);
    if (step > 0) {
        bad |= gt_slice_resolve(&slice, n, "x", &from, &to, &by, NULL);
        for (int64_t i = from; i < to; i += by)
            got++;
        bad |= from < 0 || to > n || (count > 1 && by != step);
    } else {
        bad |= gt_slice_resolve(&slice, n, "x", &from, &to, &by, NULL) != GT_USAGE;
        got = gt_slice_backwards(&slice, n, &from);
    }
    if (bad || got != count || (count && from != first))
        diag("%s of %d: %d from %d, not %d from %d", text, n, (int)got, (int)from, count, first);
    return bad || got != count || (count && from != first);
}

static void test_slices(void)
{
    int wrong = 0;
    for (int n = 0; n < 5; n++)
        for (int start = -REACH; start <= REACH + 1; start++)
            for (int stop = -REACH; stop <= REACH + 1; stop++)
                for (int step = -REACH; step <= REACH; step++)
                    wrong += step && check_slice(start > REACH ? NONE : start, stop > REACH ? NONE : stop, step, n);
    ok(wrong == 0, "slices are Python's");
}

/* "0+3 | 5" of each axis that is given: first+count, or an index. */
static void show(const struct gt_slice *axes, int n, struct gt_str *text)
{
    for (int i = 0; i < n; i++) {
        int64_t from = 77, to = 77, by = 77;
        struct gt_err err = {0};
        gt_str_addf(text, i ? " " : "");
        if (gt_slice_resolve(&axes[i], 10, "sample", &from, &to, &by, &err))
            gt_str_addf(text, "%s", err.msg);
        else
            gt_str_addf(text, "%s%d-%d/%d", axes[i].is_index ? "i" : axes[i].given ? "" : "n", (int)from, (int)to, (int)by);
    }
}

static void test_axes(void)
{
    static const struct {
        const char *text;
        int axes;
        const char *wanted;
    } cases[] = {
        {":", 3, "0-10/1 n0-10/1 n0-10/1"},
        {"2", 1, "i2-3/1"},
        {"0", 1, "i0-1/1"},
        {"-1", 1, "i9-10/1"},
        {"9", 1, "i9-10/1"},
        {"-10", 1, "i0-1/1"},
        {"10", 1, "index 10 is outside the sample axis of 10"},
        {"-11", 1, "index -11 is outside the sample axis of 10"},
        {" 1 : 4 : 2 ", 1, "1-4/2"},
        {"\t1:\t4", 1, "1-4/1"},
        {"1:4:", 1, "1-4/1"},
        {"::20", 1, "0-10/10"},
        {"::-2", 1, "a slice with step -2: a negative step would reverse the sample axis"},
        {"9223372036854775807:", 1, "10-10/1"},
        {"-9223372036854775808:99999999999999999999", 1, "0-10/1"},
        {"1,2:3", 2, "i1-2/1 2-3/1"},
        {"...", 2, "n0-10/1 n0-10/1"},
        {"...,5", 3, "n0-10/1 n0-10/1 i5-6/1"},
        {"5,...", 3, "i5-6/1 n0-10/1 n0-10/1"},
        {"1,...,2", 3, "i1-2/1 n0-10/1 i2-3/1"},
        {"1,...,2", 2, "i1-2/1 i2-3/1"},
        {"1 , ... , 2", 2, "i1-2/1 i2-3/1"},
        {"1,2,3,4", 3, "bad slice '1,2,3,4': there are at most three axes"},
        {"1,2,3", 2, "bad slice '1,2,3': there are at most 2 axes"},
        {"1,2", 1, "bad slice '1,2': there is one axis"},
        {"1,...,2,3", 2, "bad slice '1,...,2,3': there are at most 2 axes"},
        {"...,...", 3, "bad slice '...,...': '...' occurs twice"},
        {"", 1, "bad slice '': a number or ':' is missing"},
        {"1,", 2, "bad slice '1,': a number or ':' is missing"},
        {"x", 1, "bad slice 'x': a number or ':' is missing"},
        {"1x", 1, "bad slice '1x': a ',' was expected"},
        {"1:2:3:4", 1, "bad slice '1:2:3:4': a ',' was expected"},
        {"::0", 1, "bad slice '::0': a step is 0"},
        {"9223372036854775808", 1, "bad slice '9223372036854775808': an index is too large"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gt_slice axes[3];
        struct gt_str got = {0};
        struct gt_err err = {0};
        const int status = gt_slice_parse(cases[i].text, axes, cases[i].axes, &err);
        if (status)
            gt_str_add(&got, err.msg);
        else
            show(axes, cases[i].axes, &got);
        ok(strcmp(got.s, cases[i].wanted) == 0 && (!status || (status == GT_USAGE && strstr(err.hint, "numpy"))), "'%s' of %d axes: %s",
           cases[i].text, cases[i].axes, got.s);
        gt_str_release(&got);
    }
}

/* --- lines ------------------------------------------------------------------------------------ */

static int add_line(void *ctx, char *text, int64_t number, struct gt_err *err)
{
    gt_str_addf(ctx, "%d<%.20s>%d ", (int)number, text, (int)strlen(text));
    return strcmp(text, "stop") ? 0 : gt_fail(err, GT_INPUT, "stopped at %d", (int)number);
}

static void check_lines(const char *data, size_t n, const char *wanted)
{
    struct gt_str got = {0};
    struct gt_err err = {0};
    scratch_write("lines", data, n);
    const int status = gt_lines_read("lines", add_line, &got, &err);
    gt_str_add(&got, status ? err.msg : "");
    ok(strcmp(got.s, wanted) == 0 && (!status || status == GT_INPUT), "lines: %.60s", got.s);
    gt_str_release(&got);
}
#define LINES(data, wanted) check_lines(data, sizeof data - 1, wanted)

static void test_lines(void)
{
    enum { MOST = 1 << 20 };
    LINES("", "");
    LINES("a", "1<a>1 ");
    LINES("a\n", "1<a>1 ");
    LINES("a\nb\n\nc", "1<a>1 2<b>1 3<>0 4<c>1 ");
    LINES("a\r\nb\r\r\n \r\n", "1<a>1 2<b>1 3< >1 ");
    LINES("\xef\xbb\xbf"
          "a\n\xef\xbb\xbf"
          "b\n",
          "1<a>1 2<\xef\xbb\xbf"
          "b>4 ");
    LINES("a\nstop\nb\n", "1<a>1 2<stop>4 stopped at 2");
    char *text = malloc(MOST + 8192);
    memset(text, 'x', MOST + 8192);
    for (size_t n = 4094; n <= 4097; n++) { /* as long as what is read at once */
        char wanted[80];
        text[n] = '\n', text[n + 1] = 'y';
        snprintf(wanted, sizeof wanted, "1<xxxxxxxxxxxxxxxxxxxx>%zu 2<y>1 ", n);
        check_lines(text, n + 2, wanted);
        text[n] = text[n + 1] = 'x';
    }
    text[MOST] = '\n';
    check_lines(text, MOST + 1, "1<xxxxxxxxxxxxxxxxxxxx>1048576 ");
    text[MOST] = 'x';
    check_lines(text, MOST + 8192, "'lines': a line is longer than 1048576 bytes");
    free(text);

    gzFile gz = gzopen("packed", "wb");
    gzputs(gz, "one\ntwo\n");
    gzclose(gz);
    size_t n;
    unsigned char *packed = scratch_read("packed", &n);
    check_lines((const char *)packed, n, "1<one>3 2<two>3 ");
    struct gt_str got = {0};
    struct gt_err err = {0};
    scratch_write("cut", packed, n - 9);
    ok(gt_lines_read("cut", add_line, &got, &err) == GT_INPUT && strstr(err.msg, "'cut' is truncated: the gzip stream ends early"), "%s",
       err.msg);
    packed[n - 6] ^= 1; /* of the checksum */
    scratch_write("damaged", packed, n);
    gt_err_clear(&err);
    ok(gt_lines_read("damaged", add_line, &got, &err) == GT_INPUT && strcmp(err.msg, "'damaged': damaged gzip data") == 0, "%s", err.msg);
    gt_err_clear(&err);
    ok(gt_lines_read("-", add_line, &got, &err) == GT_USAGE && strstr(err.hint, "/dev/stdin"), "%s", err.msg);
    gt_err_clear(&err);
    ok(gt_lines_read("none", add_line, &got, &err) == GT_FAIL && strstr(err.msg, "cannot open 'none': "), "%s", err.msg);
    gt_str_release(&got);
    free(packed);
}

static void test_columns(void)
{
    char *columns[3], text[] = "  a \t b\tc d", tabs[] = "a b\tc", none[] = "";
    ok(gt_line_columns(text, " \t", columns, 3) == 3 && !strcmp(columns[0], "a") && !strcmp(columns[1], "b") && !strcmp(columns[2], "c"),
       "the first columns of more");
    ok(gt_line_columns(tabs, gt_line_between(tabs), columns, 3) == 2 && !strcmp(columns[0], "a b") && !strcmp(columns[1], "c") &&
           !columns[2],
       "a blank is part of a column where there are tabs");
    ok(gt_line_columns(none, gt_line_between(none), columns, 3) == 0 && !columns[0], "no column");
}

/* --- UTF-8 ------------------------------------------------------------------------------------- */

static void test_utf8(void)
{
    static const char *const good[] = {"",
                                       "a",
                                       "\x7f",
                                       "\xc2\x80",
                                       "\xdf\xbf",
                                       "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",
                                       "\xee\x80\x80",
                                       "\xef\xbf\xbf",
                                       "\xf0\x90\x80\x80",
                                       "\xf4\x8f\xbf\xbf"};
    static const char *const bad[] = {
        "\x80",     "\xbf",         "\xc0\x80", "\xc1\xbf",         "\xc2",         "\xc2\x7f",         "\xc2\xc0",         "\xe0\x9f\xbf",
        "\xe0\xa0", "\xed\xa0\x80", "\xe1\x80", "\xf0\x8f\xbf\xbf", "\xf0\x90\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"};
    int wrong = 0;
    char text[40];
    for (size_t before = 0; before < 18; before++)
        for (size_t i = 0; i < sizeof good / sizeof *good + sizeof bad / sizeof *bad; i++) {
            const bool is_good = i < sizeof good / sizeof *good;
            const char *part = is_good ? good[i] : bad[i - sizeof good / sizeof *good];
            memset(text, 'a', sizeof text);
            memcpy(text + before, part, strlen(part));
            wrong += (gt_check_utf8("x", text, before + strlen(part), NULL) == 0) != is_good; /* the end of it, and in the middle */
            wrong += (gt_check_utf8("x", text, before + strlen(part) + 9, NULL) == 0) != is_good;
        }
    ok(wrong == 0, "what is UTF-8, wherever it stands (%d wrong)", wrong);
    struct gt_err err = {0};
    memset(text, 'b', sizeof text);
    memcpy(text, "a\xff\n~ ", 5);
    ok(gt_check_utf8("the id", text, 39, &err) == GT_INPUT && strstr(err.msg, "the id 'a??~ bbb") && strstr(err.msg, "bbb' is not UTF-8") &&
           gt_is_utf8(text, 1) && !gt_is_utf8(text, 2),
       "%s", err.msg);
}

/* --- limits -------------------------------------------------------------------------------------- */

/* Of one string, in ASCII. */
static void check_json(const char *text, size_t n, const char *wanted)
{
    struct gt_str out = {0};
    gt_json_print_text(&out, text, n);
    ok(out.s && strcmp(out.s, wanted) == 0, "%s", out.s);
    gt_str_release(&out);
}

static void test_json(void)
{
    check_json("", 0, "\"\"");
    check_json("a\"b\\c/\x7f", 7, "\"a\\\"b\\\\c/\x7f\"");
    check_json("\0\n\x1f", 3, "\"\\u0000\\n\\u001f\"");
    check_json("\xc2\xb0"
               "C",
               3, "\"\\u00b0C\""); /* a degree sign */
    check_json("\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf", 10, "\"\\u0080\\u07ff\\u0800\\uffff\"");
    check_json("\xf0\x90\x80\x80\xf0\x9d\x84\x9e\xf4\x8f\xbf\xbf", 12, "\"\\ud800\\udc00\\ud834\\udd1e\\udbff\\udfff\"");
    check_json("a\xff\xc2", 3, "\"a\\ufffd\\ufffd\"");            /* no characters */
    check_json("\xed\xa0\x80z", 4, "\"\\ufffd\\ufffd\\ufffdz\""); /* half of a pair */
}

static void check_limits(const char *name, const char *value, int threads, int io, int64_t memory, const char *wanted)
{
    struct gt_limits l = {0};
    struct gt_err err = {0};
    struct gt_str got = {0};
    if (name)
        setenv(name, value, 1);
    const int status = gt_limits_get(&l, threads, io, memory, &err);
    if (status)
        gt_str_addf(&got, "%d %s", status == GT_USAGE, err.msg);
    else
        gt_str_addf(&got, "%d %s %d %lld %s", l.threads, l.threads_from, l.io_threads, (long long)l.memory, l.memory_from);
    ok(strcmp(got.s, wanted) == 0, "%s", got.s);
    gt_str_release(&got);
    if (name)
        unsetenv(name);
}

static void test_limits(void)
{
    unsetenv("GT_THREADS");
    unsetenv("OMP_NUM_THREADS");
    unsetenv("GT_MEMORY");
    check_limits(NULL, NULL, 1, 1, 1, "1 --threads 1 1 --memory");
    check_limits(NULL, NULL, 4096, 4096, 5, "4096 --threads 4096 5 --memory");
    check_limits(NULL, NULL, 4097, 1, 1, "1 --threads 4097: give a number from 1 to 4096");
    check_limits(NULL, NULL, -1, 1, 1, "1 --threads -1: give a number from 1 to 4096");
    check_limits(NULL, NULL, 1, 4097, 1, "1 --io 4097: give a number from 1 to 4096");
    check_limits(NULL, NULL, 1, -1, 1, "1 --io -1: give a number from 1 to 4096");
    check_limits(NULL, NULL, 1, 1, -1, "1 --memory: a negative size");
    check_limits("GT_THREADS", "4096", 0, 0, 7, "4096 GT_THREADS 2 7 --memory");
    check_limits("GT_THREADS", "1", 0, 0, 7, "1 GT_THREADS 2 7 --memory");
    check_limits("GT_THREADS", "4097", 0, 0, 7, "1 environment variable GT_THREADS: '4097' is not a number of threads from 1 to 4096");
    check_limits("OMP_NUM_THREADS", "3,x", 0, 0, 7, "3 OMP_NUM_THREADS 2 7 --memory");
    check_limits("OMP_NUM_THREADS", "x,3", 0, 0, 7,
                 "1 environment variable OMP_NUM_THREADS: 'x,3' is not a number of threads from 1 to 4096");
    check_limits("OMP_NUM_THREADS", "00000000000000000000000000000003", 0, 0, 7,
                 "1 environment variable OMP_NUM_THREADS: '00000000000000000000000000000003' is not a number of threads from 1 to 4096");
    check_limits("GT_MEMORY", "2K", 1, 0, 0, "1 --threads 2 2048 GT_MEMORY");
    check_limits("GT_MEMORY", "2K", 1, 0, 9, "1 --threads 2 9 --memory");
    check_limits("GT_MEMORY", "0", 1, 0, 0, "1 environment variable GT_MEMORY: '0' is not a size");
    struct gt_limits l;
    setenv("GT_MEMORY", "", 1);
    const int64_t ram = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    ok(gt_limits_get(&l, 1, 0, 0, NULL) == 0 && l.memory == l.machine && l.machine <= ram / 10 * 6 && l.machine > 0 &&
           (strcmp(l.memory_from, "60 % of RAM") || l.machine == ram / 10 * 6),
       "60 %% of what there is: %s", l.memory_from);
}

int main(void)
{
    scratch_open();
    test_slices();
    test_axes();
    test_lines();
    test_columns();
    test_utf8();
    test_json();
    test_limits();
    scratch_close();
    return done_testing();
}
