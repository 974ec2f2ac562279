/* Marks of VCF text and the numbers between them at every level: against rules written out once more, between guard pages. */
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "test/support/guard_page.h"
#include "test/support/tap.h"

enum { MOST = 700 };

/* style 0: numbers of up to 8 digits; 1: of up to 10, dots and signs; 2: any bytes, many of them marks. */
static void write_text(char *text, int64_t n, int style)
{
    static const char delims[] = ",:/|\t", odd[] = "0123456789.-+eE";
    for (int64_t i = 0; i < n;) {
        if (style == 2) {
            text[i++] = rnd() % 3 ? delims[rnd() % 5] : (char)rnd();
            continue;
        }
        int64_t digits = style == 0 ? 1 + rnd() % 8 : rnd() % 11;
        if (style == 1 && rnd() % 4 == 0)
            digits = 1;
        for (; digits && i < n; digits--)
            text[i++] = style == 1 && rnd() % 5 == 0 ? odd[rnd() % 15] : (char)('0' + rnd() % 10);
        if (i < n)
            text[i++] = delims[rnd() % 5];
    }
}

static int32_t number(const char *s, int64_t n)
{
    char copy[16] = {0};
    if (n == 1 && *s == '.')
        return INT32_MIN;
    if (n < 1 || n > 8)
        return INT32_MIN + 2;
    memcpy(copy, s, (size_t)n);
    return strspn(copy, "0123456789") == (size_t)n ? atoi(copy) : INT32_MIN + 2;
}

static int64_t cut(const char *text, int64_t n, int32_t *delims)
{
    int64_t found = 0;
    for (int64_t i = 0; i < n; i++)
        if (text[i] && strchr(",:/|\t", text[i]))
            delims[found++] = (int32_t)(i * 256 + text[i]);
    return found;
}

static bool marks_hold(const struct gt_kernels *k, int64_t n, int style, int at_start)
{
    struct guard text = guard_new((size_t)n, at_start), got = guard_new((size_t)(n + GT_DELIMS_ROOM) * 4, 0);
    int32_t want[MOST + 1] = {-256}, values[MOST];
    int64_t others = 0;
    write_text((char *)text.data, n, style);
    const int64_t found = cut((char *)text.data, n, want + 1);
    bool right =
        k->split_delims((char *)text.data, n, (int32_t *)(void *)got.data) == found && memcmp(got.data, want + 1, (size_t)found * 4) == 0;
    memset(values, 0x55, sizeof values);
    const int64_t told = k->marked_ints((char *)text.data, want + 1, found, values);
    for (int64_t i = 0; i < found; i++) {
        const int64_t from = (want[i] >> 8) + 1, to = want[i + 1] >> 8;
        const int32_t x = number((char *)text.data + from, to - from);
        right = right && values[i] == x;
        others += x == INT32_MIN + 2;
    }
    right = right && told == others && (found == MOST || values[found] == 0x55555555);
    guard_free(&text);
    guard_free(&got);
    return right;
}

/* A period that breaks off at sample `at`. */
static bool alike_holds(const struct gt_kernels *k, int64_t period, int64_t n, int64_t at)
{
    struct guard delims = guard_new((size_t)(n * period) * 4, 0), pattern = guard_new((size_t)period, 0),
                 other = guard_new((size_t)period, 0);
    int32_t *m = (int32_t *)(void *)delims.data;
    for (int64_t i = 0; i < period; i++) {
        pattern.data[i] = (uint8_t) ",:/|\t"[rnd() % 5];
        other.data[i] = rnd() % 3 ? pattern.data[i] : '|';
    }
    for (int64_t i = 0; i < n * period; i++)
        m[i] = (int32_t)((rnd() % 5000) << 8 | (rnd() % 2 ? pattern : other).data[i % period]);
    if (at < n) {
        int32_t *odd = &m[at * period + rnd() % (uint32_t)period];
        *odd = (*odd & ~0xff) | 'x';
    }
    const bool right = k->same_delims(m, n, pattern.data, other.data, period) == (at < n ? at : n);
    guard_free(&delims);
    guard_free(&pattern);
    guard_free(&other);
    return right;
}

static bool settle_holds(const struct gt_kernels *k, int64_t n, int style)
{
    struct guard x = guard_new((size_t)n * 4, 0);
    int32_t *got = (int32_t *)(void *)x.data, want[MOST], range[2] = {3, 5}, wanted[2] = {3, 5};
    for (int64_t i = 0; i < n; i++) {
        got[i] = rnd() % 8 == 0 ? INT32_MIN + (int32_t)(rnd() % 2) : style ? (int32_t)rnd() : (int32_t)(rnd() % 200) - 100;
        want[i] = got[i] == INT32_MIN ? -1 : got[i] == INT32_MIN + 1 ? -2 : got[i];
        wanted[0] = want[i] < wanted[0] ? want[i] : wanted[0];
        wanted[1] = want[i] > wanted[1] ? want[i] : wanted[1];
    }
    k->fix_ints(got, n, range);
    const bool right = memcmp(got, want, (size_t)n * 4) == 0 && memcmp(range, wanted, sizeof range) == 0;
    guard_free(&x);
    return right;
}

int main(void)
{
    int levels;
    const struct gt_kernels *const *all = gt_kernels_all(&levels);
    for (int l = 0; l < levels; l++) {
        const struct gt_kernels *k = all[l];
        bool delims = true, alike = true, settle = true;
        for (int64_t n = 0; n < MOST; n += n < 200 ? 1 : 37)
            for (int style = 0; style < 3; style++) {
                delims = delims && marks_hold(k, n, style, 0) && marks_hold(k, n, style, 1);
                settle = settle && settle_holds(k, n, style);
            }
        for (int64_t period = 1; period < 40; period++)
            for (int64_t n = 0; n < 40; n++)
                alike = alike && alike_holds(k, period, n, rnd() % 60);
        ok(delims, "%s: marks are cut, and numbers between them read", k->name);
        ok(alike, "%s: periods are compared", k->name);
        ok(settle, "%s: what is missing is settled, the range told", k->name);
    }
    return done_testing();
}
