/* Sample lists of .pgen records, by pgen_spec: lengths and steps where their LEB128 becomes a byte longer, groups of 64, sample indices
 * of each width, with and without codes.  What is read and written is compared with bytes that this file puts together. */
#include <stdlib.h>
#include <string.h>

#include "geno/plink/pgen_list.h"
#include "test/support/random.h"
#include "test/support/tap.h"

struct list {
    int64_t n_samples;
    uint32_t n, *samples;
    uint8_t *codes;
    uint8_t *bytes;
    size_t len;
};

static void put_leb128(struct list *l, uint64_t value)
{
    do {
        l->bytes[l->len++] = (uint8_t)(value % 128 + (value >= 128 ? 128 : 0));
        value /= 128;
    } while (value);
}

static void put_steps(struct list *l, uint32_t first)
{
    for (uint32_t i = first + 1; i < l->n && i < first + 64; i++)
        put_leb128(l, l->samples[i] - l->samples[i - 1]);
}

/* pgen_spec, "difflist"; the width of an index is that of the number of samples. */
static void put_list(struct list *l)
{
    int width = 1;
    while (l->n_samples >> 8 * width)
        width++;
    l->len = 0;
    put_leb128(l, l->n);
    for (uint32_t i = 0; i < l->n; i += 64)
        for (int b = 0; b < width; b++)
            l->bytes[l->len++] = (uint8_t)(l->samples[i] >> 8 * b);
    for (uint32_t i = 0; i + 64 < l->n; i += 64) {
        const size_t before = l->len;
        put_steps(l, i);
        const size_t size = l->len - before;
        l->len = before;
        l->bytes[l->len++] = (uint8_t)(size - 63);
    }
    for (uint32_t i = 0; l->codes && i < l->n; i += 4) {
        unsigned byte = 0;
        for (uint32_t k = 0; k < 4 && i + k < l->n; k++)
            byte += (unsigned)l->codes[i + k] << 2 * k;
        l->bytes[l->len++] = (uint8_t)byte;
    }
    for (uint32_t i = 0; i < l->n; i += 64)
        put_steps(l, i);
}

/* n samples whose steps are about `step`, now and then exactly so, one less or one more. */
static bool make_list(struct list *l, uint32_t n, uint32_t step, bool codes)
{
    *l = (struct list){.n = n, .samples = malloc(4 * (size_t)n + 4), .codes = codes ? malloc(n + 1) : NULL};
    uint64_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        l->samples[i] = (uint32_t)at;
        at += step < 2 ? 1 : step - 1 + (uint64_t)random_below(3);
        if (codes)
            l->codes[i] = (uint8_t)random_below(4);
    }
    l->n_samples = n ? (int64_t)l->samples[n - 1] + 1 : 5;
    l->bytes = malloc((size_t)n * 6 + 64);
    put_list(l);
    return l->samples && l->bytes;
}

static void release(struct list *l)
{
    free(l->samples), free(l->codes), free(l->bytes);
}

static unsigned code_of(const uint8_t *row, uint32_t sample)
{
    return row[sample / 4] >> 2 * (sample % 4) & 3;
}

/* The codes of the samples that are listed, 0 of all others. */
static bool is_read(const struct list *l)
{
    const size_t row_bytes = (size_t)l->n_samples / 4 + 1;
    uint8_t *row = calloc(row_bytes, 1), *marks = malloc(2 * (size_t)l->n_samples);
    struct gt_pgen_bytes r = {l->bytes, l->bytes + l->len};
    uint32_t n = 0, wrong = 0, marked = 0;
    uint64_t sum = 0, wanted = 0;
    memset(marks, 7, 2 * (size_t)l->n_samples);
    const char *fault = gt_pgen_read_list(&r, l->n_samples, l->codes ? row : NULL, marks, &n);
    for (uint32_t i = 0; i < l->n; i++) {
        wrong += marks[2 * (size_t)l->samples[i]] != 0 || marks[2 * (size_t)l->samples[i] + 1] != 7;
        wrong += l->codes && code_of(row, l->samples[i]) != l->codes[i];
        wanted += l->codes ? l->codes[i] : 0;
    }
    for (uint32_t s = 0; s < l->n_samples; s++) {
        marked += !marks[2 * (size_t)s];
        sum += code_of(row, s);
    }
    free(row), free(marks);
    return !fault && r.at == r.end && n == l->n && !wrong && marked == l->n && sum == wanted;
}

static bool is_written(const struct list *l)
{
    uint8_t *to = malloc(GT_PGEN_LIST_ROOM(l->n));
    const size_t len = (size_t)(gt_pgen_write_list(to, l->samples, l->codes, l->n, l->n_samples) - to);
    const bool same = len == l->len && len <= GT_PGEN_LIST_ROOM(l->n) && memcmp(to, l->bytes, len) == 0;
    free(to);
    return same;
}

/* What is cut off, is not in order or lies beyond the last sample is an error. */
static bool damage_is_found(const struct list *l)
{
    bool found = true;
    uint32_t n;
    for (size_t len = 0; len < l->len; len += 1 + l->len / 300) {
        struct gt_pgen_bytes r = {l->bytes, l->bytes + len};
        found &= gt_pgen_read_list(&r, l->n_samples, NULL, NULL, &n) != NULL || l->codes;
    }
    struct gt_pgen_bytes one_less = {l->bytes, l->bytes + l->len};
    found &=
        l->codes || l->n_samples == 256 || l->n_samples == 65536 || gt_pgen_read_list(&one_less, l->n_samples - 1, NULL, NULL, &n) != NULL;
    return found;
}

static void test_list(uint32_t n, uint32_t step)
{
    for (int codes = 0; codes < 2; codes++) {
        struct list l;
        const bool made = make_list(&l, n, step, codes);
        ok(made && is_read(&l), "%u samples, steps of %u%s: read", n, step, codes ? ", with codes" : "");
        ok(made && is_written(&l), "%u samples, steps of %u%s: written", n, step, codes ? ", with codes" : "");
        ok(made && (!n || damage_is_found(&l)), "%u samples, steps of %u%s: damage", n, step, codes ? ", with codes" : "");
        release(&l);
    }
}

/* Of evenly spread samples the size is known before the list is written, to a byte for each group. */
static void test_sizes(void)
{
    static const struct {
        uint32_t n, step;
    } cases[] = {{1, 1},    {2, 1},      {3, 126},    {64, 126},   {65, 126},  {127, 3},   {128, 3},  {64, 129},
                 {65, 129}, {65, 16000}, {65, 16400}, {70, 70000}, {16383, 2}, {16384, 2}, {16385, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int codes = 0; codes < 2; codes++) {
            struct list l = {.n = cases[i].n, .samples = malloc(4 * (size_t)cases[i].n), .bytes = malloc((size_t)cases[i].n * 6 + 64)};
            l.codes = codes ? calloc(l.n, 1) : NULL;
            for (uint32_t k = 0; k < l.n; k++)
                l.samples[k] = k * cases[i].step;
            l.n_samples = (int64_t)l.n * cases[i].step;
            put_list(&l);
            const int64_t bytes = gt_pgen_list_bytes(l.n, l.n_samples, codes);
            ok(bytes == (int64_t)l.len, "%u of %lld samples%s: %lld bytes", l.n, (long long)l.n_samples, codes ? ", with codes" : "",
               (long long)bytes);
            release(&l);
        }
    ok(gt_pgen_list_bytes(0, 1000, true) == 1, "no sample: one byte");
}

/* A length or a step of more than 32 bits, or of more than five bytes. */
static void test_numbers(void)
{
    static const struct {
        const char *bytes;
        size_t n;
        bool good;
    } cases[] = {{"\0", 1, true},
                 {"\x80\0", 2, true},
                 {"\x80\x80\x80\x80\0", 5, true},
                 {"\x80\x80\x80\x80\x80\0", 6, false},
                 {"\x80\x80\x80\x80\x10", 5, false},
                 {"\x80\x80\x80\x80", 4, false},
                 {"\2\3\1", 3, true},
                 {"\2\3\x81\0", 4, true},
                 {"\2\3\0", 3, false},
                 {"\2\3\6", 3, true},
                 {"\2\3\7", 3, false},
                 {"\2\3\xff\xff\xff\xff\xf", 7, false},
                 {"\2\3\xff\xff\xff\xff\x1f", 7, false},
                 {"\1\x9", 2, true},
                 {"\1\xa", 2, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint8_t *at = (const uint8_t *)cases[i].bytes;
        struct gt_pgen_bytes r = {at, at + cases[i].n};
        uint32_t n;
        const char *fault = gt_pgen_read_list(&r, 10, NULL, NULL, &n);
        ok(!fault == cases[i].good && (fault || r.at == r.end), "number %zu: %s", i, fault ? fault : "taken");
    }
    struct gt_pgen_bytes many = {(const uint8_t *)"\4\0\1\1\1", (const uint8_t *)"\4\0\1\1\1" + 5};
    uint32_t n;
    ok(gt_pgen_read_list(&many, 3, NULL, NULL, &n) != NULL, "more entries than samples");
}

int main(void)
{
    static const uint32_t numbers[] = {0, 1, 2, 3, 4, 5, 63, 64, 65, 127, 128, 129, 192, 193};
    static const uint32_t steps[] = {1, 3, 127, 128, 16383, 16384};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
            test_list(numbers[i], steps[k]);
    test_list(16383, 1), test_list(16384, 1), test_list(16385, 2);
    test_list(3, 2097151), test_list(3, 2097152), test_list(255, 1), test_list(256, 1), test_list(257, 1);
    test_sizes();
    test_numbers();
    return done_testing();
}
